// SPDX-License-Identifier: GPL-2.0
/*
 * Is a record as long as its type says, and do its strings end inside it?
 * Samples are checked while they are decoded.
 */
#include "file/private.h"

/* Where the fixed part of a kernel record ends and, if it has one, its string starts. */
static const struct shape {
	u16 size;		/* 0: no such record */
	bool string;
} shapes[] = {
	[PERF_RECORD_MMAP]		= { 40, true },
	[PERF_RECORD_LOST]		= { 24, false },
	[PERF_RECORD_COMM]		= { 16, true },
	[PERF_RECORD_EXIT]		= { 32, false },
	[PERF_RECORD_THROTTLE]		= { 32, false },
	[PERF_RECORD_UNTHROTTLE]	= { 32, false },
	[PERF_RECORD_FORK]		= { 32, false },
	[PERF_RECORD_READ]		= { 24, false },
	[PERF_RECORD_MMAP2]		= { 72, true },
	[PERF_RECORD_AUX]		= { 32, false },
	[PERF_RECORD_ITRACE_START]	= { 16, false },
	[PERF_RECORD_LOST_SAMPLES]	= { 16, false },
	[PERF_RECORD_SWITCH]		= { 8, false },
	[PERF_RECORD_SWITCH_CPU_WIDE]	= { 16, false },
	[PERF_RECORD_NAMESPACES]	= { 24, false },
	[PERF_RECORD_KSYMBOL]		= { 24, true },
	[PERF_RECORD_BPF_EVENT]		= { 24, false },
	[PERF_RECORD_CGROUP]		= { 16, true },
	[PERF_RECORD_TEXT_POKE]		= { 20, false },
	[PERF_RECORD_AUX_OUTPUT_HW_ID]	= { 16, false },
	[REC_CALLCHAIN_DEFERRED]	= { 24, false },
};

static const u16 tool_sizes[] = {
	[REC_HEADER_ATTR - 64]		= 8 + PERF_ATTR_SIZE_VER0,
	[REC_HEADER_EVENT_TYPE - 64]	= 16,
	[REC_HEADER_TRACING_DATA - 64]	= 12,
	[REC_HEADER_BUILD_ID - 64]	= 37,
	[REC_FINISHED_ROUND - 64]	= 8,
	[REC_ID_INDEX - 64]		= 16,
	[REC_AUXTRACE_INFO - 64]	= 16,
	[REC_AUXTRACE - 64]		= 48,
	[REC_AUXTRACE_ERROR - 64]	= 48,
	[REC_THREAD_MAP - 64]		= 16,
	[REC_CPU_MAP - 64]		= 10,
	[REC_STAT_CONFIG - 64]		= 16,
	[REC_STAT - 64]			= 48,
	[REC_STAT_ROUND - 64]		= 24,
	[REC_EVENT_UPDATE - 64]		= 24,
	[REC_TIME_CONV - 64]		= 32,
	[REC_HEADER_FEATURE - 64]	= 16,
	[REC_COMPRESSED - 64]		= 8,
	[REC_FINISHED_INIT - 64]	= 8,
	[REC_COMPRESSED2 - 64]		= 16,
	[REC_BPF_METADATA - 64]		= 8,
};

u64 payload_size(const struct perf_event_header *h)
{
	if (h->type == REC_AUXTRACE)
		return *(const u64 *)(h + 1);
	return *(const u32 *)(h + 1);
}

static const char *check_tool(const struct perf_event_header *h)
{
	u32 nr = h->type - 64;

	if (nr < ARRAY_SIZE(tool_sizes) && h->size < tool_sizes[nr])
		return "a record is shorter than its type needs";
	if (h->type == REC_THREAD_MAP && *(const u64 *)(h + 1) > (h->size - 16u) / 24)
		return "a thread map has more entries than its record holds";
	if (h->type == REC_ID_INDEX && *(const u64 *)(h + 1) > (h->size - 16u) / 32)
		return "an id index has more entries than its record holds";
	return NULL;
}

const char *record_check(const struct perf_event_header *h, const struct event_list *events)
{
	const struct shape *shape;
	const struct event *ev;
	const u64 *p = (const u64 *)(h + 1);
	u32 end = h->size;

	if (h->type >= REC_HEADER_ATTR)
		return check_tool(h);
	if (h->size & 7)
		return "the size of a record is no multiple of 8";
	if (h->type == PERF_RECORD_SAMPLE || h->type >= ARRAY_SIZE(shapes) ||
	    !shapes[h->type].size)
		return NULL;
	shape = &shapes[h->type];
	if (events->sample_id_all) {
		ev = events->mixed_sample_ids ? event_list_find(events, h) : events->events[0];
		if (ev && ev->layout.id_size)
			end = h->size < 8 + ev->layout.id_size ? 0 : h->size - ev->layout.id_size;
	}
	if (end < shape->size)
		return "a record is shorter than its type needs";
	if (shape->string && !memchr((const char *)h + shape->size, 0, end - shape->size))
		return "the string of a record does not end inside it";
	if (h->type == PERF_RECORD_NAMESPACES && p[1] > (end - 24) / 16)
		return "a namespaces record has more entries than it holds";
	if (h->type == REC_CALLCHAIN_DEFERRED && p[1] > (end - 24) / 8)
		return "a deferred callchain is longer than its record";
	if (h->type == PERF_RECORD_TEXT_POKE) {
		const u16 *len = (const u16 *)((const char *)h + 16);

		if (20u + len[0] + len[1] > end)
			return "a text_poke is longer than its record";
	}
	return NULL;
}

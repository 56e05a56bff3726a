// SPDX-License-Identifier: GPL-2.0
/*
 * All record types. The fields of a row add up to its size, without optional ones (checked by the
 * unit test).
 */
#include "event/records.h"

#define SHAPE(type, size_, fields_) .name = type, .size = (size_), .fields = (fields_)

static const struct record_shape shapes[] = {
	[PERF_RECORD_MMAP] = { SHAPE("MMAP", 40, "44888b"), .string = true },
	[PERF_RECORD_LOST] = { SHAPE("LOST", 24, "88") },
	[PERF_RECORD_COMM] = { SHAPE("COMM", 16, "44b"), .string = true },
	[PERF_RECORD_EXIT] = { SHAPE("EXIT", 32, "44448") },
	[PERF_RECORD_THROTTLE] = { SHAPE("THROTTLE", 32, "888") },
	[PERF_RECORD_UNTHROTTLE] = { SHAPE("UNTHROTTLE", 32, "888") },
	[PERF_RECORD_FORK] = { SHAPE("FORK", 32, "44448") },
	[PERF_RECORD_READ] = { SHAPE("READ", 24, "448") },
	/* The layout depends on its event: event/sample.h. */
	[PERF_RECORD_SAMPLE] = { SHAPE("SAMPLE", 0, "") },
	[PERF_RECORD_MMAP2] = { SHAPE("MMAP2", 72, "44888448844b"), .string = true },
	[PERF_RECORD_AUX] = { SHAPE("AUX", 32, "888") },
	[PERF_RECORD_ITRACE_START] = { SHAPE("ITRACE_START", 16, "44") },
	[PERF_RECORD_LOST_SAMPLES] = { SHAPE("LOST_SAMPLES", 16, "8") },
	[PERF_RECORD_SWITCH] = { SHAPE("SWITCH", 8, "") },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { SHAPE("SWITCH_CPU_WIDE", 16, "44") },
	[PERF_RECORD_NAMESPACES] = {
		SHAPE("NAMESPACES", 24, "448(88"), .entry = 16,
		.too_many = "a namespaces record has more entries than it holds",
	},
	[PERF_RECORD_KSYMBOL] = { SHAPE("KSYMBOL", 24, "8422b"), .string = true },
	[PERF_RECORD_BPF_EVENT] = { SHAPE("BPF_EVENT", 24, "224x") },
	[PERF_RECORD_CGROUP] = { SHAPE("CGROUP", 16, "8b"), .string = true },
	[PERF_RECORD_TEXT_POKE] = { SHAPE("TEXT_POKE", 20, "822b") },
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = { SHAPE("AUX_OUTPUT_HW_ID", 16, "8") },
	[REC_CALLCHAIN_DEFERRED] = {
		SHAPE("CALLCHAIN_DEFERRED", 24, "88(8"), .entry = 8,
		.too_many = "a deferred callchain is longer than its record",
	},
	/* The attributes contain their size: perfdata/swap.c */
	[REC_HEADER_ATTR] = { SHAPE("ATTR", 8 + PERF_ATTR_SIZE_VER0, "") },
	[REC_HEADER_EVENT_TYPE] = { SHAPE("EVENT_TYPE", 16, "xb") },
	[REC_HEADER_TRACING_DATA] = { SHAPE("TRACING_DATA", 12, "4b") },
	/* At least the NUL of its name */
	[REC_HEADER_BUILD_ID] = { SHAPE("BUILD_ID", 37, "4b") },
	[REC_FINISHED_ROUND] = { SHAPE("FINISHED_ROUND", 8, "") },
	[REC_ID_INDEX] = {
		SHAPE("ID_INDEX", 16, "8(8888"), .entry = 32,
		.too_many = "an id index has more entries than its record holds",
	},
	[REC_AUXTRACE_INFO] = { SHAPE("AUXTRACE_INFO", 16, "44") },
	[REC_AUXTRACE] = { SHAPE("AUXTRACE", 48, "8884444") },
	[REC_AUXTRACE_ERROR] = { SHAPE("AUXTRACE_ERROR", 48, "44444488|xxxxxxxx44") },
	[REC_THREAD_MAP] = {
		SHAPE("THREAD_MAP", 16, "8(8xx"), .entry = 24,
		.too_many = "a thread map has more entries than its record holds",
	},
	/* The layout depends on the kind of map: perfdata/swap.c */
	[REC_CPU_MAP] = { SHAPE("CPU_MAP", 10, "") },
	[REC_STAT_CONFIG] = { SHAPE("STAT_CONFIG", 16, "8(88") },
	[REC_STAT] = { SHAPE("STAT", 48, "844888") },
	[REC_STAT_ROUND] = { SHAPE("STAT_ROUND", 24, "88") },
	/* The rest depends on the kind of update: perfdata/swap.c */
	[REC_EVENT_UPDATE] = { SHAPE("EVENT_UPDATE", 24, "88") },
	[REC_TIME_CONV] = { SHAPE("TIME_CONV", 32, "888|88b") },
	[REC_HEADER_FEATURE] = { SHAPE("FEATURE", 16, "8b") },
	[REC_COMPRESSED] = { SHAPE("COMPRESSED", 8, "b") },
	[REC_FINISHED_INIT] = { SHAPE("FINISHED_INIT", 8, "") },
	[REC_COMPRESSED2] = { SHAPE("COMPRESSED2", 16, "8b") },
	[REC_BPF_METADATA] = { SHAPE("BPF_METADATA", 8, "b") },
};

const struct record_shape *record_shape(u32 type)
{
	static const struct record_shape unknown = { .fields = "" };

	return type < ARRAY_SIZE(shapes) && shapes[type].name ? &shapes[type] : &unknown;
}

const char *record_fields(const struct perf_event_header *h)
{
	/* The build-id and its size replace device and inode. */
	return h->size >= sizeof(struct mmap2_record) && mmap2_has_build_id(h) ?
	       "44888xxx44b" : record_shape(h->type)->fields;
}

u64 record_payload_size(const struct perf_event_header *h)
{
	if (h->type == REC_AUXTRACE)
		return ((const struct auxtrace_record *)h)->size;
	return ((const struct tracing_data_record *)h)->size;
}

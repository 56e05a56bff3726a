// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes for --call-graph live. A stack copy takes its full size in the buffer, although usually
 * only a few kB of it are written. Buffers are therefore large; they are limited by the memory
 * that the user may lock, not by memory bandwidth. The file owns nothing.
 */
#include <sys/resource.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/sysfs.h"
#include "measure/live_buffer.h"

#define BUFFER_RATE	1000		/* samples per second for which a buffer */
#define BUFFER_BYTES	(8ULL << 20)	/* has this size */
#define BPF_BUFFER	(2ULL << 20)	/* size if only files without tables need copies */
#define BUFFER_MAX	(16ULL << 20)	/* pages are allocated at open, which takes milliseconds */
#define MEMORY_PART	64		/* all buffers together use at most 1/64 of memory */
#define WAKE_BYTES	(4ULL << 20)	/* wake-up of the recorder; a quarter of a small buffer */
#define LEAST_MS	16
#define LEAST_COPY	8192
/* Assumed rate and copy size of events without a sampling frequency: tracepoints, switches. */
#define EVENT_RATE	4000
#define EVENT_COPY	16384

/* Bytes that the user may lock for one of @nr buffers, without its header page. */
static u64 may_lock(u64 nr, u64 page)
{
	struct rlimit limit = { 0 };
	char text[32];
	u64 kb = 516;

	if (!geteuid())
		return UINT64_MAX;
	if (read_text("/proc/sys/kernel/perf_event_mlock_kb", text, sizeof(text)) > 0)
		kb = strtoull(text, NULL, 10);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return (kb * 1024 * sysconf(_SC_NPROCESSORS_ONLN) + limit.rlim_cur) / nr - page;
}

/* @rate: of samples that all have copies */
static u64 choose_buffer(u64 rate)
{
	u64 page = sysconf(_SC_PAGESIZE), nr = sysconf(_SC_NPROCESSORS_ONLN);
	u64 size = rate ? BUFFER_BYTES : BPF_BUFFER;
	u64 most = min((u64)sysconf(_SC_PHYS_PAGES) * page / MEMORY_PART / nr, may_lock(nr, page));

	while (size < BUFFER_MAX && size / BUFFER_BYTES * BUFFER_RATE < rate)
		size *= 2;
	while (size > most && size > page)
		size /= 2;
	return size;
}

static bool by_rate(const struct event_spec *s)
{
	return s->attr.freq;
}

static u64 rate_of(const struct event_spec *s)
{
	return by_rate(s) ? s->attr.sample_freq : EVENT_RATE;
}

void live_settle(struct ring_options *o, struct spec_list *specs)
{
	u64 live_rate = 0, rate = 0, buffer;
	u32 copy = LIVE_COPY, i;

	for (i = 0; i < specs->nr; i++) {
		live_rate += specs->v[i]->is_live ? rate_of(specs->v[i]) : 0;
		rate += specs->v[i]->is_live || specs->v[i]->is_bpf ? rate_of(specs->v[i]) : 0;
	}
	o->live_buffer = choose_buffer(live_rate);
	buffer = o->mmap_pages ? o->mmap_pages * sysconf(_SC_PAGESIZE) : o->live_buffer;
	while (copy > LEAST_COPY && buffer / copy * 1000 < rate * LEAST_MS)
		copy = ALIGN_UP(copy / 2, 8u);
	for (i = 0; i < specs->nr; i++) {
		struct event_spec *s = specs->v[i];

		/* A buffer's watermark is that of its first opened event. */
		if (!o->no_buffering) {
			s->attr.watermark = 1;
			s->attr.wakeup_watermark = buffer < BUFFER_BYTES ? buffer / 4 : WAKE_BYTES;
		}
		if (s->is_bpf)
			o->bpf_copy = copy;
		if (!s->is_live || s->stack_size || o->live_size)
			continue;
		s->attr.sample_stack_user = by_rate(s) ? copy : min(copy, (u32)EVENT_COPY);
		diag_info(2, "%s: %u bytes of each stack are copied, to buffers of %llu bytes", s->name,
			  s->attr.sample_stack_user, buffer);
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes recordings for tests and benchmarks: one event, records in memory,
 * stored as a file or as a pipe's stream. Formats: perf_event_open(2) and
 * Documentation of perf.data.
 */
#ifndef TOOL_PERFDATA_H
#define TOOL_PERFDATA_H

#include <stdio.h>

#include "base/arena.h"
#include "event/abi.h"

struct perfdata {
	struct perf_event_attr attr;
	u8 *buf;
	size_t size, cap;
};

static inline void pd_bytes(struct perfdata *pd, const void *p, size_t n)
{
	if (pd->size + n > pd->cap) {
		pd->cap = 2 * (pd->size + n);
		pd->buf = xrealloc(pd->buf, pd->cap);
	}
	memcpy(pd->buf + pd->size, p, n);
	pd->size += n;
}

static inline void pd_u64(struct perfdata *pd, u64 v)
{
	pd_bytes(pd, &v, sizeof(v));
}

static inline void pd_pair(struct perfdata *pd, u32 a, u32 b)
{
	u32 v[2] = { a, b };

	pd_bytes(pd, v, sizeof(v));
}

/* A text, with its NUL, padded to 8 bytes. */
static inline void pd_text(struct perfdata *pd, const char *s)
{
	static const char zeros[8];
	size_t n = strlen(s) + 1;

	pd_bytes(pd, s, n);
	pd_bytes(pd, zeros, -n & 7);
}

static inline size_t pd_begin(struct perfdata *pd, u32 type, u16 misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	size_t at = pd->size;

	pd_bytes(pd, &h, sizeof(h));
	return at;
}

static inline void pd_end(struct perfdata *pd, size_t at)
{
	((struct perf_event_header *)(pd->buf + at))->size = pd->size - at;
}

/* Ends a record that is no sample: its sample_id. */
static inline void pd_end_id(struct perfdata *pd, size_t at, u32 pid, u32 tid, u64 time)
{
	if (pd->attr.sample_id_all) {
		pd_pair(pd, pid, tid);
		if (pd->attr.sample_type & PERF_SAMPLE_TIME)
			pd_u64(pd, time);
	}
	pd_end(pd, at);
}

static inline void pd_init(struct perfdata *pd, bool has_time)
{
	memset(pd, 0, sizeof(*pd));
	pd->attr.type = PERF_TYPE_SOFTWARE;
	pd->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	pd->attr.size = PERF_ATTR_SIZE_VER7;
	pd->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
			       (has_time ? PERF_SAMPLE_TIME : 0);
	pd->attr.sample_period = 1000;
	attr_set_flags(&pd->attr, ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT);
	pd->attr.sample_id_all = 1;
}

static inline void pd_comm(struct perfdata *pd, u32 pid, u32 tid, const char *comm, bool exec,
			   u64 time)
{
	size_t at = pd_begin(pd, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);

	pd_pair(pd, pid, tid);
	pd_text(pd, comm);
	pd_end_id(pd, at, pid, tid, time);
}

static inline void pd_task(struct perfdata *pd, u32 type, u32 pid, u32 tid, u32 ppid, u32 ptid,
			   u64 time)
{
	size_t at = pd_begin(pd, type, 0);

	pd_pair(pd, pid, ppid);
	pd_pair(pd, tid, ptid);
	pd_u64(pd, time);
	pd_end_id(pd, at, pid, tid, time);
}

static inline void pd_mmap(struct perfdata *pd, u32 pid, u64 start, u64 len, u64 pgoff,
			   const char *name, u64 time)
{
	size_t at = pd_begin(pd, PERF_RECORD_MMAP, pid == (u32)-1 ? PERF_RECORD_MISC_KERNEL :
			     PERF_RECORD_MISC_USER);

	pd_pair(pd, pid, pid == (u32)-1 ? 0 : pid);
	pd_u64(pd, start);
	pd_u64(pd, len);
	pd_u64(pd, pgoff);
	pd_text(pd, name);
	pd_end_id(pd, at, pid, pid, time);
}

static inline void pd_lost(struct perfdata *pd, u64 lost, u64 time)
{
	size_t at = pd_begin(pd, PERF_RECORD_LOST, 0);

	pd_u64(pd, 0);
	pd_u64(pd, lost);
	pd_end_id(pd, at, 0, 0, time);
}

static inline void pd_round(struct perfdata *pd)
{
	pd_end(pd, pd_begin(pd, REC_FINISHED_ROUND, 0));
}

/* A sample; @ips with its markers. */
static inline void pd_sample(struct perfdata *pd, u32 pid, u32 tid, u64 time, u16 cpumode,
			     const u64 *ips, u64 nr)
{
	size_t at = pd_begin(pd, PERF_RECORD_SAMPLE, cpumode), i;
	u64 ip = 0;

	for (i = 0; i < nr && !ip; i++)
		ip = ips[i] < PERF_CONTEXT_MAX ? ips[i] : 0;
	pd_u64(pd, ip);
	pd_pair(pd, pid, tid);
	if (pd->attr.sample_type & PERF_SAMPLE_TIME)
		pd_u64(pd, time);
	pd_u64(pd, nr);
	pd_bytes(pd, ips, nr * sizeof(*ips));
	pd_end(pd, at);
}

/* A sample in the kernel whose user half is deferred. */
static inline void pd_deferred_sample(struct perfdata *pd, u32 pid, u32 tid, u64 time, u64 ip,
				      u64 cookie)
{
	u64 chain[] = { PERF_CONTEXT_KERNEL, ip, CONTEXT_USER_DEFERRED, cookie };

	pd_sample(pd, pid, tid, time, PERF_RECORD_MISC_KERNEL, chain, ARRAY_SIZE(chain));
}

/* The record that closes it. */
static inline void pd_deferred(struct perfdata *pd, u32 pid, u32 tid, u64 time, u64 cookie,
			       const u64 *ips, u64 nr)
{
	size_t at = pd_begin(pd, REC_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);

	pd_u64(pd, cookie);
	pd_u64(pd, nr);
	pd_bytes(pd, ips, nr * sizeof(*ips));
	pd_end_id(pd, at, pid, tid, time);
}

/*
 * Where the records go: a file, or, for a pipe, a stream with the event in
 * front. Return: 0, or -1.
 */
static inline int pd_write(const struct perfdata *pd, FILE *f, bool pipe)
{
	u64 magic = PERFILE2_MAGIC;
	struct {
		u64 magic, size, attr_size, attrs[2], data[2], types[2], features[4];
	} h = { .magic = magic, .size = 104, .attr_size = pd->attr.size + 16,
		.attrs = { 104, pd->attr.size + 16 },
		.data = { 104 + pd->attr.size + 16, pd->size } };
	u64 stream[2] = { magic, 16 }, no_ids[2] = { h.data[0], 0 };
	struct perf_event_header attr = { .type = REC_HEADER_ATTR, .size = 8 + pd->attr.size };

	if (pipe) {
		fwrite(stream, sizeof(stream), 1, f);
		fwrite(&attr, sizeof(attr), 1, f);
		fwrite(&pd->attr, pd->attr.size, 1, f);
	} else {
		fwrite(&h, sizeof(h), 1, f);
		fwrite(&pd->attr, pd->attr.size, 1, f);
		fwrite(no_ids, sizeof(no_ids), 1, f);
	}
	fwrite(pd->buf, 1, pd->size, f);
	return ferror(f) || fflush(f) ? -1 : 0;
}

static inline void pd_deinit(struct perfdata *pd)
{
	free(pd->buf);
}

#endif /* TOOL_PERFDATA_H */

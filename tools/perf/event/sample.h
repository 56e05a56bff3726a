/* SPDX-License-Identifier: GPL-2.0 */
/* A sample, decoded in place: numbers by value, arrays as pointers into the record. */
#ifndef PERF_EVENT_SAMPLE_H
#define PERF_EVENT_SAMPLE_H

#include "event/event.h"

struct regs_dump {
	u64 abi;			/* PERF_SAMPLE_REGS_ABI_*; 0: none */
	u64 mask;
	const u64 *regs;		/* popcount(mask) values; NULL: none */
};

struct sample {
	const struct perf_event_header *header;
	u64 offset;			/* of the record in its file, for messages and -D */
	const struct event *event;
	u8 cpumode;			/* PERF_RECORD_MISC_KERNEL, _USER, ... */
	u32 pid, tid;			/* -1 when not sampled */
	u32 cpu;			/* -1 when not sampled */
	u64 ip, time, addr, id, stream_id, period;	/* time, id, stream_id: -1 when not sampled */
	const u64 *callchain;		/* with context markers; NULL: none */
	u64 callchain_nr;
	const void *raw;		/* NULL: none */
	u32 raw_size;
	const u64 *read_format;		/* start of the READ block; NULL: none */
	u64 read_size;			/* its bytes */
	u64 branch_nr;
	const u64 *branch;		/* nr entries of { from, to, flags }; NULL: none */
	u64 branch_hw_idx;		/* -1: none */
	const u64 *branch_counters;
	struct regs_dump user_regs, intr_regs;
	const void *user_stack;		/* NULL: none */
	u64 user_stack_size;		/* number of valid bytes */
	u64 user_stack_full;		/* bytes dumped */
	u32 user_stack_at;		/* offset in the record of their number */
	u64 weight;			/* WEIGHT, or var1_dw of WEIGHT_STRUCT */
	u16 ins_lat, p_stage_cyc;
	u64 data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	const void *aux;
	u64 aux_size;
	u32 parallelism;		/* number of running threads; 1: not looked up. Set by the session */
	/* the callchain ends in PERF_CONTEXT_USER_DEFERRED and a cookie */
	bool deferred;
	u64 cookie;
};

/* sample_decode - decode a sample at @offset of a file. Return: 0; -EINVAL: it is too short. */
int sample_decode(const struct event *ev, const struct perf_event_header *rec, u64 offset,
		  struct sample *s);

/* sample_decode_swapped - set the arrays of a sample whose words were swapped, as it has them */
void sample_decode_swapped(const struct event *ev, const struct perf_event_header *rec,
			   struct sample *s);

/* sample_stack_at - offset of the size of the user stack's copy; 0: not within the record */
u32 sample_stack_at(const struct event *ev, const struct perf_event_header *rec);

/* sample_user_half - index of PERF_CONTEXT_USER in the callchain, or its number of words */
static inline u64 sample_user_half(const struct sample *s)
{
	u64 i = 0;

	while (i < s->callchain_nr && s->callchain[i] != PERF_CONTEXT_USER)
		i++;
	return i;
}

/*
 * sample_id_decode - set pid, tid, time, id, stream_id and cpu, -1: absent, from the end of a
 * record that is no sample. Return: 0; -EINVAL: it is too short.
 */
int sample_id_decode(const struct event *ev, const struct perf_event_header *rec,
		     struct sample *s);

/* record_time - the time of a kernel record in ns, without decoding it; -1: it has none */
u64 record_time(const struct event_list *list, const struct perf_event_header *rec);

#endif /* PERF_EVENT_SAMPLE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Options of a recording for events and the kernel's buffers. */
#ifndef PERF_MEASURE_MEASURE_OPTIONS_H
#define PERF_MEASURE_MEASURE_OPTIONS_H

#include <sys/types.h>

#include "base/types.h"
#include "spec/spec.h"

struct ring_options {
	/* rates */
	u64 freq, period;		/* 0: not given */
	bool freq_max;			/* -F max */
	bool strict_freq;
	/* callchains */
	enum spec_chain chain;
	u32 dwarf_size, live_size;	/* bytes of user stack; live_size 0: by live_settle() */
	const char *why_not_bpf;	/* NULL: -g and --call-graph bpf can use BPF */
	bool is_live;			/* stacks are copied and walked while recording */
	u32 bpf_copy;			/* SPEC_CHAIN_BPF: bytes copied of a stack without tables */
	u64 live_buffer;		/* live_settle()'s buffer size, unless mmap_pages is set */
	bool kernel_callchains, user_callchains;
	/* sample fields besides ip, tid and time */
	bool addr, period_field, weight, phys, data_page, code_page, data_mmap, cpu_field, identifier;
	bool running_time;		/* times enabled and running, with the counts */
	bool raw, transaction, no_time;
	u64 intr_regs, user_regs;	/* masks; 0: none */
	u64 branch_type;		/* PERF_SAMPLE_BRANCH_*; 0: none */
	/* side-band records */
	bool namespaces, cgroups, switches, no_bpf_event, no_buildid, no_buildid_mmap;
	bool per_thread_counts;		/* -s: READ records */
	/* targets */
	bool all_cpus;			/* -a */
	const char *cpu_list;		/* -C */
	bool per_thread;		/* --per-thread */
	bool no_inherit;		/* -i */
	bool all_kernel, all_user;
	bool no_samples;
	/* how */
	u64 mmap_pages;			/* data pages of a buffer; 0: default */
	bool overwrite, no_buffering;
	u64 small_file;			/* bytes that buffers must not exceed by much; 0: any */
	bool parallel;			/* several threads read the buffers */
	bool use_clockid;
	s32 clockid;
	s64 delay_ms;			/* -1: start disabled, 0: none */
	bool delay_given;
	bool has_workload;		/* a command waits for its exec */
	bool wants_build_ids;		/* record build-ids in map events */
};

#endif /* PERF_MEASURE_MEASURE_OPTIONS_H */

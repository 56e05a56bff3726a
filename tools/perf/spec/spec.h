/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of -e, with what name, terms and modifiers set. measure/attr.c adds the other options.
 */
#ifndef PERF_SPEC_SPEC_H
#define PERF_SPEC_SPEC_H

#include "base/error.h"
#include "event/abi.h"

enum spec_chain {
	SPEC_CHAIN_UNSET,
	SPEC_CHAIN_NO,
	SPEC_CHAIN_FP,
	SPEC_CHAIN_FP_DEFER,
	SPEC_CHAIN_TABLE,	/* deferred, by unwind tables */
	SPEC_CHAIN_BEST,	/* command line: best available of TABLE, BPF, LIVE, ... FP */
	SPEC_CHAIN_DWARF,
	SPEC_CHAIN_BPF,		/* as fp; a BPF program walks user stacks by unwind tables */
	SPEC_CHAIN_LIVE,	/* as dwarf; perf record walks the copies of the stacks and writes callchains */
	SPEC_CHAIN_LBR,
};

struct event_spec {
	struct perf_event_attr attr;
	char *name;			/* its name in the file and in reports */
	char *unit;			/* from sysfs; NULL: none */
	double scale;			/* 1 without one */
	char *cpumask;			/* CPUs that the PMU counts on; NULL: all */
	char *core;			/* PMU of one kind of CPU (cpu_atom); else NULL */
	bool one_of;			/* the list has the same event for other kinds of CPU */
	char *filter;			/* --filter; NULL: none */
	char *cgroup;			/* -G; NULL: none */
	u32 leader;			/* index of the group's leader, or its own index */
	u32 group_members;		/* of a leader: number of members, itself included */
	char *group_name;		/* NULL: none given */
	/* terms; the _set flags and negative numbers mean "not given" */
	u64 period, freq;
	bool period_set, freq_set;
	bool name_set;
	enum spec_chain chain;
	u32 stack_size;			/* 0: not given */
	u32 max_stack;			/* 0: not given */
	s32 inherit, overwrite, time;	/* -1: not given */
	/* modifiers */
	bool exclude_given;		/* one of u, k, h */
	bool guest_given;		/* one of G, H */
	bool precise_max;		/* P: the highest precision that the PMU supports */
	bool sample_read;		/* S */
	bool weak_group;		/* W: the group is split if it cannot be scheduled */
	bool is_default;		/* chosen because -e was not given */
	bool is_tracking;		/* receives the side-band records */
	bool is_dummy;			/* added by record only to receive the side-band records */
	bool is_bpf;			/* a BPF program walks its user stacks */
	bool is_live;			/* stack copies are walked before writing */
	bool is_table;			/* copied, too: where the kernel's walk by tables was cut */
};

struct spec_list {
	struct event_spec **v;
	u32 nr, cap;
};

/* spec_list_add - append an event, its own leader; @type: PERF_TYPE_*, or a PMU's; @name: copied */
struct event_spec *spec_list_add(struct spec_list *list, u32 type, u64 config,
				 const char *name);

/* spec_list_deinit - free the events; @list: the list, empty afterwards */
void spec_list_deinit(struct spec_list *list);

/*
 * spec_parse - append events: "cycles:u,{a,b}:S,cpu/event=0x3c/,sched:*,mem:0x1000:rw,r1a8".
 * Return: NULL, or an error with a caret and the nearest names.
 */
struct error *spec_parse(const char *str, struct spec_list *list);

/* spec_parse_pfm - the same, as libpfm4 writes them: "MEM_LOAD_RETIRED:L3_MISS:u,{A,B}" */
struct error *spec_parse_pfm(const char *str, struct spec_list *list);

struct call_graph_mode {
	const char *name;
	enum spec_chain chain;
	bool sized;		/* ",BYTES" may follow: of the stack that a sample copies */
	bool late;		/* user callchains come later than their samples */
};

/* call_graph_mode - look up a mode; @name: text, not terminated. Return: the mode, or NULL. */
const struct call_graph_mode *call_graph_mode(const char *name, size_t len);

/* call_graph_modes - list modes in @buf of 128 bytes: "bpf, live[,size], ..."; @late: also those */
const char *call_graph_modes(char *buf, size_t size, bool late);

#endif /* PERF_SPEC_SPEC_H */

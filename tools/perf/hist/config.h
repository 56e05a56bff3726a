/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of perf report that concern counting: set before an environment is created, and
 * constant afterwards.
 */
#ifndef PERF_HIST_CONFIG_H
#define PERF_HIST_CONFIG_H

#include <regex.h>

#include "hist/chain_opt.h"

struct filter;

/* The default keys with hist_config.mem_mode. */
#define HIST_MEMORY_KEYS "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,local_p_stage_cyc"

struct hist_config {
	struct chain_opt chain;
	bool branches;			/* rows are of branches, not of samples; no chains */
	bool branch_history;		/* stacks begin with the sample's branches */
	bool mem_mode;			/* periods are weights; default keys are of memory */
	bool children;
	bool use_chains;		/* build call graphs */
	bool relative;			/* percentages of the filtered samples */
	bool full_srcline;
	bool raw_trace;
	bool time_ns;
	u64 time_quantum;
	u32 max_stack;			/* 0: no limit */
	const regex_t *parent_regex;	/* NULL: none */
	const regex_t *ignore_callees;	/* NULL: none */
	const struct filter *filter;	/* NULL: none */
	const char *symbol_filter;	/* part of a symbol's name; NULL: none */
	bool inlines;
	bool one_cookie;		/* cookies of missing user halves are one step */
	bool hide_unresolved;
	bool exclude_other;		/* drop samples without a frame that matches --parent */
	bool kernel_only, user_only;	/* use only this half of the stack */
};

#endif /* PERF_HIST_CONFIG_H */

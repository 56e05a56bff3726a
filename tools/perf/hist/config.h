/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of perf report that concern counting: set before an environment is created, and
 * constant afterwards.
 */
#ifndef PERF_HIST_CONFIG_H
#define PERF_HIST_CONFIG_H

#include <regex.h>

#include "base/types.h"

struct error;

enum chain_mode { CHAIN_NONE, CHAIN_FLAT, CHAIN_GRAPH, CHAIN_FRACTAL, CHAIN_FOLDED };
enum chain_key { CHAIN_KEY_FUNCTION, CHAIN_KEY_ADDRESS, CHAIN_KEY_SRCLINE };
enum chain_value { CHAIN_PERCENT, CHAIN_PERIOD, CHAIN_COUNT };

struct chain_opt {
	enum chain_mode mode;
	enum chain_key key;
	enum chain_value value;
	bool caller;		/* outermost first; else innermost first */
	bool order_set;		/* the option gives the order */
	bool key_set;		/* the option gives the key */
	double min_percent;
	u32 print_limit;	/* per level; 0: none */
};

#define CHAIN_OPT_DEFAULT \
	{ .mode = CHAIN_GRAPH, .caller = true, .min_percent = 0.5 }

/*
 * chain_opt_parse - set what the argument of -g names: "graph,0.5,caller,function,percent" in any
 * order; the print limit is the second number. Return: NULL, or the reason.
 */
struct error *chain_opt_parse(const char *arg, struct chain_opt *opt);

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
	bool full_names;		/* long names, too: short_name_put() */
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

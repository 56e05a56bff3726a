/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of -g: how call graphs are built and shown.
 */
#ifndef PERF_HIST_CHAIN_OPT_H
#define PERF_HIST_CHAIN_OPT_H

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

/**
 * chain_opt_parse() - read the argument of -g
 * @arg: "graph,0.5,caller,function,percent" in any order; the print limit is
 *	 the second number; may be empty
 * @opt: only the fields that the argument names are changed
 *
 * Return: NULL, or the reason.
 */
struct error *chain_opt_parse(const char *arg, struct chain_opt *opt);

#endif /* PERF_HIST_CHAIN_OPT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call graph of a row.
 */
#ifndef PERF_HIST_CALLGRAPH_H
#define PERF_HIST_CALLGRAPH_H

#include "base/arena.h"
#include "hist/hist.h"

/* A node of a call graph: a run of steps without a fork. */
struct chain_node {
	u32 *labels;		/* one per step: hist_step() */
	u32 nr_labels, cap_labels;
	struct step_branches *branches;	/* one per step; NULL without branch_history */
	u64 hits;		/* period of the stacks that end in this run */
	u64 total;		/* period of all stacks that contain this run */
	u64 count_hits, count;	/* the same sums in samples */
	struct chain_node *child;	/* largest first; only children over the threshold */
	struct chain_node *next;
	u64 children_total;	/* of all children, shown or not */
	u64 children_count;	/* the same sums in samples */
	u32 nr_children;	/* shown or not */
};

/**
 * hist_callgraph() - the call graph of a row
 * @h: its histogram
 * @row: the row
 * @min_percent: nodes with a smaller sum are omitted: a percentage of the parent's sum with
 *		 CHAIN_FRACTAL, else of the total
 * @arena: the nodes are allocated here
 *
 * Context: may run for several rows concurrently, each with its own arena.
 * Return: the root (without steps), or NULL if the row has no stacks.
 */
struct chain_node *hist_callgraph(const struct hists *h, const struct hist_row *row,
				  double min_percent, struct arena *arena);

#endif /* PERF_HIST_CALLGRAPH_H */

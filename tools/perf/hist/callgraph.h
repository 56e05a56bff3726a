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
	u32 *labels;		/* of the steps: hist_step() */
	u32 nr_labels, cap_labels;
	struct step_branches *branches;	/* of the steps; NULL without branch_history */
	u64 hits;		/* period of the stacks that end in this run */
	u64 total;		/* and of all that pass */
	u64 count_hits, count;	/* samples likewise */
	struct chain_node *child;	/* the largest first; only those over the threshold */
	struct chain_node *next;
	u64 children_total;	/* of all children, shown or not */
	u64 children_count;	/* samples likewise */
	u32 nr_children;	/* shown or not */
};

/**
 * hist_callgraph() - the call graph of a row
 * @h: its histogram
 * @row: the row
 * @min_percent: nodes with a smaller sum are left out (a fraction of the parent's sum with
 *		 CHAIN_FRACTAL, of all else)
 * @arena: where the nodes live
 *
 * Context: several rows at once, each with an arena of its own.
 * Return: the root (without steps), or NULL when the row has no stacks.
 */
struct chain_node *hist_callgraph(const struct hists *h, const struct hist_row *row,
				  double min_percent, struct arena *arena);

#endif /* PERF_HIST_CALLGRAPH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flags of struct perf_branch_entry: names, and counts.
 */
#ifndef PERF_EVENT_BRANCH_H
#define PERF_EVENT_BRANCH_H

#include "base/types.h"

#define BRANCH_COND	1	/* a kind: a conditional jump */
#define BRANCH_KINDS	23	/* 0: unknown */

/* Numbers of branches: by kind, of conditional ones by direction, and across page boundaries. */
struct branch_counts {
	u64 kinds[BRANCH_KINDS];
	u64 forward, backward;
	u64 cross_4k, cross_2m;		/* across a 4 kB boundary but not a 2 MB one; across 2 MB */
};

/* branch_kind_name - the name of a kind; "": unknown */
const char *branch_kind_name(u32 kind);

/* branch_count - count a branch, unless its kind is unknown or its source is 0 */
void branch_count(struct branch_counts *c, u64 from, u64 to, u64 flags);

/* branch_counts_add - add the counts of @from to @to */
void branch_counts_add(struct branch_counts *to, const struct branch_counts *from);

/* branch_type_name - the type of a branch; "": unknown */
const char *branch_type_name(u64 flags);

/* branch_spec_name - the outcome of its speculation; NULL: unknown */
const char *branch_spec_name(u64 flags);

#endif /* PERF_EVENT_BRANCH_H */

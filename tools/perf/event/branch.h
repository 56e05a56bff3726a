/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flags of struct perf_branch_entry: names, and counts.
 */
#ifndef PERF_EVENT_BRANCH_H
#define PERF_EVENT_BRANCH_H

#include "base/types.h"

#define BRANCH_COND	1	/* a kind: a conditional jump */
#define BRANCH_KINDS	23	/* 0: unknown */

/* How many branches there were of each kind, conditional ones in each direction, and between areas. */
struct branch_counts {
	u64 kinds[BRANCH_KINDS];
	u64 forward, backward;
	u64 cross_4k, cross_2m;		/* from one page to another of 4 kB, but not of 2 MB; of 2 MB */
};

/* branch_kind_name - of a kind that is counted; "": unknown */
const char *branch_kind_name(u32 kind);

/* branch_count - a branch more; not if its kind is unknown, or its source is 0 */
void branch_count(struct branch_counts *c, u64 from, u64 to, u64 flags);

/* branch_counts_add - those of @from, too */
void branch_counts_add(struct branch_counts *to, const struct branch_counts *from);

/* branch_type_name - the type of a branch; "": unknown */
const char *branch_type_name(u64 flags);

/* branch_spec_name - how it was speculated; NULL: not known */
const char *branch_spec_name(u64 flags);

#endif /* PERF_EVENT_BRANCH_H */

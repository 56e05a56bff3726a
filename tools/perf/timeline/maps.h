/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings of one address space over time: "the newest mapping made up to T that covers
 * address A" (a stabbing query with a limit).
 *
 * A few mappings are scanned from the newest to the oldest. For many there is a segment tree
 * (Bentley 1977) over the sorted boundaries. Each node lists the mappings that cover its whole
 * range, in the order of time; a mapping is in up to 2 log n lists. A look-up walks from a leaf to
 * the root with a binary search at each step: O(log^2 n), however often an address was mapped over.
 */
#ifndef PERF_TIMELINE_MAPS_H
#define PERF_TIMELINE_MAPS_H

#include "timeline/timeline.h"

struct map_index;

struct maps {
	union {				/* by .from, ascending: maps_at() */
		struct map **maps;
		struct map *only;	/* .cap 0: one mapping, stored here */
	};
	u32 nr, cap;
	struct map_index *index;	/* NULL: few, or not sealed */
};

static inline struct map *maps_at(const struct maps *ms, u32 i)
{
	return ms->cap ? ms->maps[i] : ms->only;
}

/* maps_add - add the caller's mapping, whose .from is no less than all others' */
void maps_add(struct maps *ms, struct map *m);

/* maps_seal - build the index that look-ups use; @ms: the set; may be added to and sealed again */
void maps_seal(struct maps *ms);

/*
 * maps_find - the newest mapping made until @time that covers @addr, or NULL; @area: limited to
 * addresses around with the same result; .until: when the next one is made that covers @addr; -1:
 * never. Context: any thread, but not beside maps_add() and maps_seal().
 */
struct map *maps_find(const struct maps *ms, u64 addr, u64 time, struct map_area *area);

void maps_deinit(struct maps *ms);

#endif /* PERF_TIMELINE_MAPS_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The mappings of one address space, given in time order, and which covers an address at a time. It
 * owns their index: a segment tree, or none for few (maps.h), rebuilt when there are more than
 * map_index.nr.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/sort.h"
#include "timeline/maps.h"

#define SCAN_MAX 48	/* up to this number a scan is as fast as the tree */

struct map_index {
	u32 nr;			/* it indexes the first @nr mappings */
	u64 *bounds;		/* sorted, unique; leaf i is [bounds[i], bounds[i + 1]) */
	u32 nr_leaves;
	u32 *first;		/* node -> start of its list in .list; 2 * nr_leaves + 1 of them */
	u32 *list;		/* indices of mappings, ascending in each node */
};

static void map_index_free(struct map_index *ix)
{
	if (!ix)
		return;
	free(ix->bounds);
	free(ix->first);
	free(ix->list);
	free(ix);
}

void maps_add(struct maps *ms, struct map *m)
{
	struct map *only = ms->only;

	if (!ms->nr) {
		ms->only = m;
		ms->nr = 1;
		return;
	}
	if (!ms->cap) {
		ms->cap = 4;
		ms->maps = xmalloc(ms->cap * sizeof(*ms->maps));
		ms->maps[0] = only;
	} else if (ms->nr == ms->cap) {
		ms->cap += ms->cap / 2;
		ms->maps = xrealloc(ms->maps, ms->cap * sizeof(*ms->maps));
	}
	ms->maps[ms->nr++] = m;
}

/* The index of the last bound <= @addr; @nr if all are above. */
static u32 find_bound(const u64 *bounds, u32 nr, u64 addr)
{
	u32 behind = LOWER_BOUND(0, nr, i, bounds[i] <= addr);

	return behind ? behind - 1 : nr;
}

/* A range of leaves takes at most two nodes of each level of the tree. */
#define MAX_NODES 64

/* The nodes whose ranges together are the range of @m. Return: the number of nodes. */
static u32 nodes_of(const struct map_index *ix, const struct map *m, u32 nodes[MAX_NODES])
{
	u32 l = find_bound(ix->bounds, ix->nr_leaves + 1, m->start) + ix->nr_leaves;
	u32 r = find_bound(ix->bounds, ix->nr_leaves + 1, m->end) + ix->nr_leaves;
	u32 nr = 0;

	for (; l < r; l >>= 1, r >>= 1) {
		if (l & 1)
			nodes[nr++] = l++;
		if (r & 1)
			nodes[nr++] = --r;
	}
	assert(nr <= MAX_NODES);
	return nr;
}

static bool is_indexed(const struct maps *ms)
{
	return ms->index && ms->index->nr == ms->nr;
}

void maps_seal(struct maps *ms)
{
	struct map_index *ix;
	u32 nodes[MAX_NODES], i, j, nr;

	if (ms->nr <= SCAN_MAX || is_indexed(ms))
		return;
	map_index_free(ms->index);
	ix = xcalloc(1, sizeof(*ix));
	ix->nr = ms->nr;
	ix->bounds = xmalloc(2 * (size_t)ms->nr * sizeof(u64));
	for (i = 0; i < ms->nr; i++) {
		ix->bounds[2 * i] = maps_at(ms, i)->start;
		ix->bounds[2 * i + 1] = maps_at(ms, i)->end;
	}
	sort_u64(ix->bounds, 2 * (size_t)ms->nr);
	for (i = 1, nr = 1; i < 2 * ms->nr; i++)
		if (ix->bounds[i] != ix->bounds[nr - 1])
			ix->bounds[nr++] = ix->bounds[i];
	ix->nr_leaves = nr - 1;
	ix->bounds = xrealloc(ix->bounds, nr * sizeof(u64));

	/* Count, sum up, fill: node n's list is list[first[n] .. first[n + 1]). */
	ix->first = xcalloc(2 * (size_t)ix->nr_leaves + 2, sizeof(u32));
	for (i = 0; i < ms->nr; i++) {
		nr = nodes_of(ix, maps_at(ms, i), nodes);
		for (j = 0; j < nr; j++)
			ix->first[nodes[j] + 1]++;
	}
	ms->index = ix;
	for (j = 1; j < 2 * ix->nr_leaves + 2; j++)
		ix->first[j] += ix->first[j - 1];
	ix->list = xmalloc(((size_t)ix->first[2 * ix->nr_leaves + 1] + 1) * sizeof(u32));
	/* Filling advances first[n] to the end of list n, which is the start of list n + 1. */
	for (i = 0; i < ms->nr; i++) {
		nr = nodes_of(ix, maps_at(ms, i), nodes);
		for (j = 0; j < nr; j++)
			ix->list[ix->first[nodes[j]]++] = i;
	}
	memmove(ix->first + 1, ix->first, (2 * (size_t)ix->nr_leaves + 1) * sizeof(u32));
	ix->first[0] = 0;
}

static void limit_area(struct map_area *area, u64 start, u64 end)
{
	area->start = max(area->start, start);
	area->end = min(area->end, end);
}

/* Mappings that are older than the result do not limit it. */
static struct map *scan(const struct maps *ms, u64 addr, u32 made, struct map_area *area)
{
	u32 i = ms->nr;

	while (i-- > 0) {
		struct map *m = maps_at(ms, i);

		if (addr < m->start) {
			area->end = min(area->end, m->start);
		} else if (addr >= m->end) {
			area->start = max(area->start, m->end);
		} else {
			limit_area(area, m->start, m->end);
			if (i < made)
				return m;
			area->until = m->from;
		}
	}
	return NULL;
}

struct map *maps_find(const struct maps *ms, u64 addr, u64 time, struct map_area *area)
{
	const struct map_index *ix = ms->index;
	u32 made = LOWER_BOUND(0, ms->nr, i, maps_at(ms, i)->from <= time);
	u32 node, newest = 0, soonest = ms->nr;

	area->until = -1;
	if (!is_indexed(ms))
		return scan(ms, addr, made, area);
	node = find_bound(ix->bounds, ix->nr_leaves + 1, addr);
	if (node >= ix->nr_leaves) {
		/* Below all mappings, or above them. */
		if (node > ix->nr_leaves)
			area->end = min(area->end, ix->bounds[0]);
		else
			area->start = max(area->start, ix->bounds[node]);
		return NULL;
	}
	limit_area(area, ix->bounds[node], ix->bounds[node + 1]);
	for (node += ix->nr_leaves; node; node >>= 1) {
		u32 begin = ix->first[node], end = ix->first[node + 1];
		u32 later = LOWER_BOUND(begin, end, i, ix->list[i] < made);

		if (later > begin)
			newest = max(newest, ix->list[later - 1] + 1);
		if (later < end)
			soonest = min(soonest, ix->list[later]);
	}
	if (soonest < ms->nr)
		area->until = maps_at(ms, soonest)->from;
	return newest ? maps_at(ms, newest - 1) : NULL;
}

void maps_deinit(struct maps *ms)
{
	map_index_free(ms->index);
	if (ms->cap)
		free(ms->maps);
	memset(ms, 0, sizeof(*ms));
}

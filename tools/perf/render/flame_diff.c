// SPDX-License-Identifier: GPL-2.0
/*
 * flame_diff.c - compares the boxes of two profiles
 *
 * It is given both pictures and owns nothing. Boxes are matched by a hash of the names from the
 * root on, so that a box is compared with those of the same stack, wherever they are drawn.
 * Profiles differ in length: shares of an event are compared.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "render/flame.h"

/* Hashes of the paths from the root to each box. Boxes precede their children. */
static u64 *ways(const struct flame_picture *p, const struct flame_event *ev)
{
	u64 *way = xcalloc(ev->nr + 1, sizeof(*way)), *up = NULL;
	u32 cap = 0, i;

	for (i = 0; i < ev->nr; i++) {
		const struct flame_box *b = &p->boxes[ev->first + i];

		GROW_TO(up, b->depth + 1, cap);
		/* The root's name depends on the number of events: it is not hashed. */
		way[i] = b->depth ? hash_mix(up[b->depth - 1], hash_bytes(b->name, strlen(b->name)) + b->kind) : 1;
		up[b->depth] = way[i];
	}
	free(up);
	return way;
}

static void compare_event(struct flame_picture *p, const struct flame_event *ev,
			  const struct flame_picture *before, const struct flame_event *from)
{
	u64 *way = ways(before, from), *now = ways(p, ev), *sum;
	double scale = from->total ? (double)ev->total / from->total : 0;
	_cleanup_hash_ struct hash sums = { 0 };
	u32 i;

	for (i = 0; i < from->nr; i++)
		if (before->boxes[from->first + i].kind != 'f')
			*hash_insert(&sums, way[i], 0, NULL) += before->boxes[from->first + i].total;
	for (i = 0; i < ev->nr; i++) {
		struct flame_box *b = &p->boxes[ev->first + i];

		sum = hash_find(&sums, now[i], 0);
		/* The box for all narrow boxes is not a stack. */
		b->before = b->kind == 'f' ? b->total : sum ? to_u64(*sum * scale + .5) : 0;
	}
	free(way);
	free(now);
}

void flame_compare(struct flame_picture *p, const struct flame_picture *before)
{
	const struct flame_event *from;
	u32 i;

	p->difference = true;
	for (i = 0; i < p->nr_events; i++) {
		from = flame_event_called(before, p->events[i].name);
		if (from)
			compare_event(p, &p->events[i], before, from);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks for flamegraph.pl and similar programs: a line for each stack, from the
 * outermost frame to the innermost, with its number of samples. The thread's name comes first,
 * preceded by the event's if there are several. It is given a conversion; owns work space only.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "cmd/data/conversion.h"

/* Append a name; semicolons are replaced, as they separate frames. */
static void put_name(struct outbuf *o, const char *s)
{
	for (; *s; s++)
		outbuf_putc(o, *s == ';' ? ':' : *s);
}

static void put_line(const struct conversion *c, const struct conv_point *p, u32 *frames, u64 count,
		     struct outbuf *o)
{
	const struct event_list *events = c->s->events;
	u32 nr = conversion_stack(c, p->node, frames), i;

	if (events->nr > 1) {
		put_name(o, events->events[p->event]->name);
		outbuf_putc(o, ';');
	}
	put_name(o, c->tracks[p->track].comm);
	for (i = 0; i < nr; i++) {
		outbuf_putc(o, ';');
		put_name(o, c->frames[frames[i]].name);
	}
	outbuf_putc(o, ' ');
	outbuf_dec(o, count, 0, ' ');
	outbuf_putc(o, '\n');
}

void conv_folded(const struct conversion *c, struct outfile *o)
{
	u32 *frames = xmalloc(CONV_DEPTH * sizeof(*frames));
	_cleanup_hash_ struct hash lines = { 0 };
	u64 *counts = xcalloc(c->nr_points + 1, sizeof(*counts));
	size_t i;

	/* Threads of the same name share a line: sum up in the first point of a line. */
	for (i = 0; i < c->nr_points; i++) {
		const struct conv_point *p = &c->points[i];
		const char *comm = c->tracks[p->track].comm;
		u64 *slot = hash_insert(&lines, hash_bytes(comm, strlen(comm)), (u64)p->event << 32 | p->node, NULL);

		if (!*slot)
			*slot = i + 1;
		counts[*slot - 1] += p->nr;
	}
	for (i = 0; i < c->nr_points; i++) {
		if (counts[i]) {
			put_line(c, &c->points[i], frames, counts[i], &o->text);
			outfile_drain(o);
		}
	}
	free(counts);
	free(frames);
}

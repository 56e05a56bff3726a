// SPDX-License-Identifier: GPL-2.0
/*
 * The Gecko profile format, version 24, which the Firefox Profiler upgrades when it loads it: a
 * thread for each thread and event of the recording, with its own tables of strings, frames and
 * stacks, in memory until it is written; rows are arrays whose columns a schema names. A stack is a
 * row with the number of its caller's, which precedes it. Times are milliseconds since the first
 * sample.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "cmd/data/conversion.h"

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

struct firefox {
	const struct conversion *c;
	struct outbuf *o;
	/* Tables of the current thread. */
	struct outbuf strings, frames, stacks;
	struct outbuf place;		/* work space */
	struct hash by_frame, by_node;	/* -> row + 1 */
	u32 *path;			/* work space: CONV_DEPTH nodes */
};

static u32 category(const struct dso *d)
{
	if (!d)
		return CATEGORY_OTHER;
	return d->kind == DSO_USER || d->kind == DSO_VDSO || d->kind == DSO_ANON ? CATEGORY_USER : CATEGORY_KERNEL;
}

/* The row of a frame in the thread's table. Its string has the same number. */
static u64 frame_row(struct firefox *x, u32 nr)
{
	const struct conv_frame *f = &x->c->frames[nr];
	u64 *slot = hash_insert(&x->by_frame, nr, 0, NULL);

	if (*slot)
		return *slot - 1;
	*slot = x->by_frame.nr;
	x->place.pos = x->place.base;
	outbuf_printf(&x->place, f->dso ? "%s (in %s)" : "%s", f->name, f->dso ? f->dso->short_name : NULL);
	json_put(&x->strings, *slot > 1 ? ",\n" : "\n", outbuf_text(&x->place));
	outbuf_printf(&x->frames, "%s[%llu,false,0,null,null,", *slot > 1 ? ",\n" : "\n", *slot - 1);
	outbuf_printf(&x->frames, f->line ? "%u" : "null", f->line);
	outbuf_printf(&x->frames, ",null,%u,0]", category(f->dso));
	return *slot - 1;
}

/* The row of a non-empty stack; the rows of its callers are added first. */
static u64 stack_row(struct firefox *x, u32 node)
{
	u64 caller = 0;
	u32 nr = 0, n;

	for (n = node; n && nr < CONV_DEPTH; n = x->c->nodes[n].parent) {
		u64 *slot = hash_find(&x->by_node, n, 0);

		if (slot) {
			caller = *slot;
			break;
		}
		x->path[nr++] = n;
	}
	while (nr-- > 0) {
		outbuf_puts(&x->stacks, x->by_node.nr ? ",[" : "[");
		if (caller)
			outbuf_dec(&x->stacks, caller - 1, 0, ' ');
		else
			outbuf_puts(&x->stacks, "null");
		outbuf_putc(&x->stacks, ',');
		outbuf_dec(&x->stacks, frame_row(x, x->c->nodes[x->path[nr]].frame), 0, ' ');
		outbuf_putc(&x->stacks, ']');
		caller = x->by_node.nr + 1;
		*hash_insert(&x->by_node, x->path[nr], 0, NULL) = caller;
	}
	return caller - 1;
}

static void put_time(const struct firefox *x, u64 time)
{
	u64 first = x->c->s->first_time, ns = time > first ? time - first : 0;

	outbuf_dec(x->o, ns / 1000000, 0, ' ');
	outbuf_putc(x->o, '.');
	outbuf_dec(x->o, ns % 1000000, 6, '0');
}

static void put_samples(struct firefox *x, size_t first, const size_t *next)
{
	const char *comma = "";
	size_t i;

	outbuf_puts(x->o, ",\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"responsiveness\":2},\"data\":[");
	for (i = first + 1; i; i = next[i - 1], comma = ",") {
		const struct conv_point *p = &x->c->points[i - 1];

		outbuf_puts(x->o, comma);
		outbuf_putc(x->o, '[');
		if (p->node)
			outbuf_dec(x->o, stack_row(x, p->node), 0, ' ');
		else
			outbuf_puts(x->o, "null");
		outbuf_putc(x->o, ',');
		put_time(x, p->time);
		outbuf_puts(x->o, ",0]");
	}
	outbuf_puts(x->o, "]}");
}

static void put_table(struct firefox *x, const char *head, struct outbuf *rows, const char *tail)
{
	outbuf_puts(x->o, head);
	outbuf_append(x->o, rows);
	outbuf_puts(x->o, tail);
	rows->pos = rows->base;
}

static void put_thread(struct firefox *x, size_t first, const size_t *next)
{
	const struct conv_point *p = &x->c->points[first];
	const struct conv_track *t = &x->c->tracks[p->track];
	const struct event_list *events = x->c->s->events;
	struct outbuf *o = x->o;
	char name[512];

	snprintf(name, sizeof(name), events->nr > 1 ? "%s (%s)" : "%s", t->comm, events->events[p->event]->name);
	json_put(o, "\n{\"name\":", name);
	outbuf_printf(o, ",\"pid\":%d,\"tid\":%d,\"processType\":\"default\",\"registerTime\":", (s32)t->pid, (s32)t->tid);
	put_time(x, p->time);
	outbuf_puts(o, ",\"unregisterTime\":null,\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,"
		    "\"phase\":3,\"category\":4,\"data\":5},\"data\":[]}");
	put_samples(x, first, next);
	put_table(x, ",\"frameTable\":{\"schema\":{\"location\":0,\"relevantForJS\":1,\"innerWindowID\":2,"
		  "\"implementation\":3,\"optimizations\":4,\"line\":5,\"column\":6,\"category\":7,"
		  "\"subcategory\":8},\"data\":[", &x->frames, "]}");
	put_table(x, ",\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[", &x->stacks, "]}");
	put_table(x, ",\"stringTable\":[", &x->strings, "]}");
	hash_deinit(&x->by_frame);
	hash_deinit(&x->by_node);
	x->by_frame = x->by_node = (struct hash){ 0 };
}

static void put_meta(const struct conversion *c, struct outbuf *o)
{
	const struct features *f = c->s->features;
	const struct event *ev = c->s->events->nr ? c->s->events->events[0] : NULL;
	u64 start = f->clock_wall_ns ? f->clock_wall_ns + c->s->first_time - f->clock_ns : 0;

	outbuf_printf(o, "{\"meta\":{\"version\":24,\"interval\":%.6f,\"startTime\":%.3f,\"shutdownTime\":null",
		      ev && ev->attr.freq && ev->attr.sample_freq ? 1000.0 / ev->attr.sample_freq : 1.0, start / 1e6);
	outbuf_puts(o, ",\"processType\":0,\"stackwalk\":1,\"debug\":0,\"gcpoison\":0,\"asyncstack\":1,\"presymbolicated\":true,"
		    "\"product\":\"perf " PERF_VERSION "\",\"oscpu\":");
	json_string(o, f->os_release ?: "");
	json_put(o, ",\"abi\":", f->arch ?: "");
	json_put(o, ",\"misc\":", f->hostname ?: "");
	outbuf_puts(o, ",\"markerSchema\":[],\"categories\":["
		    "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		    "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		    "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}]}");
}

void conv_firefox(const struct conversion *c, struct outfile *out)
{
	struct outbuf *o = &out->text;
	struct firefox x = { .c = c, .o = o, .path = xmalloc(CONV_DEPTH * sizeof(*x.path)) };
	bool *first = xcalloc(c->nr_points + 1, sizeof(*first));
	size_t *next = conversion_profiles(c, first), n;
	const char *comma = "";

	put_meta(c, o);
	outbuf_puts(o, ",\"libs\":[],\"pausedRanges\":[],\"processes\":[],\"threads\":[");
	for (n = 0; n < c->nr_points; n++) {
		if (!first[n])
			continue;
		outbuf_puts(o, comma);
		put_thread(&x, n, next);
		outfile_drain(out);
		comma = ",";
	}
	outbuf_puts(o, "]}\n");
	outbuf_deinit(&x.strings);
	outbuf_deinit(&x.frames);
	outbuf_deinit(&x.stacks);
	outbuf_deinit(&x.place);
	free(x.path);
	free(next);
	free(first);
}

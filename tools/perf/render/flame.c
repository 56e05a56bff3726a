// SPDX-License-Identifier: GPL-2.0
/*
 * flame.c - the stacks of a profile as boxes, and as folded lines
 *
 * The sorted stacks are walked once; siblings are sorted by name, so that equal profiles give equal
 * pictures. A box's visible children come first. Those too narrow to see are drawn as one box, but
 * are in the file: a search counts them, and a zoom shows them. Above a limit for web browsers, the
 * narrowest are omitted. Every event has its own graph, since counts of different events cannot be
 * added. Times can: a clock and the off-CPU time share one graph.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"
#include "render/flame.h"

/* A box narrower than this part of the picture is not drawn: 1/4 pixel of 1200. */
#define FINEST 4800
/* Maximum number of boxes that are not drawn; a few megabytes. */
#define MAX_HIDDEN 100000

struct flame {
	struct flame_picture p;
	struct arena arena;
	struct hists *h;
	const char **names;	/* by label; NULL: not made yet */
	bool folded;		/* names and kinds are those of folded lines */
	bool by_samples;	/* all periods of this event are 0 */
	bool off_cpu;		/* frames of this event have the colour of waiting */
	bool in_time;		/* folded lines of this event are in microseconds */
	u64 finest;		/* smaller boxes are not drawn ... */
	u64 least;		/* ... and boxes smaller than this are omitted */
	u64 left_out;		/* .least if boxes were omitted; else 0 */
	u32 nr_hidden, max_hidden;
	struct flame_level *levels;	/* being walked, the lowest first */
	u32 nr_levels, cap_levels;
};

/* Escape a name for folded lines: it must not contain separators. */
static const char *folded_name(struct hists *h, const char *s)
{
	_cleanup_free_ char *copy = NULL;
	char *p;

	if (!strpbrk(s, ";\n"))
		return hists_string(h, s);
	copy = xstrdup(s);
	for (p = copy; *p; p++)
		*p = *p == ';' ? ':' : *p == '\n' ? ' ' : *p;
	return hists_string(h, copy);
}

static const char *intern(struct flame *f, const char *s)
{
	return f->folded ? folded_name(f->h, s) : hists_string(f->h, s);
}

/* Equal names are equal pointers. */
static const char *label_name(struct flame *f, u32 label)
{
	struct hist_step step;
	char s[64];

	if (f->names[label])
		return f->names[label];
	step = hist_step(f->h, label);
	snprintf(s, sizeof(s), "[%.40s]", step.file ?: "unknown");
	f->names[label] = intern(f, step.cookie ? "[user stack missing]" : step.name ?: s);
	return f->names[label];
}

static char step_kind(const struct flame *f, const struct hist_step *step)
{
	if (step->cookie)
		return 'm';
	if (f->off_cpu)
		return 'o';
	if (step->inlined)
		return 'i';
	if (step->kernel)
		return 'k';
	return step->jit ? 'j' : 'u';
}

static void add_box(struct flame *f, const char *name, char kind, u32 depth, u64 start, u64 total,
		    u32 samples, bool hidden)
{
	struct flame_picture *p = &f->p;

	GROW(p->boxes, p->nr, p->cap);
	p->boxes[p->nr++] = (struct flame_box){
		.name = name, .kind = kind, .depth = depth, .start = start, .total = total,
		.samples = samples, .hidden = hidden,
	};
	if (hidden)
		f->nr_hidden++;
	else
		p->depth = max(p->depth, depth);
}

/* A span of stacks with equal steps up to a depth. */
struct flame_span {
	const char *name;	/* of that step */
	u32 from, to;
	char kind;
};

static int cmp_spans(const void *a, const void *b)
{
	const struct flame_span *sa = a, *sb = b;
	int c = sa->name == sb->name ? 0 : strcmp(sa->name, sb->name);

	if (c)
		return c;
	if (sa->kind != sb->kind)
		return sa->kind < sb->kind ? -1 : 1;
	return sa->from < sb->from ? -1 : sa->from > sb->from;
}

/* Spans of one name and kind: siblings are groups, in the order of their names. */
struct flame_group {
	struct flame_span *spans;
	u32 nr;
	u64 total;
	u32 samples;
};

/* The groups above one group. Stacks may be deep: the levels being walked are no recursion. */
struct flame_level {
	struct flame_span *spans;
	struct flame_group *groups;
	u32 nr;
	u64 next;		/* group to be walked; from .nr on: for the second time */
	u64 start, narrow;
	u32 samples;		/* of the narrow ones */
	bool hidden;
};

static u32 group_spans(struct flame *f, struct flame_span *spans, u32 nr, struct flame_group **groups)
{
	u32 nr_groups = 0, cap = 0, i, j;

	*groups = NULL;
	if (nr > 1)
		qsort(spans, nr, sizeof(*spans), cmp_spans);
	for (i = 0; i < nr; i = j) {
		struct flame_group g = { .spans = &spans[i] };

		for (j = i; j < nr && spans[j].name == spans[i].name && spans[j].kind == spans[i].kind;
		     j++) {
			g.total += hist_span_period(f->h, spans[j].from, spans[j].to);
			g.samples += hist_span_samples(f->h, spans[j].from, spans[j].to);
		}
		if (f->by_samples)
			g.total = g.samples;
		g.nr = j - i;
		GROW(*groups, nr_groups, cap);
		(*groups)[nr_groups++] = g;
	}
	return nr_groups;
}

/* Split a group's stacks by their next step. Return: the number of spans. */
static u32 next_spans(struct flame *f, const struct flame_group *g, u32 step, struct flame_span **spans)
{
	const struct hists *h = f->h;
	u32 nr = 0, cap = 0, i, s, end;
	struct hist_step what;

	*spans = NULL;
	for (i = 0; i < g->nr; i++) {
		for (s = g->spans[i].from; s < g->spans[i].to && hist_stack_len(h, s) <= step; s++)
			;
		for (; s < g->spans[i].to; s = end) {
			u32 label = hist_stack_label(h, s, step);

			end = hist_span_end(h, s, g->spans[i].to, step);
			what = hist_step(h, label);
			GROW(*spans, nr, cap);
			(*spans)[nr++] = (struct flame_span){
				label_name(f, label), s, end, f->folded ? 0 : step_kind(f, &what),
			};
		}
	}
	return nr;
}

/*
 * Put a level on top. @spans: become its own; @start: of its first box, or the length of a folded
 * line below it.
 */
static void push_level(struct flame *f, struct flame_span *spans, u32 nr, u64 start, bool hidden)
{
	struct flame_level *l;

	GROW(f->levels, f->nr_levels, f->cap_levels);
	l = &f->levels[f->nr_levels++];
	*l = (struct flame_level){ .spans = spans, .start = start, .hidden = hidden };
	l->nr = group_spans(f, spans, nr, &l->groups);
}

/* Return: the uppermost level that has not been walked @times times; NULL: none */
static struct flame_level *top_level(struct flame *f, u64 times)
{
	struct flame_level *l;

	while (f->nr_levels) {
		l = &f->levels[f->nr_levels - 1];
		if (l->next < times * l->nr)
			return l;
		free(l->spans);
		free(l->groups);
		f->nr_levels--;
	}
	free(f->levels);
	f->levels = NULL;
	f->cap_levels = 0;
	return NULL;
}

/*
 * Add the boxes of scopes from @depth on: each level twice, first the boxes that are wide enough.
 */
static void add_levels(struct flame *f, struct flame_span *spans, u32 nr, u32 depth, u64 start)
{
	struct flame_level *l;

	push_level(f, spans, nr, start, false);
	while ((l = top_level(f, 2))) {
		const struct flame_group *g = &l->groups[l->next % l->nr];
		bool again = l->next >= l->nr, narrow = l->hidden || g->total < f->finest;
		u32 at = depth + f->nr_levels - 1;

		/* One box for all boxes that are too narrow separately but not together. */
		if (l->next++ == l->nr && !l->hidden && l->narrow >= f->finest)
			add_box(f, "[small frames]", 'f', at, l->start, l->narrow, l->samples, false);
		if (narrow && !again) {
			l->narrow += g->total;
			l->samples += g->samples;
		}
		if (narrow != again || (again && f->nr_hidden > f->max_hidden))
			continue;
		if (again && g->total < f->least) {
			f->left_out = f->least;
			continue;
		}
		start = l->start;
		l->start += g->total;
		add_box(f, g->spans->name, g->spans->kind, at, start, g->total, g->samples, again);
		if (again && f->nr_hidden > f->max_hidden)
			continue;
		nr = next_spans(f, g, f->nr_levels - 1, &spans);
		push_level(f, spans, nr, start, again);
	}
}

/* The name of the scope that a stack has. */
static const char *scope_name(struct flame *f, u32 stack)
{
	const char *name;
	_cleanup_outbuf_ struct outbuf o = { 0 };

	hist_scope_text(f->h, stack, &o);
	name = outbuf_text(&o);
	return intern(f, name + strspn(name, " "));
}

/* The spans of the scopes, the first level. Return: their number. */
static u32 scopes_of(struct flame *f, struct flame_span **spans)
{
	u32 nr = 0, cap = 0, nr_stacks = f->h->nr_records, i;

	*spans = NULL;
	for (i = 0; i < nr_stacks; i++) {
		if (nr && hist_stack_scope(f->h, i - 1) == hist_stack_scope(f->h, i)) {
			(*spans)[nr - 1].to = i + 1;
			continue;
		}
		GROW(*spans, nr, cap);
		(*spans)[nr++] = (struct flame_span){ scope_name(f, i), i, i + 1, 'c' };
	}
	return nr;
}

/* Start an event. The names are made again, as the number of labels is final now. */
static void begin_event(struct flame *f, struct hists *h)
{
	f->h = h;
	f->by_samples = !h->filtered.period;
	f->off_cpu = hists_time(h) == HIST_OFF_CPU;
	free(f->names);
	f->names = xcalloc(hists_nr_labels(h), sizeof(*f->names));
}

/* Add the boxes of an event above a box at @depth - 1 that starts at @start. */
static void add_part(struct flame *f, struct hists *h, u32 depth, u64 start)
{
	struct flame_span *spans;
	u32 nr;

	begin_event(f, h);
	nr = scopes_of(f, &spans);
	add_levels(f, spans, nr, depth, start);
}

/* Add the root and the boxes above it: one event, or two time events with a box each. */
static void add_parts(struct flame *f, struct hists **parts, u32 nr, const char *root)
{
	const struct flame_event *ev = &f->p.events[f->p.nr_events - 1];
	u64 start = 0, period;
	u32 i;

	add_box(f, root, 'r', 0, 0, ev->total, ev->samples, false);
	if (nr == 1) {
		add_part(f, parts[0], 1, 0);
		return;
	}
	for (i = 0; i < nr; i++) {
		period = parts[i]->filtered.period;
		add_box(f, hists_time(parts[i]) == HIST_OFF_CPU ? "off-CPU" : "on-CPU", 'r', 1, start, period,
			parts[i]->filtered.nr, false);
		add_part(f, parts[i], 2, start);
		start += period;
	}
}

/* Add the boxes of a graph, with at most @max_hidden narrow ones, at which each attempt stops. */
static void add_graph(struct flame *f, struct hists **parts, u32 nr, const char *name, const char *root,
		      u32 max_hidden)
{
	struct flame_picture *p = &f->p;
	struct flame_event *ev;
	u32 first = p->nr, i;

	GROW(p->events, p->nr_events, p->cap_events);
	ev = &p->events[p->nr_events++];
	*ev = (struct flame_event){ .name = name, .first = first };
	for (i = 0; i < nr; i++) {
		ev->samples += parts[i]->filtered.nr;
		ev->total += parts[i]->filtered.period;
		ev->off_cpu |= hists_time(parts[i]) == HIST_OFF_CPU;
	}
	ev->total = ev->total ?: ev->samples;
	f->finest = max(ev->total / FINEST, (u64)1);
	f->max_hidden = max_hidden;
	for (f->least = 1;; f->least = min(4 * f->least, f->finest)) {
		p->nr = first;
		f->nr_hidden = 0;
		f->left_out = 0;
		add_parts(f, parts, nr, root);
		if (f->nr_hidden <= f->max_hidden || f->least == f->finest)
			break;
	}
	ev->nr = p->nr - first;
	ev->left_out = f->left_out;
}

/*
 * Find the first clock event with samples and the off-CPU event, of one graph. Return: both exist.
 */
static bool find_times(struct hists **hists, u32 nr, struct hists **parts)
{
	enum hist_time time;
	u32 i;

	parts[0] = parts[1] = NULL;
	for (i = 0; i < nr; i++) {
		time = hists_time(hists[i]);
		if (hists[i]->filtered.period && time != HIST_NO_TIME &&
		    !parts[time == HIST_OFF_CPU])
			parts[time == HIST_OFF_CPU] = hists[i];
	}
	return parts[0] && parts[1];
}

static void make_title(struct flame *f, struct hists **hists, u32 nr, u64 samples)
{
	const struct hist_origin from = hists_origin(hists[0]);
	_cleanup_outbuf_ struct outbuf o = { 0 };
	bool first = true;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!hists[i]->filtered.nr)
			continue;
		outbuf_printf(&o, "%s%s", first ? "" : ", ", hists_event_name(hists[i]));
		first = false;
	}
	if (from.hostname)
		outbuf_printf(&o, " on %s", from.hostname);
	if (from.seconds > 0)
		outbuf_printf(&o, ", %.3f s", from.seconds);
	f->p.title = arena_strndup(&f->arena, o.base, outbuf_len(&o));
	o.pos = o.base;
	outbuf_printf(&o, "%llu samples", samples);
	if (from.deferred)
		outbuf_printf(&o, ", %llu of %llu deferred user stacks joined", from.joined,
			      from.deferred);
	f->p.subtitle = arena_strndup(&f->arena, o.base, outbuf_len(&o));
}

static struct error *write_file(const struct flame_picture *p, const char *path)
{
	struct new_file file;
	struct outfile o;
	int err = new_file_open(&file, path, 0666);

	if (!err) {
		outfile_init(&o, file.fd);
		flame_svg(p, &o.text);
		err = outfile_deinit(&o);
	}
	err = new_file_close(&file, err);
	return err ? error_create(-err, "cannot write %s: %s", path, output_error(err)) : NULL;
}

struct flame_picture *flame_picture_create(struct hists **hists, u32 nr, bool downwards)
{
	struct flame *f = xcalloc(1, sizeof(*f));
	struct hists *parts[2];
	bool times = find_times(hists, nr, parts);
	u32 i, graphs = 0;
	u64 samples = 0;

	f->p.downwards = downwards;
	for (i = 0; i < nr; i++) {
		samples += hists[i]->filtered.nr;
		graphs += hists[i]->filtered.nr != 0;
	}
	graphs -= times;
	if (times)
		add_graph(f, parts, 2, "on-CPU and off-CPU", "all", MAX_HIDDEN / graphs);
	for (i = 0; i < nr; i++) {
		if (!hists[i]->filtered.nr ||
		    (times && (hists[i] == parts[0] || hists[i] == parts[1])))
			continue;
		add_graph(f, &hists[i], 1, hists_event_name(hists[i]),
			  graphs > 1 ? hists_event_name(hists[i]) : "all", MAX_HIDDEN / graphs);
	}
	make_title(f, hists, nr, samples);
	free(f->names);
	f->names = NULL;
	return &f->p;
}

const struct flame_event *flame_event_called(const struct flame_picture *p, const char *name)
{
	u32 i;

	for (i = 0; i < p->nr_events; i++)
		if (!strcmp(p->events[i].name, name))
			return &p->events[i];
	return NULL;
}

void flame_picture_destroy(struct flame_picture *p)
{
	struct flame *f = container_of(p, struct flame, p);

	free(f->p.boxes);
	free(f->p.events);
	arena_deinit(&f->arena);
	free(f);
}

/* Hashes of the paths from the root to each box. Boxes precede their children. */
static u64 *ways(const struct flame_picture *p, const struct flame_event *ev)
{
	u64 *way = xcalloc(ev->nr + 1, sizeof(*way)), *up = NULL;
	u32 cap = 0, i;

	for (i = 0; i < ev->nr; i++) {
		const struct flame_box *b = &p->boxes[ev->first + i];

		GROW_TO(up, b->depth + 1, cap);
		/* The root's name depends on the number of events: it is not hashed. */
		way[i] = !b->depth ? 1 : hash_mix(up[b->depth - 1],
						  hash_bytes(b->name, strlen(b->name)) + b->kind);
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

	for (i = 0; i < from->nr; i++) {
		const struct flame_box *b = &before->boxes[from->first + i];

		if (b->kind != 'f')
			*hash_insert(&sums, way[i], 0, NULL) += b->total;
	}
	for (i = 0; i < ev->nr; i++) {
		struct flame_box *b = &p->boxes[ev->first + i];

		sum = hash_find(&sums, now[i], 0);
		/* The box for all narrow boxes is not a stack. */
		b->before = b->kind == 'f' ? b->total : sum ? to_u64(*sum * scale + .5) : 0;
	}
	free(way);
	free(now);
}

/*
 * Compare with another profile: boxes of the same event with the same names from the root on,
 * wherever they are drawn, as shares of their events. Boxes of the other profile only are not
 * shown.
 */
static void compare(struct flame_picture *p, const struct flame_picture *before)
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

struct error *flame_write(struct hists **hists, u32 nr, bool downwards, const char *path,
			  struct outbuf *o, struct hists **before, u32 nr_before, u32 *nr_frames)
{
	struct flame_picture *p = flame_picture_create(hists, nr, downwards), *other;
	struct error *e = NULL;

	if (before) {
		other = flame_picture_create(before, nr_before, downwards);
		compare(p, other);
		flame_picture_destroy(other);
	}

	if (!strcmp(path, "-"))
		flame_svg(p, o);
	else
		e = write_file(p, path);
	*nr_frames = p->nr;
	flame_picture_destroy(p);
	return e;
}

static void put_folded(const struct flame *f, struct outbuf *line, u64 own, struct outfile *out)
{
	struct outbuf *o = &out->text;

	if (f->in_time)
		own /= 1000;
	if (!own)
		return;
	outbuf_append(o, line);
	outbuf_putc(o, ' ');
	outbuf_dec(o, own, 0, ' ');
	outbuf_putc(o, '\n');
	outfile_drain(out);
}

/* Print the folded lines of stacks. Those with equal names are one line. @spans: the scopes */
static void fold_levels(struct flame *f, struct flame_span *spans, u32 nr, struct outbuf *line,
			struct outfile *o)
{
	struct flame_level *l;

	push_level(f, spans, nr, outbuf_len(line), false);
	while ((l = top_level(f, 1))) {
		const struct flame_group *g = &l->groups[l->next++];
		u64 own = f->in_time ? g->total : g->samples;
		u32 k;

		line->pos = line->base + l->start;
		if (l->start)
			outbuf_putc(line, ';');
		outbuf_puts(line, g->spans->name);
		nr = next_spans(f, g, f->nr_levels - 1, &spans);
		for (k = 0; k < nr; k++)
			own -= f->in_time ? hist_span_period(f->h, spans[k].from, spans[k].to) :
			       hist_span_samples(f->h, spans[k].from, spans[k].to);
		put_folded(f, line, own, o);
		push_level(f, spans, nr, outbuf_len(line), false);
	}
}

void flame_folded(struct hists **hists, u32 nr, struct outfile *o)
{
	struct flame f = { .folded = true };
	_cleanup_outbuf_ struct outbuf line = { 0 };
	u32 i, events = 0;
	bool off_cpu = false;

	for (i = 0; i < nr; i++) {
		events += hists[i]->filtered.nr != 0;
		off_cpu |= hists_time(hists[i]) == HIST_OFF_CPU;
	}
	for (i = 0; i < nr; i++) {
		struct flame_span *spans;
		u32 nr_spans;

		if (!hists[i]->filtered.nr)
			continue;
		begin_event(&f, hists[i]);
		f.in_time = off_cpu && !f.by_samples && hists_time(hists[i]) != HIST_NO_TIME;
		nr_spans = scopes_of(&f, &spans);
		line.pos = line.base;
		if (events > 1)
			outbuf_puts(&line, intern(&f, hists_event_name(hists[i])));
		fold_levels(&f, spans, nr_spans, &line, o);
	}
	free(f.names);
}

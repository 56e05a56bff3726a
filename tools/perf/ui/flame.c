// SPDX-License-Identifier: GPL-2.0
/*
 * flame.c - the stacks of a profile as boxes, and as folded lines
 *
 * The sorted stacks are walked once. Siblings of one name lie side by side in the
 * order of their names, so equal profiles give equal pictures. Boxes too narrow to
 * see are folded into one of their parent's before anything under them is looked
 * at: the work and the size of the picture depend on its pixels, not on the number
 * of stacks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "hist/sort.h"
#include "ui/flame.h"

/* A box narrower than this part of the picture is folded: 1/4 pixel of 1200. */
#define FINEST 4800

struct flame {
	struct flame_picture p;
	struct arena arena;
	struct hists *h;
	bool by_samples;	/* several events: only their samples can be added */
	u64 finest;
};

static u64 span_size(const struct flame *f, u32 from, u32 to)
{
	return f->by_samples ? f->h->count[to] - f->h->count[from] : f->h->sum[to] - f->h->sum[from];
}

static const char *label_name(struct flame *f, const struct hist_label *l)
{
	char s[64];

	if (l->cookie)
		return "[user stack missing]";
	if (l->sym)
		return l->sym->name;
	if (l->dso)
		snprintf(s, sizeof(s), "[%.40s]", l->dso->short_name);
	else
		snprintf(s, sizeof(s), "[unknown]");
	return hist_string(f->h->env, s);
}

static char label_kind(const struct hist_label *l)
{
	if (l->cookie)
		return 'm';
	if (l->inlined)
		return 'i';
	if (l->level == PERF_RECORD_MISC_KERNEL || l->level == PERF_RECORD_MISC_GUEST_KERNEL)
		return 'k';
	return l->dso && l->dso->kind == DSO_ANON ? 'j' : 'u';
}

static u32 add_box(struct flame *f, const char *name, char kind, u32 depth, u64 start, u64 total,
		   u32 samples)
{
	struct flame_picture *p = &f->p;

	GROW(p->boxes, p->nr, p->cap);
	p->boxes[p->nr] = (struct flame_box){
		.name = name, .kind = kind, .depth = depth, .start = start, .total = total,
		.samples = samples,
	};
	p->depth = max(p->depth, depth);
	return p->nr++;
}

/* Stacks that agree up to a step. */
struct span {
	const char *name;	/* of that step */
	u32 from, to;
	char kind;
};

static int cmp_spans(const void *a, const void *b)
{
	const struct span *sa = a, *sb = b;
	int c = sa->name == sb->name ? 0 : strcmp(sa->name, sb->name);

	if (c)
		return c;
	if (sa->kind != sb->kind)
		return sa->kind < sb->kind ? -1 : 1;
	return sa->from < sb->from ? -1 : sa->from > sb->from;
}

static void add_level(struct flame *f, const struct span *spans, u32 nr_spans, u32 step, u32 depth,
		      u64 start)
{
	const struct hists *h = f->h;
	_cleanup_free_ struct span *all = NULL;
	u32 nr = 0, cap = 0, i, j, s, end, folded_samples = 0;
	u64 folded = 0;

	for (i = 0; i < nr_spans; i++) {
		for (s = spans[i].from; s < spans[i].to && h->stacks[s].len <= step; s++)
			;
		for (; s < spans[i].to; s = end) {
			const struct hist_label *l =
				&h->env->labels[stack_step(&h->stacks[s], h->pool, step)];

			end = hists_span_end(h, s, spans[i].to, step);
			GROW(all, nr, cap);
			all[nr++] = (struct span){ label_name(f, l), s, end, label_kind(l) };
		}
	}
	if (nr > 1)
		qsort(all, nr, sizeof(*all), cmp_spans);
	for (i = 0; i < nr; i = j) {
		u64 total = 0;
		u32 samples = 0;

		for (j = i; j < nr && all[j].name == all[i].name && all[j].kind == all[i].kind; j++) {
			total += span_size(f, all[j].from, all[j].to);
			samples += h->count[all[j].to] - h->count[all[j].from];
		}
		if (total < f->finest) {
			folded += total;
			folded_samples += samples;
			continue;
		}
		add_box(f, all[i].name, all[i].kind, depth, start, total, samples);
		add_level(f, all + i, j - i, step + 1, depth + 1, start);
		start += total;
	}
	/* Too narrow each, not together: one box tells that there is more. */
	if (folded && folded >= f->finest)
		add_box(f, "[small frames]", 'f', depth, start, folded, folded_samples);
}

static const char *scope_name(struct flame *f, u32 scope)
{
	const struct hist_env *env = f->h->env;
	struct hist_entry e = { .scope = scope };
	const char *name;
	struct outbuf o;
	u32 i;

	outbuf_init(&o, -1);
	for (i = 0; i < env->nr_keys; i++) {
		const struct sort_key *k = env->keys[i];

		if (k->half != KEY_OF_SAMPLE)
			continue;
		if (o.pos != o.base)
			outbuf_putc(&o, ' ');
		k->text(f->h->env, k, tuple_row(&env->scopes, scope)[k->slot], &e, &o);
	}
	outbuf_putc(&o, 0);
	name = hist_string(f->h->env, o.base + strspn(o.base, " "));
	outbuf_deinit(&o);
	return name;
}

/* The scopes' spans: the first step of all, so to say. */
static u32 scopes_of(struct flame *f, struct span **spans)
{
	const struct hists *h = f->h;
	u32 nr = 0, cap = 0, i;

	*spans = NULL;
	for (i = 0; i < h->nr_records; i++) {
		u32 scope = h->pool[h->stacks[i].at];

		if (nr && h->pool[h->stacks[i - 1].at] == scope) {
			(*spans)[nr - 1].to = i + 1;
			continue;
		}
		GROW(*spans, nr, cap);
		(*spans)[nr++] = (struct span){ scope_name(f, scope), i, i + 1, 'c' };
	}
	if (nr)
		qsort(*spans, nr, sizeof(**spans), cmp_spans);
	return nr;
}

static void add_event(struct flame *f, u32 depth, u64 start)
{
	_cleanup_free_ struct span *spans = NULL;
	u32 nr = scopes_of(f, &spans), i;

	for (i = 0; i < nr; i++) {
		u64 total = span_size(f, spans[i].from, spans[i].to);

		if (total >= f->finest) {
			add_box(f, spans[i].name, 'c', depth, start, total,
				f->h->count[spans[i].to] - f->h->count[spans[i].from]);
			add_level(f, &spans[i], 1, 0, depth + 1, start);
		}
		start += total;
	}
}

static u64 event_size(const struct flame *f, const struct hists *h)
{
	return f->by_samples ? h->filtered_samples : h->filtered_period;
}

static void make_title(struct flame *f, struct hists *hists, u32 nr, u64 samples)
{
	const struct session *s = hists[0].env->session;
	struct outbuf o;
	bool first = true;
	u32 i;

	outbuf_init(&o, -1);
	for (i = 0; i < nr; i++) {
		if (!hists[i].filtered_samples)
			continue;
		outbuf_printf(&o, "%s%s", first ? "" : ", ", hists[i].event->name);
		first = false;
	}
	if (s->features && s->features->hostname)
		outbuf_printf(&o, " on %s", s->features->hostname);
	if (s->has_time && s->last_time > s->first_time)
		outbuf_printf(&o, ", %.3f s", (s->last_time - s->first_time) / 1e9);
	outbuf_putc(&o, 0);
	f->p.title = arena_strndup(&f->arena, o.base, o.pos - o.base);
	o.pos = o.base;
	outbuf_printf(&o, "%llu samples", samples);
	if (s->stats.deferred.deferred)
		outbuf_printf(&o, ", %llu of %llu deferred user stacks joined",
			      s->stats.deferred.stitched, s->stats.deferred.deferred);
	outbuf_putc(&o, 0);
	f->p.subtitle = arena_strndup(&f->arena, o.base, o.pos - o.base);
	outbuf_deinit(&o);
}

static int write_file(const struct flame_picture *p, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), err;
	struct outbuf o;

	if (fd < 0)
		return diag_error("cannot write %s: %s", path, strerror(errno));
	outbuf_init(&o, fd);
	flame_svg(p, &o);
	err = outbuf_deinit(&o);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		return diag_error("cannot write %s: %s", path, strerror(-err));
	return 0;
}

int flame_write(struct hists *hists, u32 nr, const char *path, struct outbuf *o)
{
	struct flame f = { 0 };
	u64 samples = 0, start = 0;
	u32 i, events = 0;
	int err = 0;

	for (i = 0; i < nr; i++) {
		samples += hists[i].filtered_samples;
		events += hists[i].filtered_samples != 0;
	}
	f.by_samples = events > 1;
	for (i = 0; i < nr; i++)
		f.p.total += event_size(&f, &hists[i]);
	/* Periods may all be 0. */
	if (!f.p.total) {
		f.by_samples = true;
		f.p.total = samples;
	}
	f.finest = max(f.p.total / FINEST, (u64)1);
	f.h = &hists[0];
	add_box(&f, "all", 'r', 0, 0, f.p.total, samples);
	for (i = 0; i < nr; i++) {
		f.h = &hists[i];
		if (!hists[i].filtered_samples)
			continue;
		if (events > 1)
			add_box(&f, hists[i].event->name, 'c', 1, start, event_size(&f, &hists[i]),
				hists[i].filtered_samples);
		add_event(&f, events > 1 ? 2 : 1, start);
		start += event_size(&f, &hists[i]);
	}
	make_title(&f, hists, nr, samples);
	if (!strcmp(path, "-"))
		flame_svg(&f.p, o);
	else
		err = write_file(&f.p, path);
	if (!err && strcmp(path, "-"))
		diag_info(0, "wrote %s: %u frames of %llu samples", path, f.p.nr, samples);
	free(f.p.boxes);
	arena_deinit(&f.arena);
	return err;
}

/* A name in a folded line must not look like its end or like two. */
static void put_folded_name(struct outbuf *o, const char *s)
{
	for (; *s; s++)
		outbuf_putc(o, *s == ';' ? ':' : *s == '\n' ? ' ' : *s);
}

void flame_folded(struct hists *h, struct outbuf *o)
{
	struct flame f = { .h = h };
	_cleanup_free_ struct span *spans = NULL;
	u32 nr = scopes_of(&f, &spans), i, s, d;

	for (i = 0; i < nr; i++) {
		for (s = spans[i].from; s < spans[i].to; s++) {
			const struct stack *st = &h->stacks[s];
			u64 samples = h->records[st->record].nr;

			/* The same stack in kernel and user mode is one line. */
			while (s + 1 < spans[i].to && h->stacks[s + 1].len == st->len &&
			       stacks_common(st, &h->stacks[s + 1], h->pool) == (s32)st->len)
				samples += h->records[h->stacks[++s].record].nr;
			put_folded_name(o, spans[i].name);
			for (d = 0; d < st->len; d++) {
				outbuf_putc(o, ';');
				put_folded_name(o, label_name(&f, &h->env->labels[
					stack_step(st, h->pool, d)]));
			}
			outbuf_putc(o, ' ');
			outbuf_dec(o, samples, 0, ' ');
			outbuf_putc(o, '\n');
		}
	}
}

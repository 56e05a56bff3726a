// SPDX-License-Identifier: GPL-2.0
/*
 * collect.c - counts the samples of each function by address
 *
 * It is given an open session and reads it on one thread. It owns a cache of frames and the
 * functions. perf top passes it the samples one at a time. A sample counts at its own address,
 * whatever its callchain. A function is identified by file and start, so that two names of one
 * function are one.
 */
#include "annotate/annotate.h"
#include "base/function.h"
#include "base/sort.h"
#include "timeline/frame.h"

static u64 place_of(const struct event *ev, const struct dso *dso)
{
	return (u64)ev->idx << 32 | dso->id;
}

static struct annotate_func *func_at(struct annotate *a, const struct event *ev,
				     const struct frame *f)
{
	bool added;
	u64 *i = hash_insert(&a->by_place, place_of(ev, f->dso), f->sym->start, &added);

	if (added) {
		*i = a->nr_funcs;
		GROW(a->funcs, a->nr_funcs, a->cap_funcs);
		a->funcs[a->nr_funcs++] = (struct annotate_func){
			.event = ev, .dso = f->dso, .sym = f->sym,
		};
	}
	return &a->funcs[*i];
}

static void add_hit(struct annotate_func *fn, u64 addr, u64 period)
{
	bool added;
	u64 *i = hash_insert(&fn->by_addr, addr, 0, &added);

	if (added) {
		*i = fn->nr_hits;
		GROW(fn->hits, fn->nr_hits, fn->cap_hits);
		fn->hits[fn->nr_hits++] = (struct annotate_hit){ .addr = addr };
	}
	fn->hits[*i].period += period;
	fn->hits[*i].samples++;
	fn->period += period;
	fn->samples++;
}

static bool wanted(const struct annotate_opt *o, const struct frame *f)
{
	return (!o->symbol || function_is(f->sym->name, o->symbol)) &&
	       (!o->dso || !strcmp(o->dso, f->dso->short_name));
}

void annotate_sample(struct annotate *a, const struct visit *v)
{
	const struct sample *s = v->sample;
	const struct annotate_opt *o = a->opt;
	const struct frame *f;

	if ((o->event && o->event != s->event) || !v->counts)
		return;
	a->total[s->event->idx].period += s->period;
	a->total[s->event->idx].samples++;
	if (!v->passes)
		return;
	f = frame_of(a->frames, v->thread, s->ip, s->cpumode, v->chain->time);
	if (!filter_frame(o->filter, f, NULL))
		return;
	if (!f->dso || !f->sym)
		a->unknown++;
	else if (wanted(o, f))
		add_hit(func_at(a, s->event, f), f->addr, s->period);
}

static int take_sample(void *ctx, const struct visit *v)
{
	annotate_sample(ctx, v);
	return 0;
}

static bool hit_before(const struct annotate_hit *a, const struct annotate_hit *b)
{
	return a->addr < b->addr;
}
DEFINE_HEAP_SORT(sort_hits, struct annotate_hit, hit_before)

static bool func_before(const struct annotate_func *a, const struct annotate_func *b)
{
	int names;

	if (a->event->idx != b->event->idx)
		return a->event->idx < b->event->idx;
	if (a->period != b->period)
		return a->period > b->period;
	names = strcmp(a->sym->name, b->sym->name) ?: strcmp(a->dso->name, b->dso->name);
	return names ? names < 0 : a->sym->start < b->sym->start;
}
DEFINE_HEAP_SORT(sort_funcs, struct annotate_func, func_before)

void annotate_begin(struct annotate *a, struct session *s, const struct annotate_opt *opt)
{
	*a = (struct annotate){ .opt = opt, .session = s };
	a->total = xcalloc(s->events->nr, sizeof(*a->total));
	a->frames = frame_cache_create(s->timeline, 0);
}

static void number_hits(struct annotate_func *fn)
{
	u32 i;

	hash_deinit(&fn->by_addr);
	for (i = 0; i < fn->nr_hits; i++)
		*hash_insert(&fn->by_addr, fn->hits[i].addr, 0, NULL) = i;
}

static void decay_func(struct annotate_func *fn, u32 num, u32 den)
{
	u32 i, left = 0;

	fn->period = fn->samples = 0;
	for (i = 0; i < fn->nr_hits; i++) {
		struct annotate_hit hit = fn->hits[i];

		hit.period = hit.period / den * num + hit.period % den * num / den;
		if (!hit.period)
			continue;
		hit.samples = max(hit.samples * num / den, 1ULL);
		fn->period += hit.period;
		fn->samples += hit.samples;
		fn->hits[left++] = hit;
	}
	fn->nr_hits = left;
	number_hits(fn);
}

void annotate_decay(struct annotate *a, u32 num, u32 den)
{
	u32 i;

	for (i = 0; i < a->nr_funcs; i++)
		decay_func(&a->funcs[i], num, den);
}

void annotate_sort(struct annotate *a)
{
	u32 i;

	sort_funcs(a->funcs, a->nr_funcs);
	for (i = 0; i < a->nr_funcs; i++) {
		struct annotate_func *fn = &a->funcs[i];

		sort_hits(fn->hits, fn->nr_hits);
		number_hits(fn);
		*hash_insert(&a->by_place, place_of(fn->event, fn->dso), fn->sym->start, NULL) = i;
	}
}

int annotate_collect(struct annotate *a, struct session *s, const struct annotate_opt *opt)
{
	const struct session_ops ops = { .sample = take_sample, .filter = opt->filter };
	int ret;

	annotate_begin(a, s, opt);
	ret = session_run(s, &ops, a);
	annotate_sort(a);
	return ret;
}

void annotate_deinit(struct annotate *a)
{
	u32 i;

	for (i = 0; i < a->nr_funcs; i++) {
		free(a->funcs[i].hits);
		hash_deinit(&a->funcs[i].by_addr);
		annotate_text_free(a->funcs[i].text);
	}
	free(a->funcs);
	free(a->total);
	hash_deinit(&a->by_place);
	if (a->frames)
		frame_cache_destroy(a->frames);
	memset(a, 0, sizeof(*a));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf report --total-cycles: basic blocks by the cycles spent in them.
 *
 * An entry of a branch stack (newest first) has the cycles since the previous (older) branch: the
 * time of the block between that branch's target and its own source, both in one function. As in
 * mainline, blocks with the same end are merged; the merged block begins at the lowest known start,
 * or at its function's start if none is known (the oldest entry of a stack has no older branch).
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/sort.h"
#include "cmd/report/report.h"
#include "event/abi.h"
#include "event/value_text.h"
#include "render/stdio.h"

struct code_block {
	struct dso *dso;
	const struct symbol *sym;
	/* file addresses; @end: source of the branch; @start: -1: unknown */
	u64 start, end;
	u64 cycles, nr;
};

struct code_blocks {
	struct code_block *v;		/* by event */
	size_t nr, cap;
	struct hash by_end;		/* (file, end) -> index + 1 */
	u64 samples, branches, cycles, averages;
};

struct block_counting {
	const struct report_run *r;
	struct frame_cache *frames;
	struct code_blocks *events;
	struct branch_counts kinds;
};

static void add_block(struct code_blocks *b, const struct frame *before, const struct frame *at, u32 cycles)
{
	struct code_block *block;
	u64 *i = hash_insert(&b->by_end, at->dso->id, at->addr, NULL);

	if (!*i) {
		GROW(b->v, b->nr, b->cap);
		b->v[b->nr] = (struct code_block){ .dso = at->dso, .sym = at->sym, .start = -1, .end = at->addr };
		*i = ++b->nr;
	}
	block = &b->v[*i - 1];
	if (before && before->dso == at->dso && before->sym == at->sym && before->addr <= at->addr)
		block->start = min(block->start, before->addr);
	block->cycles += cycles;
	block->nr++;
}

static int take_sample(void *ctx, const struct visit *v)
{
	const struct thread *thread = v->thread;
	const u64 time = v->chain->time;
	const struct sample *s = v->sample;
	struct block_counting *c = ctx;
	struct code_blocks *b = &c->events[s->event->idx];
	u64 i;

	if (!s->branch_nr || !filter_visit(&c->r->filter, c->frames, v))
		return 0;
	b->samples++;
	b->branches += s->branch_nr;
	for (i = 0; i < s->branch_nr; i++)
		branch_count(&c->kinds, s->branch[3 * i], s->branch[3 * i + 1], s->branch[3 * i + 2]);
	/* A processor that measures cycles does so for the newest branch. */
	if (!branch_cycles(s->branch[2]))
		return 0;
	for (i = 0; i < s->branch_nr; i++) {
		const u64 *e = &s->branch[3 * i];
		u32 cycles = branch_cycles(e[2]);
		const struct frame *at, *before = NULL;

		b->cycles += cycles;
		if (!cycles)
			continue;
		at = frame_by_sign(c->frames, thread, e[0], time);
		if (!at->dso || !at->sym)
			continue;
		if (i + 1 < s->branch_nr)
			before = frame_by_sign(c->frames, thread, e[4], time);
		add_block(b, before, at, cycles);
	}
	return 0;
}

static bool block_before(const struct code_block *a, const struct code_block *b)
{
	int names;

	if (a->cycles != b->cycles)
		return a->cycles > b->cycles;
	names = strcmp(a->sym->name, b->sym->name) ?: strcmp(a->dso->name, b->dso->name);
	return names ? names < 0 : a->end < b->end;
}
DEFINE_HEAP_SORT(sort_blocks, struct code_block, block_before)

/* 999, 1.0K, 1.5M. */
static const char *short_number(char text[32], u64 v)
{
	static const char units[] = " KMGTPE";
	double d = v;
	u32 u = 0;

	for (; d >= 1000; d /= 1000)
		u++;
	if (u)
		snprintf(text, 32, "%.1f%c", d, units[u]);
	else
		snprintf(text, 32, "%llu", v);
	return text;
}

/* "main.c:3 -> main.c:5", or without lines "main+0 -> main+17". */
static void put_range(const struct code_block *b, struct outbuf *o)
{
	const char *from = dso_srcline(b->dso, b->start, false), *to = dso_srcline(b->dso, b->end, false);

	if (from && to)
		outbuf_printf(o, "[%s -> %s]", from, to);
	else
		outbuf_printf(o, "[%s+%llu -> %s+%llu]", b->sym->name, b->start - b->sym->start, b->sym->name,
			      b->end - b->sym->start);
}

static void put_block(const struct code_blocks *b, const struct code_block *block, struct outbuf *o)
{
	char sum[32], average[32];
	_cleanup_outbuf_ struct outbuf range = { 0 };

	put_range(block, &range);
	outbuf_printf(o, "%16.2f%%  %14s  %10.2f%%  %10s  %70s  %20s\n",
		      percent_of(block->cycles, b->cycles), short_number(sum, block->cycles),
		      percent_of(block->cycles / block->nr, b->averages),
		      short_number(average, block->cycles / block->nr), outbuf_text(&range),
		      block->dso->short_name);
}

static void put_event(const struct report_run *r, const struct event *ev, struct code_blocks *b, struct outbuf *o)
{
	static const char dots[] = ".......................................................................";
	_cleanup_outbuf_ struct outbuf title = { 0 };
	size_t i;

	for (i = 0; i < b->nr; i++) {
		struct code_block *block = &b->v[i];

		if (block->start == (u64)-1)
			block->start = block->sym->start;
		b->averages += block->cycles / block->nr;
	}
	sort_blocks(b->v, b->nr);
	if (!r->opt->quiet) {
		outbuf_printf(&title, "event '%s'", ev->name);
		stdio_title(outbuf_text(&title), b->samples, "Event count (approx.)",
			    b->branches, o);
		outbuf_puts(o, "#\n");
	}
	outbuf_printf(o, "# %15s  %14s  %11s  %10s  %70s  %20s\n", "Sampled Cycles%", "Sampled Cycles",
		      "Avg Cycles%", "Avg Cycles", "[Program Block Range]", "Shared Object");
	outbuf_printf(o, "# %.15s  %.14s  %.11s  %.10s  %.70s  %.20s\n#\n", dots, dots, dots, dots, dots, dots);
	for (i = 0; i < b->nr; i++)
		if (percent_of(b->v[i].cycles, b->cycles) >= r->stdio.percent_limit)
			put_block(b, &b->v[i], o);
}

static void put_part(const char *name, u64 part, u64 all, struct outbuf *o)
{
	if (part)
		outbuf_printf(o, "%8s: %5.1f%%\n", name, 100.0 * part / all);
}

/* The kinds are the processor's, or of a kernel that decodes branch instructions (save_type). */
void report_kinds(const struct branch_counts *c, struct outbuf *o)
{
	u64 all = 0;
	u32 i;

	for (i = 1; i < BRANCH_KINDS; i++)
		all += c->kinds[i];
	if (!all)
		return;
	outbuf_puts(o, "\n#\n# Branch Statistics:\n#\n");
	put_part("COND_FWD", c->forward, all, o);
	put_part("COND_BWD", c->backward, all, o);
	put_part("CROSS_4K", c->cross_4k, all, o);
	put_part("CROSS_2M", c->cross_2m, all, o);
	for (i = 1; i < BRANCH_KINDS; i++)
		put_part(branch_kind_names[i], c->kinds[i], all, o);
}

int report_blocks(struct report_run *r, struct outbuf *o)
{
	const struct session_ops ops = { .sample = take_sample, .filter = &r->filter };
	const struct event_list *events = r->session->events;
	struct block_counting c = {
		.r = r, .frames = frame_cache_create(r->session->timeline, 0),
	};
	u64 nr = 0;
	u32 i;
	int err;

	c.events = xcalloc(max(events->nr, 1u), sizeof(*c.events));
	err = session_run(r->session, &ops, &c);
	if (!r->opt->quiet)
		outbuf_printf(o, "#\n# Total Lost Samples: %llu\n#\n", session_lost(&r->session->stats));
	for (i = 0; i < events->nr; i++) {
		struct code_blocks *b = &c.events[i];

		nr += b->nr;
		if (b->nr)
			put_event(r, events->events[i], b, o);
		free(b->v);
		hash_deinit(&b->by_end);
	}
	if (nr)
		report_kinds(&c.kinds, o);
	free(c.events);
	frame_cache_destroy(c.frames);
	if (!nr && !(err && err != -EINTR))
		diag_error("--total-cycles: %s has no cycles of branches: record with perf record -b, on a processor "
			   "that measures them", r->session->reader->path);
	return !nr || (err && err != -EINTR);
}

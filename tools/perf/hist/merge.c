// SPDX-License-Identifier: GPL-2.0
/*
 * merge.c - merges the counts of the workers
 *
 * A worker numbers scopes, frame keys, steps and labels in the order of first use. Chunks are
 * merged in the order of their samples, and their new objects in the worker's order, so every
 * number, and the output, is the same as with a single worker.
 */
#include "hist/hist_private.h"

struct hist_marks hist_env_marks(const struct hist_env *env)
{
	return (struct hist_marks){
		.syms = env->syms.nr, .frames = env->frames.nr, .steps = env->steps.nr,
		.labels = env->nr_labels, .scopes = env->scopes.nr,
	};
}

static u32 *room(u32 **map, u32 nr)
{
	*map = xrealloc(*map, max(nr, 1u) * sizeof(**map));
	return *map;
}

static void merge_syms(struct hist_env *main, const struct hist_env *part, struct hist_maps *m,
		       u32 upto)
{
	u32 *map = room(&m->syms, upto), i;

	for (i = m->done.syms; i < upto; i++) {
		const u64 *row = tuple_row(&part->syms, i);
		bool sym = row[1] == (u64)-1;

		map[i] = hist_sym_number(main, sym ? (const struct symbol *)(uintptr_t)row[0] : NULL,
					 row[0], row[1], sym ? 0 : part->addresses[i].ip);
	}
}

static void merge_frames(struct hist_env *main, const struct hist_env *part, struct hist_maps *m,
			 u32 upto)
{
	u32 *map = room(&m->frames, upto), width = part->frames.width, i, k;
	u64 *row = main->row;

	for (i = m->done.frames; i < upto; i++) {
		if (width)
			memcpy(row, tuple_row(&part->frames, i), width * sizeof(*row));
		for (k = 0; k < part->nr_keys; k++) {
			u64 *v = &row[part->keys[k]->slot];

			if (part->keys[k]->is_sym)
				*v = (*v >> 32 << 32) | m->syms[(u32)*v];
		}
		map[i] = tuple_intern(&main->frames, row);
	}
}

static void merge_steps(struct hist_env *main, const struct hist_env *part, struct hist_maps *m,
			u32 upto)
{
	u32 *map = room(&m->steps, upto), i;
	u64 row[3];

	for (i = m->done.steps; i < upto; i++) {
		memcpy(row, tuple_row(&part->steps, i), sizeof(row));
		/* Renumber the symbol in row[2]. A step by address or line has none there. */
		if (row[1] == (u64)-1 && part->cfg.chain.key != CHAIN_KEY_ADDRESS)
			row[2] = m->syms[row[2]];
		map[i] = tuple_intern(&main->steps, row);
	}
}

static void merge_labels(struct hist_env *main, const struct hist_env *part, struct hist_maps *m,
			 u32 upto)
{
	u32 *map = room(&m->labels, upto), i;

	for (i = m->done.labels; i < upto; i++) {
		struct hist_label l = part->labels[i];
		u64 id[3];

		l.step = m->steps[l.step];
		l.fkey = m->frames[l.fkey];
		l.sym_nr = m->syms[l.sym_nr];
		id[0] = l.step;
		id[1] = l.fkey;
		id[2] = hist_label_kind(&l);
		map[i] = hist_label_add(main, id, &l);
	}
}

static void merge_scopes(struct hist_env *main, const struct hist_env *part, struct hist_maps *m,
			 u32 upto)
{
	u32 *map = room(&m->scopes, upto), i;

	for (i = m->done.scopes; i < upto; i++)
		map[i] = tuple_intern(&main->scopes, tuple_row(&part->scopes, i));
}

void hist_env_merge(struct hist_env *main, struct hist_env *part, const struct hist_marks *upto)
{
	struct hist_maps *m = &part->maps;

	merge_syms(main, part, m, upto->syms);
	merge_frames(main, part, m, upto->frames);
	merge_steps(main, part, m, upto->steps);
	merge_labels(main, part, m, upto->labels);
	merge_scopes(main, part, m, upto->scopes);
	m->done = *upto;
}

void hist_env_merge_end(struct hist_env *main, struct hist_env *part)
{
	struct hist_maps *m = &part->maps;
	u32 i;

	/* The worker may have found a second mapping of an address after the address was merged. */
	for (i = 0; i < m->done.syms; i++)
		if (tuple_row(&part->syms, i)[1] != (u64)-1 && part->addresses[i].varies)
			main->addresses[m->syms[i]].varies = true;
	free(m->syms);
	free(m->frames);
	free(m->steps);
	free(m->labels);
	free(m->scopes);
	*m = (struct hist_maps){ .syms = NULL };
}

static void merge_rows(struct hists *h, const struct hists *part, const struct hist_maps *m)
{
	u32 i;

	for (i = 0; i < part->nr_rows; i++) {
		const struct hist_row *from = &part->rows[i];
		struct hist_row *e = hists_row(h, m->scopes[from->scope], m->frames[from->fkey]);

		e->nr += from->nr;
		e->period += from->period;
		e->period_children += from->period_children;
		e->latency += from->latency;
		e->latency_children += from->latency_children;
		e->us += from->us;
		e->sys += from->sys;
		e->guest_us += from->guest_us;
		e->guest_sys += from->guest_sys;
		row_set_first(e, from->first, from->thread, from->cpumode);
	}
}

static void merge_records(struct hists *h, const struct hists *part, const struct hist_maps *m)
{
	u32 *labels = NULL, cap = 0, i, k;

	for (i = 0; i < part->nr_records; i++) {
		struct hist_record r = part->records[i];
		const u32 *from = part->pool + r.at + 1;

		GROW_TO(labels, r.len, cap);
		for (k = 0; k < r.len; k++)
			labels[k] = m->labels[from[k]];
		r.scope = m->scopes[r.scope];
		r.fkey = m->frames[r.fkey];
		hists_add(h, &r, labels, part->tallies ? part->tallies + part->records[i].at + 1 : NULL, r.len);
	}
	free(labels);
}

void hists_merge(struct hists *h, struct hists *part)
{
	const struct hist_maps *m = &part->env->maps;
	struct hist_sums total = h->total;

	hist_sums_add(&total, part->total.period, part->total.latency, part->total.nr);
	if (h->env->cfg.use_chains)
		merge_records(h, part, m);
	else
		merge_rows(h, part, m);
	/* These totals include samples dropped by the filters. */
	h->total = total;
	hist_sums_add(&h->filtered, part->filtered.period, part->filtered.latency,
		      part->filtered.nr);
	branch_counts_add(&h->branches, &part->branches);
	hists_reset(part);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * history.c - branches as steps of stacks: repeated passes of loops, and sums
 *
 * It is given the branch stack of a sample, and makes the branch steps at the beginning of its
 * stack (--branch-history); statistics of the branches are summed by step of a stack, and by
 * row. Owns nothing. The rules are those of perf 7.2.13, found from its output for made-up
 * recordings, except that every loop is folded.
 */
#include "hist/hist_private.h"

/*
 * The number of branches from @at on that repeat the branches @first..@at-1: a whole pass of a
 * loop, or fewer at the end of the stack; 0 if they do not repeat. Only the sources are compared.
 */
static u32 pass_length(const struct branch_step *v, u32 nr, u32 first, u32 at)
{
	u32 i;

	for (i = 0; first + i < at && at + i < nr; i++)
		if (v[first + i].from != v[at + i].from)
			return 0;
	return i;
}

/* Return: the first branch before @at that may begin a loop and has the source of @at; @at: none. */
static u32 first_pass(const struct branch_step *v, u32 at)
{
	u32 i = 0;

	while (i < at && !(v[i].begins && v[i].from == v[at].from))
		i++;
	return i;
}

/*
 * Folds loops: removes repeated passes over the same branches. The branch after a removed pass does not
 * start a new pass: of A A A A A three remain, of nine A before a B five.
 * A sample has some 32 branches, and at most 2,700 (64 kB).
 * Return: the number of remaining branches.
 */
static u32 fold_loops(struct branch_step *v, u32 nr)
{
	u32 at, first, len, i;

	for (at = 0; at < nr; at++) {
		first = first_pass(v, at);
		v[at].begins = first == at;
		len = first < at ? pass_length(v, nr, first, at) : 0;
		if (!len)
			continue;
		if (at + len < nr) {
			struct branch_step *behind = &v[at + len];

			behind->pass = true;
			for (i = 0; i < len; i++)
				behind->pass_cycles += branch_cycles(v[at + i].flags);
			memmove(v + at, behind, (nr - at - len) * sizeof(*v));
		}
		nr -= len;
	}
	return nr;
}

u32 history_steps(struct hist_env *env, const struct sample *s)
{
	u32 nr = env->cfg.max_stack ? min(s->branch_nr, (u64)env->cfg.max_stack) : s->branch_nr, i;

	GROW_TO(env->branches, nr, env->branches_cap);
	for (i = 0; i < nr; i++) {
		const u64 *b = s->branch + 3 * (env->cfg.chain.caller ? s->branch_nr - 1 - i : i);

		env->branches[i] = (struct branch_step){ .from = b[0], .to = b[1], .flags = b[2] };
	}
	return fold_loops(env->branches, nr);
}

void history_add_stack(const struct hists *h, u32 stack, u32 depth, struct step_branches *sum)
{
	const struct hist_label *l = &h->env->labels[stack_step(&h->stacks[stack], h->pool, depth)];
	const struct branch_tally *t = &h->tallies[h->stacks[stack].at + 1 + depth];

	if (!l->branch)
		return;
	if (l->target) {
		sum->targets += h->count[stack + 1] - h->count[stack];
		sum->predicted += t->predicted;
		sum->aborts += t->aborts;
	} else {
		sum->sources += h->count[stack + 1] - h->count[stack];
		sum->cycles += t->cycles;
		sum->passes += t->passes;
		sum->pass_cycles += t->pass_cycles;
	}
}

static void add_steps(const struct hists *h, u32 stack, u32 depth, struct step_branches *sum)
{
	for (; depth < h->stacks[stack].len; depth++)
		history_add_stack(h, stack, depth, sum);
}

static struct step_branches sums_of(const struct hists *h, const struct hist_row *row)
{
	const u32 *own = h->own + row->own, *end = own + row->nr_own;
	struct step_branches sum = { 0 };
	u32 i, k;

	for (i = 0; i < row->nr_own; i++)
		add_steps(h, own[i], 0, &sum);
	for (i = 0; i < row->nr_places; i++) {
		const struct hist_place *p = &h->places[row->place + i];

		for (k = p->from; k < p->to; k++) {
			while (own < end && *own < k)
				own++;
			if (own == end || *own != k)
				add_steps(h, k, p->depth, &sum);
		}
	}
	return sum;
}

void history_finish(struct hists *h)
{
	u32 i;

	h->row_branches = xmalloc(max(h->nr_rows, 1u) * sizeof(*h->row_branches));
	for (i = 0; i < h->nr_rows; i++)
		h->row_branches[i] = sums_of(h, &h->rows[i]);
	h->nr_row_branches = h->nr_rows;
}

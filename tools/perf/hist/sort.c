// SPDX-License-Identifier: GPL-2.0
/*
 * sort.c - the order of a report's rows
 *
 * It owns the array of sorted rows. The order is that of perf 7.2: rows are sorted by their keys, a
 * total order, and inserted one by one into a red-black tree that compares the columns. This
 * comparison is not transitive: with equal sums of children the deeper row comes first if both rows
 * began in one thread; rows of different threads are compared by the next column. The shape of the
 * tree resolves cycles. The result depends on the rows only (Documentation/design/row-order.rst).
 */
#include "base/progress.h"
#include "hist/hist_private.h"

/* The tree of rb_sort(): nodes by index in its array + 1. */
#define NIL 0

struct rb {
	u32 kid[2], up;
	bool red;
};

struct rb_tree {
	struct rb *n;		/* [0] is NIL, and black */
	u32 root;
};

static void rotate(struct rb_tree *t, u32 x, int side)
{
	u32 y = t->n[x].kid[!side], up = t->n[x].up;

	t->n[x].kid[!side] = t->n[y].kid[side];
	if (t->n[y].kid[side] != NIL)
		t->n[t->n[y].kid[side]].up = x;
	t->n[y].up = up;
	if (up == NIL)
		t->root = y;
	else
		t->n[up].kid[t->n[up].kid[1] == x] = y;
	t->n[y].kid[side] = x;
	t->n[x].up = y;
}

static void balance(struct rb_tree *t, u32 x)
{
	while (t->n[t->n[x].up].red) {
		u32 p = t->n[x].up, g = t->n[p].up;
		int side = t->n[g].kid[1] == p;
		u32 uncle = t->n[g].kid[!side];

		if (t->n[uncle].red) {
			t->n[p].red = t->n[uncle].red = false;
			t->n[g].red = true;
			x = g;
			continue;
		}
		if (t->n[p].kid[!side] == x) {
			x = p;
			rotate(t, x, side);
			p = t->n[x].up;
		}
		t->n[p].red = false;
		t->n[g].red = true;
		rotate(t, g, !side);
	}
	t->n[t->root].red = false;
}

void rb_sort(void **items, u32 nr, bool (*before)(const void *a, const void *b, void *ctx),
	     void *ctx)
{
	struct rb_tree t = { xcalloc((size_t)nr + 1, sizeof(*t.n)), NIL };
	void **sorted = xmalloc(((size_t)nr + 1) * sizeof(*sorted));
	u32 i, x, out = 0;

	for (i = 1; i <= nr; i++) {
		u32 up = NIL;
		int side = 0;

		for (x = t.root; x != NIL; x = t.n[x].kid[side]) {
			up = x;
			side = !before(items[i - 1], items[x - 1], ctx);
		}
		t.n[i].up = up;
		t.n[i].red = true;
		if (up == NIL)
			t.root = i;
		else
			t.n[up].kid[side] = i;
		balance(&t, i);
	}
	/* In-order traversal without a stack, by parent links. */
	for (x = t.root; x != NIL && t.n[x].kid[0] != NIL;)
		x = t.n[x].kid[0];
	while (x != NIL) {
		sorted[out++] = items[x - 1];
		if (t.n[x].kid[1] != NIL) {
			for (x = t.n[x].kid[1]; t.n[x].kid[0] != NIL;)
				x = t.n[x].kid[0];
			continue;
		}
		for (i = x, x = t.n[x].up; x != NIL && t.n[x].kid[1] == i; x = t.n[x].up)
			i = x;
	}
	memcpy(items, sorted, out * sizeof(*items));
	free(sorted);
	free(t.n);
}

struct row_order {
	struct hists *h;
	const struct hist_columns *cols;
	u32 nr_members;
	u64 compared;
};

/* Update the progress bar every 65536 comparisons. */
static inline void went_on(struct row_order *o)
{
	if (!(++o->compared & 0xffff))
		progress_update(o->compared);
}

u32 hists_sort_member(const struct hists *h, u32 i)
{
	return i ? i : h->sort_member;
}

static int cmp_numbers(const struct row_order *o, const struct hist_row *a,
		       const struct hist_row *b, enum overhead_kind k)
{
	u64 x = hist_row_number(a, 0, k), y = hist_row_number(b, 0, k);
	u32 i;

	/* As mainline: sums of children are compared in the leader only. */
	if (k == OV_CHILDREN || k == OV_LATENCY_CHILDREN)
		return x > y ? -1 : x < y;
	for (i = 0; i < o->nr_members; i++) {
		x = hist_row_number(a, hists_sort_member(o->h, i), k);
		y = hist_row_number(b, hists_sort_member(o->h, i), k);
		if (x != y)
			return x > y ? -1 : 1;
	}
	return 0;
}

static int cmp_rows(const struct row_order *o, const struct hist_row *a, const struct hist_row *b)
{
	const struct hist_env *env = o->h->env;
	u32 i;
	int c;

	for (i = 0; i < o->cols->nr_order; i++) {
		const struct hist_column *col = &o->cols->cols[o->cols->order[i]];

		if (col->key) {
			c = key_cmp(env, col->key, hist_value(env, a, col->key),
				    hist_value(env, b, col->key));
		} else {
			c = cmp_numbers(o, a, b, col->overhead);
			/* Not transitive: see the comment at the top of this file. */
			if (!c && col->overhead == OV_CHILDREN && env->cfg.use_chains &&
			    a->thread == b->thread && a->max_depth != b->max_depth) {
				c = a->max_depth > b->max_depth ? -1 : 1;
				if (!env->cfg.chain.caller)
					c = -c;
			}
		}
		if (c)
			return c;
	}
	return 0;
}

static bool row_before(const void *a, const void *b, void *ctx)
{
	went_on(ctx);
	return cmp_rows(ctx, a, b) < 0;
}

/* The order of insertion: by keys; files and symbols by address. */
static int cmp_keys(const void *a, const void *b, void *ctx)
{
	const struct hist_row *ea = *(struct hist_row *const *)a;
	const struct hist_row *eb = *(struct hist_row *const *)b;
	const struct hist_env *env = ((struct row_order *)ctx)->h->env;
	u32 i;

	went_on(ctx);
	for (i = 0; i < env->nr_keys; i++) {
		const struct sort_key *k = env->keys[i];
		u64 va = hist_value(env, ea, k), vb = hist_value(env, eb, k);
		int c = k->place ? k->place(env, k, va, vb) : key_cmp(env, k, va, vb);

		if (c)
			return c;
	}
	return ea < eb ? -1 : 1;
}

void hists_sort(struct hists *h, const struct hist_columns *cols, u32 nr_members, u32 sort_member)
{
	struct row_order o = { h, cols, nr_members, 0 };
	u32 i, log = 1;

	h->sort_member = sort_member < nr_members ? sort_member : 0;
	free(h->sorted);
	h->sorted = xmalloc(max(h->nr_rows, 1u) * sizeof(struct hist_row *));
	h->nr_sorted = 0;
	for (i = 0; i < h->nr_rows; i++)
		if (!h->rows[i].filtered)
			h->sorted[h->nr_sorted++] = &h->rows[i];
	while (h->nr_sorted >> log)
		log++;
	/* Both sorts compare each row about log2(nr) times. */
	progress_start_whole("Sorting rows", 2ULL * log * h->nr_sorted);
	qsort_r(h->sorted, h->nr_sorted, sizeof(*h->sorted), cmp_keys, &o);
	rb_sort((void **)h->sorted, h->nr_sorted, row_before, &o);
	progress_end();
}

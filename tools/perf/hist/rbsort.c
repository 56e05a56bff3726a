// SPDX-License-Identifier: GPL-2.0
/*
 * rbsort.c - sort by insertion into a red-black tree of array indices
 */
#include "base/arena.h"
#include "hist/hist_private.h"

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

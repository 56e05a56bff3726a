// SPDX-License-Identifier: GPL-2.0
/*
 * tree.c - rows and the open parts of their call graphs as one list of lines
 *
 * It owns the graphs made so far: a row's graph is made for its first line, and nodes for the
 * children of a chain when they are needed. Invariant of a position: its node's ancestors are open,
 * and a step after the first exists only in an open node.
 */
#include "tui/browse.h"

#define MAX_OPENED 65536

static void drop_graphs(struct tui_tree *t)
{
	u32 i;

	for (i = 0; i < t->nr_graphs; i++) {
		arena_deinit(&t->graphs[i]->arena);
		free(t->graphs[i]);
	}
	t->nr_graphs = 0;
	hash_deinit(&t->by_row);
}

void tree_deinit(struct tui_tree *t)
{
	drop_graphs(t);
	hash_deinit(&t->opened);
	free(t->graphs);
	memset(t, 0, sizeof(*t));
}

static void keep_nodes(struct tui_tree *t, const struct tui_node *n)
{
	const struct tui_node *child;

	*hash_insert(&t->opened, n->id, 0, NULL) = n->open;
	for (child = n->first; child; child = child->next)
		keep_nodes(t, child);
}

void tree_keep(struct tui_tree *t)
{
	u32 i;

	/* Limit the table: most of its entries are for lines that no longer exist. */
	if (t->opened.nr > MAX_OPENED)
		hash_deinit(&t->opened);
	for (i = 0; i < t->nr_graphs; i++)
		keep_nodes(t, &t->graphs[i]->root);
	drop_graphs(t);
}

static bool was_open(const struct tui_tree *t, u64 id)
{
	const u64 *open = hash_find(&t->opened, id, 0);

	return open ? *open : t->all_open;
}

void tree_all(struct tui_tree *t, bool open)
{
	drop_graphs(t);
	hash_deinit(&t->opened);
	t->all_open = open;
}

static struct tui_graph *graph_known(const struct tui_tree *t, u32 row)
{
	const u64 *i = hash_find(&t->by_row, row, 0);

	return i ? t->graphs[*i] : NULL;
}

static struct tui_graph *graph_of(struct tui_tree *t, u32 row)
{
	struct tui_graph *g = graph_known(t, row);

	if (g)
		return g;
	g = xcalloc(1, sizeof(*g));
	g->row = row;
	g->root.id = t->row_id ? t->row_id(t->ctx, row) : 0;
	g->root.open = was_open(t, g->root.id);
	g->root.chain = t->graph(t->ctx, row, &g->arena);
	GROW(t->graphs, t->nr_graphs, t->cap_graphs);
	*hash_insert(&t->by_row, row, 0, NULL) = t->nr_graphs;
	t->graphs[t->nr_graphs++] = g;
	return g;
}

/* Make nodes for the children of a node. */
static void know(struct tui_tree *t, struct tui_graph *g, struct tui_node *n)
{
	const struct chain_node *c = n->known || !n->chain ? NULL : n->chain->child;

	n->known = true;
	for (; c; c = c->next) {
		struct tui_node *child = arena_alloc(&g->arena, sizeof(*child));

		child->chain = c;
		child->up = n;
		/* A hash of its function and of those above it */
		if (t->step_id)
			child->id = hash_mix(n->id, t->step_id(t->ctx, c->labels[0]));
		child->open = was_open(t, child->id);
		child->prev = n->last;
		if (n->last)
			n->last->next = child;
		else
			n->first = child;
		n->last = child;
	}
}

/* Move @p to the first line below an open node; false: there is none. */
static bool enter(struct tui_tree *t, struct tui_place *p, struct tui_node *n)
{
	know(t, graph_of(t, t->rows[p->at]), n);
	if (!n->first)
		return false;
	p->node = n->first;
	p->step = 0;
	return true;
}

bool tree_next(struct tui_tree *t, struct tui_place *p)
{
	struct tui_node *n = p->node;

	if (!n) {
		if ((t->closed_too || tree_open(t, p)) &&
		    enter(t, p, &graph_of(t, t->rows[p->at])->root))
			return true;
	} else if (t->closed_too || n->open) {
		if (p->step + 1 < n->chain->nr_labels) {
			p->step++;
			return true;
		}
		if (enter(t, p, n))
			return true;
	}
	for (; n; n = n->up)
		if (n->next) {
			p->node = n->next;
			p->step = 0;
			return true;
		}
	if (p->at + 1 >= t->nr_rows)
		return false;
	*p = (struct tui_place){ .at = p->at + 1 };
	return true;
}

/* Move @p to the last line of a node and its open descendants. */
static void to_last(struct tui_tree *t, struct tui_place *p, struct tui_node *n)
{
	struct tui_graph *g = graph_of(t, t->rows[p->at]);

	while (n->open) {
		know(t, g, n);
		if (!n->last)
			break;
		n = n->last;
	}
	p->node = n == &g->root ? NULL : n;
	p->step = p->node && n->open ? n->chain->nr_labels - 1 : 0;
}

/* Move @p to the last line of a row. */
static void to_row_end(struct tui_tree *t, struct tui_place *p)
{
	p->node = NULL;
	p->step = 0;
	if (tree_open(t, p))
		to_last(t, p, &graph_of(t, t->rows[p->at])->root);
}

bool tree_prev(struct tui_tree *t, struct tui_place *p)
{
	struct tui_node *n = p->node;

	if (n && p->step) {
		p->step--;
	} else if (n && n->prev) {
		to_last(t, p, n->prev);
	} else if (n) {
		p->node = n->up->up ? n->up : NULL;
		p->step = p->node ? p->node->chain->nr_labels - 1 : 0;
	} else if (p->at) {
		p->at--;
		to_row_end(t, p);
	} else {
		return false;
	}
	return true;
}

u32 tree_move(struct tui_tree *t, struct tui_place *p, s64 by)
{
	u32 moved = 0;

	for (; by > 0 && tree_next(t, p); by--)
		moved++;
	for (; by < 0 && tree_prev(t, p); by++)
		moved++;
	return moved;
}

struct tui_place tree_last(struct tui_tree *t)
{
	struct tui_place p = { .at = t->nr_rows - 1 };

	to_row_end(t, &p);
	return p;
}

bool tree_open(const struct tui_tree *t, const struct tui_place *p)
{
	const struct tui_graph *g;

	if (p->node)
		return p->node->open;
	g = graph_known(t, t->rows[p->at]);
	if (g)
		return g->root.open;
	return t->opened.nr ? was_open(t, t->row_id(t->ctx, t->rows[p->at])) : t->all_open;
}

bool tree_foldable(const struct tui_tree *t, const struct tui_place *p)
{
	const struct tui_graph *g;

	if (p->node)
		return !p->step && (p->node->chain->nr_labels > 1 || p->node->chain->child);
	g = graph_known(t, t->rows[p->at]);
	return !g || (g->root.chain && g->root.chain->child);
}

/*
 * Open or close all nodes below a node. Closing skips nodes not made yet; they get the state
 * all_open when they are made. Opening makes them.
 */
static void set_below(struct tui_tree *t, struct tui_graph *g, struct tui_node *top, bool open)
{
	struct tui_node *n = top;

	for (;;) {
		know(t, g, n);
		n->open = open;
		if (n->first) {
			n = n->first;
			continue;
		}
		while (n != top && !n->next)
			n = n->up;
		if (n == top)
			return;
		n = n->next;
	}
}

void tree_set_open(struct tui_tree *t, struct tui_place *p, bool open, bool deep)
{
	struct tui_graph *g = graph_of(t, t->rows[p->at]);
	struct tui_node *n = p->node ? p->node : &g->root;

	p->step = 0;
	n->open = open;
	if (deep)
		set_below(t, g, n, open);
}

/* The innermost node that is open if the place is visible. */
static struct tui_node *around(const struct tui_place *p)
{
	return p->node && !p->step ? p->node->up : p->node;
}

bool tree_visible(const struct tui_place *p)
{
	const struct tui_node *n = around(p);

	while (n && n->open)
		n = n->up;
	return !n;
}

void tree_reveal(const struct tui_place *p)
{
	struct tui_node *n;

	for (n = around(p); n; n = n->up)
		n->open = true;
}

bool tree_up(struct tui_place *p)
{
	if (!p->node)
		return false;
	p->node = p->node->up->up ? p->node->up : NULL;
	p->step = 0;
	return true;
}

void tree_hot(struct tui_tree *t, struct tui_place *p)
{
	struct tui_graph *g = graph_of(t, t->rows[p->at]);
	struct tui_node *n = &g->root, *c, *hot;

	for (;;) {
		n->open = true;
		know(t, g, n);
		hot = n->first;
		for (c = n->first; c; c = c->next)
			if (c->chain->total > hot->chain->total)
				hot = c;
		/* Stop where no child has at least half of the sum. */
		if (!hot || (n != &g->root && hot->chain->total * 2 < n->chain->total))
			break;
		n = hot;
	}
	p->node = n == &g->root ? NULL : n;
	p->step = p->node ? n->chain->nr_labels - 1 : 0;
}

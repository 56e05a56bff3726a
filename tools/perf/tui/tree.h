/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of lines: rows of a histogram, and below an open row its call graph, whose nodes are
 * open or closed. Nothing here draws.
 *
 * A position in the list is a row with a step of its graph, not a number: the next and previous
 * lines are found in O(depth of forks), whatever is above. So no key needs the number of lines,
 * and call graphs are made when one of their lines is reached.
 */
#ifndef PERF_TUI_TREE_H
#define PERF_TUI_TREE_H

#include "base/arena.h"
#include "base/hash.h"
#include "hist/callgraph.h"

/* A node of a row's call graph. Closed, it is the line of its first step alone. */
struct tui_node {
	const struct chain_node *chain;
	struct tui_node *up;		/* NULL: the root (the row itself) */
	struct tui_node *prev, *next, *first, *last;
	u64 id;				/* see tree_keep() */
	bool open;
	bool known;			/* nodes for its children were made */
};

/* A row that is open, or whose graph was made. */
struct tui_graph {
	struct arena arena;
	struct tui_node root;		/* .chain is NULL if the row has no graph */
	u32 row;
};

struct tui_tree {
	const u32 *rows;		/* numbers of the shown rows, in their order */
	u32 nr_rows;
	/* The call graph of a row, in @arena; NULL: it has none */
	struct chain_node *(*graph)(void *ctx, u32 row, struct arena *arena);
	void *ctx;
	bool all_open;			/* untouched lines are open, else closed */
	struct hash opened;		/* (hash of a line's functions) -> open: tree_keep() */
	/* Hashes that identify a row and a step */
	u64 (*row_id)(void *ctx, u32 row);
	u64 (*step_id)(void *ctx, u32 label);
	/* Owned: graphs by row */
	struct hash by_row;
	struct tui_graph **graphs;
	u32 nr_graphs, cap_graphs;
};

/* A line: a row, or a step of its call graph. */
struct tui_place {
	u32 at;				/* index in tui_tree.rows */
	struct tui_node *node;		/* NULL: the row itself */
	u32 step;			/* index in the node's run */
};

/* tree_init - a tree without rows; tree_deinit() it */
void tree_init(struct tui_tree *t, struct chain_node *(*graph)(void *, u32, struct arena *),
	       void *ctx);
void tree_deinit(struct tui_tree *t);

/**
 * tree_set_rows() - show these rows
 * @t: the tree
 * @rows: their numbers; not copied
 * @nr: number of rows
 *
 * Graphs stay open or closed. All places become invalid.
 */
void tree_set_rows(struct tui_tree *t, const u32 *rows, u32 nr);

/* tree_all - open or close everything. All places with a node become invalid. */
void tree_all(struct tui_tree *t, bool open);

/**
 * tree_keep() - save which lines are open, before rows and graphs change
 * @t: the tree, whose row_id and step_id are set
 *
 * All graphs are dropped. When they are made again, lines of the same functions are open.
 */
void tree_keep(struct tui_tree *t);

/*
 * tree_next, tree_prev - move to the next or previous line; return: false at an end, with @p
 * unchanged
 */
bool tree_next(struct tui_tree *t, struct tui_place *p);
bool tree_prev(struct tui_tree *t, struct tui_place *p);

/**
 * tree_move() - move by a number of lines
 * @t: the tree
 * @p: the place
 * @by: number of lines; negative: up
 *
 * Return: the number of lines moved, without sign; fewer at an end of the list.
 */
u32 tree_move(struct tui_tree *t, struct tui_place *p, s64 by);

/* tree_last - the last line of all; the list must not be empty */
struct tui_place tree_last(struct tui_tree *t);

/* tree_open - is the row or node at a place open? */
bool tree_open(const struct tui_tree *t, const struct tui_place *p);

/*
 * tree_foldable - can a place be opened? If a row's graph was not made yet, it is assumed to have
 * lines.
 */
bool tree_foldable(const struct tui_tree *t, const struct tui_place *p);

/**
 * tree_set_open() - open or close the row or node at a place
 * @t: the tree
 * @p: the place; moves to the first step of its node
 * @open: true: open; false: close
 * @deep: also all nodes below
 */
void tree_set_open(struct tui_tree *t, struct tui_place *p, bool open, bool deep);

/* tree_up - move to the parent node or row; false: @p is a row */
bool tree_up(struct tui_place *p);

/* tree_hot - open the hottest path of a row; @p moves to its end */
void tree_hot(struct tui_tree *t, struct tui_place *p);

/* tree_same - are two places the same line? */
static inline bool tree_same(const struct tui_place *a, const struct tui_place *b)
{
	return a->at == b->at && a->node == b->node && a->step == b->step;
}

#endif /* PERF_TUI_TREE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Search trees for the static libraries of elfutils. Nothing of ours calls these.
 */
#ifndef PERF_SYMBOL_EU_SEARCH_H
#define PERF_SYMBOL_EU_SEARCH_H

/* A lock may follow the root; Debian's libraries have none. */
struct search_tree {
	void *root;
};

typedef int compare_fn(const void *a, const void *b);

/**
 * eu_search_tree_init() - an empty tree
 * @tree: to be set
 */
void eu_search_tree_init(struct search_tree *tree);

/**
 * eu_search_tree_fini() - free a tree and its content
 * @tree: is empty afterwards
 * @free_node: called with each key
 */
void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *key));

/* As eu_search_tree_fini(). */
void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *key));

/**
 * eu_tsearch() - find a key, or put it in: tsearch(3)
 * @key: its address is kept
 * @tree: where
 * @compare: the order of two keys: below 0, 0, above 0
 *
 * Return: where the address of the key stands; NULL: no memory.
 */
void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn *compare);

/* As eu_tsearch(), but NULL when the key is not there. */
void *eu_tfind(const void *key, struct search_tree *tree, compare_fn *compare);

/* Takes a key out: tdelete(3). NULL: it is not there. */
void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn *compare);

#endif /* PERF_SYMBOL_EU_SEARCH_H */

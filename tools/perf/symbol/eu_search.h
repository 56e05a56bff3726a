/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Search trees for the static libraries of elfutils, which call these functions; perf's own code
 * does not.
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
 * @tree: set to an empty tree
 */
void eu_search_tree_init(struct search_tree *tree);

/**
 * eu_search_tree_fini() - free a tree and its content
 * @tree: the tree, empty afterwards
 * @free_node: called with each key
 */
void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *key));

/* As eu_search_tree_fini(). */
void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *key));

/**
 * eu_tsearch() - find or insert a key: tsearch(3)
 * @key: its address is stored
 * @tree: the tree
 * @compare: the order of two keys: below 0, 0, above 0
 *
 * Return: a pointer to the stored address of the key; NULL: out of memory.
 */
void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn *compare);

/* As eu_tsearch(), but returns NULL if the key is not in the tree. */
void *eu_tfind(const void *key, struct search_tree *tree, compare_fn *compare);

/* Remove a key: tdelete(3). Return: NULL if it is not in the tree. */
void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn *compare);

#endif /* PERF_SYMBOL_EU_SEARCH_H */

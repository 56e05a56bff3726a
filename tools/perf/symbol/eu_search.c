// SPDX-License-Identifier: GPL-2.0
/*
 * The search trees missing from the static libraries of elfutils 0.192 (Debian 13), which are
 * in a library that is not installed (https://sourceware.org/bugzilla/show_bug.cgi?id=32293).
 * Only a statically linked perf uses them, and only if the libraries have none.
 *
 * They are tsearch(3). As in elfutils before 0.192 they have no lock: callers serialise access.
 */
#include <search.h>
#include <stddef.h>

#include "symbol/symbol_private.h"

void eu_search_tree_init(struct search_tree *tree)
{
	tree->root = NULL;
}

void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *key))
{
	eu_tdestroy(tree, free_node);
}

void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *key))
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}

void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn *compare)
{
	return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, struct search_tree *tree, compare_fn *compare)
{
	return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn *compare)
{
	return tdelete(key, &tree->root, compare);
}

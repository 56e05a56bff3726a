/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An index of the functions inlined in a file, kept beside its copy in the build-id cache:
 * addresses and names that a reader has found in debug information, so that the next one need not
 * unpack it. It is made of
 *
 *	ranges	addresses that the index describes, e.g. of a compilation unit
 *	pieces	the innermost call from an address to the next piece, or 0: nothing is inlined there
 *	calls	a function's name, and the call around it: numbers from 1
 *
 * Context: one user at a time.
 */
#ifndef PERF_SYMBOL_INLINE_INDEX_H
#define PERF_SYMBOL_INLINE_INDEX_H

#include "base/types.h"

struct inline_index;

/* Limit of its size. An index that would be larger is begun again. */
#define INLINE_INDEX_MAX (16u << 20)

/**
 * inline_index_open() - read an index
 * @path: its path; it may not exist
 *
 * A file that is damaged, of another version, or may be written by another user but root counts
 * as empty.
 *
 * Return: the index, to be closed by inline_index_close().
 */
struct inline_index *inline_index_open(const char *path);

/**
 * inline_index_close() - write additions to the file, and free the index
 * @x: the index; NULL is allowed
 * @path: its path. Nothing is written unless its folder exists and belongs to this user. The file
 *	is replaced by rename(): of two readers that end at once one's additions remain.
 */
void inline_index_close(struct inline_index *x, const char *path);

/**
 * inline_index_find() - the innermost inlined call at an address
 * @x: the index, as it was read: additions are not searched
 * @addr: the address
 * @call: set to its number; 0: nothing is inlined there
 *
 * Return: false if the index does not describe the address.
 */
bool inline_index_find(const struct inline_index *x, u64 addr, u32 *call);

/* inline_index_is_empty - was there nothing to read? */
bool inline_index_is_empty(const struct inline_index *x);

/**
 * inline_index_name() - the function of a call
 * @x: the index
 * @call: from inline_index_find(); set to the call around it; 0: this was the outermost
 * @mangled: set to whether it is a linker's name
 *
 * Return: the name; valid until inline_index_close().
 */
const char *inline_index_name(const struct inline_index *x, u32 *call, bool *mangled);

/* inline_index_add_call - add a call within @outer (0: none). Return: its number. */
u32 inline_index_add_call(struct inline_index *x, u32 outer, const char *name, bool mangled);

/**
 * inline_index_add_piece() - add the innermost call of the addresses from @start to the next piece
 * @x: the index
 * @start: the address; a range begins with a piece
 * @call: from inline_index_add_call(), or 0
 */
void inline_index_add_piece(struct inline_index *x, u64 start, u32 call);

/* inline_index_add_range - the pieces from @start to @end are complete */
void inline_index_add_range(struct inline_index *x, u64 start, u64 end);

#endif /* PERF_SYMBOL_INLINE_INDEX_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interned tuples: rows of 64-bit values, as many as the table is wide. Equal rows have equal
 * numbers, dense from 0 in the order of first sight.
 */
#ifndef PERF_HIST_TUPLE_H
#define PERF_HIST_TUPLE_H

#include "base/types.h"

struct tuple_table {
	u32 width;
	u32 nr, cap;
	u64 *rows;
	u32 *slots;		/* row number + 1; 0: free */
	u32 mask;
};

/**
 * tuple_init() - an empty table
 * @t: the table
 * @width: values a row; may be 0, then there is one row
 */
void tuple_init(struct tuple_table *t, u32 width);
void tuple_deinit(struct tuple_table *t);

/**
 * tuple_intern() - the number of a row
 * @t: the table
 * @row: its values; copied
 *
 * Return: the row's number.
 */
u32 tuple_intern(struct tuple_table *t, const u64 *row);

static inline const u64 *tuple_row(const struct tuple_table *t, u32 nr)
{
	return t->rows + (size_t)nr * t->width;
}

#endif /* PERF_HIST_TUPLE_H */

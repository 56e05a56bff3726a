/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The binary search, used for every sorted array.
 */
#ifndef PERF_BASE_SEARCH_H
#define PERF_BASE_SEARCH_H

#include "base/types.h"

/**
 * LOWER_BOUND - the first index of a sorted range where a condition is false
 * @from: first index
 * @to: one past the last
 * @i: name of the index in @before
 * @before: an expression of @i, true for the first part of the range and false for the rest
 *
 * LOWER_BOUND(0, nr, i, v[i].end <= addr) is the first element that ends after addr.
 * Return: an index, @to where the condition holds throughout.
 */
#define LOWER_BOUND(from, to, i, before) ({						\
	size_t _from = (from), _to = (to);						\
											\
	while (_from < _to) {								\
		size_t i = _from + (_to - _from) / 2;					\
											\
		if (before)								\
			_from = i + 1;							\
		else									\
			_to = i;							\
	}										\
	_from;										\
})

#endif /* PERF_BASE_SEARCH_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Comparison functions used by several files.
 */
#include "base/sort.h"

static int compare_u64(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void sort_u64(u64 *v, size_t nr)
{
	if (nr)
		qsort(v, nr, sizeof(*v), compare_u64);
}

static int compare_strings(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

void sort_strings(char **v, size_t nr)
{
	if (nr)
		qsort(v, nr, sizeof(*v), compare_strings);
}

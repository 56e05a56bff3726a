/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interned strings: equal strings are one, with one address and one number.
 */
#ifndef PERF_BASE_NAMES_H
#define PERF_BASE_NAMES_H

#include "base/slots.h"

#define NAMES_BLOCK_BITS 18	/* bytes of a block */
#define NAMES_BLOCKS	(1U << 16)

struct names {
	char **blocks;			/* never moves: other threads may look up while one adds */
	u32 nr_blocks;
	u32 pos;			/* where in the last block there is room */
	struct slots slots;
};

/**
 * names_add() - the number of a string
 * @n: the strings; all zeroes is an empty set
 * @s: the string, below 200 KB; copied if it is new
 *
 * Return: its number, never 0.
 */
u32 names_add(struct names *n, const char *s);

/**
 * names_at() - the string with a number
 * @n: the strings
 * @nr: the number
 *
 * Context: any thread, while one adds, too.
 */
static inline const char *names_at(const struct names *n, u32 nr)
{
	return n->blocks[nr >> (NAMES_BLOCK_BITS - 2)] +
	       4 * (size_t)(nr & ((1U << (NAMES_BLOCK_BITS - 2)) - 1));
}

void names_deinit(struct names *n);

#endif /* PERF_BASE_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names to offer for a wrong one.
 */
#ifndef PERF_BASE_NEAREST_H
#define PERF_BASE_NEAREST_H

#include "base/types.h"

/* The nearest names to a wrong one: at most three, best first. */
struct nearest {
	const char *wanted;
	size_t len;
	struct { char name[96]; u32 distance; } best[3];
	u32 nr;
};

/**
 * nearest_offer() - consider one real name
 * @n: the search; wanted and len are set by the caller; len 0 takes every name
 * @name: the real name
 */
void nearest_offer(struct nearest *n, const char *name);

#endif /* PERF_BASE_NEAREST_H */

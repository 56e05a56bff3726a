/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers of recordings have in common: numbers from a fixed seed, and damaged copies.
 */
#ifndef TOOL_FUZZ_H
#define TOOL_FUZZ_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "../input.h"

static u64 seed = 88172645463325252ULL;

static inline u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* FUZZ_SEED begins elsewhere. */
static inline void fuzz_seed(void)
{
	if (getenv("FUZZ_SEED"))
		seed += strtoull(getenv("FUZZ_SEED"), NULL, 0) * 0x9e3779b97f4a7c15ULL;
}

/* FUZZ_FLIPS is how many damaged copies are made of each file. */
static inline int fuzz_flips(int flips)
{
	return getenv("FUZZ_FLIPS") ? atoi(getenv("FUZZ_FLIPS")) : flips;
}

/* Up to four places get another bit or another word. */
static inline void fuzz_damage(u8 *copy, size_t size)
{
	static const u64 words[] = { 0, 1, 7, 8, 0xffff, 0x7fffffff, 0xffffffff, -1ULL, -8ULL,
				     1ULL << 63 };
	int j;

	for (j = rnd() % 4; j >= 0; j--) {
		/* Half of them where counts and sizes are dense: the head. */
		size_t at = rnd() % (rnd() & 1 ? size : min(size, (size_t)1024));

		if (rnd() & 1)
			copy[at] ^= 1 << rnd() % 8;
		else
			memcpy(copy + at, &words[rnd() % ARRAY_SIZE(words)],
			       min(size - at, (size_t)1 << rnd() % 4));
	}
}

/* The contents of @fd become these. */
static inline void fuzz_put(int fd, const u8 *data, size_t size)
{
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
}

static inline void fuzz_result(FILE *out, int nr, const char *what, const char *path, const char *why)
{
	const char *slash = strrchr(path, '/');

	fprintf(out, "%sok %d - %s %s%s%s\n", why ? "not " : "", nr, what, slash ? slash + 1 : path,
		why ? ": " : "", why ? why : "");
	fflush(out);
}

#endif /* TOOL_FUZZ_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A bump allocator for many small objects with the lifetime of their owner, freed together.
 * Exhausted memory ends the program with one message.
 */
#ifndef PERF_BASE_ARENA_H
#define PERF_BASE_ARENA_H

#include "base/types.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *pos;
	char *end;
	size_t allocated;
};

/*
 * arena_alloc - allocate zeroed memory, 16-byte aligned; @a: the arena; all zeroes is an empty one.
 * Return: the memory; never NULL.
 */
void *arena_alloc(struct arena *a, size_t size);

/**
 * arena_strndup() - copy a string into the arena
 * @s: the string; need not be terminated
 * @len: at most this many bytes are copied, fewer if a NUL comes first
 *
 * Return: the terminated copy; never NULL.
 */
char *arena_strndup(struct arena *a, const char *s, size_t len);

/* arena_deinit - free everything; @a: the arena, empty afterwards */
void arena_deinit(struct arena *a);

/* An arena that is freed at the end of its scope; see base/cleanup.h. */
#define _cleanup_arena_ __attribute__((cleanup(arena_deinit)))

/*
 * xmalloc - malloc() that ends the program with one line when memory is out. Return: the memory;
 * never NULL. xcalloc(), xrealloc(), xstrdup() and xstrndup() likewise.
 */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);

/**
 * grown_capacity() - for how many elements a growing array has room next
 * @cap: for how many it has room
 * @need: for how many it must have
 * @most: the largest value of the type of its count
 *
 * Return: twice @cap, at least @need, at most @most. @need above @most ends the program with
 * one line: a count that wrapped would write after the array.
 */
u64 grown_capacity(u64 cap, u64 need, u64 most);

/* grown_by_half - half as much again, at least 64, at most @most; likewise */
u64 grown_by_half(u64 cap, u64 most);

/* GROW_TO - make room for @need elements of array @p; @cap is an unsigned number of any size */
#define GROW_TO(p, need, cap) do {							\
	_Static_assert((__typeof__(cap))-1 > 0, "a capacity is unsigned");		\
	if ((need) > (u64)(cap)) {							\
		(cap) = grown_capacity((cap), (need), (__typeof__(cap))-1);		\
		(p) = xrealloc((p), (size_t)(cap) * sizeof(*(p)));			\
	}										\
} while (0)

/* GROW_BY_HALF - as GROW() for large arrays, where doubling would waste half */
#define GROW_BY_HALF(p, nr, cap) do {							\
	_Static_assert((__typeof__(cap))-1 > 0, "a capacity is unsigned");		\
	if ((nr) == (cap)) {								\
		(cap) = grown_by_half((cap), (__typeof__(cap))-1);			\
		(p) = xrealloc((p), (size_t)(cap) * sizeof(*(p)));			\
	}										\
} while (0)

/* GROW - make room for one more element after the @nr of array @p */
#define GROW(p, nr, cap) GROW_TO(p, (u64)(nr) + 1, cap)

#endif /* PERF_BASE_ARENA_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Allocators that end the program when memory is exhausted. An arena owns blocks; an object is
 * in one block and never moves.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/memory_limit.h"

/* The first block; each is as large as all before it together, up to the largest. */
#define ARENA_FIRST 1024
#define ARENA_BLOCK (64 * 1024)

struct arena_block {
	struct arena_block *next;
	u64 pad;
	char data[];
};

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	memory_check(size, !p);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	memory_check(n * size, !p);
	return p;
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	memory_check(size, !p);
	return p;
}

u64 grown_capacity(u64 cap, u64 need, u64 most)
{
	if (need > most)
		diag_fatal("more than %llu of one kind are more than this perf can count", most);
	return min(max(max(2 * cap, need), (u64)16), most);
}

u64 grown_by_half(u64 cap, u64 most)
{
	if (cap == most)
		diag_fatal("more than %llu of one kind are more than this perf can count", most);
	return cap ? min(cap + cap / 2, most) : 64;
}

char *xstrdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(xmalloc(len), s, len);
}

char *xstrndup(const char *s, size_t len)
{
	size_t size = strnlen(s, len);
	char *copy = memcpy(xmalloc(size + 1), s, size);

	copy[size] = 0;
	return copy;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b;
	size_t room;
	void *p;

	size = ALIGN_UP(size, 16);
	if ((size_t)(a->end - a->pos) < size) {
		room = min(max(a->allocated, (size_t)ARENA_FIRST), (size_t)ARENA_BLOCK);
		room = max(size, room);
		b = xcalloc(1, sizeof(*b) + room);
		b->next = a->blocks;
		a->blocks = b;
		a->allocated += room;
		/* A big object gets a block of its own; the old one goes on. */
		if (size == room && a->pos)
			return b->data;
		a->pos = b->data;
		a->end = b->data + room;
	}
	p = a->pos;
	a->pos += size;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	size_t n = strnlen(s, len);
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

void arena_deinit(struct arena *a)
{
	struct arena_block *b = a->blocks, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	memset(a, 0, sizeof(*a));
}

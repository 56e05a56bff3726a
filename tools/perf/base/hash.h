/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hash functions, and the hash map from two 64-bit keys to a 64-bit value (a pointer or an
 * index). struct slots of base/pool.h takes less memory for numbered objects that contain their
 * keys. Both use open addressing, linear probing, a power of two as size, and are at most 3/4 full.
 */
#ifndef PERF_BASE_HASH_H
#define PERF_BASE_HASH_H

#include "base/types.h"

struct hash_slot {
	u64 a, b;
	u64 value;
	u64 used;
};

struct hash {
	struct hash_slot *slots;
	size_t mask;
	size_t nr;
};

/* hash_full - must a table of @size slots with @nr used ones grow before the next insertion? */
static inline bool hash_full(u64 nr, u64 size)
{
	return 4 * (nr + 1) > 3 * size;
}

/* hash_mix - spread two keys over 64 bits (the finalizer of splitmix64) */
static inline u64 hash_mix(u64 a, u64 b)
{
	u64 x = a * 0x9e3779b97f4a7c15ULL + b;

	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/**
 * hash_find() - look up a key pair
 * @h: the map; all zeroes is an empty one
 * @a: first key
 * @b: second key
 *
 * Return: a pointer to the value, valid until the next insertion, or NULL.
 */
static inline u64 *hash_find(const struct hash *h, u64 a, u64 b)
{
	size_t i;

	if (!h->nr)
		return NULL;
	for (i = hash_mix(a, b) & h->mask; h->slots[i].used; i = (i + 1) & h->mask) {
		if (h->slots[i].a == a && h->slots[i].b == b)
			return &h->slots[i].value;
	}
	return NULL;
}

/**
 * hash_insert() - find or add a key pair
 * @a: first key
 * @b: second key
 * @added: set to whether the pair was not there before; may be NULL
 *
 * Return: a pointer to the value (0 if just added), valid until the next
 * insertion.
 */
u64 *hash_insert(struct hash *h, u64 a, u64 b, bool *added);

/**
 * hash_remove() - take a key pair out
 * @a: first key
 * @b: second key
 *
 * Invalidates pointers to values.
 */
void hash_remove(struct hash *h, u64 a, u64 b);

/* hash_deinit - free the map; @h: the map, empty afterwards; values are the caller's */
void hash_deinit(struct hash *h);

/* A map that is freed at the end of its scope; see base/cleanup.h. */
#define _cleanup_hash_ __attribute__((cleanup(hash_deinit)))

/* hash_bytes - hash a run of bytes (FNV-1a, then mixed). Return: 64 bits, equal for equal bytes. */
u64 hash_bytes(const void *p, size_t len);

/**
 * hash_block() - hash a block of memory, eight times as fast as hash_bytes()
 * @p: where it begins
 * @len: how long it is
 *
 * Two blocks of one length that differ within eight bytes only, aligned to eight from @p on, never
 * have the same hash: it serves as a sum.
 */
u64 hash_block(const void *p, size_t len);

#endif /* PERF_BASE_HASH_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Interned strings in blocks of one size; a string's number gives its block and offset. The set
 * owns the strings; none moves.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/names.h"

#define BLOCK (1U << NAMES_BLOCK_BITS)

static u64 hash_of(const void *ctx, u32 nr)
{
	const char *s = names_at(ctx, nr);

	return hash_bytes(s, strlen(s));
}

/* Where a string with so many bytes goes. Return: its number. */
static u32 place(struct names *n, size_t size)
{
	u32 nr;

	if (!n->blocks)
		n->blocks = xcalloc(NAMES_BLOCKS, sizeof(*n->blocks));
	if (!n->nr_blocks || n->pos + size > BLOCK) {
		if (n->nr_blocks == NAMES_BLOCKS || size > BLOCK - 4)
			diag_fatal("names take more than 16 GB");
		n->blocks[n->nr_blocks] = xmalloc(BLOCK);
		/* Number 0 means no string. */
		n->pos = n->nr_blocks++ ? 0 : 4;
	}
	nr = (n->nr_blocks - 1) << (NAMES_BLOCK_BITS - 2) | n->pos / 4;
	n->pos += ALIGN_UP(size, 4);
	return nr;
}

u32 names_add(struct names *n, const char *s)
{
	size_t len = strlen(s);
	u64 hash = hash_bytes(s, len);
	u32 nr, *at;

	slots_each(&n->slots, hash, at)
		if (!strcmp(names_at(n, *at), s))
			return *at;
	nr = place(n, len + 1);
	memcpy((char *)names_at(n, nr), s, len + 1);
	slots_add(&n->slots, hash, nr, hash_of, n);
	return nr;
}

void names_deinit(struct names *n)
{
	u32 i;

	for (i = 0; i < n->nr_blocks; i++)
		free(n->blocks[i]);
	free(n->blocks);
	slots_deinit(&n->slots);
	memset(n, 0, sizeof(*n));
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BLAKE2b (RFC 7693): names contents that somebody else chose. Contents with a given hash of
 * base/hash.h are easily made.
 */
#ifndef PERF_BASE_DIGEST_H
#define PERF_BASE_DIGEST_H

#include "base/types.h"

#define DIGEST_SIZE	32

struct digest {
	u64 h[8], bytes;	/* @bytes: how many were added */
	u8 block[128];		/* the last ones, not hashed yet */
};

void digest_init(struct digest *d);

/* digest_add - add @size bytes at @p */
void digest_add(struct digest *d, const void *p, size_t size);

/* digest_hex - end it; @hex: set to the digest */
void digest_hex(struct digest *d, char hex[2 * DIGEST_SIZE + 1]);

#endif /* PERF_BASE_DIGEST_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * BLAKE2b without a key, with a digest of 32 bytes. Owns nothing.
 */
#include <endian.h>
#include <stdio.h>

#include "base/digest.h"

#define ROUNDS	12

static const u64 iv[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static const u8 sigma[10][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static inline u64 rotate(u64 x, int n)
{
	return x >> n | x << (64 - n);
}

static inline void mix(u64 *a, u64 *b, u64 *c, u64 *d, u64 x, u64 y)
{
	*a += *b + x;
	*d = rotate(*d ^ *a, 32);
	*c += *d;
	*b = rotate(*b ^ *c, 24);
	*a += *b + y;
	*d = rotate(*d ^ *a, 16);
	*c += *d;
	*b = rotate(*b ^ *c, 63);
}

static void compress(struct digest *d, const u8 *block, bool last)
{
	u64 v[16], m[16];
	const u8 *s;
	u32 i;

	memcpy(m, block, sizeof(m));
	for (i = 0; i < 16; i++)
		m[i] = le64toh(m[i]);
	memcpy(v, d->h, sizeof(d->h));
	memcpy(v + 8, iv, sizeof(iv));
	v[12] ^= d->bytes;
	v[14] ^= last ? ~0ULL : 0;
	for (i = 0; i < ROUNDS; i++) {
		s = sigma[i % 10];
		mix(&v[0], &v[4], &v[8], &v[12], m[s[0]], m[s[1]]);
		mix(&v[1], &v[5], &v[9], &v[13], m[s[2]], m[s[3]]);
		mix(&v[2], &v[6], &v[10], &v[14], m[s[4]], m[s[5]]);
		mix(&v[3], &v[7], &v[11], &v[15], m[s[6]], m[s[7]]);
		mix(&v[0], &v[5], &v[10], &v[15], m[s[8]], m[s[9]]);
		mix(&v[1], &v[6], &v[11], &v[12], m[s[10]], m[s[11]]);
		mix(&v[2], &v[7], &v[8], &v[13], m[s[12]], m[s[13]]);
		mix(&v[3], &v[4], &v[9], &v[14], m[s[14]], m[s[15]]);
	}
	for (i = 0; i < 8; i++)
		d->h[i] ^= v[i] ^ v[i + 8];
}

void digest_init(struct digest *d)
{
	memset(d, 0, sizeof(*d));
	memcpy(d->h, iv, sizeof(iv));
	d->h[0] ^= 0x01010000 ^ DIGEST_SIZE;
}

void digest_add(struct digest *d, const void *p, size_t size)
{
	const u8 *from = p;
	size_t used, n;

	for (; size; from += n, size -= n) {
		used = d->bytes % sizeof(d->block);
		/* A full block is hashed when it is known not to be the last one. */
		if (!used && d->bytes)
			compress(d, d->block, false);
		n = min(size, sizeof(d->block) - used);
		memcpy(d->block + used, from, n);
		d->bytes += n;
	}
}

void digest_hex(struct digest *d, char hex[2 * DIGEST_SIZE + 1])
{
	size_t used = d->bytes % sizeof(d->block);
	u32 i;

	if (used || !d->bytes)
		memset(d->block + used, 0, sizeof(d->block) - used);
	compress(d, d->block, true);
	for (i = 0; i < DIGEST_SIZE; i++)
		sprintf(hex + 2 * i, "%02x", (u8)(d->h[i / 8] >> (i % 8 * 8)));
}

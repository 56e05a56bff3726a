// SPDX-License-Identifier: GPL-2.0
#include "base/arena.h"
#include "base/hash.h"
#include "session/deferred.h"

void deferred_add(struct deferred_index *ix, u32 tid, u64 time, const struct deferred_record *rec)
{
	/* Half as much again: doubling would waste what the index may cost. */
	if (ix->nr == ix->cap) {
		ix->cap = ix->cap ? ix->cap + ix->cap / 2 : 64;
		ix->entries = xrealloc(ix->entries, ix->cap * sizeof(*ix->entries));
	}
	ix->entries[ix->nr++] = (struct deferred_entry){ hash_mix(tid, rec->cookie), time, rec };
}

static int compare(const void *a, const void *b)
{
	const struct deferred_entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static void sort_bucket(struct deferred_entry *e, size_t nr)
{
	size_t i, j;

	if (nr > 16) {
		qsort(e, nr, sizeof(*e), compare);
		return;
	}
	for (i = 1; i < nr; i++) {
		struct deferred_entry tmp = e[i];

		for (j = i; j && compare(&e[j - 1], &tmp) > 0; j--)
			e[j] = e[j - 1];
		e[j] = tmp;
	}
}

void deferred_seal(struct deferred_index *ix)
{
	unsigned int bits = 1;
	size_t nr_buckets, i;
	struct deferred_entry *sorted;

	if (!ix->nr)
		return;
	while (bits < 31 && (size_t)2 << bits < ix->nr)
		bits++;
	nr_buckets = (size_t)1 << bits;
	ix->shift = 64 - bits;
	ix->buckets = xcalloc(nr_buckets + 2, sizeof(*ix->buckets));
	/* Counted two places on, summed up, then filled one place on: ends up as starts. */
	for (i = 0; i < ix->nr; i++)
		ix->buckets[(ix->entries[i].hash >> ix->shift) + 2]++;
	for (i = 2; i < nr_buckets + 2; i++)
		ix->buckets[i] += ix->buckets[i - 1];
	sorted = xmalloc(ix->nr * sizeof(*sorted));
	for (i = 0; i < ix->nr; i++)
		sorted[ix->buckets[(ix->entries[i].hash >> ix->shift) + 1]++] = ix->entries[i];
	free(ix->entries);
	ix->entries = sorted;
	for (i = 0; i < nr_buckets; i++)
		sort_bucket(sorted + ix->buckets[i], ix->buckets[i + 1] - ix->buckets[i]);
	ix->used = xcalloc(ix->nr, 1);
}

const struct deferred_entry *deferred_find(const struct deferred_index *ix, u32 tid, u64 cookie,
					   u64 time)
{
	u64 hash = hash_mix(tid, cookie);
	u32 lo, hi, end;

	if (!ix->nr)
		return NULL;
	lo = ix->buckets[hash >> ix->shift];
	end = hi = ix->buckets[(hash >> ix->shift) + 1];
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		const struct deferred_entry *e = &ix->entries[mid];

		if (e->hash < hash || (e->hash == hash && e->time < time))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == end || ix->entries[lo].hash != hash || ix->entries[lo].rec->cookie != cookie)
		return NULL;
	return &ix->entries[lo];
}

u64 deferred_unused(const struct deferred_index *ix)
{
	u64 used = 0;
	size_t i;

	for (i = 0; i < ix->nr; i++)
		used += ix->used[i];
	return ix->nr - used;
}

void deferred_deinit(struct deferred_index *ix)
{
	free(ix->entries);
	free(ix->buckets);
	free(ix->used);
	memset(ix, 0, sizeof(*ix));
}

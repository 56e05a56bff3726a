// SPDX-License-Identifier: GPL-2.0
/*
 * The index of deferred records, appended in file order and then sorted into buckets by hash, each
 * by (hash, time). Records are not copied.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/sort.h"
#include "session/session_private.h"

void deferred_add(struct deferred_index *ix, u32 tid, u64 time, const struct deferred_record *rec)
{
	assert(!ix->buckets);		/* not sealed */
	GROW_BY_HALF(ix->entries, ix->nr, ix->cap);
	ix->entries[ix->nr++] = (struct deferred_entry){ hash_mix(tid, rec->cookie), time, rec };
}

static bool before(const struct deferred_entry *x, const struct deferred_entry *y)
{
	if (x->hash != y->hash)
		return x->hash < y->hash;
	/* Equal times: file order. */
	return x->time != y->time ? x->time < y->time : x->rec < y->rec;
}

DEFINE_HEAP_SORT(sort_made_up, struct deferred_entry, before)

/* Sort in place: few entries by insertion, many (of crafted recordings) with a heap. */
static void sort_bucket(struct deferred_entry *e, size_t nr)
{
	size_t i, j;

	if (nr > 16) {
		sort_made_up(e, nr);
		return;
	}
	for (i = 1; i < nr; i++) {
		struct deferred_entry tmp = e[i];

		for (j = i; j && before(&tmp, &e[j - 1]); j--)
			e[j] = e[j - 1];
		e[j] = tmp;
	}
}

/*
 * Move each entry into its bucket in place ("American flag sort"); what is there goes to its own
 * next. @next: next free slot of each bucket
 */
static void to_buckets(struct deferred_index *ix, u32 *next, size_t nr_buckets)
{
	size_t b;

	for (b = 0; b < nr_buckets; b++) {
		while (next[b] < ix->buckets[b + 1]) {
			struct deferred_entry e = ix->entries[next[b]];
			size_t to;

			while ((to = e.hash >> ix->shift) != b) {
				struct deferred_entry *at = &ix->entries[next[to]++], tmp = *at;

				*at = e;
				e = tmp;
			}
			ix->entries[next[b]++] = e;
		}
	}
}

void deferred_seal(struct deferred_index *ix)
{
	unsigned int bits = 1;
	size_t nr_buckets, i;
	u32 *next;

	if (!ix->nr)
		return;
	ix->entries = xrealloc(ix->entries, ix->nr * sizeof(*ix->entries));
	ix->cap = ix->nr;
	while (bits < 31 && (size_t)2 << bits < ix->nr)
		bits++;
	nr_buckets = (size_t)1 << bits;
	ix->shift = 64 - bits;
	ix->buckets = xcalloc(nr_buckets + 1, sizeof(*ix->buckets));
	for (i = 0; i < ix->nr; i++)
		ix->buckets[(ix->entries[i].hash >> ix->shift) + 1]++;
	for (i = 1; i <= nr_buckets; i++)
		ix->buckets[i] += ix->buckets[i - 1];
	next = xmalloc(nr_buckets * sizeof(*next));
	memcpy(next, ix->buckets, nr_buckets * sizeof(*next));
	to_buckets(ix, next, nr_buckets);
	free(next);
	for (i = 0; i < nr_buckets; i++)
		sort_bucket(ix->entries + ix->buckets[i], ix->buckets[i + 1] - ix->buckets[i]);
	ix->used = xcalloc(ix->nr, 1);
}

static const struct deferred_entry *entry_of(const struct deferred_entry *e, u64 hash, u64 cookie)
{
	return e->hash == hash && e->rec->cookie == cookie ? e : NULL;
}

const struct deferred_entry *deferred_find(const struct deferred_index *ix, u32 tid, u64 cookie,
					   u64 time, const struct deferred_entry **before)
{
	const u64 hash = hash_mix(tid, cookie);
	size_t begin, end, at;

	*before = NULL;
	if (!ix->nr)
		return NULL;
	assert(ix->buckets);		/* sealed */
	begin = ix->buckets[hash >> ix->shift];
	end = ix->buckets[(hash >> ix->shift) + 1];
	at = LOWER_BOUND(begin, end, i, ix->entries[i].hash < hash ||
			 (ix->entries[i].hash == hash && ix->entries[i].time < time));
	if (at > begin)
		*before = entry_of(&ix->entries[at - 1], hash, cookie);
	return at < end ? entry_of(&ix->entries[at], hash, cookie) : NULL;
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

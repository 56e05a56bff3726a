// SPDX-License-Identifier: GPL-2.0
#include "base/arena.h"
#include "session/order.h"

void order_grow(struct order *o)
{
	/* What was handed out makes room first. */
	if (o->head && o->head >= o->nr / 2) {
		memmove(o->keys, o->keys + o->head, (o->nr - o->head) * sizeof(*o->keys));
		o->nr -= o->head;
		o->sorted -= o->head;
		o->head = 0;
		return;
	}
	GROW(o->keys, o->nr, o->cap);
}

/* Merge a[0..na) and b[0..nb) into to; on equal times a goes first. */
static void merge(struct order_key *to, const struct order_key *a, size_t na,
		  const struct order_key *b, size_t nb)
{
	while (na && nb) {
		if (b->time < a->time) {
			*to++ = *b++;
			nb--;
		} else {
			*to++ = *a++;
			na--;
		}
	}
	memcpy(to, na ? a : b, (na ? na : nb) * sizeof(*to));
}

/* Natural merge sort of keys [head, nr): runs of runs until there is one. */
static void sort(struct order *o)
{
	struct order_key *from = o->keys + o->head, *to, *swap;
	size_t n = o->nr - o->head, nr_runs = 0, i, k;

	if (o->sorted == o->nr)
		return;
	for (i = 0; i < n; i++) {
		if (i && from[i - 1].time <= from[i].time)
			continue;
		GROW(o->runs, nr_runs + 1, o->runs_cap);
		o->runs[nr_runs++] = i;
	}
	if (o->spare_cap < n) {
		free(o->spare);
		o->spare = xmalloc(n * sizeof(*o->spare));
		o->spare_cap = n;
	}
	to = o->spare;
	for (; nr_runs > 1; nr_runs = k) {
		o->runs[nr_runs] = n;
		for (i = 0, k = 0; i < nr_runs; i += 2) {
			size_t a = o->runs[i], b = i + 1 < nr_runs ? o->runs[i + 1] : n;
			size_t end = i + 1 < nr_runs ? o->runs[i + 2] : n;

			merge(to + a, from + a, b - a, from + b, end - b);
			o->runs[k++] = a;
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from == o->spare)
		memcpy(o->keys + o->head, from, n * sizeof(*from));
	o->sorted = o->nr;
}

static const struct order_key *take(struct order *o, size_t end, size_t *nr)
{
	const struct order_key *keys = o->keys + o->head;

	*nr = end - o->head;
	o->head = end;
	return keys;
}

const struct order_key *order_round(struct order *o, size_t *nr)
{
	size_t lo = o->head, hi = o->nr;
	u64 limit = o->limit;

	o->limit = o->newest;
	sort(o);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->keys[mid].time <= limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	return take(o, lo, nr);
}

const struct order_key *order_end(struct order *o, size_t *nr)
{
	sort(o);
	return take(o, o->nr, nr);
}

void order_deinit(struct order *o)
{
	free(o->keys);
	free(o->spare);
	free(o->runs);
	memset(o, 0, sizeof(*o));
}

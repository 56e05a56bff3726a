// SPDX-License-Identifier: GPL-2.0
/*
 * The names nearest to a wrong one, by edit distance. Keeps the three best in the
 * caller's struct nearest, sorted by distance; owns nothing.
 */
#include "base/nearest.h"

/* Edit distance, two neighbours that changed places being one mistake; -1: too long. */
static u32 edit_distance(const char *a, size_t alen, const char *b, size_t blen)
{
	u32 rows[3][128], *row = rows[0], *above = rows[1], *above2 = rows[2], *t;
	size_t i, j;

	if (blen >= ARRAY_SIZE(rows[0]))
		return -1;
	for (j = 0; j <= blen; j++)
		row[j] = j;
	for (i = 1; i <= alen; i++) {
		t = above2;
		above2 = above;
		above = row;
		row = t;
		row[0] = i;
		for (j = 1; j <= blen; j++) {
			row[j] = min(min(above[j], row[j - 1]) + 1,
				     above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min(row[j], above2[j - 2] + 1);
		}
	}
	return row[blen];
}

void nearest_offer(struct nearest *n, const char *name)
{
	size_t len = strlen(name);
	u32 d, i;

	if (len >= sizeof(n->best[0].name))
		return;
	d = edit_distance(n->wanted, n->len, name, len);
	if (!n->len || (n->len >= 3 && len > n->len && !strncmp(name, n->wanted, n->len)))
		d = min(d, 1u);		/* the beginning of a real name */
	if (d > max((u32)n->len / 3, 1u))
		return;
	for (i = n->nr; i > 0 && n->best[i - 1].distance > d; i--)
		if (i < ARRAY_SIZE(n->best))
			n->best[i] = n->best[i - 1];
	if (i == ARRAY_SIZE(n->best))
		return;
	memcpy(n->best[i].name, name, len + 1);
	n->best[i].distance = d;
	if (n->nr < ARRAY_SIZE(n->best))
		n->nr++;
}

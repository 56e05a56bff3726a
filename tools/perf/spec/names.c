// SPDX-License-Identifier: GPL-2.0
/* Names of events of PERF_TYPE_SOFTWARE, _HARDWARE and _HW_CACHE (perf_event_open(2)). */
#include <stdio.h>
#include <strings.h>

#include "base/types.h"
#include "spec/names.h"

static bool same(const char *name, const char *s, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, s, len);
}

const struct event_name *event_name_find(const char *name, size_t len)
{
	const struct event_name *e;

	for (e = event_names; e->name; e++)
		if (same(e->name, name, len) || same(e->alias, name, len))
			return e;
	return NULL;
}

/* config = cache | op << 8 | result << 16 */
static const struct { const char *names[4]; bool op[3]; } caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = { { "L1-dcache", "l1-d", "l1d", "L1-data" }, { 1, 1, 1 } },
	[PERF_COUNT_HW_CACHE_L1I] = { { "L1-icache", "l1-i", "l1i", "L1-instruction" }, { 1, 0, 1 } },
	[PERF_COUNT_HW_CACHE_LL] = { { "LLC", "L2", "l2", "l3" }, { 1, 1, 1 } },
	[PERF_COUNT_HW_CACHE_DTLB] = { { "dTLB", "d-tlb", "Data-TLB", NULL }, { 1, 1, 1 } },
	[PERF_COUNT_HW_CACHE_ITLB] = { { "iTLB", "i-tlb", "Instruction-TLB", NULL }, { 1, 0, 0 } },
	[PERF_COUNT_HW_CACHE_BPU] = { { "branch", "bpu", "btb", "bpc" }, { 1, 0, 0 } },
	[PERF_COUNT_HW_CACHE_NODE] = { { "node", NULL, NULL, NULL }, { 1, 1, 1 } },
};

static const char *const cache_ops[3][5] = {
	{ "load", "loads", "read", NULL, NULL },
	{ "store", "stores", "write", NULL, NULL },
	{ "prefetch", "prefetches", "speculative-read", "speculative-load", NULL },
};

static const char *const cache_results[2][4] = {
	{ "refs", "Reference", "ops", "access" },
	{ "misses", "miss", NULL, NULL },
};

/* Consume "-WORD" from the start of *@s, if WORD is one of @words. */
static bool take(const char **s, const char *end, const char *const *words, size_t n, bool dash)
{
	const char *p = *s;
	size_t i, len, best = 0;

	if (dash) {
		if (p == end || *p != '-')
			return false;
		p++;
	}
	for (i = 0; i < n; i++) {
		if (!words[i])
			continue;
		len = strlen(words[i]);
		if (len > best && len <= (size_t)(end - p) && !strncasecmp(p, words[i], len) &&
		    (p + len == end || p[len] == '-'))
			best = len;
	}
	if (!best)
		return false;
	*s = p + best;
	return true;
}

bool cache_name_parse(const char *name, size_t len, u64 *config)
{
	const char *end = name + len, *s;
	u32 cache, op = 0, result = 0, i;
	bool has_op = false, has_result = false;

	for (cache = 0; cache < ARRAY_SIZE(caches); cache++) {
		s = name;
		if (take(&s, end, caches[cache].names, 4, false))
			break;
	}
	if (cache == ARRAY_SIZE(caches))
		return false;
	/* An operation and a result, in any order; "branch" alone is the hardware event. */
	while (s < end) {
		for (i = 0; i < 3 && (has_op || !take(&s, end, cache_ops[i], 5, true)); i++)
			;
		if (i < 3) {
			op = i;
			has_op = true;
			continue;
		}
		for (i = 0; i < 2 && (has_result || !take(&s, end, cache_results[i], 4, true)); i++)
			;
		if (i == 2)
			return false;
		result = i;
		has_result = true;
	}
	if ((!has_op && !has_result) || !caches[cache].op[op])
		return false;
	*config = cache | op << 8 | result << 16;
	return true;
}

void cache_names_each(void (*fn)(const char *name, u64 config, void *arg), void *arg)
{
	char name[64];
	u32 cache, op, result;

	for (cache = 0; cache < ARRAY_SIZE(caches); cache++) {
		for (op = 0; op < 3; op++) {
			for (result = 0; result < 2 && caches[cache].op[op]; result++) {
				snprintf(name, sizeof(name), "%s-%s%s", caches[cache].names[0],
					 cache_ops[op][!result], result ? "-misses" : "");
				fn(name, cache | op << 8 | result << 16, arg);
			}
		}
	}
}

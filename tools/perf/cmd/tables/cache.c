// SPDX-License-Identifier: GPL-2.0
/* Where perf keeps unwind tables, and how many: ~/.debug and the setting unwind.cache-size. */
#include <stdio.h>
#include <stdlib.h>

#include "cfi/cache.h"
#include "cmd/tables/cache.h"
#include "cmd/values.h"

#define DEFAULT_LIMIT (512ULL << 20)

int unwind_open_cache(struct unwind_cache **cache, u64 *limit, const char **why)
{
	const char *home = getenv("HOME"), *text;
	char dir[4096];
	int err;

	*cache = NULL;
	*why = NULL;
	*limit = DEFAULT_LIMIT;
	if (setting_get("unwind.cache-size", &text))
		return -1;
	if (text)
		value_size(text, limit);
	if (!home || snprintf(dir, sizeof(dir), "%s/.debug", home) >= (int)sizeof(dir)) {
		*why = "no home folder: set HOME";
		return 0;
	}
	err = unwind_cache_open(dir, cache);
	if (err)
		*why = err == -EPERM ? "it is another user's, or can be written by others" : strerror(-err);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* perf's cache of unwind tables. */
#ifndef PERF_CMD_TABLES_CACHE_H
#define PERF_CMD_TABLES_CACHE_H

#include "base/types.h"

struct unwind_cache;

/*
 * unwind_open_cache - set @cache to perf's cache of tables, or to NULL and @why, and @limit to
 * unwind.cache-size. Return: 0, or -1 after diag_error() when that is wrong.
 */
int unwind_open_cache(struct unwind_cache **cache, u64 *limit, const char **why);

#endif /* PERF_CMD_TABLES_CACHE_H */

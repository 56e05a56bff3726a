/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's cache of unwind tables.
 */
#ifndef PERF_CMD_TABLES_CACHE_H
#define PERF_CMD_TABLES_CACHE_H

#include "base/types.h"

struct unwind_cache;

/**
 * unwind_open_cache() - perf's cache of tables
 * @cache: where to; NULL when there can be none
 * @limit: set to unwind.cache-size
 * @why: set to why there can be none
 *
 * Return: 0, or -1 after diag_error() when the setting is wrong.
 */
int unwind_open_cache(struct unwind_cache **cache, u64 *limit, const char **why);

#endif /* PERF_CMD_TABLES_CACHE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the files that define keys: the heads of a key's functions (struct sort_key).
 */
#ifndef PERF_HIST_SORT_KEYS_H
#define PERF_HIST_SORT_KEYS_H

#include "hist/sort.h"

/* VALUE - .value of a key, of the point @p */
#define VALUE(name)								\
	static u64 name(struct hist_env *env __unused,				\
			const struct sort_key *k __unused, const struct hist_point *p)

/* TEXT - .text of a key: value @v of the row @e into @o */
#define TEXT(name)								\
	static void name(struct hist_env *env __unused,				\
			 const struct sort_key *k __unused, u64 v __unused,	\
			 const struct hist_entry *e __unused, struct outbuf *o)

#endif /* PERF_HIST_SORT_KEYS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A growing list of words, as main() gets one.
 */
#ifndef PERF_BASE_WORDS_H
#define PERF_BASE_WORDS_H

#include "base/types.h"

struct word_list {
	char **v;		/* ended by NULL; NULL: empty */
	u32 nr, cap;
};

/* words_add - append a formatted word */
void words_add(struct word_list *w, const char *fmt, ...) __printf(2, 3);

/* words_deinit - free the words; the list is empty again */
void words_deinit(struct word_list *w);

#endif /* PERF_BASE_WORDS_H */

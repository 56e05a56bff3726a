// SPDX-License-Identifier: GPL-2.0
/*
 * A growing list of words, which it owns.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/words.h"

void words_add(struct word_list *w, const char *fmt, ...)
{
	va_list ap;

	GROW_TO(w->v, w->nr + 2, w->cap);
	va_start(ap, fmt);
	if (vasprintf(&w->v[w->nr], fmt, ap) < 0)
		diag_fatal("out of memory");
	va_end(ap);
	w->v[++w->nr] = NULL;
}

void words_deinit(struct word_list *w)
{
	u32 i;

	for (i = 0; i < w->nr; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct word_list){ 0 };
}

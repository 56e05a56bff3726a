/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions of a function, by objdump.
 */
#ifndef PERF_ANNOTATE_CODE_H
#define PERF_ANNOTATE_CODE_H

#include "annotate/annotate.h"

struct code_line {
	u64 addr;
	const char *text;		/* printable */
};

struct code {
	struct code_line *lines;	/* ascending */
	u32 nr, cap;
	struct arena arena;
	char why[160];			/* reason for no lines; "": there are lines */
};

/* code_read - read the instructions of a function, or set .why; call code_deinit() */
void code_read(struct code *c, const struct annotate_func *f, const struct annotate_style *style);
void code_deinit(struct code *c);

#endif /* PERF_ANNOTATE_CODE_H */

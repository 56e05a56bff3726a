// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "test.h"

static struct test *tests;

void test_register(struct test *t)
{
	struct test **p = &tests;

	while (*p && strcmp((*p)->name, t->name) < 0)
		p = &(*p)->next;
	t->next = *p;
	*p = t;
}

int main(int argc, char **argv)
{
	struct test *t;

	if (argc < 2) {
		for (t = tests; t; t = t->next)
			printf("%-12s %s\n", t->name, t->what);
		return 0;
	}
	/* What the exec tests execute. */
	if (!strcmp(argv[1], "nothing"))
		return 0;
	for (t = tests; t && strcmp(t->name, argv[1]); t = t->next)
		;
	if (!t) {
		fprintf(stderr, "no test called %s\n", argv[1]);
		return 2;
	}
	diag("%s: %s (%d-bit, defer_inline=%d)", t->name, t->what,
	     (int)sizeof(long) * 8, defer_inline());
	t->run();
	return test_plan();
}

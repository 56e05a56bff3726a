/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LD_PRELOAD: memory that runs out. With ALLOC_FAIL=NUMBER allocation number NUMBER of the program
 * "perf", from 1, fails; "NUMBER+": and all later ones. With ALLOC_COUNT=FILE the number of
 * allocations is written there at the end. What perf executes is left alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *p, size_t size);

static atomic_long nr;
static long at;
static int later, on;

static void __attribute__((constructor)) begin(void)
{
	const char *fail = getenv("ALLOC_FAIL");

	if (strcmp(program_invocation_short_name, "perf"))
		return;
	at = fail ? atol(fail) : 0;
	later = fail && strchr(fail, '+');
	on = 1;
}

static void __attribute__((destructor)) end(void)
{
	const char *count = getenv("ALLOC_COUNT");
	long all = nr;
	FILE *f;

	if (!on || !count)
		return;
	on = 0;
	f = fopen(count, "w");
	if (f) {
		fprintf(f, "%ld\n", all);
		fclose(f);
	}
}

static int fails(void)
{
	long mine = on ? ++nr : 0;

	if (!on || !at || (mine != at && !(later && mine > at)))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

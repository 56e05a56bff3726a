/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for the unwind selftests. One multi-call program holds every test
 * (a static binary each would cost the initramfs 800 KB): a file defines
 *
 *	TEST(name, "what it shows")
 *	{
 *		ok(1 + 1 == 2, "sum of %d and %d", 1, 1);
 *	}
 *
 * and "unwind64 name" runs it in a process of its own.
 */
#ifndef SELFTEST_TEST_H
#define SELFTEST_TEST_H

#include <stdbool.h>

struct test {
	const char *name;
	const char *what;
	void (*run)(void);
	struct test *next;
};

void test_register(struct test *t);

#define TEST(id, text)							\
	static void test_run_##id(void);				\
	static struct test test_##id = { #id, text, test_run_##id, 0 };	\
	static void __attribute__((constructor)) test_init_##id(void)	\
	{								\
		test_register(&test_##id);				\
	}								\
	static void test_run_##id(void)

/* A check; prints its line, returns @cond. */
bool ok(bool cond, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A "# ..." line. */
void diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A check that cannot be made here, and why. CI=true lets none pass. */
void skip(const char *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The test cannot go on: a failure, with the text of errno. Does not return. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Write the plan; non-zero when a check failed. */
int test_plan(void);
/* End the process here, writing the plan; for a test that ends in a child. */
void test_end(bool failed) __attribute__((noreturn));

/* Integer in a file of procfs, sysfs or tracefs; -1 when there is none. */
long read_long(const char *path);
/* The address of a symbol in /proc/kallsyms; 0 when it has none of that name. */
unsigned long long kernel_symbol(const char *name);
/* Write @text to @path; false and errno when it fails. */
bool write_text(const char *path, const char *text);
/* kernel.perf_event_defer_inline: 0 or 1; -1 on a kernel without it. */
int defer_inline(void);
/* Whether this kernel takes attr.defer_callchain at all. */
bool have_defer(void);

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define noinline	__attribute__((noinline, noclone))

#endif

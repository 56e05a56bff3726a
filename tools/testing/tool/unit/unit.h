/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A unit test is TEST(name) { ... }. A program runs its tests in the order of the file:
 * UNIT_MAIN(setup, teardown), or unit_run() in a main() of its own.
 */
#ifndef UNIT_H
#define UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct CMUnitTest unit_tests[64];
static unsigned int nr_unit_tests;

/* Constructors run in the order of their priorities. */
#define TEST_WITH(test, setup, teardown) \
	static void test(void **state); \
	__attribute__((constructor(1000 + __COUNTER__))) static void add_##test(void) \
	{ \
		unit_tests[nr_unit_tests++] = (struct CMUnitTest) \
			cmocka_unit_test_setup_teardown(test, setup, teardown); \
	} \
	static void test(void **state __attribute__((unused)))
#define TEST(test) TEST_WITH(test, NULL, NULL)

static inline int unit_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests(program_invocation_short_name, unit_tests, nr_unit_tests,
				       setup, teardown);
}

#define UNIT_MAIN(setup, teardown) \
	int main(void) \
	{ \
		return unit_run(setup, teardown); \
	}

#endif /* UNIT_H */

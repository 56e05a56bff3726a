// SPDX-License-Identifier: GPL-2.0
/*
 * Growing arrays: a capacity never wraps, whatever the type of its count. Names of others:
 * no control character of theirs is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/printable.h"

static void capacities(void **state __unused)
{
	assert_int_equal(grown_capacity(0, 1, UINT32_MAX), 16);
	assert_int_equal(grown_capacity(16, 17, UINT32_MAX), 32);
	assert_int_equal(grown_capacity(16, 100, UINT32_MAX), 100);
	assert_int_equal(grown_capacity(1ULL << 31, (1ULL << 31) + 1, UINT32_MAX), UINT32_MAX);
	assert_int_equal(grown_capacity(1ULL << 31, UINT32_MAX, UINT32_MAX), UINT32_MAX);
	assert_true(grown_capacity(1ULL << 31, (1ULL << 31) + 1, UINT64_MAX) == 1ULL << 32);
}

/* Fill an array up to what its count can say, and one more. Return: the exit status. */
static int fill_array(void)
{
	u32 sum = 0, i;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		u16 nr = 0, cap = 0;
		u32 *v = NULL;

		close(STDERR_FILENO);
		for (i = 0; i < UINT16_MAX; i++) {
			GROW(v, nr, cap);
			v[nr++] = i;
		}
		for (i = 0; i < UINT16_MAX; i++)
			sum += v[i] == i;
		if (sum != UINT16_MAX || cap != UINT16_MAX)
			_exit(2);
		GROW(v, nr, cap);	/* ends the program with status 1 */
		_exit(3);
	}
	assert_true(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void full(void **state __unused)
{
	assert_int_equal(fill_array(), 1);
}

static void names(void **state __unused)
{
	static const struct { const char *name, *shown; } cases[] = {
		{ "", "" }, { "main", "main" }, { "a b", "a b" },
		{ "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xc2\xa0", "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xc2\xa0" },
		{ "latin \xe9", "latin \xe9" },
		{ "\033[31m", "?[31m" }, { "a\nb\tc\177", "a?b?c?" },
		{ "\xc2\x9b" "31m", "??31m" }, { "x\xc2", "x\xc2" }, { "\xc2\xc2\x85", "\xc2??" },
	};
	struct arena a = { 0 };
	struct outbuf o;
	char lines[] = "a\tb\nc\r\033";
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *s = printable_copy(&a, cases[i].name);

		assert_string_equal(s, cases[i].shown);
		assert_true(printable(s));
		assert_true((s == cases[i].name) == !strcmp(cases[i].name, cases[i].shown));
		outbuf_init(&o, -1);
		outbuf_name(&o, cases[i].name);
		outbuf_putc(&o, 0);
		assert_string_equal(o.base, cases[i].shown);
		outbuf_deinit(&o);
	}
	make_printable(lines, strlen(lines), true);
	assert_string_equal(lines, "a\tb\nc??");
	arena_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capacities),
		cmocka_unit_test(full),
		cmocka_unit_test(names),
	};

	verbose = -1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

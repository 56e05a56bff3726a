// SPDX-License-Identifier: GPL-2.0
/*
 * The output buffer: its content as a string, and how it grows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/outbuf.h"

/* What a longer content left behind is no part of the next one. */
static void text_ends_with_the_content(void **state __unused)
{
	struct outbuf o;

	outbuf_init(&o, -1);
	assert_string_equal(outbuf_text(&o), "");
	outbuf_puts(&o, "     longer than the next");
	o.pos = o.base;
	assert_string_equal(outbuf_text(&o), "");
	outbuf_puts(&o, "  ab");
	assert_string_equal(outbuf_text(&o), "  ab");
	assert_int_equal(outbuf_len(&o), 4);
	outbuf_puts(&o, "cd");
	assert_string_equal(outbuf_text(&o), "  abcd");
	outbuf_deinit(&o);
}

/* There is room for the NUL when the content fills the buffer. */
static void text_of_a_full_buffer(void **state __unused)
{
	struct outbuf o;
	size_t size;

	outbuf_init(&o, -1);
	size = o.end - o.base;
	while (outbuf_len(&o) < size)
		outbuf_putc(&o, 'x');
	assert_int_equal(strlen(outbuf_text(&o)), size);
	assert_int_equal(outbuf_len(&o), size);
	outbuf_deinit(&o);
}

static void grows_to_what_is_needed(void **state __unused)
{
	struct outbuf o;
	size_t size;

	outbuf_init(&o, -1);
	outbuf_puts(&o, "kept");
	size = o.end - o.base;
	outbuf_reserve(&o, 5 * size);
	assert_true((size_t)(o.end - o.pos) >= 5 * size);
	assert_string_equal(outbuf_text(&o), "kept");
	outbuf_deinit(&o);
}

/* More than can be addressed ends the program; it must neither loop nor wrap round. */
static void too_much_is_out_of_memory(void **state __unused)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX / 2 + 2, SIZE_MAX - 3 };
	size_t i;
	int status;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pid = fork();
		if (!pid) {
			struct outbuf o;

			close(STDERR_FILENO);
			alarm(20);
			outbuf_init(&o, -1);
			outbuf_puts(&o, "four");
			outbuf_reserve(&o, sizes[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_ends_with_the_content),
		cmocka_unit_test(text_of_a_full_buffer),
		cmocka_unit_test(grows_to_what_is_needed),
		cmocka_unit_test(too_much_is_out_of_memory),
	};

	return cmocka_run_group_tests_name("outbuf", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The output buffer: its content as a string, and how it grows.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "base/outbuf.h"
#include "unit.h"

/* What a longer content left behind is no part of the next one. */
TEST(text_ends_with_the_content)
{
	struct outbuf o;

	outbuf_init(&o);
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
TEST(text_of_a_full_buffer)
{
	struct outbuf o;
	size_t size;

	outbuf_init(&o);
	size = o.end - o.base;
	while (outbuf_len(&o) < size)
		outbuf_putc(&o, 'x');
	assert_int_equal(strlen(outbuf_text(&o)), size);
	assert_int_equal(outbuf_len(&o), size);
	outbuf_deinit(&o);
}

TEST(grows_to_what_is_needed)
{
	struct outbuf o;
	size_t size;

	outbuf_init(&o);
	outbuf_puts(&o, "kept");
	size = o.end - o.base;
	outbuf_reserve(&o, 5 * size);
	assert_true((size_t)(o.end - o.pos) >= 5 * size);
	assert_string_equal(outbuf_text(&o), "kept");
	outbuf_deinit(&o);
}

/* More than can be addressed ends the program; it must neither loop nor wrap round. */
TEST(too_much_is_out_of_memory)
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
			outbuf_init(&o);
			outbuf_puts(&o, "four");
			outbuf_reserve(&o, sizes[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	}
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/*
 * The index of inlined functions: additions are found by the next reader; two readers at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/symbol_private.h"
#include "unit.h"

static char dir[] = "/tmp/unit-index-XXXXXX", path[64];
static const struct stat prog = { .st_ino = 1 };

static int make_dir(void **state __unused)
{
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/inlines", dir);
	return 0;
}

static int remove_dir(void **state __unused)
{
	unlink(path);
	return rmdir(dir);
}

/* Names at an address, innermost first: "leaf branch", "" or, if it is not described, "?". */
static const char *at(const struct inline_index *x, u64 addr)
{
	static char text[256];
	const char *name;
	bool mangled;
	u32 call;

	if (!inline_index_find(x, addr, &call))
		return "?";
	*text = '\0';
	while (call) {
		name = inline_index_name(x, &call, &mangled);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s", *text ? " " : "",
			 name, mangled ? "()" : "");
	}
	return text;
}

static void add_function(struct inline_index *x, u64 start, const char *name)
{
	u32 outer = inline_index_add_call(x, 0, name, true);
	u32 leaf = inline_index_add_call(x, outer, "leaf", false);

	inline_index_add_piece(x, start, 0);
	inline_index_add_piece(x, start + 4, outer);
	inline_index_add_piece(x, start + 8, leaf);
	inline_index_add_piece(x, start + 12, 0);
	inline_index_add_range(x, start, start + 16);
}

static void assert_function(const struct inline_index *x, u64 start, const char *outer,
			    const char *leaf)
{
	assert_string_equal(at(x, start - 1), "?");
	assert_string_equal(at(x, start), "");
	assert_string_equal(at(x, start + 3), "");
	assert_string_equal(at(x, start + 4), outer);
	assert_string_equal(at(x, start + 8), leaf);
	assert_string_equal(at(x, start + 11), leaf);
	assert_string_equal(at(x, start + 12), "");
	assert_string_equal(at(x, start + 15), "");
	assert_string_equal(at(x, start + 16), "?");
}

TEST(test_added)
{
	struct inline_index *x = inline_index_open(path, &prog);
	struct stat before, after;

	assert_string_equal(at(x, 0x100), "?");
	add_function(x, 0x200, "later");
	inline_index_close(x, path);
	x = inline_index_open(path, &prog);
	assert_function(x, 0x200, "later()", "leaf later()");
	/* At lower addresses than those in the file, and with a name that it has. */
	add_function(x, 0x100, "first");
	inline_index_add_piece(x, 0, 0);
	inline_index_add_range(x, 0, 0x80);
	inline_index_close(x, path);
	x = inline_index_open(path, &prog);
	assert_function(x, 0x100, "first()", "leaf first()");
	assert_function(x, 0x200, "later()", "leaf later()");
	assert_string_equal(at(x, 0), "");
	assert_string_equal(at(x, 0x80), "?");
	/* Without additions the file is not written. */
	assert_int_equal(stat(path, &before), 0);
	inline_index_close(x, path);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

TEST(test_two_readers)
{
	struct inline_index *a = inline_index_open(path, &prog);
	struct inline_index *b = inline_index_open(path, &prog);

	add_function(a, 0x300, "a");
	add_function(b, 0x400, "b");
	inline_index_close(a, path);
	inline_index_close(b, path);
	a = inline_index_open(path, &prog);
	assert_function(a, 0x100, "first()", "leaf first()");
	assert_function(a, 0x400, "b()", "leaf b()");
	assert_string_equal(at(a, 0x300), "?");
	inline_index_close(a, path);
}

TEST(test_limit)
{
	struct inline_index *x = inline_index_open(path, &prog);
	u32 i;

	/* A range and four pieces take 80 bytes, two calls 16. */
	for (i = 0; i < INLINE_INDEX_MAX / 96; i++)
		add_function(x, 0x1000 + 16 * (u64)i, "many");
	inline_index_close(x, path);
	x = inline_index_open(path, &prog);
	assert_string_equal(at(x, 0x100), "?");
	add_function(x, 0x200, "again");
	inline_index_close(x, path);
	x = inline_index_open(path, &prog);
	assert_function(x, 0x200, "again()", "leaf again()");
	inline_index_close(x, path);
}

TEST(test_no_folder)
{
	struct inline_index *x = inline_index_open("/nonexistent/inlines", &prog);

	add_function(x, 0x100, "first");
	inline_index_close(x, "/nonexistent/inlines");
	inline_index_close(NULL, NULL);
}

UNIT_MAIN(make_dir, remove_dir)

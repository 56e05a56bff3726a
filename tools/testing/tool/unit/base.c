// SPDX-License-Identifier: GPL-2.0
/*
 * Growing arrays: a capacity never wraps, whatever the type of its count. Names of others:
 * no control character of theirs is printed. Hashes of blocks: every bit counts. How libelf reads.
 * Programs that are run: their lines, their status, and that nothing of one that is stopped goes
 * on.
 */
#include <fcntl.h>
#include <libelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/function.h"
#include "base/hash.h"
#include "base/outbuf.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/sort.h"
#include "base/text.h"
#include "unit.h"

TEST(capacities)
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

TEST(full)
{
	assert_int_equal(fill_array(), 1);
}

TEST(names)
{
	static const struct { const char *name, *shown; } cases[] = {
		{ "", "" }, { "main", "main" }, { "a b", "a b" },
		{ "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xc2\xa0", "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5 \xc2\xa0" },
		{ "latin \xe9", "latin \xe9" },
		{ "\033[31m", "?[31m" }, { "a\nb\tc\177", "a?b?c?" },
		{ "\xc2\x9b" "31m", "??31m" }, { "x\xc2", "x\xc2" }, { "\xc2\xc2\x85", "\xc2??" },
		/* C1 as bytes: to terminals of 8 bits; not within a character */
		{ "\x9b" "31m", "?31m" }, { "\xe6\x97\xa5\xe6\x97", "\xe6\x97\xa5\xe6?" },
		{ "\xe0\x80\x9b", "\xe0??" },
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
		outbuf_init(&o);
		outbuf_name(&o, cases[i].name);
		outbuf_putc(&o, 0);
		assert_string_equal(o.base, cases[i].shown);
		outbuf_deinit(&o);
	}
	make_printable(lines, strlen(lines), true);
	assert_string_equal(lines, "a\tb\nc??");
	arena_deinit(&a);
}

static char shown[256];

static void to_shown(const char *line, size_t size)
{
	snprintf(shown, sizeof(shown), "%.*s", (int)size, line);
}

TEST(errors_say_what_and_where)
{
	unsigned int lines = diag_errors();
	struct error *e = error_at("a/file", 0x20, ENOENT, "cannot be read: %m%s", "!");

	assert_int_equal(e->err, ENOENT);
	assert_string_equal(e->path, "a/file");
	assert_int_equal(e->offset, 0x20);
	assert_string_equal(e->text, "a/file: offset 0x20: cannot be read: No such file or directory!");
	diag_set_sink(to_shown);
	assert_int_equal(error_report(e), -1);
	assert_string_equal(shown, "perf: a/file: offset 0x20: cannot be read: No such file or directory!\n");
	assert_int_equal(diag_errors(), lines + 1);

	/* No error, and one that was reported before, are silent. */
	shown[0] = 0;
	assert_int_equal(error_report(NULL), 0);
	assert_int_equal(error_report(error_reported(EINVAL)), -1);
	assert_int_equal(diag_errors(), lines + 1);
	assert_string_equal(shown, "");
	diag_set_sink(NULL);
}

/* Equals keep their order, sorted runs are found, and the room is used again. */
struct pair {
	u32 key, nr;
};

static bool pair_before(const struct pair *a, const struct pair *b)
{
	return a->key < b->key;
}

DEFINE_MERGE_SORT(sort_pairs, struct pair, pair_before)

TEST(merging_is_stable)
{
	struct sort_room room = { 0 };
	struct pair v[257];
	u32 size, i, seed = 1;

	for (size = 0; size <= ARRAY_SIZE(v); size++) {
		for (i = 0; i < size; i++) {
			seed = seed * 1103515245 + 12345;
			v[i] = (struct pair){ seed >> 16 & 15, i };
		}
		sort_pairs(v, size, &room);
		for (i = 1; i < size; i++) {
			assert_true(v[i - 1].key <= v[i].key);
			if (v[i - 1].key == v[i].key)
				assert_true(v[i - 1].nr < v[i].nr);
		}
	}
	sort_room_deinit(&room);
}

TEST(lower_bounds)
{
	const s32 v[] = { 1, 3, 3, 5 };

	assert_int_equal(LOWER_BOUND(0, 0, i, v[i] < 1), 0);
	assert_int_equal(LOWER_BOUND(0, 4, i, v[i] < 0), 0);
	assert_int_equal(LOWER_BOUND(0, 4, i, v[i] < 3), 1);
	assert_int_equal(LOWER_BOUND(0, 4, i, v[i] <= 3), 3);
	assert_int_equal(LOWER_BOUND(2, 4, i, v[i] < 3), 2);
	assert_int_equal(LOWER_BOUND(0, 4, i, v[i] < 9), 4);
}

/* Every bit of every length counts, and so does the length. */
/* A map beside an array: pairs come and go, those that are there are found, and no others. */
TEST(hash_without)
{
	bool there[256] = { false };
	struct hash h = { 0 };
	u32 i, n, nr = 0, seed = 1;

	for (n = 0; n < 100000; n++) {
		seed = seed * 1103515245 + 12345;
		i = seed >> 16 & 255;
		if (there[i])
			hash_remove(&h, i, i & 3);
		else
			*hash_insert(&h, i, i & 3, NULL) = i + 1;
		nr += there[i] ? -1 : 1;
		there[i] = !there[i];
		assert_int_equal(h.nr, nr);
		for (i = 0; n % 100 == 0 && i < ARRAY_SIZE(there); i++) {
			const u64 *value = hash_find(&h, i, i & 3);

			assert_true(there[i] == !!value);
			assert_true(!value || *value == i + 1);
		}
	}
	hash_remove(&h, 1000, 0);
	hash_deinit(&h);
}

TEST(hashes_of_blocks)
{
	u8 block[100] = { 0 };
	u64 h, lengths[ARRAY_SIZE(block)];
	size_t len, bit, i;

	for (len = 0; len < ARRAY_SIZE(block); len++) {
		h = lengths[len] = hash_block(block, len);
		for (i = 0; i < len; i++)
			assert_true(lengths[i] != h);
		for (bit = 0; bit < 8 * len; bit++) {
			block[bit / 8] ^= 1 << bit % 8;
			assert_true(hash_block(block, len) != h);
			block[bit / 8] ^= 1 << bit % 8;
		}
		assert_true(hash_block(block, len) == h);
	}
}

static void keep(void *ctx, char *line)
{
	outbuf_printf(ctx, "<%s>", line);
}

/* Return: as child_run(). @o: its lines */
static int run_shell(const char *script, struct outbuf *o, bool errors)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), status;

	assert_true(null >= 0);
	outbuf_init(o);
	status = child_run(&(struct child){
		.program = argv[0], .argv = argv, .out = errors ? null : CHILD_READ,
		.err = errors ? CHILD_READ : null, .plain_locale = true, .what = "sh", .line = keep, .ctx = o,
	});
	close(null);
	return status;
}

TEST(child_lines)
{
	static const struct { const char *script, *lines; int status; } runs[] = {
		{ "true", "", 0 },
		{ "echo; echo a b; printf c; echo bad >&2", "<><a b><c>", 0 },
		{ "cat; echo $LC_ALL; exit 3", "<C>", 3 << 8 },
		{ "echo a; exec >&- 2>&-; sleep 0.1; exit 4", "<a>", 4 << 8 },
		{ "echo a; kill -9 $$", "<a>", 9 },
		{ "nothing-such", "", 127 << 8 },
	};
	char *argv[] = { "/nothing/such", NULL };
	struct outbuf o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		assert_int_equal(run_shell(runs[i].script, &o, false), runs[i].status);
		assert_string_equal(outbuf_text(&o), runs[i].lines);
		outbuf_deinit(&o);
	}
	assert_int_equal(run_shell("echo a; echo b >&2", &o, true), 0);
	assert_string_equal(outbuf_text(&o), "<b>");
	outbuf_deinit(&o);
	/* Longer than what is read at a time */
	assert_int_equal(run_shell("head -c 300000 /dev/zero | tr '\\0' x; echo; echo b", &o, false), 0);
	assert_int_equal(outbuf_len(&o), 300000 + 2 + 3);
	outbuf_deinit(&o);
	assert_int_equal(child_run(&(struct child){
		.program = argv[0], .argv = argv, .out = CHILD_READ, .err = STDERR_FILENO, .what = "",
	}), 127 << 8);
}

static u32 nr_ticks;

static void stop_third(const char *what, u64 done, u64 total, bool whole)
{
	assert_string_equal(what, "sh");
	assert_true(!done && !total && !whole);
	if (++nr_ticks == 3)
		interrupt_raise();
}

/* Every process of the script has the pipe's other end: it ends when the last of them has. */
TEST(child_stopped)
{
	static const char *const scripts[] = {
		"trap '' INT TERM HUP; sleep 1000 & wait", "yes & yes", "exec >/dev/null; sleep 1000 & sleep 1000",
	};
	struct outbuf o;
	int fds[2];
	size_t i;
	char c;

	for (i = 0; i < ARRAY_SIZE(scripts); i++) {
		assert_int_equal(pipe(fds), 0);
		nr_ticks = 0;
		progress_set_sink(stop_third);
		assert_int_equal(run_shell(scripts[i], &o, false), -EINTR);
		progress_set_sink(NULL);
		outbuf_deinit(&o);
		assert_int_equal(nr_ticks, 3);
		assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
		close(fds[1]);
		assert_int_equal(read(fds[0], &c, 1), 0);
		close(fds[0]);
		/* Until that is forgotten nothing is begun. */
		assert_int_equal(run_shell("echo a", &o, false), -EINTR);
		assert_int_equal(outbuf_len(&o), 0);
		outbuf_deinit(&o);
		interrupt_forget();
	}
	assert_int_equal(run_shell("echo a", &o, false), 0);
	outbuf_deinit(&o);
}

/* Names in lists, and what each stands for */
TEST(names_of_functions)
{
	static const struct { const char *list, *names; } lists[] = {
		{ "a,b", "a|b|" }, { "add2(long, long),f<int, int>(), g", "add2(long, long)|f<int, int>()| g|" },
		{ "a\\,b,c\\\\,d\\e", "a,b|c\\|d\\e|" }, { "f(,g", "f(|g|" }, { "f),g", "f)|g|" },
		{ "operator<(A, B),operator,(A, B),operator()(A, B)", "operator<(A, B)|operator,(A, B)|operator()(A, B)|" },
		{ "a::operator->,b<c>::operator<< <d, e>(f, g)", "a::operator->|b<c>::operator<< <d, e>(f, g)|" },
		{ "main::{lambda(int, int)#1}::operator()(int, int) const,x", "main::{lambda(int, int)#1}::operator()(int, int) const|x|" },
		{ "std::array<int, (3 < 4)>::f(int, long),y", "std::array<int, (3 < 4)>::f(int, long)|y|" },
		{ "[a,b],c", "[a,b]|c|" },
	};
	static const struct { const char *is, *end, *plain; } functions[] = {
		{ "add2(long, long)", "add2", "add2" }, { "ns::f(int)", "ns::f", "ns::f" },
		{ "void ns::f<int>(int, long) const &&", "ns::f<int>", "ns::f" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f", "(anonymous namespace)::f" },
		{ "void (anonymous namespace)::g<int>(int)", "(anonymous namespace)::g<int>", "(anonymous namespace)::g" },
		{ "A<int>::A(int) [clone .cold]", "A<int>::A", "A<int>::A" }, { "f(int) (.part.0)", "f", "f" },
		{ "A::operator()(int) const", "A::operator()", "A::operator()" },
		{ "A::operator unsigned int() const", "A::operator unsigned int", "A::operator unsigned int" },
		{ "std::ostream& operator<< <char>(std::ostream&)", "operator<< <char>", "operator<<" },
		{ "main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()", "main::{lambda(int)#1}::operator()" },
		{ "f(int)::{lambda()#1}::operator()() const", "f(int)::{lambda()#1}::operator()", "f(int)::{lambda()#1}::operator()" },
		{ "decltype(auto) f<int>(int)", "f<int>", "f" }, { "name[abi:cxx11](int)", "name[abi:cxx11]", "name" },
		{ "operator delete(void*)", "operator delete", "operator delete" }, { "main", NULL, NULL },
		{ "main.(*T).Method", NULL, NULL }, { "A::operator()", NULL, NULL }, { "", NULL, NULL }, { "(", NULL, NULL },
	};
	struct function_base b;
	struct outbuf o;
	size_t i;

	outbuf_init(&o);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *rest = lists[i].list;

		o.pos = o.base;
		while (rest) {
			char *name = list_entry(rest, &rest);

			outbuf_printf(&o, "%s|", name);
			free(name);
		}
		assert_string_equal(outbuf_text(&o), lists[i].names);
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		const char *name = functions[i].is, *rest;
		char *quoted = list_entry_quote(name), *entry = list_entry(quoted, &rest);

		assert_null(rest);
		assert_string_equal(entry, name);
		free(quoted);
		free(entry);
		assert_true(function_is(name, name));
		assert_false(function_is(name, "other"));
		assert_int_equal(function_base(name, &b), functions[i].end != NULL);
		if (!functions[i].end)
			continue;
		o.pos = o.base;
		outbuf_printf(&o, "%.*s", (int)(b.end - b.start), b.start);
		assert_string_equal(outbuf_text(&o), functions[i].end);
		o.pos = o.base;
		outbuf_printf(&o, "%.*s", (int)(b.end_plain - b.start), b.start);
		assert_string_equal(outbuf_text(&o), functions[i].plain);
		assert_true(function_is(name, functions[i].end));
		assert_true(function_is(name, functions[i].plain));
		assert_false(function_is(functions[i].plain, name));
	}
	outbuf_deinit(&o);
}

/* The number of reading calls of this process. */
static u64 nr_reads(void)
{
	unsigned long long nr = 0;
	FILE *f = fopen("/proc/self/io", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "rchar: %*u wchar: %*u syscr: %llu", &nr), 1);
	fclose(f);
	return nr;
}

/* One call for all of a large file would hold a CPU. */
TEST(libelf_reads_in_pieces)
{
	const size_t size = 32 << 20;
	_cleanup_close_ int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);
	u64 before;
	Elf *elf;

	assert_int_equal(sendfile(fd, exe, NULL, 64), 64);
	assert_int_equal(ftruncate(fd, size), 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	before = nr_reads();
	assert_int_equal(elf_cntl(elf, ELF_C_FDREAD), 0);
	assert_true(nr_reads() - before >= 32);
	elf_end(elf);
}

int main(void)
{
	verbose = -1;
	return unit_run(NULL, NULL);
}

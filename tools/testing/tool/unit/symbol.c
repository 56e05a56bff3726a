// SPDX-License-Identifier: GPL-2.0
/*
 * Which name an address gets: choice between symbols, ends of symbols, address
 * arithmetic, where files are found, damaged files.
 */
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/diag.h"
#include "symbol/kallsyms.h"
#include "symbol/symbol_private.h"
#include "unit-elf.h"
#include "unit.h"

#define FUNC(bind) ELF64_ST_INFO(STB_##bind, STT_FUNC)
#define LABEL(bind) ELF64_ST_INFO(STB_##bind, STT_NOTYPE)

static char dir[64];
static struct made_elf made;

static char *in_dir(const char *name)
{
	static char buf[4][256];
	static int i;

	i = (i + 1) % 4;
	snprintf(buf[i], sizeof(buf[i]), "%s/%s", dir, name);
	return buf[i];
}

static struct dso_table *new_table(void)
{
	struct symbol_config cfg = { .buildid_dir = dir };

	return dso_table_create(&cfg);
}

static const char *name_at(struct dso *d, u64 addr)
{
	const struct symbol *s = dso_find_symbol(d, addr);

	return s ? s->name : "-";
}

struct name_at {
	u64 addr;
	const char *want;
};

static void check_names(struct dso *d, const struct name_at *n, size_t nr)
{
	for (; nr--; n++)
		assert_string_equal(name_at(d, n->addr), n->want);
}

#define NAMES_AT(d, ...) \
	check_names(d, (const struct name_at []){ __VA_ARGS__ }, \
		    sizeof((const struct name_at []){ __VA_ARGS__ }) / sizeof(struct name_at))

/* A file that is written as it was made. */
static struct dso *written(struct dso_table *t, const char *name)
{
	write_file(in_dir(name), made.buf, made.size);
	return dso_get(t, in_dir(name), DSO_USER, NULL, 0, -1);
}

static struct dso *load(struct dso_table *t, const struct elf_sym *syms, u32 nr)
{
	static int serial;
	char name[32];

	snprintf(name, sizeof(name), "elf%d", serial++);
	make_elf(&made, true, false, ET_DYN, 0x1000, syms, nr, NULL, NULL, 0);
	return written(t, name);
}

#define ALIAS(name, size, info) { name, 0x1100, size, info, MADE_TEXT }

/* Pairs of aliases: which one of them perf 6.1 printed for a program that had them. */
TEST(test_choice)
{
	static const struct {
		struct elf_sym a, b;
		const char *want;
	} cases[] = {
		{ ALIAS("zz_weak", 16, FUNC(WEAK)), ALIAS("a", 16, FUNC(GLOBAL)), "a" },
		{ ALIAS("c_local", 16, FUNC(LOCAL)), ALIAS("b_weak_longer", 16, FUNC(WEAK)), "c_local" },
		{ ALIAS("local_longer", 16, FUNC(LOCAL)), ALIAS("glob", 16, FUNC(GLOBAL)), "glob" },
		{ ALIAS("__xxxxx", 16, FUNC(GLOBAL)), ALIAS("_x", 16, FUNC(GLOBAL)), "_x" },
		{ ALIAS("abc", 16, FUNC(GLOBAL)), ALIAS("ab", 16, FUNC(GLOBAL)), "abc" },
		{ ALIAS("ab", 16, FUNC(GLOBAL)), ALIAS("abc", 16, FUNC(GLOBAL)), "abc" },
		{ ALIAS("bbb", 16, FUNC(GLOBAL)), ALIAS("aaa", 16, FUNC(GLOBAL)), "bbb" },
		{ ALIAS("local", 16, FUNC(LOCAL)), ALIAS("g0", 0, FUNC(GLOBAL)), "g0" },
		{ ALIAS("f_longer", 0, FUNC(GLOBAL)), ALIAS("f", 0, FUNC(GLOBAL)), "f" },
		{ ALIAS("local", 16, FUNC(LOCAL)), ALIAS("lab", 0, LABEL(GLOBAL)), "lab" },
		{ ALIAS("__gb", 16, FUNC(GLOBAL)), ALIAS("gb_weak", 16, FUNC(WEAK)), "__gb" },
		/* By what is shown, not by the linker's names */
		{ ALIAS("_ZN1a1b17h0123456789abcdefE", 16, FUNC(GLOBAL)),
		  ALIAS("_ZN4long4nameEv", 16, FUNC(GLOBAL)), "long::name()" },
		{ ALIAS("_ZN1a1bEv", 16, FUNC(GLOBAL)), ALIAS("_ZN1c1dEv", 16, FUNC(GLOBAL)), "a::b()" },
	};
	struct dso_table *t = new_table();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct elf_sym syms[] = { cases[i].a, cases[i].b,
			{ "next", 0x1200, 16, FUNC(GLOBAL), MADE_TEXT } };
		struct dso *d = load(t, syms, 3);

		assert_string_equal(name_at(d, 0x1104), cases[i].want);
	}
	dso_table_destroy(t);
}

TEST(test_ends)
{
	static const struct elf_sym syms[] = {
		{ "sized", 0x1000, 0x10, FUNC(GLOBAL), MADE_TEXT },
		{ "open", 0x1040, 0, FUNC(GLOBAL), MADE_TEXT },
		{ "outer", 0x1100, 0x100, FUNC(GLOBAL), MADE_TEXT },
		{ "label", 0x1120, 0, LABEL(LOCAL), MADE_TEXT },
		{ "inner", 0x1140, 0x20, FUNC(LOCAL), MADE_TEXT },
		{ "short", 0x1300, 4, FUNC(GLOBAL), MADE_TEXT },
		{ "long", 0x1300, 0x40, FUNC(LOCAL), MADE_TEXT },
		{ "last", 0x1ff0, 0, FUNC(GLOBAL), MADE_TEXT },
		{ "object", 0x1500, 0x40, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), MADE_TEXT },
		{ "data", 0x2000, 0x40, FUNC(GLOBAL), MADE_DATA },
		{ "undef", 0x1600, 0x40, FUNC(GLOBAL), SHN_UNDEF },
		{ "abs", 0x1700, 0x40, FUNC(GLOBAL), SHN_ABS },
		{ "$x", 0x1800, 0x40, LABEL(LOCAL), MADE_TEXT },
		{ ".Llocal", 0x1840, 0x40, LABEL(LOCAL), MADE_TEXT },
		{ "", 0x1880, 0x40, FUNC(LOCAL), MADE_TEXT },
	};
	static const struct name_at cases[] = {
		{ 0xfff, "-" }, { 0x1000, "sized" }, { 0x100f, "sized" }, { 0x1010, "-" },
		{ 0x1040, "open" }, { 0x10ff, "open" }, { 0x1100, "outer" }, { 0x1130, "outer" },
		{ 0x1140, "inner" }, { 0x1160, "outer" }, { 0x11ff, "outer" }, { 0x1200, "-" },
		{ 0x1303, "short" }, { 0x1304, "long" }, { 0x1340, "-" }, { 0x1fff, "last" },
		{ 0x2000, "-" }, { 0x1510, "-" }, { 0x2010, "-" }, { 0x1610, "-" }, { 0x1710, "-" },
		{ 0x1810, "-" }, { 0x1850, "-" }, { 0x1890, "-" }, { (u64)-1, "-" }, { 0, "-" },
	};
	struct dso_table *t = new_table();
	struct dso *d = load(t, syms, ARRAY_SIZE(syms));

	check_names(d, cases, ARRAY_SIZE(cases));
	assert_null(dso_why_no_symbols(d));
	dso_table_destroy(t);
}

/* Every class and byte order, and the way from an ip to the symbol table's addresses. */
TEST(test_map_ip)
{
	struct dso_table *t = new_table();
	u32 i;

	for (i = 0; i < 8; i++) {
		u64 vaddr = i & 4 ? 0x401000 : 0x5000;
		struct elf_sym sym = { "f", vaddr + 0x234, 16, FUNC(GLOBAL), MADE_TEXT };
		char name[16];
		struct dso *d;
		u64 addr;

		snprintf(name, sizeof(name), "map%d", i);
		make_elf(&made, i & 1, i & 2, i & 4 ? ET_EXEC : ET_DYN, vaddr, &sym, 1, NULL, NULL, 0);
		d = written(t, name);
		/* .text is at file offset 0x1000, mapped with pgoff 0x1000 */
		addr = dso_map_ip(d, 0x7f0000000238, 0x7f0000000000, 0x1000);
		assert_int_equal(addr, vaddr + 0x238);
		assert_string_equal(name_at(d, addr), "f");
		/* and as part of a larger mapping */
		assert_int_equal(dso_map_ip(d, 0x7f0000001238, 0x7f0000000000, 0), vaddr + 0x238);
	}
	dso_table_destroy(t);
}

/* stderr of what follows goes to a file; lines_said() counts what is in it. */
static int saved_stderr;

static void catch_stderr(void)
{
	int fd = open(in_dir("stderr"), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);

	diag_set_sink(diag_to_stderr);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static u32 lines_said(void)
{
	static char buf[1 << 16];
	ssize_t n = pread(STDERR_FILENO, buf, sizeof(buf), 0), i;
	u32 nr = 0;

	for (i = 0; i < n; i++)
		nr += buf[i] == '\n';
	if (ftruncate(STDERR_FILENO, 0))
		return -1;
	return nr;
}

static void release_stderr(void)
{
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
}

/* A file that is shortened, as by "cp", after its symbols were read: said in one line */
TEST(test_truncated)
{
	struct elf_sym sym = { "f", 0x5234, 16, FUNC(GLOBAL), MADE_TEXT };
	struct dso_table *t = new_table();
	struct dso *d;
	u8 code[16];

	make_elf(&made, true, false, ET_DYN, 0x5000, &sym, 1, NULL, NULL, 0);
	write_file(in_dir("short"), made.buf, made.size);
	assert_int_equal(chmod(in_dir("short"), 0755), 0);
	d = dso_get(t, in_dir("short"), DSO_USER, NULL, 0, -1);
	assert_string_equal(name_at(d, 0x5238), "f");
	assert_true(dso_read_code(d, 0x5234, code, sizeof(code)));
	assert_int_equal(truncate(in_dir("short"), 0), 0);
	assert_false(dso_read_code(d, 0x5234, code, sizeof(code)));
	catch_stderr();
	dso_table_destroy(t);
	assert_int_equal(lines_said(), 1);
	release_stderr();
}

static const u8 id_a[20] = "AAAAAAAAAAAAAAAAAAA", id_b[20] = "BBBBBBBBBBBBBBBBBBB";

TEST(test_build_id)
{
	struct elf_sym sym = { "f", 0x1100, 16, FUNC(GLOBAL), MADE_TEXT };
	struct dso_table *t = new_table();
	struct dso *d;
	char path[200], hex[41];

	make_elf(&made, true, false, ET_DYN, 0x1000, &sym, 1, id_a, NULL, 0);
	write_file(in_dir("prog"), made.buf, made.size);
	d = dso_get(t, in_dir("prog"), DSO_USER, id_a, 20, -1);
	assert_string_equal(name_at(d, 0x1104), "f");
	/* Another build of the same name is not what was recorded ... */
	d = dso_get(t, in_dir("prog"), DSO_USER, id_b, 20, -1);
	assert_string_equal(name_at(d, 0x1104), "-");
	assert_non_null(strstr(dso_why_no_symbols(d), "replaced"));
	/* ... but what perf put into its cache is. */
	dso_table_destroy(t);
	t = new_table();
	sym.name = "cached";
	make_elf(&made, true, false, ET_DYN, 0x1000, &sym, 1, id_b, NULL, 0);
	build_id_hex(id_b, 20, hex);
	snprintf(path, sizeof(path), "%s/.build-id", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/.build-id/%.2s", dir, hex);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s", dir, hex, hex + 2);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s/elf", dir, hex, hex + 2);
	write_file(path, made.buf, made.size);
	d = dso_get(t, in_dir("prog"), DSO_USER, id_b, 20, -1);
	assert_string_equal(name_at(d, 0x1104), "cached");
	dso_table_destroy(t);
}

TEST(test_debuglink)
{
	struct elf_sym sym = { "in_debug", 0x1100, 16, FUNC(GLOBAL), MADE_TEXT };
	struct dso_table *t;
	struct dso *d;
	u32 crc, i;

	make_elf(&made, true, false, ET_DYN, 0x1000, &sym, 1, NULL, NULL, 0);
	write_file(in_dir("linked.dbg"), made.buf, made.size);
	crc = crc32_z(0, made.buf, made.size);
	for (i = 0; i < 2; i++) {
		t = new_table();
		/* The second time the checksum is another file's. */
		make_elf(&made, true, false, ET_DYN, 0x1000, NULL, 0, NULL, "linked.dbg", crc + i);
		put_section(&made, MADE_SYMTAB, 13, SHT_PROGBITS, 0, 0, 0, 0, 0, 0);
		d = written(t, "linked");
		assert_string_equal(name_at(d, 0x1104), i ? "-" : "in_debug");
		dso_table_destroy(t);
	}
}

TEST(test_symfs)
{
	struct elf_sym sym = { "f", 0x1100, 16, FUNC(GLOBAL), MADE_TEXT };
	struct symbol_config cfg = { .symfs = dir };
	struct dso_table *t = dso_table_create(&cfg);

	make_elf(&made, true, false, ET_DYN, 0x1000, &sym, 1, NULL, NULL, 0);
	write_file(in_dir("below-symfs"), made.buf, made.size);
	assert_string_equal(name_at(dso_get(t, "/below-symfs", DSO_USER, NULL, 0, -1), 0x1104), "f");
	dso_table_destroy(t);
}

static void ask_all(const char *path)
{
	struct dso_table *t = new_table();
	struct dso *d = dso_get(t, path, DSO_USER, NULL, 0, -1);
	const struct inline_frame *frames;
	u64 addr;

	for (addr = 0; addr < 0x3000; addr += 0x80) {
		u64 a = dso_map_ip(d, addr, 0, 0);

		dso_find_symbol(d, a);
		dso_srcline(d, a, true);
		dso_inlines(d, a, &frames);
		dso_inline_line(d, a, 1);
	}
	dso_find_symbol(d, -1);
	dso_table_destroy(t);
}

static const struct elf_sym some_syms[] = {
	{ "f", 0x1100, 16, FUNC(GLOBAL), MADE_TEXT },
	{ "g", 0x1200, 0, FUNC(GLOBAL), MADE_TEXT },
	{ "_ZN1a1bEv", 0x1300, 16, FUNC(WEAK), MADE_TEXT },
};

/* The damage that a symbol table can have: one line, no symbols. */
TEST(test_damaged_tables)
{
	static const struct {
		const char *what;
		u32 section;
		u64 off, size;
		u32 link;
	} cases[] = {
		{ "symbols past the end", MADE_SYMTAB, 0x100000, 0x60, MADE_STRTAB },
		{ "symbols over the end", MADE_SYMTAB, 0x3000, 0x10000000, MADE_STRTAB },
		{ "offset that wraps", MADE_SYMTAB, (u64)-0x20, 0x60, MADE_STRTAB },
		{ "size that wraps", MADE_SYMTAB, 0x3000, (u64)-0x18, MADE_STRTAB },
		{ "no strings", MADE_SYMTAB, 0x3000, 0x60, 99 },
		{ "strings are itself", MADE_SYMTAB, 0x3000, 0x60, MADE_SYMTAB },
		{ "strings past the end", MADE_STRTAB, 0x100000, 0x20, 0 },
	};
	u32 i, said;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dso_table *t = new_table();
		struct dso *d;
		const char *name;

		make_elf(&made, true, false, ET_DYN, 0x1000, some_syms, ARRAY_SIZE(some_syms), NULL,
			 NULL, 0);
		put_section(&made, cases[i].section, 13,
			    cases[i].section == MADE_SYMTAB ? SHT_SYMTAB : SHT_STRTAB, 0, 0,
			    cases[i].off, cases[i].size, cases[i].link,
			    cases[i].section == MADE_SYMTAB ? sizeof(Elf64_Sym) : 0);
		d = written(t, "damaged");
		catch_stderr();
		name = name_at(d, 0x1104);
		name_at(d, 0x1204);
		said = lines_said();
		release_stderr();
		if (strcmp(name, "-") || said > 1)
			fail_msg("%s: %s, %u lines", cases[i].what, name, said);
		/* A string table that is not one has no names, and needs no excuse. */
		if (cases[i].link != MADE_SYMTAB)
			assert_int_equal(said, 1);
		assert_non_null(dso_why_no_symbols(d));
		dso_table_destroy(t);
	}
}

/* Cut anywhere, and every byte of the headers turned: an answer or none, no crash, no hang. */
TEST(test_fuzz)
{
	static struct made_elf copy;
	unsigned int seed = 1;
	size_t i;
	u32 round;

	catch_stderr();
	for (round = 0; round < 4; round++) {
		make_elf(&made, round & 1, round & 2, ET_DYN, 0x1000, some_syms,
			 ARRAY_SIZE(some_syms), id_a, "x.debug", 0);
		for (i = 0; i < made.size; i += i < 0x100 ? 7 : 1021) {
			write_file(in_dir("cut"), made.buf, i);
			ask_all(in_dir("cut"));
		}
		for (i = 4; i < 400; i++) {
			size_t at;

			copy = made;
			at = i < 200 ? i : made.shoff + (i - 200) * 3;
			copy.buf[at] = rand_r(&seed);
			copy.buf[made.symoff + rand_r(&seed) % 96] ^= 1 << (rand_r(&seed) % 8);
			write_file(in_dir("turned"), copy.buf, copy.size);
			ask_all(in_dir("turned"));
		}
	}
	release_stderr();
}

/* What is no ELF file at all: nothing to warn of. */
TEST(test_not_elf)
{
	static const char *const names[] = { "empty", "text", "directory", "fifo", "absent" };
	struct dso_table *t = new_table();
	u32 i;

	catch_stderr();
	write_file(in_dir("empty"), "", 0);
	write_file(in_dir("text"), "hello, world\n", 13);
	mkdir(in_dir("directory"), 0755);
	mkfifo(in_dir("fifo"), 0644);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		NAMES_AT(dso_get(t, in_dir(names[i]), DSO_USER, NULL, 0, -1), { 0x1000, "-" });
	NAMES_AT(dso_get(t, "[heap]", DSO_USER, NULL, 0, -1), { 0x1000, "-" });
	assert_int_equal(lines_said(), 0);
	release_stderr();
	dso_table_destroy(t);
}

static struct dso *kernel_of(struct dso_table **t, const char *text, const char *name)
{
	struct symbol_config cfg = { .kallsyms = in_dir("kallsyms") };

	write_file(cfg.kallsyms, text, strlen(text));
	*t = dso_table_create(&cfg);
	return dso_get(*t, name, DSO_KERNEL, NULL, 0, -1);
}

TEST(test_kallsyms)
{
	static const char text[] =
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff81000000 T _stext\n"
		"ffffffff81000000 T _text\n"
		"ffffffff81000100 t first\n"
		"ffffffff81000100 T second\n"
		"ffffffff81000200 W weak_one\n"
		"ffffffff81000300 T $x\n"
		"ffffffff81000400 T before_data\n"
		"ffffffff81000500 D some_data\n"
		"not a line\n"
		"fffffffff\n"
		"ffffffff81000600 T last\n"
		"ffffffffc0000000 t init_module\t[e1000]\n"
		"ffffffffc0000100 t e1000_poll\t[e1000]\n"
		"ffffffffc0100000 t other\t[other]";
	struct dso_table *t;
	struct dso *d = kernel_of(&t, text, "[kernel.kallsyms]_text");
	u64 base = 0xffffffff81000000, moved = 0xffffffff9f000000;

	assert_string_equal(d->name, "[kernel.kallsyms]");
	NAMES_AT(d, { base, "_text" }, { base + 0x150, "second" }, { base + 0x3ff, "weak_one" },
		 { base + 0x450, "before_data" }, { base + 0x550, "-" }, { base + 0x650, "last" },
		 { base + 0x1600, "-" }, { 0, "-" });
	/* The recording's kernel lay elsewhere: its map's pgoff is where _text was. */
	assert_string_equal(name_at(d, dso_map_ip(d, moved + 0x150, moved, moved)), "second");
	d = dso_get(t, "/lib/modules/1/kernel/e1000.ko.xz", DSO_MODULE, NULL, 0, -1);
	assert_string_equal(d->short_name, "[e1000]");
	assert_string_equal(name_at(d, dso_map_ip(d, 0xffffffffc0000120, 0xffffffffc0000000, 0)),
			    "e1000_poll");
	/* As does its module, by itself. */
	assert_string_equal(name_at(d, dso_map_ip(d, 0xffffffffc7770120, 0xffffffffc7770000, 0)),
			    "e1000_poll");
	d = dso_get(t, "[other]", DSO_MODULE, NULL, 0, -1);
	assert_string_equal(name_at(d, dso_map_ip(d, 0xffffffffc0100010, 0xffffffffc0100000, 0)),
			    "other");
	dso_table_destroy(t);
}

TEST(test_kallsyms_bad)
{
	static const char *const texts[] = {
		"", "no\nsymbols\nhere\n", "\n\n\n", "ffffffff8100000000000 T too_long\n",
		"0000000000000000 T hidden\n0000000000000000 T hidden2\n",
	};
	struct dso_table *t;
	struct dso *d;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		d = kernel_of(&t, texts[i], "[kernel.kallsyms]_text");
		catch_stderr();
		NAMES_AT(d, { 0xffffffff81000000, "-" }, { 0, "-" });
		assert_int_equal(lines_said(), 1);
		release_stderr();
		dso_table_destroy(t);
	}
}

TEST(test_jitmap)
{
	static const char text[] =
		"1000 100 fn with spaces\n"
		"0x2000 0x80 LazyCompile:*f /a.js:1\n"
		"garbage\n"
		"3000 zz bad\n"
		"1000 100 again\n"
		"ffffffffffffff00 fff wraps\n"
		"4000 10 _ZN3foo3barEv\n"
		"5000 10 last without newline";
	struct dso_table *t = new_table();
	char path[64];
	struct dso *d, *gone;
	u32 pid = getpid();

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	unlink(path);
	write_file(path, text, strlen(text));
	d = dso_get(t, "//anon", DSO_USER, NULL, 0, pid);
	assert_int_equal(d->kind, DSO_ANON);
	assert_string_equal(d->name, path);
	assert_ptr_equal(d, dso_get(t, "/memfd:doublemapper (deleted)", DSO_USER, NULL, 0, pid));
	/* Of a function that was compiled again, the last line holds. */
	NAMES_AT(d, { dso_map_ip(d, 0x1010, 0x1000, 0x77000), "again" },
		 { 0x207f, "LazyCompile:*f /a.js:1" }, { 0x2080, "-" }, { 0x3000, "-" },
		 { 0x4004, "foo::bar()" }, { 0x5004, "last without newline" },
		 { 0xffffffffffffff80, "-" });
	unlink(path);
	/* A link in /tmp may lead anywhere. */
	assert_int_equal(symlink("/proc/self/maps", path), 0);
	dso_table_destroy(t);
	t = new_table();
	d = dso_get(t, "//anon", DSO_USER, NULL, 0, pid);
	assert_string_equal(name_at(d, 0x1010), "-");
	unlink(path);
	gone = dso_get(t, "//anon", DSO_USER, NULL, 0, 999999999);
	assert_ptr_not_equal(d, gone);
	assert_non_null(dso_why_no_symbols(gone));
	dso_table_destroy(t);
}

static void check_demangle(const char *raw, const char *want)
{
	char *got = demangle(raw);

	assert_string_equal(got ? got : raw, want);
	free(got);
}

static void check_demangled(const char *const (*names)[2], size_t nr)
{
	for (; nr--; names++)
		check_demangle(names[0][0], names[0][1] ?: names[0][0]);
}

/* Names, and what is shown; NULL: as they are */
static const char *const demangled[][2] = {
	{ "main", NULL }, { "_Dmain", "D main" },
	{ "_D1p5Table4fillMFAyaAimZv", "p.Table.fill(immutable(char)[], int[], ulong)" },
	{ "_D1p__T4leafTmZQiFNbNimZv", "p.leaf!(ulong).leaf(ulong)" }, { "_Data", NULL },
	{ "_start", NULL },
	/* An encoded type (double restrict) to __cxa_demangle(), a function to us. */
	{ "rd", NULL }, { "_Zgarbage", NULL }, { "_ZN2ns1AclEl", "ns::A::operator()(long)" },
	{ "_ZNK4shop6BasketIlE5totalEi", "shop::Basket<long>::total(int) const" },
	{ "_Z3fooIiET_S0_.isra.0.cold", "int foo<int>(int) [clone .isra.0] [clone .cold]" },
	{ "_ZThn16_N1A3fooEv", "non-virtual thunk to A::foo()" }, { "_ZTV1A", "vtable for A" },
	{ "_ZNKSt3mapIiSsE4findERKi", "std::map<int, std::string>::find(int const&) const" },
	{ "_GLOBAL__I_main", "global constructors keyed to main" }, { "_GLOBAL__sub_I_main", NULL },
	{ "_GLOBAL_OFFSET_TABLE_", NULL }, { "_ZSt4cout@@GLIBCXX_3.4", "std::cout@@GLIBCXX_3.4" },
	{ "_Znwm@plt", "operator new(unsigned long)@plt" },
	/* OCaml: as perf 7.2.13, but for a NUL in the name */
	{ "camlStdlib__List__map_570", "Stdlib.List.map_570" },
	{ "camlStdlib__List.map_570", "Stdlib.List.map_570" },
	{ "camlStdlib__Printf__$24fprintf_12", "Stdlib.Printf.$fprintf_12" },
	{ "camlFoo__$2b_7", "Foo.+_7" }, { "camlA__x$27__$2B$5e_3", "A.x'.+^_3" },
	{ "camlA__$zz_1", "A.$zz_1" }, { "camlA__$2", "A.$2" }, { "camlA__$00_1", "A.$00_1" },
	{ "camlA____b_1", "A..b_1" }, { "camlDune__exe__Main__entry", "Dune.exe.Main.entry" },
	{ "caml_call_gc", NULL }, { "caml_startup__code_begin", NULL }, { "camlfoo_1", NULL },
	/* A JVM: as perf 7.2.13, which loses the brackets of arrays of objects or gives them to what follows */
	{ "Lcom/example/Foo;bar(ILjava/lang/String;[J)V",
	  "com.example.Foo.bar(int, java.lang.String, long[])" },
	{ "Ljava/lang/Object;<init>()V", "java.lang.Object<init>()" },
	{ "La/B;<clinit>()V", "a.B<clinit>()" },
	{ "La;b(ZBCSIJFD)Z", "a.b(boolean, byte, char, short, int, long, float, double)" },
	{ "La/B$C;lambda$run$0(Lx/Y;Lx/Z;)Lx/W;", "a.B$C.lambda$run$0(x.Y, x.Z)" },
	{ "La;main([Ljava/lang/String;I[[J)[[I", "a.main(java.lang.String[], int, long[][])" },
	{ "Lscala/A;$plus(I)V", "scala.A.$plus(int)" }, { "La;b(I", NULL }, { "La;b(L", NULL },
	{ "La;b(Q)V", NULL }, { "La;b(I)V and more", NULL }, { "La;b;c(I)V", NULL },
	{ "La;b", NULL }, { "Lfoo.bar(I)V", NULL }, { "LongFunctionName", NULL },
};

TEST(test_demangle)
{
	static char deep[20000];

	check_demangled(demangled, ARRAY_SIZE(demangled));
	memset(deep, 'P', sizeof(deep) - 1);
	memcpy(deep, "La;b(", 5);
	check_demangle(deep, deep);
	memcpy(deep, "_Z1f", 4);
	check_demangle(deep, deep);
}

/* Each pair has the one before twice: the whole name would have 2^60 parts. */
TEST(test_demangle_doubling)
{
	static const char base36[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char base62[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[2000], *s = name, *at;
	u32 i;

	s = stpcpy(s, "_Z1fSt4pairIiiE");
	check_demangle(name, "f(std::pair<int, int>)");
	for (i = 0; i < 60; i++) {
		/* S_ is the template, S0_ the first pair. */
		s += sprintf(s, "S_IS%.1s%c_S%.1s%c_E", &base36[i / 36 ? i / 36 : 36], base36[i % 36],
			     &base36[i / 36 ? i / 36 : 36], base36[i % 36]);
		if (!i)
			check_demangle(name, "f(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int> >)");
	}
	check_demangle(name, name);

	/* The same of Rust's tuples. B: what began at that place behind "_R", in base 62, less 1. */
	at = s = stpcpy(name, "_RINvCs4fqI2P2rA04_7mycrate1f");
	s = stpcpy(s, "TmmEE");
	check_demangle(name, "mycrate::f::<(u32, u32)>");
	for (i = 0; i < 60; i++) {
		u32 place = at - name - 2 - 1;

		at = s - 1;
		s = at + sprintf(at, "TB%.1s%c_B%.1s%c_EE", &base62[place / 62 ? place / 62 : 62], base62[place % 62],
				 &base62[place / 62 ? place / 62 : 62], base62[place % 62]);
		if (!i)
			check_demangle(name, "mycrate::f::<(u32, u32), ((u32, u32), (u32, u32))>");
	}
	check_demangle(name, name);
}

#define HASH "17h0123456789abcdefE"

/* As Rust's own backtraces (RUST_BACKTRACE=1) show these names, which rustc 1.95 made. */
static const char *const demangled_rust[][2] = {
	{ "_ZN4core3fmt5Write9write_fmt" HASH, "core::fmt::Write::write_fmt" },
	{ "_ZN2bt4shop15_$u65e5$$u672c$8_$u8a9e$" HASH, "bt::shop::日本::語" },
	{ "_ZN2bt4shop26Gr$uf6$$udf$e$LT$T$C$_$GT$13gr$uf6$$udf$e" HASH,
	  "bt::shop::Größe<T,_>::größe" },
	{ "_ZN67_$LT$$LP$$RF$$u5b$u8$u5d$$C$fn$LP$u8$RP$$u20$.$GT$$u20$i128$RP$$GT$1x" HASH,
	  "<(&[u8],fn(u8) .> i128)>::x" },
	{ "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$" HASH,
	  "std::rt::lang_start::{{closure}}" },
	{ "_ZN4core3ops8function6FnOnce40call_once$u7b$$u7b$vtable.shim$u7d$$u7d$" HASH,
	  "core::ops::function::FnOnce::call_once{{vtable.shim}}" },
	{ "_ZN1a17core..ops..FnOnce" HASH, "a::core::ops::FnOnce" },
	/* Neither a control character, nor a surrogate, nor unterminated. */
	{ "_ZN1a8$u1b$$C$" HASH, "a::$u1b$$C$" }, { "_ZN1a10$C$$ud800$" HASH, "a::,$ud800$" },
	{ "_ZN1a3$uf" HASH, "a::$uf" }, { "_ZN2bt4main" HASH ".cold", "bt::main.cold" },
	{ "_ZN2bt4main" HASH ".llvm.10646030284148691561", "bt::main" },
	/* Not Rust's: no identifier before it, one longer than the name. */
	{ "_ZN" HASH, "h0123456789abcdef" }, { "_ZN9bt" HASH, NULL },
	{ "_RNvCs4fqI2P2rA04_7mycrate4main", "mycrate::main" },
	{ "_RNvMNtCs6GmmlP4bgsG_1r4shopINtB2_u9Gre_6ka8imEu9gre_6ka8iB4_",
	  "<r::shop::Größe<u32>>::größe" },
	{ "_RINvNtCs37aybkcCW4V_2bt4shop3arrKj3_EB4_", "bt::shop::arr::<3>" },
	{ "_RNvCs6GmmlP4bgsG_1r2rd.cold", "r::rd.cold" },
	{ "_RNvCs6GmmlP4bgsG_1r2rd.llvm.123", "r::rd" }, { "_Rgarbage.cold", NULL },
};

TEST(test_demangle_rust)
{
	check_demangled(demangled_rust, ARRAY_SIZE(demangled_rust));
}

/* Each of these symbols is in the one before it. */
TEST(test_nested)
{
	const u32 nr = 2 * SYM_MAX_NESTED;
	struct symtab tab = { 0 };
	u32 i;

	for (i = 0; i < nr; i++) {
		symtab_add(&tab, 0x1000 + i, 0x2000 - i, "nested", STB_GLOBAL);
		/* One that ends before the next begins is none of them. */
		symtab_add(&tab, 0x1000 + i, 0x1001 + i, "short", STB_LOCAL);
	}
	symtab_finish(&tab, CHOOSE_ELF, NULL, 0);
	assert_int_equal(symtab_find(&tab, 0x1800)->start, 0x1000 + nr - 1);
	for (i = 0; i < nr; i++) {
		struct symbol *sym = symtab_find(&tab, 0x1fff - i);

		/* From the innermost one outwards, as far as a look-up goes. */
		if (i >= nr - SYM_MAX_NESTED)
			assert_int_equal(sym->start, 0x1000 + i);
		else
			assert_null(sym);
	}
	free(tab.syms);
}

/* Symbols that overlap, but do not lie in each other, count as one. */
TEST(test_many_within)
{
	const u32 nr = 4 * SYM_MAX_NESTED;
	struct symtab tab = { 0 };
	u32 i;

	symtab_add(&tab, 0x1000, 0x9000, "around", STB_GLOBAL);
	/* Each ends behind the starts of all others, but before the ends of those behind it. */
	for (i = 0; i < nr; i++)
		symtab_add(&tab, 0x1010 + 8 * i, 0x3010 + 8 * i, "within", STB_GLOBAL);
	symtab_finish(&tab, CHOOSE_ELF, NULL, 0);
	assert_string_equal(symtab_find(&tab, 0x8fff)->name, "around");
	assert_int_equal(symtab_find(&tab, 0x1010 + 8 * nr)->start, 0x1010 + 8 * (nr - 1));
	free(tab.syms);
}

/* Of the symbols that cover an address the one added last is found. */
TEST(test_newest)
{
	enum { NR = 40, SPACE = 100 };
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct { u64 start, end; } added[NR];
	u32 round, i, addr, seed = 1;

	for (round = 0; round < 300; round++) {
		struct symtab tab = { 0 };

		for (i = 0; i < NR; i++) {
			seed = seed * 1103515245 + 12345;
			added[i].start = (seed >> 16) % SPACE;
			added[i].end = added[i].start + 1 + (seed >> 8) % (round % 2 ? 8 : 50);
			symtab_add(&tab, added[i].start, added[i].end, names[i % 8], STB_GLOBAL);
		}
		symtab_finish(&tab, CHOOSE_NEWEST, NULL, 0);
		for (addr = 0; addr < 2 * SPACE; addr++) {
			struct symbol *sym = symtab_find(&tab, addr);

			for (i = NR; i && (addr < added[i - 1].start || addr >= added[i - 1].end); i--)
				;
			assert_true(i ? sym && sym->name == names[(i - 1) % 8] : !sym);
		}
		for (i = 1; i < tab.nr; i++)
			assert_true(tab.syms[i - 1].start < tab.syms[i].start);
		symtab_deinit(&tab);
	}
}

/* Each stub's addend is the stub before it, but for the first one's. */
TEST(test_ifunc_chain)
{
	struct dso_table t = { 0 };
	struct dso_file f = { .table = &t };
	char names[20][16];
	u32 i;

	symtab_add(&f.tab, 0x1000, 0x1010, "choose", STB_GLOBAL);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(names[i], sizeof(names[i]), "*ABS*+0x%x", 0x1000 + 16 * i);
		symtab_add(&f.tab, 0x1010 + 16 * i, 0x1020 + 16 * i, names[i], STB_GLOBAL);
	}
	symtab_finish(&f.tab, CHOOSE_ELF, NULL, 0);
	elf_name_ifuncs(&f);
	assert_string_equal(symtab_find(&f.tab, 0x1010)->name, "choose@plt");
	for (i = 1; i < ARRAY_SIZE(names); i++)
		assert_string_equal(symtab_find(&f.tab, 0x1010 + 16 * i)->name, names[i]);
	free(f.tab.syms);
	arena_deinit(&f.arena);
}

TEST(test_no_demangle)
{
	struct symbol_config cfg = { .no_demangle = true };
	struct dso_table *t = dso_table_create(&cfg);

	assert_string_equal(name_at(load(t, some_syms, ARRAY_SIZE(some_syms)), 0x1304), "_ZN1a1bEv");
	dso_table_destroy(t);
}

TEST(test_extra)
{
	struct dso_table *t = new_table();
	struct dso *d = dso_get(t, "bpf_prog_1", DSO_BPF, NULL, 0, -1);
	const struct symbol *first;
	char name[32];
	u32 i;

	dso_add_symbol(d, 0x1000, 0x1100, "prog");
	first = dso_find_symbol(d, 0x1080);
	assert_string_equal(first->name, "prog");
	/* A name that was returned is valid, whatever is added later. */
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		dso_add_symbol(d, 0x2000 + 0x10 * i, 0x2010 + 0x10 * i, name);
		if (i % 100 == 0)
			dso_find_symbol(d, 0x2000);
	}
	assert_string_equal(first->name, "prog");
	assert_ptr_equal(dso_find_symbol(d, 0x1080), first);
	assert_string_equal(name_at(d, 0x2000 + 0x10 * 999), "p999");
	dso_table_destroy(t);
}

TEST(test_dso_get)
{
	struct dso_table *t = new_table();
	struct dso *a = dso_get(t, "/usr/bin/x", DSO_USER, NULL, 0, 1);

	assert_ptr_equal(a, dso_get(t, "/usr/bin/x", DSO_USER, NULL, 0, 2));
	assert_ptr_not_equal(a, dso_get(t, "/usr/bin/x", DSO_USER, id_a, 20, 1));
	assert_ptr_not_equal(a, dso_get(t, "/usr/bin/y", DSO_USER, NULL, 0, 1));
	assert_string_equal(a->short_name, "x");
	assert_int_equal(dso_get(t, "[vdso]", DSO_USER, NULL, 0, 1)->kind, DSO_VDSO);
	assert_ptr_not_equal(dso_get(t, "//anon", DSO_USER, NULL, 0, 1),
			     dso_get(t, "//anon", DSO_USER, NULL, 0, 2));
	dso_table_destroy(t);
}

/* Our own code: what gcc wrote about it, as debug information and as symbols. */
#if defined(__aarch64__)
#define IP_HERE(ip) asm volatile("1: adr %0, 1b" : "=r"(ip))
#else
#define IP_HERE(ip) asm volatile("1: lea 1b(%%rip), %0" : "=r"(ip))
#endif

static __attribute__((noinline)) u64 line_here(void)
{
	u64 ip;

	IP_HERE(ip);
	return ip;
}
enum { LINE_HERE = __LINE__ - 3 };

static inline __attribute__((always_inline)) u64 inlined_here(void)
{
	u64 ip;

	IP_HERE(ip);
	return ip;
}

static __attribute__((noinline)) u64 outer_here(void)
{
	asm volatile("nop");	/* or the compiler sees one function twice */
	return inlined_here();
}

static u64 own_addr(struct dso *d, u64 ip)
{
	u64 start, end, off;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &off) == 3 && ip >= start &&
		    ip < end) {
			fclose(f);
			return dso_map_ip(d, ip, start, off);
		}
	}
	return 0;
}

TEST(test_lines)
{
	const struct inline_frame *frames = NULL;
	struct dso_table *t = new_table();
	char exe[PATH_MAX] = "", want[64];
	struct dso *d;
	const char *text;
	u64 addr;

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	d = dso_get(t, exe, DSO_USER, NULL, 0, -1);
	addr = own_addr(d, line_here());
	assert_string_equal(name_at(d, addr), "line_here");
	snprintf(want, sizeof(want), "symbol.c:%d", LINE_HERE);
	text = dso_srcline(d, addr, false);
	assert_string_equal(text, want);
	assert_ptr_equal(text, dso_srcline(d, addr, false));
	assert_non_null(strstr(dso_srcline(d, addr, true), "/unit/symbol.c:"));
	assert_int_equal(dso_inlines(d, addr, &frames), 0);
	addr = own_addr(d, outer_here());
	assert_string_equal(name_at(d, addr), "outer_here");
	assert_int_equal(dso_inlines(d, addr, &frames), 1);
	assert_string_equal(frames[0].sym->name, "inlined_here");
	assert_true(frames[0].sym->inlined);
	text = dso_inline_line(d, addr, 0);
	assert_non_null(strstr(text, "symbol.c:"));
	assert_non_null(strstr(dso_inline_line(d, addr, 1), "symbol.c:"));
	assert_string_not_equal(text, dso_inline_line(d, addr, 1));
	assert_null(dso_inline_line(d, addr, 2));
	dso_table_destroy(t);
}

static void *ask_thread(void *arg)
{
	struct dso *d = arg;
	const struct inline_frame *frames;
	u64 addr;

	for (addr = 0; addr < 0x20000; addr += 16) {
		u64 a = dso_map_ip(d, addr, 0, 0);
		const struct symbol *s = dso_find_symbol(d, a);

		if (s && !strlen(s->name))
			return d;
		if (addr % 64 == 0) {
			dso_srcline(d, a, false);
			dso_inlines(d, a, &frames);
			dso_inline_line(d, a, 1);
		}
	}
	return NULL;
}

TEST(test_threads)
{
	struct dso_table *t = new_table();
	char exe[PATH_MAX] = "";
	pthread_t threads[4];
	void *bad;
	struct dso *d;
	u32 i;

	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	d = dso_get(t, exe, DSO_USER, NULL, 0, -1);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_thread, d), 0);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
	dso_table_destroy(t);
}

static int make_dir(void **state __unused)
{
	strcpy(dir, "/tmp/symbols-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state __unused)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

int main(void)
{
	unsetenv("DEBUGINFOD_URLS");
	return unit_run(make_dir, remove_dir);
}

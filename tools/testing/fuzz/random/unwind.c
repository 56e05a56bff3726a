// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz-unwind FILE...: damaged copies of ELF files through what makes unwind tables, in one
 * process built with AddressSanitizer and UndefinedBehaviorSanitizer. TAP. Each
 * file is cut at 2000 places, has bits flipped and words overwritten by a
 * generator with a fixed seed, all over and where it describes its code.
 *
 * FUZZ_SEED and FUZZ_FLIPS search further than the test does.
 *
 * What must hold: no report of the sanitizers (they abort), a table that passes the check
 * or a reason why there is none, and a table no larger than twenty times the file.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "cfi/elf.h"

#define CUTS 2000
#define FLIPS 4000

static u64 seed = 88172645463325252ULL;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static const char *try(int fd, const char *path, const u8 *data, size_t size)
{
	const char *why = NULL, *bad = NULL;
	struct unwind_made made;
	struct unwind_table t;
	u64 off;
	int err;

	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	err = unwind_file(path, &made, &why);
	if (err)
		return why && *why && !made.data ? NULL : "neither a table nor a reason";
	bad = unwind_table_check(made.data, made.size, &t);
	if (!bad && made.size > 20 * size + 4096)
		bad = "a table that is too large for its file";
	for (off = 0; !bad && off < 0x3000; off += 13)
		unwind_table_find(&t, off);
	free(made.data);
	return bad;
}

static const char *cut(int fd, const char *path, const u8 *data, size_t size)
{
	const char *why = NULL;
	size_t n;

	for (n = 0; n < size && !why; n += size / CUTS + 1)
		why = try(fd, path, data, n);
	return why;
}

struct range {
	size_t off, size;
};

/* Where the sections that describe code are, the headers, and all of it. */
static u32 find_ranges(const char *path, size_t size, struct range *r)
{
	int fd = open(path, O_RDONLY);
	Elf_Scn *scn = NULL;
	size_t shstrndx;
	GElf_Shdr sh;
	u32 nr = 0;
	Elf *elf;

	r[nr++] = (struct range){ 0, size };
	r[nr++] = (struct range){ 0, min(size, (size_t)1024) };
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf_getshdrstrndx(elf, &shstrndx))
		abort();
	while ((scn = elf_nextscn(elf, scn)) && nr < 8) {
		const char *name;

		gelf_getshdr(scn, &sh);
		name = elf_strptr(elf, shstrndx, sh.sh_name);
		if (name && (strstr(name, "_frame") || strstr(name, ".sframe")) && sh.sh_size)
			r[nr++] = (struct range){ sh.sh_offset, sh.sh_size };
	}
	elf_end(elf);
	close(fd);
	return nr;
}

static const char *flip(int fd, const char *path, const char *name, const u8 *data, size_t size)
{
	static const u64 words[] = { 0, 1, 7, 8, 0xff, 0xffff, 0x7fffffff, 0xffffffff, -1ULL, -8ULL,
				     1ULL << 63 };
	int flips = getenv("FUZZ_FLIPS") ? atoi(getenv("FUZZ_FLIPS")) : FLIPS, i, j;
	u8 *copy = xmalloc(size);
	const char *why = NULL;
	struct range ranges[8];
	u32 nr = find_ranges(name, size, ranges);

	for (i = 0; i < flips && !why; i++) {
		memcpy(copy, data, size);
		for (j = rnd() % 4; j >= 0; j--) {
			const struct range *r = &ranges[rnd() % nr];
			size_t at = r->off + rnd() % r->size;

			if (rnd() & 1)
				copy[at] ^= 1 << rnd() % 8;
			else if (rnd() & 1)
				copy[at] = rnd();
			else
				memcpy(copy + at, &words[rnd() % ARRAY_SIZE(words)],
				       min(size - at, (size_t)1 << rnd() % 4));
		}
		why = try(fd, path, copy, size);
	}
	free(copy);
	return why;
}

static int tell(int nr, const char *what, const char *file, const char *why)
{
	printf("%sok %d - %s %s%s%s\n", why ? "not " : "", nr, what, file, why ? ": " : "",
	       why ? why : "");
	fflush(stdout);
	return why != NULL;
}

int main(int argc, char **argv)
{
	int fd = memfd_create("fuzz", 0), i, failed = 0;
	char path[64];

	if (getenv("FUZZ_SEED"))
		seed += strtoull(getenv("FUZZ_SEED"), NULL, 0) * 0x9e3779b97f4a7c15ULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	printf("1..%d\n", 2 * (argc - 1));
	for (i = 1; i < argc; i++) {
		const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		int in = open(argv[i], O_RDONLY);
		struct stat st;
		u8 *data;

		if (in < 0 || fstat(in, &st))
			return 1;
		data = xmalloc(st.st_size);
		if (read(in, data, st.st_size) != st.st_size)
			return 1;
		close(in);
		failed |= tell(2 * i - 1, "cut", name, cut(fd, path, data, st.st_size));
		failed |= tell(2 * i, "damaged", name, flip(fd, path, argv[i], data, st.st_size));
		free(data);
	}
	return failed;
}

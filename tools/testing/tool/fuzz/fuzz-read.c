// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz-read PERF.DATA...: damaged copies of recordings through everything that
 * reads, in one process built with AddressSanitizer and UndefinedBehaviorSanitizer.
 * TAP. Each file is cut at every byte (large ones: every byte of their first
 * and last 2 KiB and each STEPth between) and has bits flipped and words
 * overwritten by a generator with a fixed seed.
 *
 * FUZZ_SEED and FUZZ_FLIPS search further than the test does; with FUZZ_SHOW the copy that
 * failed is left in ./fuzz-read.bad.
 *
 * What must hold: no report of the sanitizers (they abort), one line at most, a
 * line and a bad end for each file that was cut, and never fewer records when
 * less is cut off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/dump/dump.h"
#include "cmd/header/header.h"

#define EDGE 1024
#define CUTS 500
#define FLIPS 400
#define SESSIONS 16	/* each so many-eth copy goes through session and dump, too */

static u64 seed = 88172645463325252ULL;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

struct result {
	bool opened, damaged, unequal;
	u64 records;
	unsigned int lines;
};

static void drain(struct outbuf *o)
{
	o->pos = o->base;
}

static struct result read_all(const char *path, struct outbuf *o)
{
	unsigned int lines = diag_errors();
	struct result res = { 0 };
	struct reader *r;
	struct record rec;
	int pass;

	if (!error_report(reader_open(path, true, &r))) {
		res.opened = true;
		for (pass = 0; pass < 2; pass++) {
			u64 n = 0;

			while (reader_next(r, &rec)) {
				struct event *ev = event_list_find(reader_events(r), rec.header);
				struct sample s;

				n++;
				record_time(reader_events(r), rec.header);
				if (ev && rec.header->type == PERF_RECORD_SAMPLE)
					sample_decode(ev, rec.header, rec.offset, &s);
				else if (ev && rec.header->type < REC_HEADER_ATTR)
					sample_id_decode(ev, rec.header, &s);
			}
			if (pass && n != res.records)
				res.unequal = true;
			res.records = n;
			if (reader_rewind(r))
				break;
		}
		header_print(r, true, o);
		res.damaged = reader_damaged(r);
		reader_close(r);
	}
	res.lines = diag_errors() - lines;
	drain(o);
	return res;
}

static void dump_all(const char *path, struct outbuf *o)
{
	struct session_config cfg = {
		.input = path, .force = true, .no_merge_callchains = true, .no_unwind = true,
		.no_progress = true, .symbols = { .symfs = "/nonexistent" },
	};
	struct session *s;

	if (error_report(session_open(&cfg, &s)))
		return;
	dump_run(s, o, NULL, NULL);
	session_close(s);
	drain(o);
}

static void put(int fd, const u8 *data, size_t size)
{
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
}

/* Formats of tracepoints cost a child each time they are read: fewer copies of such files. */
static u32 weight(const u8 *data, size_t size)
{
	return size > 104 && ((data[72] | data[79]) & 1 << FEAT_TRACING_DATA) ? 16 : 1;
}

static const char *cut(int fd, const char *path, const u8 *data, size_t size, struct outbuf *o)
{
	size_t step = size > 2 * EDGE + CUTS ? (size - 2 * EDGE) / CUTS + 1 : 1, n, i = 0;
	u32 heavy = weight(data, size);
	/* A stream that ends between two records may be whole. */
	bool pipe = !memcmp(data + 8, "\x10\0\0\0\0\0\0\0", 8) ||
		    !memcmp(data + 8, "\0\0\0\0\0\0\0\x10", 8);
	u64 before = 0;

	for (n = 0; n < size; n += n < EDGE ? 1 : n + EDGE >= size ? heavy : step * heavy, i++) {
		struct result res;

		put(fd, data, n);
		res = read_all(path, o);
		if (res.lines > 1)
			return "more than one line for a file that was cut";
		if (!pipe && (res.lines != 1 || (res.opened && !res.damaged)))
			return "a file that was cut is taken for whole";
		if (res.unequal)
			return "the second pass saw other records than the first";
		if (res.records < before)
			return "fewer records though less was cut off";
		before = res.records;
		if (i % SESSIONS == 0)
			dump_all(path, o);
	}
	return NULL;
}

static const char *flip(int fd, const char *path, const u8 *data, size_t size, struct outbuf *o)
{
	static const u64 words[] = { 0, 1, 7, 8, 0xffff, 0x7fffffff, 0xffffffff, -1ULL, -8ULL,
				     1ULL << 63 };
	u8 *copy = xmalloc(size);
	const char *why = NULL;

	int flips = getenv("FUZZ_FLIPS") ? atoi(getenv("FUZZ_FLIPS")) : FLIPS, i, j;

	flips /= weight(data, size);
	for (i = 0; i < flips && !why; i++) {
		struct result res;

		memcpy(copy, data, size);
		for (j = rnd() % 4; j >= 0; j--) {
			/* Half of them where counts and sizes are dense: the head. */
			size_t at = rnd() % (rnd() & 1 ? size : min(size, (size_t)1024));

			if (rnd() & 1)
				copy[at] ^= 1 << rnd() % 8;
			else
				memcpy(copy + at, &words[rnd() % ARRAY_SIZE(words)],
				       min(size - at, (size_t)1 << rnd() % 4));
		}
		put(fd, copy, size);
		res = read_all(path, o);
		if (res.lines > 1)
			why = "more than one line for a damaged file";
		if (res.unequal)
			why = "the second pass saw other records than the first";
		if (why && getenv("FUZZ_SHOW")) {
			int keep = open("fuzz-read.bad", O_CREAT | O_TRUNC | O_WRONLY, 0644);

			if (write(keep, copy, size) != (ssize_t)size)
				abort();
			close(keep);
		}
		if (i % SESSIONS == 0)
			dump_all(path, o);
	}
	free(copy);
	return why;
}

static void tell(FILE *out, int nr, const char *what, const char *file, const char *why)
{
	fprintf(out, "%sok %d - %s %s%s%s\n", why ? "not " : "", nr, what, file, why ? ": " : "",
		why ? why : "");
	fflush(out);
}

int main(int argc, char **argv)
{
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	int fd = memfd_create("fuzz", 0), i, failed = 0;
	struct outbuf o;
	char path[64];

	if (getenv("FUZZ_SEED"))
		seed += strtoull(getenv("FUZZ_SEED"), NULL, 0) * 0x9e3779b97f4a7c15ULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fprintf(out, "1..%d\n", 2 * (argc - 1));
	fflush(out);
	outbuf_init(&o, -1);
	for (i = 1; i < argc; i++) {
		const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i], *why;
		int in = open(argv[i], O_RDONLY);
		struct stat st;
		u8 *data;

		if (in < 0 || fstat(in, &st))
			return 1;
		data = xmalloc(st.st_size);
		if (read(in, data, st.st_size) != st.st_size)
			return 1;
		close(in);
		why = cut(fd, path, data, st.st_size, &o);
		failed |= why != NULL;
		tell(out, 2 * i - 1, "cut", name, why);
		why = flip(fd, path, data, st.st_size, &o);
		failed |= why != NULL;
		tell(out, 2 * i, "damaged", name, why);
		free(data);
	}
	outbuf_deinit(&o);
	fclose(out);
	return failed;
}

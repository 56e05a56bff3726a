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
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "cmd/dump/dump.h"
#include "cmd/header/header.h"
#include "random.h"

#define EDGE 1024
#define CUTS 500
#define FLIPS 400
#define SESSIONS 16	/* each so many-eth copy goes through session and dump, too */

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
	int pass;

	if (!error_report(reader_open(path, true, &r))) {
		res.opened = true;
		for (pass = 0; pass < 2; pass++) {
			u64 n = fuzz_decode(r);

			if (pass && n != res.records)
				res.unequal = true;
			res.records = n;
			if (reader_rewind(r))
				break;
		}
		header_print(r, true, o);
		res.damaged = r->damaged;
		reader_close(r);
	}
	res.lines = diag_errors() - lines;
	drain(o);
	return res;
}

static void dump_all(const char *path)
{
	struct session_config cfg = {
		.input = path, .force = true, .no_merge_callchains = true, .no_unwind = true,
		.no_progress = true, .symbols = { .symfs = "/nonexistent" },
	};
	struct outfile out;
	struct session *s;
	int fd;

	if (error_report(session_open(&cfg, &s)))
		return;
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	outfile_init(&out, fd);
	dump_run(s, &out, NULL, NULL);
	outfile_deinit(&out);
	close(fd);
	session_close(s);
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

		fuzz_put(fd, data, n);
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
			dump_all(path);
	}
	return NULL;
}

static const char *flip(int fd, const char *path, const u8 *data, size_t size, struct outbuf *o)
{
	u8 *copy = xmalloc(size);
	const char *why = NULL;
	int flips = fuzz_flips(FLIPS) / weight(data, size), i;

	for (i = 0; i < flips && !why; i++) {
		struct result res;

		memcpy(copy, data, size);
		fuzz_damage(copy, size);
		fuzz_put(fd, copy, size);
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
			dump_all(path);
	}
	free(copy);
	return why;
}

int main(int argc, char **argv)
{
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	int fd = memfd_create("fuzz", 0), i, failed = 0;
	struct outbuf o;
	char path[64];

	fuzz_seed();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fprintf(out, "1..%d\n", 2 * (argc - 1));
	fflush(out);
	outbuf_init(&o);
	for (i = 1; i < argc; i++) {
		const char *why;
		size_t size;
		u8 *data = fuzz_load(argv[i], &size);

		why = cut(fd, path, data, size, &o);
		failed |= why != NULL;
		fuzz_result(out, 2 * i - 1, "cut", argv[i], why);
		why = flip(fd, path, data, size, &o);
		failed |= why != NULL;
		fuzz_result(out, 2 * i, "damaged", argv[i], why);
		free(data);
	}
	outbuf_deinit(&o);
	fclose(out);
	return failed;
}

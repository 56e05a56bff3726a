// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz-inject PERF.DATA...: damaged copies of recordings through perf inject, in one process built
 * with AddressSanitizer and UndefinedBehaviorSanitizer. TAP. Each file is cut at CUTS
 * places and has bits flipped and words overwritten, and is rewritten plainly, compressed, or with
 * its stacks converted, by turns.
 *
 * FUZZ_SEED and FUZZ_FLIPS search further than the test does; with FUZZ_SHOW the copy that
 * failed is left in ./fuzz-inject.bad.
 *
 * What must hold: no report of the sanitizers (they abort), one line for what is damaged; a recording that is
 * read without damage gives one that is, too, with as many samples, and that one is written
 * as it stands by a second run.
 */
#include <sys/mman.h>

#include "base/diag.h"
#include "cmd/cmd.h"
#include "event/sample.h"
#include "perfdata/reader.h"
#include "random.h"

#define CUTS 60
#define FLIPS 200

static char in_path[64], out_path[64], again_path[64];

struct result {
	bool opened, damaged;
	u64 samples;
};

static struct result count(const char *path)
{
	struct result res = { 0 };
	struct reader *r;
	struct record rec;

	if (error_report(reader_open(path, true, &r)))
		return res;
	res.opened = true;
	while (reader_next(r, &rec)) {
		struct event *ev = event_list_find(&r->events, rec.header);
		struct sample s;

		if (rec.header->type != PERF_RECORD_SAMPLE)
			continue;
		/* What the session leaves out inject does not write. */
		if (!ev || sample_decode(ev, rec.header, rec.offset, &s))
			res.damaged = true;
		else
			res.samples++;
	}
	res.damaged |= r->damaged;
	reader_close(r);
	return res;
}

static int inject(const char *in, const char *out, const char *option)
{
	char *argv[] = { "inject", "-f", "--symfs", "/nonexistent", "-i", (char *)in, "-o", (char *)out,
			 (char *)option, NULL };

	return cmd_inject(option ? 9 : 8, argv);
}

static bool equal(const char *a, const char *b)
{
	size_t n, m;
	u8 *x = fuzz_load(a, &n), *y = fuzz_load(b, &m);
	bool same = n == m && !memcmp(x, y, n);

	free(x);
	free(y);
	return same;
}

/* Return: what is wrong, or NULL. */
static const char *check(u32 turn)
{
	static const char *const options[] = { NULL, NULL, "-z", "--convert-callchain" };
	const char *option = options[turn % ARRAY_SIZE(options)];
	unsigned int lines = diag_errors();
	struct result before, after;
	int status = inject(in_path, out_path, option);

	/* Of one that has no stacks a second line says so. */
	if (diag_errors() - lines > (option && strstr(option, "convert") ? 2 : 1))
		return "more than one line";
	if (status && diag_errors() == lines)
		return "a bad end without a line";
	if (status)
		return NULL;
	before = count(in_path);
	after = count(out_path);
	if (!after.opened || after.damaged)
		return "what was written is damaged";
	if (after.samples != before.samples)
		return "samples are missing";
	if (inject(out_path, again_path, NULL))
		return "what was written cannot be rewritten";
	if (!option && !equal(out_path, again_path))
		return "a second run changes it";
	return NULL;
}

static const char *show(const char *why, const u8 *data, size_t size)
{
	int keep;

	if (!why || !getenv("FUZZ_SHOW"))
		return why;
	keep = open("fuzz-inject.bad", O_CREAT | O_TRUNC | O_WRONLY, 0644);
	fuzz_put(keep, data, size);
	close(keep);
	return why;
}

static const char *cut(int fd, const u8 *data, size_t size)
{
	const char *why = NULL;
	u32 i;

	for (i = 0; i <= CUTS && !why; i++) {
		size_t n = (u64)size * i / CUTS;

		fuzz_put(fd, data, n);
		why = show(check(i), data, n);
	}
	/* The last one was whole. */
	return why || !inject(in_path, out_path, NULL) ? why : "a good recording is refused";
}

static const char *flip(int fd, const u8 *data, size_t size)
{
	u8 *copy = xmalloc(size);
	const char *why = NULL;
	int flips = fuzz_flips(FLIPS), i;

	for (i = 0; i < flips && !why; i++) {
		memcpy(copy, data, size);
		fuzz_damage(copy, size);
		fuzz_put(fd, copy, size);
		why = show(check(i), copy, size);
	}
	free(copy);
	return why;
}

static int memory_file(char *path, size_t size)
{
	int fd = memfd_create("fuzz", 0);

	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

int main(int argc, char **argv)
{
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	int fd = memory_file(in_path, sizeof(in_path)), i, failed = 0;
	char dir[] = "/tmp/fuzz-inject-XXXXXX";

	if (!mkdtemp(dir))
		return 1;
	snprintf(out_path, sizeof(out_path), "%s/out", dir);
	snprintf(again_path, sizeof(again_path), "%s/again", dir);
	fuzz_seed();
	fprintf(out, "1..%d\n", 2 * (argc - 1));
	fflush(out);
	for (i = 1; i < argc; i++) {
		const char *why;
		size_t size;
		u8 *data = fuzz_load(argv[i], &size);

		why = cut(fd, data, size);
		failed |= why != NULL;
		fuzz_result(out, 2 * i - 1, "cut", argv[i], why);
		why = flip(fd, data, size);
		failed |= why != NULL;
		fuzz_result(out, 2 * i, "damaged", argv[i], why);
		free(data);
	}
	unlink(out_path);
	unlink(again_path);
	rmdir(dir);
	fclose(out);
	return failed;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * damage STRIDE FILE...: each recording systematically damaged, through script, report, -D and
 * inject. TAP, two results a recording:
 *
 * cut      It ends at each boundary of records, and at 200 other places.
 * fields   Each 8 bytes of its header, of its attributes and of its first 200 records become
 *          0, 1, -1, 2^31 and 2^63 in turn.
 *
 * Of all cases each STRIDEth is tried. What must hold: no command crashes, ends the process, or
 * takes more than 5 s of processor time; memory is within twice the file and 64 MB
 * (Documentation/design/memory.rst; not with the sanitizers, which need their own); and of a
 * recording that was cut the status is not 0. Only a stream that ends between two records may be whole.
 *
 * Each set of cases runs in a child, which notes in shared memory what it tries.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "input.h"

#define CUTS 200
#define RECORDS 200
#define SECONDS 5
#define HEADER_WORDS 13
#define MAX_BOUNDARIES (1 << 16)

struct note {
	char what[256];
	u64 cases;
};

static struct note *note;
static unsigned long stride;

static const char *const lines[] = {
	"script -f --symfs DIR -i IN", "report -f --stdio -j 1 --symfs DIR -i IN",
	"report -f -D --symfs DIR -i IN", "inject -f --symfs DIR -i IN -o OUT",
};

/* The child ends with this when what must hold does not. */
static void __attribute__((noreturn)) wrong(const char *why)
{
	size_t len = strlen(note->what);

	snprintf(note->what + len, sizeof(note->what) - len, ": %s", why);
	_exit(77);
}

static void check_memory(size_t size)
{
#ifndef __SANITIZE_ADDRESS__
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	if ((u64)ru.ru_maxrss * 1024 > 2 * size + (64 << 20))
		wrong("too much memory");
#endif
}

/* @data through all commands. @lost: each must say so by its status. */
static void try(const u8 *data, size_t size, bool lost, const char *how, u64 at, u64 value)
{
	/* Processor time: the machine may be busy. What waits for ever is ended, too. */
	static const struct itimerval limit = { .it_value.tv_sec = SECONDS };
	size_t i;

	if (note->cases++ % stride)
		return;
	fuzz_put_input(data, size);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		int status;

		snprintf(note->what, sizeof(note->what), "%s at %#llx (%#llx), %s", how, at, value, lines[i]);
		setitimer(ITIMER_PROF, &limit, NULL);
		alarm(100 * SECONDS);
		status = fuzz_line(lines[i]);
		if (lost && !status)
			wrong("status 0 though data are lost");
		if (status != 0 && status != 1)
			wrong("a status other than 0 and 1");
	}
	check_memory(size);
}

static size_t find_boundaries(const u8 *data, const struct fuzz_frame *f, size_t *at)
{
	size_t nr = 0, pos = f->start, len;

	while (nr < MAX_BOUNDARIES && (len = fuzz_record_size(data, f, pos))) {
		at[nr++] = pos;
		pos += len;
	}
	return nr;
}

static void cut(const u8 *data, size_t size)
{
	static size_t at[MAX_BOUNDARIES];
	struct fuzz_frame f;
	size_t nr, i;

	if (!fuzz_frame(data, size, &f))
		wrong("no recording");
	nr = find_boundaries(data, &f, at);
	for (i = 0; i < nr; i++)
		try(data, at[i], !f.pipe, "cut between records", at[i], size);
	for (i = 0; i < CUTS; i++) {
		size_t n = size * i / CUTS + i % 7, k = 0;

		while (k < nr && at[k] != n)
			k++;
		if (n < size)
			try(data, n, !f.pipe || (n != f.start && k == nr), "cut", n, size);
	}
}

static void set_field(u8 *data, size_t size, size_t at, bool swap)
{
	static const u64 values[] = { 0, 1, -1ULL, 1ULL << 31, 1ULL << 63 };
	u64 before, v;
	size_t i;

	memcpy(&before, data + at, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		v = swap ? __builtin_bswap64(values[i]) : values[i];
		memcpy(data + at, &v, sizeof(v));
		try(data, size, false, "field", at, values[i]);
	}
	memcpy(data + at, &before, sizeof(before));
}

/* Everything up to record number RECORDS: in a file attributes stand in front of the records. */
static void fields(const u8 *data, size_t size)
{
	u8 *copy = xmalloc(size);
	size_t at = 0, end, len, nr;
	struct fuzz_frame f;

	if (!fuzz_frame(data, size, &f))
		wrong("no recording");
	for (nr = 0, end = f.start; nr < RECORDS && (len = fuzz_record_size(data, &f, end)); nr++)
		end += len;
	memcpy(copy, data, size);
	for (; at + 8 <= end; at += 8)
		set_field(copy, size, at, f.swap);
	free(copy);
}

static const char *run(void (*damage)(const u8 *data, size_t size), const u8 *data, size_t size)
{
	int status;
	pid_t pid;

	note->cases = 0;
	note->what[0] = 0;
	pid = fork();
	if (!pid) {
		damage(data, size);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		return "waitpid";
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	if (WIFSIGNALED(status))
		fprintf(stderr, "signal %d: %s\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 77)
		fprintf(stderr, "ended with status %d\n", WEXITSTATUS(status));
	return note->what;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*damage)(const u8 *data, size_t size); } kinds[] = {
		{ "cut", cut }, { "fields", fields },
	};
	int i, nr = 0, failed = 0;
	FILE *out;
	size_t k;

	stride = argc > 2 ? strtoul(argv[1], NULL, 0) : 0;
	if (!stride) {
		fprintf(stderr, "usage: damage STRIDE FILE...\n");
		return 1;
	}
	note = mmap(NULL, sizeof(*note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (note == MAP_FAILED)
		return 1;
	out = fdopen(fuzz_begin(), "w");
	fprintf(out, "1..%zu\n", ARRAY_SIZE(kinds) * (argc - 2));
	for (i = 2; i < argc; i++) {
		size_t size;
		u8 *data = fuzz_load(argv[i], &size);

		for (k = 0; k < ARRAY_SIZE(kinds); k++) {
			const char *slash = strrchr(argv[i], '/'), *why;

			fflush(out);
			why = run(kinds[k].damage, data, size);
			fprintf(out, "%sok %d - %s, %s: %llu cases%s%s\n", why ? "not " : "", ++nr,
				slash ? slash + 1 : argv[i], kinds[k].name,
				(note->cases + stride - 1) / stride, why ? ": " : "", why ? why : "");
			failed |= why != NULL;
		}
		free(data);
	}
	fclose(out);
	fuzz_end();
	return failed;
}

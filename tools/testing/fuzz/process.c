// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of the tool within one process: their files, their environment, their command lines.
 * Owns a folder with the files of the current input, removed by fuzz_end().
 *
 * Nothing of the user is read: there are no settings, no cache of build-ids, no servers.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/outbuf.h"
#include "cmd/cmd.h"
#include "fuzz.h"

#define MAX_WORDS 32

static char dir[64], golden[4096];
static const char *const folders[] = { "g" };
static const char *const files[] = { "in", "out", "g/deepsys", "g/second", "m.ko.gz", "m.ko.xz", "m.ko.zst",
				     "jit-10.dump" };

const char *fuzz_path(const char *name)
{
	/* Several may be in use at a time. */
	static char paths[4][128];
	static unsigned int nr;
	char *path = paths[nr++ % ARRAY_SIZE(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

void fuzz_write(const char *path, const u8 *data, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

void fuzz_put_file(const char *name, const u8 *data, size_t size)
{
	fuzz_write(fuzz_path(name), data, size);
}

/* A pipe, as a file on standard input is read by its contents; what is more than a pipe holds is cut off. */
static void put_stdin(const u8 *data, size_t size)
{
	int fds[2];

	if (pipe2(fds, O_NONBLOCK) || dup2(fds[0], STDIN_FILENO) < 0)
		abort();
	fcntl(fds[1], F_SETPIPE_SZ, 1 << 20);
	if (write(fds[1], data, size) < 0 && size)
		abort();
	close(fds[0]);
	close(fds[1]);
}

void fuzz_put_input(const u8 *data, size_t size)
{
	fuzz_put_file("in", data, size);
	put_stdin(data, size);
}

static void replace(struct outbuf *o, const char *word)
{
	static const struct { const char *name, *dir, *file; } names[] = {
		{ "IN", dir, "/in" }, { "OUT", dir, "/out" }, { "DIR", dir, "" }, { "GOLDEN", golden, "" },
	};
	const char *value = strchr(word, '=');
	size_t i;

	/* --option=IN */
	if (value) {
		outbuf_write(o, word, value + 1 - word);
		word = value + 1;
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i].name);

		if (strncmp(word, names[i].name, len) || (word[len] && word[len] != '/'))
			continue;
		outbuf_puts(o, names[i].dir);
		outbuf_puts(o, names[i].file);
		word += len;
		break;
	}
	outbuf_puts(o, word);
}

int fuzz_line(const char *line)
{
	char *words = xstrdup(line), *next = words, *word, *argv[MAX_WORDS + 1], *kept[MAX_WORDS];
	int (*run)(int argc, char **argv);
	int argc = 0, i, status;

	while ((word = strsep(&next, " ")) && argc < MAX_WORDS) {
		struct outbuf o;

		outbuf_init(&o);
		replace(&o, word);
		argv[argc] = xstrdup(outbuf_text(&o));
		/* The command changes the order of its words. */
		kept[argc] = argv[argc];
		argc++;
		outbuf_deinit(&o);
	}
	argv[argc] = NULL;
	run = command_find(argv[0]);
	if (!run)
		abort();
	status = run(argc, argv);
	verbose = 0;
	for (i = 0; i < argc; i++)
		free(kept[i]);
	free(words);
	return status;
}

int fuzz_begin(void)
{
	int before = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
	const char *from = getenv("FUZZ_GOLDEN");
	size_t i;

	if (!realpath(from ? from : "tools/testing/golden/c", golden)) {
		fprintf(stderr, "FUZZ_GOLDEN: there are no golden recordings\n");
		exit(1);
	}
	snprintf(dir, sizeof(dir), "%s/perf-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir) || null < 0 || dup2(null, STDOUT_FILENO) < 0)
		exit(1);
	close(null);
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		mkdir(fuzz_path(folders[i]), 0700);
	setenv("DEBUGINFOD_URLS", "", 1);
	setenv("PERF_CONFIG", "/dev/null", 1);
	setenv("PERF_BUILDID_DIR", fuzz_path("none"), 1);
	setenv("HOME", fuzz_path("none"), 1);
	setenv("PERF_PAGER", "cat", 1);
	return before;
}

void fuzz_end(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		unlink(fuzz_path(files[i]));
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		rmdir(fuzz_path(folders[i]));
	rmdir(dir);
}

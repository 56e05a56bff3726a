// SPDX-License-Identifier: GPL-2.0
/*
 * perf archive: the files that a recording needs, packed for another machine by tar, after missing
 * ones were added to perf's cache, if they are still the recorded ones.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/argparse.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/io.h"
#include "base/outbuf.h"
#include "cmd/buildid/buildid.h"
#include "cmd/cmd.h"
#include "symbol/kallsyms.h"

static int run_tar(char *const *argv)
{
	const struct child c = { .program = "tar", .argv = argv, .out = STDERR_FILENO, .err = STDERR_FILENO, .what = "tar" };
	int status = child_run(&c);

	if (status == -EINTR)
		return 130;
	if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		return -diag_error("tar can't be run: apt-get install tar bzip2");
	return WEXITSTATUS(status) ? 1 : 0;
}

/* Add a recorded file to the cache. Return: true if the cache has it. */
static bool provide(const struct buildid_cache *c, const struct recorded_file *f)
{
	char hex[BUILDID_HEX];

	if (buildid_cache_has_any(c, f->hex))
		return true;
	if (f->path[0] == '[')
		return !strncmp(f->path, "[kernel", 7) && kernel_hex(hex) && !strcmp(hex, f->hex) && !kallsyms_keep(c, hex);
	return file_hex(f->path, hex) && !strcmp(hex, f->hex) && !buildid_cache_add(c, f->path, f->path, hex, "elf");
}

/* List the names to pack, each with a NUL, for tar --null -T. Return: the missing files. */
static u32 list_names(const struct buildid_cache *c, const struct recorded_files *files, struct outbuf *names)
{
	u32 i, lacking = 0;

	for (i = 0; i < files->nr; i++) {
		const struct recorded_file *f = &files->v[i];
		_cleanup_free_ char *target = NULL;
		u32 k;

		target = f->hex[0] && provide(c, f) ? buildid_cache_target(c, f->hex) : NULL;
		if (!target) {
			diag_warn("%s %s: it is neither in %s nor at its path: not packed", f->hex, f->path, c->dir);
			lacking++;
			continue;
		}
		outbuf_printf(names, ".build-id/%.2s/%s", f->hex, f->hex + 2);
		outbuf_putc(names, '\0');
		for (k = 0; k < ARRAY_SIZE(archive_files); k++) {
			if (!buildid_cache_has(c, f->hex, archive_files[k]))
				continue;
			outbuf_printf(names, "%s/%s", target, archive_files[k]);
			outbuf_putc(names, '\0');
		}
	}
	return lacking;
}

/* Create an unnamed file with the content of @o. Return: a descriptor or -1. */
static int unnamed_file(const struct outbuf *o)
{
	FILE *f = tmpfile();
	int fd = f ? dup(fileno(f)) : -1;

	if (f)
		fclose(f);
	if (fd >= 0 && pwrite_all(fd, o->base, outbuf_len(o), 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int pack(const char *recording, const char *archive, const struct buildid_cache *c, const struct outbuf *names, bool all)
{
	_cleanup_close_ int fd = unnamed_file(names);
	_cleanup_free_ char *list = NULL, *real = NULL, *dir = NULL;
	char *name = NULL;

	if (fd < 0 || asprintf(&list, "/proc/%d/fd/%d", getpid(), fd) < 0)
		return -diag_error("no temporary file can be made: %s", strerror(errno));
	if (all) {
		real = realpath(recording, NULL);
		if (!real)
			return -diag_error("%s: %s", recording, strerror(errno));
		name = strrchr(real, '/');
		dir = xstrndup(real, name == real ? 1 : name - real);
	}
	/* "HOST:FILE" is a file; files with two names are whole. */
	if (!run_tar((char *const []){
		    "tar", "--auto-compress", "--force-local", "--hard-dereference", "-cf",
		    (char *)archive, "-C", c->dir, "--null", "-T", list, all ? "-C" : NULL,
		    dir, "--", all ? name + 1 : NULL, NULL }))
		return 0;
	unlink(archive);
	return -diag_error("%s: it was not written", archive);
}

static int make_archive(const char *recording, bool all, bool force)
{
	_cleanup_free_ char *archive = NULL;
	struct recorded_files files;
	struct buildid_cache c;
	_cleanup_outbuf_ struct outbuf names = { 0 };
	u32 lacking;
	int status = recorded_files(recording, force, true, &files), err;

	err = buildid_cache_open(&c, NULL, true);
	if (err)
		cache_failed(&c, err);
	if (err || !files.nr) {
		if (!err && !status)
			diag_error("%s: no sample is in a file with a build-id: nothing to pack", recording);
		buildid_cache_close(&c);
		recorded_files_free(&files);
		return 1;
	}
	lacking = list_names(&c, &files, &names);
	if (asprintf(&archive, "%s.tar.bz2", recording) < 0)
		diag_fatal("out of memory");
	err = pack(recording, archive, &c, &names, all);
	if (err)
		status = err;
	if (!access(archive, R_OK) && status != 130) {
		printf("%s has the files of %u build-ids%s. Unpack it where 'perf report' is to be run:\n\n"
		       "$ perf archive --unpack %s\n", archive, files.nr - lacking,
		       all ? ", and the recording" : "", archive);
	}
	buildid_cache_close(&c);
	recorded_files_free(&files);
	return status;
}

int cmd_archive(int argc, char **argv)
{
	bool all = false, undo = false, force = false;
	const char *input = NULL;
	int at;
	const struct opt opts[] = {
		{ OPT_BOOL, 0, "all", &all, .help = "pack the recording, too" },
		{ OPT_BOOL, 0, "unpack", &undo, .help = "unpack an archive (perf.data.tar.bz2) into perf's cache" },
		{ OPT_STRING, 'i', "input", &input, "file", .help = "the recording (perf.data)" },
		{ OPT_BOOL, 'f', "force", &force, .help = "read a recording of another user" },
		{ .kind = OPT_END },
	};

	if (error_report(argparse(argc, argv, opts, "perf archive [<options>] [<recording>]", false, &at)))
		return 129;
	if (argc > at + 1) {
		diag_error("'%s': one file at a time", argv[at + 1]);
		return 129;
	}
	if (at < argc)
		input = argv[at];
	if (undo)
		return archive_unpack(input ?: "perf.data.tar.bz2");
	return make_archive(input ?: "perf.data", all, force);
}

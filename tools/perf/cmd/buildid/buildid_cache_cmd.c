// SPDX-License-Identifier: GPL-2.0
/*
 * perf buildid-cache: adds files to perf's cache, removes and lists them. It is given lists of
 * files and handles them one by one; if one fails, the others are still processed.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/argparse.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/buildid/buildid.h"
#include "cmd/cmd.h"
#include "cmd/values.h"

struct cache_options {
	const char *add, *remove, *purge, *update, *missing;	/* files, separated by commas */
	bool purge_all, list, force;
};

/* The path of a file, as in the kernel's records of its mappings. */
static char *real_path(const char *file)
{
	char *real = realpath(file, NULL);

	return real ?: xstrdup(file);
}

static int add_by(const struct buildid_cache *c, const char *file,
		  int (*put)(const struct buildid_cache *, const char *, const char *, const char *, const char *))
{
	_cleanup_free_ char *path = real_path(file);
	char hex[BUILDID_HEX];
	int err;

	if (!file_hex(file, hex))
		return -diag_error("%s: %s: it is not added", file, access(file, R_OK) ? strerror(errno) : "no ELF file with a build-id");
	err = put(c, file, path, hex, "elf");
	if (err && err != -EEXIST)
		return -diag_error("%s: it can't be added to %s: %s", file, c->dir, strerror(-err));
	diag_info(1, "%s %s: %s", hex, path, err ? "it was there" : "added");
	return 0;
}

static int add(const struct buildid_cache *c, const char *file)
{
	return add_by(c, file, buildid_cache_add);
}

static int update(const struct buildid_cache *c, const char *file)
{
	return add_by(c, file, buildid_cache_put);
}

static int remove_file(const struct buildid_cache *c, const char *file)
{
	char hex[BUILDID_HEX];
	int err;

	if (buildid_is_hex(file)) {
		snprintf(hex, sizeof(hex), "%s", file);
	} else if (!file_hex(file, hex)) {
		return -diag_error("%s: %s: -p removes all that had this path", file,
				   access(file, R_OK) ? strerror(errno) : "no ELF file with a build-id");
	}
	err = buildid_cache_remove(c, hex);
	if (err)
		return -diag_error("%s: build-id %s in %s: %s", file, hex, c->dir, err == -ENOENT ? "it is not there" : strerror(-err));
	diag_info(1, "%s %s: removed", hex, file);
	return 0;
}

/* Remove all builds of a file; @file NULL: remove everything. */
static int purge(const struct buildid_cache *c, const char *file)
{
	_cleanup_free_ char *path = file ? real_path(file) : NULL;
	struct buildid_list list;
	int err = buildid_cache_list(c, &list), status = 0;
	u32 i, nr = 0;

	if (err)
		return -diag_error("%s: %s", c->dir, strerror(-err));
	for (i = 0; i < list.nr; i++) {
		const struct buildid_entry *e = &list.v[i];

		if (file && strcmp(e->path, path) && strcmp(e->path, file))
			continue;
		nr++;
		err = buildid_cache_remove(c, e->hex);
		if (err) {
			diag_error("%s %s in %s: %s", e->hex, e->path, c->dir, strerror(-err));
			status = 1;
		} else {
			diag_info(1, "%s %s: removed", e->hex, e->path);
		}
	}
	buildid_list_free(&list);
	if (file && !nr)
		return -diag_error("%s: no build of it is in %s", file, c->dir);
	return status;
}

/* List the files of a recording that are not in the cache. */
static int missing(const struct buildid_cache *c, const char *recording, bool force)
{
	struct recorded_files files;
	int status = recorded_files(recording, force, false, &files);
	u32 i;

	for (i = 0; i < files.nr; i++) {
		const struct recorded_file *f = &files.v[i];

		if (f->hex[0] && !buildid_cache_has_any(c, f->hex))
			put_buildid(f->hex, f->path);
	}
	recorded_files_free(&files);
	return status;
}

static int list(const struct buildid_cache *c)
{
	struct buildid_list l;
	int err = buildid_cache_list(c, &l);
	u64 all = 0;
	u32 i;

	if (err)
		return -diag_error("%s: %s", c->dir, strerror(-err));
	for (i = 0; i < l.nr; i++) {
		put_buildid(l.v[i].hex, l.v[i].path);
		all += l.v[i].bytes;
	}
	diag_info(1, "%s: %u build-ids, %.1f MB", c->dir, l.nr, all / 1e6);
	buildid_list_free(&l);
	return 0;
}

static int each(const struct buildid_cache *c, const char *files, int (*fn)(const struct buildid_cache *c, const char *file))
{
	_cleanup_free_ char *copy = files ? xstrdup(files) : NULL;
	char *file, *rest = copy;
	int status = 0;

	while (rest && (file = strsep(&rest, ",")))
		if (*file)
			status |= fn(c, file);
	return status;
}

static int run(const struct cache_options *o, const struct buildid_cache *c)
{
	int status = 0;

	if (o->purge_all)
		status |= purge(c, NULL);
	status |= each(c, o->remove, remove_file);
	status |= each(c, o->purge, purge);
	status |= each(c, o->add, add);
	status |= each(c, o->update, update);
	if (o->list)
		status |= list(c);
	if (o->missing)
		status |= missing(c, o->missing, o->force);
	return status;
}

int cmd_buildid_cache(int argc, char **argv)
{
	struct cache_options o = { 0 };
	struct buildid_cache c;
	int at, err, status;
	const struct opt opts[] = {
		{ OPT_STRING, 'a', "add", &o.add, "file list", .help = "add files" },
		{ OPT_STRING, 'r', "remove", &o.remove, "file list", .help = "remove files, or build-ids" },
		{ OPT_STRING, 'p', "purge", &o.purge, "file list", .help = "remove every build of files" },
		{ OPT_BOOL, 'P', "purge-all", &o.purge_all, .help = "remove everything" },
		{ OPT_STRING, 'u', "update", &o.update, "file list", .help = "add files, again if they are there" },
		{ OPT_STRING, 'M', "missing", &o.missing, "recording", .help = "list its files that are not in the cache" },
		{ OPT_BOOL, 'l', "list", &o.list, .help = "list what is there: build-id and path" },
		{ OPT_BOOL, 'f', "force", &o.force, .help = "read a recording of another user" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "say what is done" },
		LEFT_OUT_ARG('k', "kcore", "file", "the kernel's code is not kept; perf record keeps its symbols"),
		LEFT_OUT_ARG(0, "target-ns", "pid", "perf record keeps files of containers; -a /proc/PID/root/FILE adds one"),
		LEFT_OUT_ARG(0, "debuginfod", "urls", "set DEBUGINFOD_URLS for perf report"),
		{ .kind = OPT_END },
	};

	if (error_report(argparse(argc, argv, opts, "perf buildid-cache [<options>]", false, &at)))
		return 129;
	if (at < argc) {
		diag_error("'%s': say what to do with it: -a, -r, -p, -u, -M", argv[at]);
		return 129;
	}
	if (!(o.purge_all || o.remove || o.purge || o.add || o.update || o.list || o.missing)) {
		diag_error("nothing to do: -l lists, -a adds, -r and -p remove, -M says what a recording lacks");
		return 129;
	}
	err = buildid_cache_open(&c, NULL, o.add || o.update);
	/* An empty cache. */
	if (err == -ENOENT && c.dir && !o.remove && !o.purge)
		status = o.missing ? missing(&c, o.missing, o.force) : 0;
	else
		status = err ? cache_failed(&c, err) : run(&o, &c);
	buildid_cache_close(&c);
	return status;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf buildid-list, buildid-cache, archive: which files a recording needs, and where they are kept.
 */
#ifndef PERF_CMD_BUILDID_BUILDID_H
#define PERF_CMD_BUILDID_BUILDID_H

#include "buildid/buildid_cache.h"
#include "session/session.h"

/* A file that a recording names. */
struct recorded_file {
	char hex[BUILDID_HEX];		/* its build-id; "": none is known */
	char *path;			/* as the recording has it */
};

struct recorded_files {
	struct recorded_file *v;
	u32 nr, cap;
};

/**
 * recorded_files() - the files of a recording
 * @input: its path; NULL: perf.data, or standard input if that is a pipe
 * @force: it may be another user's
 * @with_hits: those with samples alone; so it is, too, where the recording has no table of build-ids
 * @files: filled; recorded_files_free() it
 *
 * Return: 0, or an exit status after a message; what was readable is in @files.
 */
int recorded_files(const char *input, bool force, bool with_hits, struct recorded_files *files);
void recorded_files_free(struct recorded_files *files);

/* cache_failed - say why buildid_cache_open() failed, by its @err; returns 1 */
int cache_failed(const struct buildid_cache *c, int err);

/**
 * file_hex() - the build-id of an ELF file
 * @path: the file
 * @hex: set to it
 *
 * Return: false: it has none, or is no ELF file.
 */
bool file_hex(const char *path, char hex[BUILDID_HEX]);

/* kernel_hex - that of the running kernel; false: it has none */
bool kernel_hex(char hex[BUILDID_HEX]);

#endif /* PERF_CMD_BUILDID_BUILDID_H */

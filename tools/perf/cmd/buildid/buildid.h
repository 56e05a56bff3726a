/* SPDX-License-Identifier: GPL-2.0 */
/* perf buildid-list, buildid-cache, archive: the files that a recording needs, and their cache. */
#ifndef PERF_CMD_BUILDID_BUILDID_H
#define PERF_CMD_BUILDID_BUILDID_H

#include "buildid/buildid_cache.h"
#include "session/session.h"

/* A file that a recording names. */
struct recorded_file {
	char hex[BUILDID_HEX];		/* its build-id; "": unknown */
	char *path;			/* path in the recording */
};

struct recorded_files {
	struct recorded_file *v;
	u32 nr, cap;
};

/*
 * recorded_files - set @files to those of a recording, to be freed; @input: NULL: perf.data, or
 * standard input if that is a pipe; @force: of anybody; @with_hits: only those with samples, as
 * always without a table. Return: 0, or an exit status, with the files of the readable part.
 */
int recorded_files(const char *input, bool force, bool with_hits, struct recorded_files *files);
void recorded_files_free(struct recorded_files *files);

/* cache_failed - print the error @err of buildid_cache_open(); returns 1 */
int cache_failed(const struct buildid_cache *c, int err);

/* file_hex - set @hex to an ELF file's build-id; false: it has none, or is no ELF file */
bool file_hex(const char *path, char hex[BUILDID_HEX]);

/* put_buildid - print the line "BUILD-ID PATH" of a file that anybody may have named */
void put_buildid(const char *hex, const char *path);

/* kernel_hex - the build-id of the running kernel; false: it has none */
bool kernel_hex(char hex[BUILDID_HEX]);

/* The names of files that are in an archive, beside the recording. */
#define NR_ARCHIVE_FILES 4
extern const char *const archive_files[NR_ARCHIVE_FILES];

/*
 * archive_unpack - add the files of an archive, which may be anybody's, to the cache, which keeps
 * those it has. The recording in it goes into the current folder. Return: the exit status.
 */
int archive_unpack(const char *path);

#endif /* PERF_CMD_BUILDID_BUILDID_H */

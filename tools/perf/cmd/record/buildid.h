/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the BUILD_ID section of a file.
 */
#ifndef PERF_CMD_RECORD_BUILDID_H
#define PERF_CMD_RECORD_BUILDID_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "event/abi.h"
#include "synth/synth.h"

struct build_ids {
	struct hash noted;		/* names of the files that were noted */
	struct outbuf out;		/* their entries */
	struct id_reader reader;
};

void build_ids_init(struct build_ids *b);

/**
 * build_ids_note() - note the file of a map record
 * @b: the table
 * @h: any record; others than map records are ignored
 */
void build_ids_note(struct build_ids *b, const struct perf_event_header *h);

/* build_ids_known - the file @name, of @len bytes, has a build-id elsewhere: it is not noted */
void build_ids_known(struct build_ids *b, const char *name, size_t len);

/**
 * build_ids_keep() - leave out files that are not named
 * @b: the table
 * @names: hash_bytes() of the names
 */
void build_ids_keep(struct build_ids *b, const struct hash *names);

/**
 * build_ids_keep_hit() - leave out files without samples
 * @b: the table
 * @path: the recording, with all its samples
 *
 * When the recording cannot be read all files are kept.
 */
void build_ids_keep_hit(struct build_ids *b, const char *path);

/**
 * build_ids_find() - look for the build-ids that records do not have
 * @b: the table, with the files that are wanted; those without a build-id are left out
 *
 * Files are looked at here only, after the last record.
 */
void build_ids_find(struct build_ids *b);

void build_ids_deinit(struct build_ids *b);

#endif /* PERF_CMD_RECORD_BUILDID_H */

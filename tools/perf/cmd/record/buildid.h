/* SPDX-License-Identifier: GPL-2.0 */
/* The BUILD_ID section of a file. */
#ifndef PERF_CMD_RECORD_BUILDID_H
#define PERF_CMD_RECORD_BUILDID_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "event/abi.h"
#include "synth/synth.h"

struct build_ids {
	struct hash noted;		/* names of the files already in the table */
	struct outbuf out;		/* BUILD_ID entries */
	struct host *host;		/* opens the files */
};

void build_ids_init(struct build_ids *b, struct host *host);
/* build_ids_note - add the file of a map record; @h: any record */
void build_ids_note(struct build_ids *b, const struct perf_event_header *h);
/* build_ids_known - do not add the file @name (@len bytes): its build-id is stored elsewhere */
void build_ids_known(struct build_ids *b, const char *name, size_t len);
/* build_ids_keep - remove all files but those of @names: hash_bytes() of their names */
void build_ids_keep(struct build_ids *b, const struct hash *names);
/* build_ids_keep_hit - remove files without samples in the recording @path, if that can be read */
void build_ids_keep_hit(struct build_ids *b, const char *path);
/* build_ids_find - after the last record: read missing build-ids; files without are removed */
void build_ids_find(struct build_ids *b);
void build_ids_deinit(struct build_ids *b);

#endif /* PERF_CMD_RECORD_BUILDID_H */

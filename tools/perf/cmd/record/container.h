/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: programs and libraries of containers. No path leads to such a file from here, or
 * it leads to another file, so perf's cache of build-ids gets copies of those with samples.
 */
#ifndef PERF_CMD_RECORD_CONTAINER_H
#define PERF_CMD_RECORD_CONTAINER_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "event/abi.h"

struct held_file;

struct container_files {
	bool enabled;
	struct hash processes;		/* pid -> enum process_place */
	struct hash files;		/* hash of a build-id -> 1: it is open, or needs no copy */
	struct held_file *v;		/* files that are open, and were not copied yet */
	u32 nr, cap;
	u64 bytes;			/* of all copies */
	int cache;			/* perf's cache; -1: not opened yet */
	char *cache_path;
};

/**
 * container_init() - begin, with no file
 * @c: what to fill
 * @enabled: copies are wanted (neither -N nor -B)
 */
void container_init(struct container_files *c, bool enabled);

/**
 * container_note() - look at a record
 * @c: the files
 * @h: no sample
 *
 * A file with a build-id that a process in another mount namespace, or below another root, maps as code is
 * opened, unless the same path leads to it here, or the cache has it.
 */
void container_note(struct container_files *c, const struct perf_event_header *h);

/* container_note_all - the same for records that do not come from a kernel buffer */
void container_note_all(struct container_files *c, const struct outbuf *records);

/**
 * container_keep() - copy the files that samples lie in
 * @c: the files
 * @path: the recording, a regular file; what has been written so far counts
 */
void container_keep(struct container_files *c, const char *path);

void container_deinit(struct container_files *c);

#endif /* PERF_CMD_RECORD_CONTAINER_H */

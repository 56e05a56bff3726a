/* SPDX-License-Identifier: GPL-2.0 */
/* Copies of files, and the kinds of kept ones; keep.h tells when their functions are called. */
#ifndef PERF_CMD_RECORD_KEEP_KEEP_PRIVATE_H
#define PERF_CMD_RECORD_KEEP_KEEP_PRIVATE_H

#include "base/outbuf.h"
#include "buildid/buildid_cache.h"
#include "event/records.h"
#include "host/host.h"

/* Size limits, in bytes. */
struct budget {
	u64 each;		/* of one file: larger files are not copied */
	u64 all;		/* of all copies */
	u64 used;
};

/* A file and the destination of its copy. */
struct copy {
	u32 pid;
	const char *path;		/* path in the process's namespace */
	int from;			/* O_PATH */
	u64 size;			/* of the file, as fstat() says */
	int folder;
	const char *name;		/* in @folder */
	bool may_share;			/* a clone or a hard link is sufficient */
	u64 changed_ns;			/* time of change that the copy gets; 0: its own */
};

/*
 * copy_file - copy a file, by a temporary name, mode 0600 unless it is shared. Return: 0; no copy:
 * -EFBIG: over a size limit; -ETIMEDOUT: the file system does not answer; or another -errno.
 */
int copy_file(struct host *h, struct budget *b, const struct copy *c);

/* copy_error - message for an error of copy_file() */
const char *copy_error(int err);

struct kept_program;
struct jit_maker;

/* Programs and libraries. */
struct programs {
	struct places *places;
	bool enabled;
	struct hash ids;		/* hashes of a build-id and a path -> index in @v + 1; DONE: not or no longer in @v */
	struct kept_program *v;		/* not copied yet */
	u32 nr, cap, nr_open, most_open;
	struct budget budget;
	struct buildid_cache cache;
	u64 cache_size;			/* buildid.cache-size: its limit in bytes */
	bool kept;			/* a file was added to it */
	bool failed;			/* a file could not be added, and the error was printed */
	char *lost;			/* first file with samples not found; NULL: none */
	u32 lost_pid, nr_lost;
};

bool programs_init(struct programs *p, struct places *r, bool enabled, u64 cache_size);
bool programs_wants(const struct programs *p, const struct perf_event_header *h);
/* @open: open the file now; else programs_finish() does if it has samples */
void programs_note(struct programs *p, const struct mmap2_record *m, bool open);
/* @hit: the files with samples of a complete file of the recording, as by record_hits() */
void programs_finish(struct programs *p, const struct hash *hit);
void programs_deinit(struct programs *p);

/* Files of JIT compilers in containers. */
struct jit {
	struct places *places;
	const struct perf_event_attr *layout;
	bool enabled;
	struct hash processes;		/* pid -> index in @v + 1, or NOT_KEPT */
	struct jit_maker *v;
	u32 nr, cap;
	struct budget budget;
	u32 file;			/* number of the open file of the recording */
	bool copied;			/* a file was copied since the cache was trimmed */
	int cache;			/* folder of the copies; -1: not opened yet */
	char *cache_path;
};

bool jit_init(struct jit *j, struct places *r, const struct perf_event_attr *layout, bool enabled);
bool jit_wants(const struct perf_event_header *h);
void jit_note(struct jit *j, const struct mmap2_record *m);
/* jit_ended - a process has exited; @records: receives the records that name its copies */
void jit_ended(struct jit *j, u32 pid, struct outbuf *records);
/* jit_finish - the same for all processes whose copies the open file does not name yet */
void jit_finish(struct jit *j, struct outbuf *records);
/* jit_next_file - the next file of the recording begins */
void jit_next_file(struct jit *j);
void jit_deinit(struct jit *j);

#endif /* PERF_CMD_RECORD_KEEP_KEEP_PRIVATE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a jit-PID.dump, one by one, as specified in the kernel's
 * tools/perf/Documentation/jitdump-specification.txt (version 2).
 */
#ifndef PERF_SYMBOL_JITDUMP_H
#define PERF_SYMBOL_JITDUMP_H

#include <stdio.h>

#include "base/types.h"

struct dso_table;

enum jitdump_id { JITDUMP_LOAD, JITDUMP_MOVE, JITDUMP_LINES, JITDUMP_CLOSE, JITDUMP_UNWIND };

/* What is of no use there is 0. */
struct jitdump_record {
	u32 id;			/* enum jitdump_id, or an unknown id */
	u64 time;
	u64 addr, size;		/* of the function. MOVE: where to; LINES: no size */
	u64 from;		/* MOVE: where it was */
	u64 index;		/* of the function, by the compiler's count */
	const char *name;	/* LOAD: until the next record is read */
	u64 nr;			/* LINES: how many entries */
	u32 data_size;		/* LOAD: bytes of code in the file; UNWIND: bytes of both tables */
	u32 hdr_size;		/* UNWIND: of these, the header's */
};

/* A line, from an address on. */
struct jitdump_entry {
	u64 addr;
	u32 line;
	const char *file;	/* "\xff": that of the entry before; until the next one is read */
};

struct jitdump {
	FILE *file;
	bool swap;		/* the other byte order */
	u32 machine;		/* EM_* */
	u64 flags;
	u32 rest;		/* bytes of the record that were not read */
	char *name;
};

/* times are of a clock of the processor */
#define JITDUMP_ARCH_TIME 1

/**
 * jitdump_open() - begin to read
 * @d: to be filled
 * @fd: the file; ownership passes to @d
 *
 * Return: 0, or -EINVAL: it is no such file. jitdump_close() in either case.
 */
int jitdump_open(struct jitdump *d, int fd);
void jitdump_close(struct jitdump *d);

/* jitdump_next - the next record. Return: false at the end, or where the file is damaged */
bool jitdump_next(struct jitdump *d, struct jitdump_record *r);

/* jitdump_next_entry - the next line of a record LINES. Return: false: no more. At most @r->nr are to be read. */
bool jitdump_next_entry(struct jitdump *d, struct jitdump_entry *e);

/**
 * jitdump_data() - read the bytes after a record LOAD or UNWIND
 * @d: the file
 * @r: the record, read last
 * @data: @r->data_size bytes
 *
 * Return: whether they were there.
 */
bool jitdump_data(struct jitdump *d, const struct jitdump_record *r, void *data);

/*
 * V8 adds the size of an ELF header to the addresses of lines, for the file that mainline's perf inject makes of
 * the code. That is found out by file: no line is below that, and functions begin with one just there.
 */
struct jitdump_shift {
	u32 nr_at_head, nr_below;	/* functions whose first line is at that address, or before */
};

/* jitdump_shift_note - offset of a function's lowest line from its start; UINT64_MAX: no line in it */
void jitdump_shift_note(struct jitdump_shift *s, u64 lowest);
/* jitdump_shift - the number to subtract from the addresses of lines */
u64 jitdump_shift(const struct jitdump_shift *s);

/**
 * jitdump_find() - open the dump of a process, if it may be trusted
 * @t: where dso_note_jit() has noted it
 * @pid: the process
 * @path: set to its path
 *
 * Return: a descriptor; -ENOENT: none was noted; -ESTALE: it is gone; -EPERM: it is another user's, which was reported;
 * or another -errno.
 */
int jitdump_find(struct dso_table *t, u32 pid, const char **path);

#endif /* PERF_SYMBOL_JITDUMP_H */

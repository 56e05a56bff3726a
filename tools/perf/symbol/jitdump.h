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

/* One record. Members that its type does not use are 0. */
struct jitdump_record {
	u32 id;			/* enum jitdump_id, or an unknown id */
	u64 time;
	u64 addr, size;		/* of the function; MOVE: its new address; LINES: no size */
	u64 from;		/* MOVE: the old address */
	u64 index;		/* the compiler's number of the function */
	const char *name;	/* LOAD; valid until the next record is read */
	u64 nr;			/* LINES: number of entries */
	u32 data_size;		/* LOAD: bytes of code in the file; UNWIND: bytes of both tables */
	u32 hdr_size;		/* UNWIND: bytes of the header in data_size, and of the */
	u32 mapped_size;	/* memory behind the function that is for both tables */
};

/* The source line of code from @addr on. */
struct jitdump_entry {
	u64 addr;
	u32 line;
	const char *file;	/* "\xff": as in the previous entry; valid until the next is read */
};

struct jitdump {
	FILE *file;
	bool swap;		/* the other byte order */
	u32 machine;		/* EM_* */
	u64 flags;
	u32 rest;		/* unread bytes of the record */
	char *name;
};

/* flag: times are from a processor clock */
#define JITDUMP_ARCH_TIME 1

/* jitdump_open - take @fd. Return: 0, or -EINVAL: not a dump. jitdump_close() in both cases. */
int jitdump_open(struct jitdump *d, int fd);
void jitdump_close(struct jitdump *d);

/* jitdump_next - read the next record. Return: false at the end or if the file is damaged */
bool jitdump_next(struct jitdump *d, struct jitdump_record *r);

/* jitdump_next_entry - read the next of @r->nr lines of a LINES record; false: no more */
bool jitdump_next_entry(struct jitdump *d, struct jitdump_entry *e);

/* jitdump_data - read the @r->data_size bytes of the last record; false: the file is shorter */
bool jitdump_data(struct jitdump *d, const struct jitdump_record *r, void *data);

/*
 * V8 adds the size of an ELF header to the addresses of lines, for the ELF files made by mainline's
 * perf inject. Such a file is recognised by its lines: none is below that offset from its
 * function's start, and some functions have their first line at that offset.
 */
struct jitdump_shift {
	u32 nr_at_head, nr_below;	/* functions with the first line there, or below it */
};

/* jitdump_shift_note - @lowest: a function's first line, from its start; UINT64_MAX: none */
void jitdump_shift_note(struct jitdump_shift *s, u64 lowest);
/* jitdump_shift - the number to subtract from the addresses of lines */
u64 jitdump_shift(const struct jitdump_shift *s);

/*
 * jitdump_find - open the dump of a process by dso_note_jit(); @path: set to its path. Return: a
 * descriptor; -ENOENT: none is known; -ESTALE: it is gone; -EPERM: another user's (a warning was
 * printed); or another -errno.
 */
int jitdump_find(struct dso_table *t, u32 pid, const char **path);

#endif /* PERF_SYMBOL_JITDUMP_H */

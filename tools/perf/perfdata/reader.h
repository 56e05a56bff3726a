/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in any form: file, pipe, directory, of either byte order, compressed or not. Records
 * are returned in host byte order and file order, with their offsets. A file is mapped and read in
 * place, swapped once in the private mapping; what was compressed is unpacked into an unlinked
 * file, for a second pass, too. A pipe is read window by window, one of them in memory.
 */
#ifndef PERF_PERFDATA_READER_H
#define PERF_PERFDATA_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "event/abi.h"
#include "event/event.h"

struct feature_section {
	const u8 *data;		/* raw, in the file's byte order; NULL: absent */
	u64 size;
	u64 offset;		/* its offset in the file */
};

/* A mapped file of the recording and its build-id. */
struct build_id_entry {
	s32 pid;		/* -1: host, otherwise a guest */
	u16 misc;		/* cpumode */
	u8 size;		/* size of build_id */
	u8 build_id[20];
	const char *name;
};

struct features {
	struct arena arena;
	struct feature_section sections[FEAT_MAX];	/* by bit number */
	bool swap;			/* sections are of the other byte order */
	/* Decoded; NULL or 0 if the file has none. */
	const char *hostname, *os_release, *version, *arch, *cpu_desc, *cpuid;
	u32 nr_cpus_online, nr_cpus_avail;
	u64 total_mem;			/* kB */
	const char **cmdline;
	u32 nr_cmdline;
	u64 first_sample, last_sample;	/* SAMPLE_TIME */
	u32 clockid;
	u64 clock_wall_ns, clock_ns;	/* read together; 0: not recorded */
	u32 compress_ratio, compress_level;
	/* topology by CPU, for sort keys; nr_topology 0: unknown */
	u32 nr_topology;
	struct cpu_topology { s32 core, socket, die; } *topology;
	struct build_id_entry *build_ids;
	u32 nr_build_ids, cap_build_ids;
	u8 *names;			/* FEAT_NAMES of a stream, packed */
	size_t cap_names;
	bool has_traces;		/* the recording has hardware traces (AUXTRACE records) */
	bool has_counts;		/* it is of perf stat record (STAT_CONFIG record) */
	/* The error and bit of an undecodable section; NULL: none. */
	const char *bad;
	u32 bad_bit;
};

/* Cursor in a section. Once a field does not fit, bad is set and zeroes are returned. */
struct feature_cursor {
	const u8 *p, *end;
	bool swap, bad;
};

/* feature_open - open a section; @bit: FEAT_*. Return: true if the recording has the section. */
bool feature_open(const struct features *f, u32 bit, struct feature_cursor *c);

/* The next number or string of the section; at its end 0 or NULL. A string has a NUL within it. */
u32 feature_u32(struct feature_cursor *c);
u64 feature_u64(struct feature_cursor *c);
const char *feature_string(struct feature_cursor *c);

/* feature_attr - an event's attributes in EVENT_DESC, of @size bytes, in host byte order */
void feature_attr(struct feature_cursor *c, u32 size, struct perf_event_attr *attr);

struct reader;

struct record {
	const struct perf_event_header *header;	/* host byte order; 8-byte aligned */
	/* in the file, as -D prints it; of an unpacked record, that of its compressed record */
	u64 offset;
	u64 seq;		/* position in the stream; unique, ascending */
	/* data after an AUXTRACE, TRACING_DATA... record, not in header.size */
	const void *payload;
	u64 payload_size;
	u16 file;		/* index of the file in a directory, from 0 */
};

/*
 * reader_open - open a file, a directory, or "-", standard input, and read what describes it (of a
 * pipe: the records before the first other one); @force: also another owner's. Return: NULL, or an
 * error.
 */
struct error *reader_open(const char *path, bool force, struct reader **r);

/*
 * reader_open_stored - the same; @store: a pipe is stored in an unlinked file, for reading twice,
 * up to its end or, after interrupt_catch(), to ^C, which interrupted() then does not tell
 */
struct error *reader_open_stored(const char *path, bool force, bool store, struct reader **r);

/* reader_close - free everything, the events too; @r: the reader, or NULL */
void reader_close(struct reader *r);

/* Records that reader_next() can return in place. */
struct reader_window {
	const u8 *pos, *end;	/* host byte order, 8-byte aligned, read before or not swapped */
	const u8 *base;
	u64 offset;		/* file offset of @base */
	u64 offset_mask;	/* 0: all records of the window have the same offset */
	u64 seq;		/* of the record at @pos */
	u16 file;
};

struct file_section {
	u64 offset, size;
};

struct file_header {
	u64 magic, size, attr_size;
	struct file_section attrs, data, event_types;
	u64 features[FEAT_MAX / 64];
};
_Static_assert(sizeof(struct file_header) == 104, "file_header");

struct data_file;
struct stream;

/* Other folders read what is said of a recording here; the rest is perfdata's. */
struct reader {
	struct reader_window window;
	char *path;			/* as given by the user, or "standard input": for messages */
	bool is_stdin;
	bool swap;
	bool pipe_format;		/* possibly stored in a file */
	bool store;			/* reader_open_stored() */
	bool interrupted;		/* data size 0 in the header */
	bool truncated;			/* shorter than the header says */
	bool damaged, damage_reported;	/* some of it could not be read */
	bool ended;
	/* The first record that is not a description was read: no event follows. */
	bool sealed;
	u64 bad_records;
	u64 meta_seq;			/* description records before it were applied */
	u64 bad_seq;			/* bad records before it were counted */
	u32 nr_ids;
	struct file_header header;	/* host byte order; zeroes in pipe format */
	s64 mtime_ns, made_ns;		/* of the file: modified, made; 0: unknown */
	struct event_list events;
	struct features features;
	struct data_file *files;	/* [0] has the header */
	u32 nr_files;			/* above 1: a directory,
		its files are read one after the other */
	u64 undropped;			/* bytes of reader_drop() since pages were released */
	struct arena copies;
	/* Position of the walk in a file. */
	u32 cur_file;
	u8 *file_pos;			/* in the mapping, after the records of the window */
	u32 cur_packed;			/* index of the next compressed record */
	u32 cur_piece, end_piece;	/* unread pieces, before the walk continues in the file */
	bool in_piece;
	struct stream *stream;		/* for a real pipe, which cannot be rewound; else NULL */
};

int reader_next_slow(struct reader *r, struct record *rec);

/*
 * reader_next - the next record, valid until reader_release() (pipe) or reader_close(). Return: 1;
 * 0: the end. A record that cannot be read (size 0 or past the end, garbage in a compressed one) is
 * reported once with its offset, and ends the stream; one too short for its type, or with an
 * unterminated string, is reported and skipped: ->damaged. So every record but samples has the
 * fixed fields of its type and its sample_id, and its strings end within it. A
 * PERF_RECORD_COMPRESSED record precedes those unpacked from it.
 */
static inline int reader_next(struct reader *r, struct record *rec)
{
	struct reader_window *w = &r->window;
	const struct perf_event_header *h = (const struct perf_event_header *)w->pos;

	if (likely((size_t)(w->end - w->pos) >= sizeof(*h) && h->type == PERF_RECORD_SAMPLE &&
		   !(h->size & 7) && h->size && h->size <= w->end - w->pos)) {
		rec->header = h;
		rec->offset = w->offset + ((w->pos - w->base) & w->offset_mask);
		rec->seq = w->seq++;
		rec->payload = NULL;
		rec->payload_size = 0;
		rec->file = w->file;
		w->pos += h->size;
		return 1;
	}
	return reader_next_slow(r, rec);
}

/*
 * reader_bad_records - report @nr damaged records: "a sample ends inside its callchain"; @rec: the
 * first, @offset: in its file. The first damage is printed, others are counted: -v. Context: the
 * reading thread.
 */
void reader_bad_records(struct reader *r, u64 nr, const struct perf_event_header *rec, u64 offset, const char *reason);

/* reader_bad_feature - the same, for a feature section */
void reader_bad_feature(struct reader *r, u32 bit, const char *reason);

/* reader_rewind - restart at the first record. Return: 0, or -ESPIPE for a pipe. */
int reader_rewind(struct reader *r);

/* reader_release - free a pipe's records before @seq */
void reader_release(struct reader *r, u64 seq);

/*
 * reader_drop - release pages of mapped files after every few megabytes; @bytes: read since the
 * caller's last call. Context: any thread.
 */
void reader_drop(struct reader *r, u64 bytes);

const char *reader_path(const struct reader *r);	/* as given: "-" */
u64 reader_bytes(const struct reader *r);	/* size of its files and of the unpacked data */
u64 reader_stored_bytes(const struct reader *r);	/* size of its files only */
u64 reader_size(const struct reader *r);	/* bytes of records, 0 for a pipe; for progress */

#endif /* PERF_PERFDATA_READER_H */

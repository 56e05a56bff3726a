/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record, shared by its files.
 */
#ifndef PERF_CMD_RECORD_H
#define PERF_CMD_RECORD_H

#include "file/write_features.h"
#include "file/writer.h"
#include "ring/affinity.h"
#include "ring/options.h"
#include "ring/rings.h"
#include "synth/synth.h"

struct compressor;
struct build_ids;
struct follow;
struct late;

/* A command that is measured from its first instruction. */
struct workload {
	pid_t pid;		/* 0: none */
	int go;			/* closing it lets the command begin */
	int failed;		/* carries errno when exec failed */
	bool ended;
	int status;		/* as wait() gives it */
};

/* A span of -D in which events are on: milliseconds since the start. */
struct delay_span {
	u64 on, off;
};

/* What of the tasks that were there before is written. */
enum { SYNTH_TASKS = 1, SYNTH_MAPS = 2, SYNTH_CGROUPS = 4, SYNTH_ALL = 7 };

/* The file that is written now: output_begin() failed, it is open, output_end() was called. */
enum file_state { NO_FILE, OPEN_FILE, CLOSED_FILE };

struct record {
	struct ring_options ring;
	struct spec_list specs;
	struct rings rings;
	struct writer writer;
	enum file_state file;
	struct writer_event *events;	/* for the writer, one per spec */
	struct workload workload;
	struct compressor *compressor;	/* NULL: off */
	struct build_ids *build_ids;	/* NULL: no table wanted */
	struct late *late;		/* NULL: nothing is deferred, or one file */
	struct follow *follow;		/* NULL: one file, nothing to tell the next one */
	char **argv;			/* the whole command line, for the header */
	int argc;
	char *const *command;		/* NULL: none */
	/* options that only the command needs */
	const char *output;		/* -o */
	const char *pids, *tids, *user;
	const char *control;
	bool buildid_all, no_buildid_cache;
	bool tail_synthesize, timestamp_filename, timestamp_boundary, dry_run;
	u32 synth_not;			/* what --synth leaves out: SYNTH_* */
	int compress_level;		/* 0: off */
	u64 max_size;			/* 0: no limit */
	u64 mmap_flush;			/* bytes that make a buffer worth reading; 0: any */
	enum affinity_mode affinity_mode;
	int realtime;
	/* --switch-output */
	bool switch_output, switch_on_signal;
	u64 switch_size, switch_ms;
	int switch_max_files;
	char **switched;		/* names of the files written, the oldest first */
	u32 nr_switched, cap_switched, dropped_files;
	/* -D */
	struct delay_span *spans;
	u32 nr_spans, cap_spans, next_span;
	/* run time */
	struct affinity affinity;
	u32 rounds_held;		/* since all buffers were read: --mmap-flush */
	int epoll, signals, timer, switch_timer;
	int control_fd, ack_fd;
	char control_line[256];
	u32 control_len;
	u64 wakeups, total_lost;
	struct synth *prepared;		/* for the next file; NULL: nothing */
	struct outbuf tracing;		/* tracing_data(); base NULL: none */
	bool has_tracing;
	u64 sections_size;		/* of a file, about; 0: not known yet */
	u64 raw_bytes;			/* of records from kernel buffers in this file, before compression */
	u64 start_ns;
	u64 wall_ns, clock_ns;
	bool done, enabled, switch_wanted, target_ended;
	int signal;			/* that ended us; 0: none */
	bool write_failed, quiet, not_started;
};

/**
 * record_parse() - parse the command line
 * @rec: where to
 * @argc: number of words
 * @argv: words
 *
 * Return: 0, or -1 after diag_error().
 */
int record_parse(struct record *rec, int argc, char **argv);

/**
 * workload_check() - see that a command can be executed
 * @name: its name or path
 *
 * Said before an older recording makes way for one of nothing.
 * Return: 0, or -1 after diag_error().
 */
int workload_check(const char *name);

/**
 * workload_fork() - start a command, held back before its exec
 * @w: where to
 * @argv: the command
 * @stdout_taken: the recording goes to standard output: what the command prints
 *	goes to standard error instead of between its records
 *
 * Return: 0, or -1 after diag_error().
 */
int workload_fork(struct workload *w, char *const *argv, bool stdout_taken);

/**
 * workload_go() - let the command begin
 * @w: the command
 * @name: its name, for the message
 *
 * Return: 0, or -1 after diag_error() when it can't be executed.
 */
int workload_go(struct workload *w, const char *name);

/**
 * workload_end() - see that the command is over
 * @w: the command; ended by SIGTERM if it still runs
 */
void workload_end(struct workload *w);

/**
 * output_begin() - create the file and write what comes before the data
 * @rec: the recording
 * @path: its name, which it gets from writer_publish()
 *
 * Return: 0, or -1 after diag_error(), with no file left.
 */
int output_begin(struct record *rec, const char *path);

/* output_failure - why a file could not be written, in words; @err: -errno */
const char *output_failure(int err);

/**
 * output_round() - write what is in the kernel's buffers
 * @rec: the recording
 *
 * Return: 0, or -errno.
 */
int output_round(struct record *rec);

/**
 * output_snapshot() - write what is in the backward buffers
 * @rec: the recording
 */
int output_snapshot(struct record *rec);

/**
 * output_end() - write what comes behind the data and close the file
 * @rec: the recording, with an open file
 *
 * Return: 0, or -1 after diag_error(), which is not repeated for a write that failed before.
 */
int output_end(struct record *rec);

/**
 * output_prepare() - read what the next file begins with, before this one ends
 * @rec: the recording
 */
void output_prepare(struct record *rec);

/**
 * output_hand_over() - the last round of this file, and what the next one begins with
 * @rec: the recording
 *
 * Return: 0, or -errno.
 */
int output_hand_over(struct record *rec);

/**
 * output_switch() - go on in a new file
 * @rec: the recording
 *
 * Return: 0, or -1 after diag_error().
 */
int output_switch(struct record *rec);

/* output_timestamped - NAME.YYYYMMDDhhmmsscc, @later hundredths of a second from
 * now, in memory of the caller's
 */
char *output_timestamped(const char *name, u32 later);

/**
 * record_loop() - record until there is an end to it
 * @rec: the recording, everything open
 *
 * Return: 0, or -1 after diag_error().
 */
int record_loop(struct record *rec);

/* Compression: COMPRESSED records of a zstd stream. */
struct compressor *compressor_create(int level);
void compressor_free(struct compressor *c);
/**
 * compressor_spans() - compress records
 * @c: the compressor
 * @iov: spans
 * @nr: how many
 * @limit: most bytes that one record may unpack to
 * @out: where the COMPRESSED records go
 *
 * Return: 0, or -errno, as writing gives it: the caller reports it.
 */
int compressor_spans(struct compressor *c, const struct iovec *iov, u32 nr, u64 limit, struct outbuf *out);
/* compressor_reset - begin a new stream: a new file */
void compressor_reset(struct compressor *c);

/* --control */
int control_open(struct record *rec);
void control_input(struct record *rec);
void control_close(struct record *rec);

/**
 * tracing_data() - what a reader needs to decode tracepoints
 * @specs: the events
 * @out: where to; initialised when there is a tracepoint among them
 *
 * What cannot be read is left out; a format is reported by diag_warn().
 */
void tracing_data(const struct spec_list *specs, struct outbuf *out);

/* output_final_name - what the file is called when all is done */
const char *output_final_name(struct record *rec);

/* The table of build-ids of a file; build_ids_end() hands it over in @out, left
 * alone when no table is wanted.
 */
void build_ids_begin(struct record *rec);
void build_id_note(struct record *rec, const struct perf_event_header *h);
void build_ids_end(struct record *rec, struct outbuf *out);

/* output_rename - give the finished file its final name. Return: it; NULL after diag_error(). */
char *output_rename(struct record *rec);
/* output_dumped - a file is whole: say so, and remove the oldest if there are too many */
void output_dumped(struct record *rec, char *path);

/**
 * output_sections() - what comes behind the data
 * @rec: the recording
 * @sections: FEAT_MAX buffers, for features_free()
 */
void output_sections(struct record *rec, struct outbuf *sections);

/* The last file of --switch-output waits for deferred callchains of its samples. */

/* late_begin - from now on; the events are described */
void late_begin(struct record *rec);
/* late_note - a record from a kernel buffer, samples too */
void late_note(struct record *rec, const struct perf_event_header *h);
/* late_wanted - does a sample of this file wait? */
bool late_wanted(const struct record *rec);
/**
 * late_leave() - the file that is being written becomes the last one
 * @rec: the recording; its writer is taken over
 * @sections: what goes behind the data, taken over
 * @path: its final name, taken over
 */
void late_leave(struct record *rec, const struct outbuf *sections, char *path);
/**
 * late_finish() - close the last file if nothing more is to come
 * @rec: the recording
 * @now: close it in any case
 *
 * Return: 0, or -1 after diag_error().
 */
int late_finish(struct record *rec, bool now);
/* late_waiting - is the last file still open? */
bool late_waiting(const struct record *rec);
/* late_timeout - how long to sleep at most, in milliseconds; -1: for ever */
int late_timeout(const struct record *rec);
void late_end(struct record *rec);

/*
 * What the next file of --switch-output has to know: which tasks are followed,
 * and what was recorded while they were read from /proc.
 */

/* follow_begin - from now on; the targets are settled */
void follow_begin(struct record *rec);
/* follow_note - a record from a kernel buffer that is no sample */
void follow_note(struct record *rec, const struct perf_event_header *h);
/**
 * follow_synth() - the tasks that are followed and still there
 * @rec: the recording
 * @s: where their records go
 */
void follow_synth(struct record *rec, struct synth *s);
/* follow_carry - keep what follow_note() sees for the next file, or no more of it */
void follow_carry(struct record *rec, bool on);
/* follow_carried - what has been kept; NULL: nothing */
const struct outbuf *follow_carried(struct record *rec);
void follow_end(struct record *rec);

#endif /* PERF_CMD_RECORD_H */

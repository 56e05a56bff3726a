/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the components of struct recorder, private to this folder. Each is started by its
 * _init() and ended by its _deinit(). Calls go up in this file: record.c shows their order. Where
 * nothing else is said, an int is 0, or -1 after diag_error().
 */
#ifndef PERF_CMD_RECORD_RECORDER_H
#define PERF_CMD_RECORD_RECORDER_H

#include <limits.h>
#include <pthread.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include "base/hash.h"
#include "base/outbuf.h"
#include "base/types.h"
#include "bpf/walk.h"
#include "cmd/record/describe.h"
#include "cmd/record/keep/keep.h"
#include "cmd/record/live.h"
#include "cmd/record/output.h"
#include "cmd/record/record_options.h"
#include "cmd/tables/map_events.h"
#include "cmd/tables/tables.h"
#include "event/event.h"
#include "event/sample.h"
#include "measure/rings.h"
#include "measure/target.h"
#include "perfdata/write_features.h"
#include "spec/spec.h"
#include "synth/synth.h"

#define SPAN_ROOM (UINT16_MAX + 1)	/* bytes in which span_record() assembles a record */

struct frames;

/* frames_create - create the stage; @desc: the events, with their ids. Return: NULL if @walk is. */
struct frames *frames_create(const struct record_options *opts, const struct description *desc,
			     struct bpf_walk *walk);
/* frames_begin - attach the program to the events: tracepoints, even disabled, run it from now */
int frames_begin(struct frames *f);

/*
 * frames_join - join callchains to buffer @ring's samples, complete records in spans @iov. Return:
 * the records, until the next call: for the file, or live_take() if stacks are copied.
 */
const struct outbuf *frames_join(struct frames *f, u32 ring, const struct iovec *iov, u32 nr);
/* frames_file_ends - a file of the recording has all its samples: write the names for these */
void frames_file_ends(struct frames *f);
/* frames_text - append the callchain errors, one sentence per line; nothing without errors */
void frames_text(const struct frames *f, struct outbuf *o);
/* frames_free - @f may be NULL */
void frames_free(struct frames *f);

/*
 * The Python functions in callchains become addresses of a mapping, [python], whose file has their
 * names and lines, so that every reader shows them: "4fff00001a2e leaf (app.py:12) ([python])". It
 * is written into the build-id cache (~/.debug), and has four bytes for each line of a function; an
 * address is that of the third, which is in the line also less one.
 */

struct python_names;

/* Passes each code object, a struct walk_code, that @source has seen since the last call. */
typedef void (*python_codes_fn)(void *source, int (*fn)(void *ctx, void *code, size_t size),
				void *ctx);

/* python_names_create - begin; @codes_of: bpf_walk_codes() or python_reader_codes() */
struct python_names *python_names_create(python_codes_fn codes_of, void *source);

/*
 * python_names_ips - replace the Python functions among @ips; @o: gets the record of their mapping,
 * once per process. Return: is the innermost frame Python?
 */
bool python_names_ips(struct python_names *n, u64 *ips, u32 nr, const struct sample *s,
		      struct outbuf *o);
/* python_names_set_ip - the innermost frame is Python: set the ip of a user-space @record */
void python_names_set_ip(const struct sample *s, char *record, u64 ip);
/* python_names_note - note a record's time; after fork() and execve() a new mapping is needed */
void python_names_note(struct python_names *n, const struct event_list *events,
		       const struct perf_event_header *h);
/* python_names_round - the buffers are read anew: older than the last round's is no record */
void python_names_round(struct python_names *n);
/* python_names_again - all processes need their mappings again */
void python_names_again(struct python_names *n);
void python_names_write(struct python_names *n);
void python_names_free(struct python_names *n);

struct recorder;
struct sampler;

/*
 * sampler_settle - choose who takes the samples; ptrace replaces @o's events by its clock, and sets
 * @r's CPUs. Return: 0: the kernel, 1: ptrace, or -1.
 */
int sampler_settle(struct record_options *o, struct rings *r);
/* sampler_open - make @rec->rings the ptrace sampler's. Return: 0, or -1 after diag_error() */
int sampler_open(struct recorder *rec);
int sampler_begin(struct recorder *rec);
/* sampler_enable - take samples, or not; @s may be NULL */
void sampler_enable(struct sampler *s, bool on);

/* sampler_woken - the sampler's buffer, or wall's, has records: it may wake up the reader again */
void sampler_woken(const struct recorder *rec);

/* sampler_stop - let go of all threads, and wall_stop(). @rec: without a sampler nothing happens */
void sampler_stop(struct recorder *rec);
/* sampler_text - append for how long threads were stopped, in one sentence; nothing without samples */
void sampler_text(const struct sampler *s, struct outbuf *o);
/* sampler_free - free it, before rings_close(); @rec: without a sampler nothing happens */
void sampler_free(struct recorder *rec);

struct wall;

/*
 * wall_open - --wall of the whole system: add a buffer to those of @rec->rings, which are mapped.
 * Return: 0, or -1 after diag_error()
 */
int wall_open(struct recorder *rec);

/* wall_begin - start the thread that fills it. Return: 0, or -1 after diag_error() */
int wall_begin(struct recorder *rec);

/* wall_stop - end it; no more records follow. @w may be NULL */
void wall_stop(struct wall *w);

/* wall_free - free it, before rings_close(); @rec: without --wall nothing happens */
void wall_free(struct recorder *rec);

/*
 * settle - resolve options to CPUs, threads and attributes, clearing what does not apply with a
 * warning. @walk: set to the BPF program that walks user stacks, or NULL
 */
int settle(struct record_options *o, struct rings *r, struct bpf_walk **walk);
/* settle_per_task - true if tasks are measured, not CPUs */
bool settle_per_task(const struct record_options *o);

enum control_verb {
	CONTROL_ENABLE,		/* enable all events, or the named one */
	CONTROL_DISABLE,	/* disable all events, or the named one */
	CONTROL_EVLIST,		/* print the events' names */
	CONTROL_SNAPSHOT,	/* continue in a new file */
	CONTROL_STOP,		/* end the recording */
	CONTROL_PING,		/* only acknowledge */
};

struct control_command {
	enum control_verb verb;
	const char *event;	/* name of the event to enable or disable; "": all events */
};

struct control {
	int fd, ack_fd;		/* -1: none */
	char in[256];		/* bytes read from @fd; [in_pos, in_len) are not parsed yet */
	u32 in_pos, in_len;
	char line[256];		/* current line; after control_next(), its command */
	u32 line_len;
};

/* control_init - open the files of --control @arg; NULL: none. control_deinit() in any case */
int control_init(struct control *c, const char *arg);
/* control_read - read more commands, after control_next() has returned false */
void control_read(struct control *c);

/* control_next - the next command, until the next call; skips bad lines; false: no complete line */
bool control_next(struct control *c, struct control_command *cmd);
void control_ack(struct control *c);
void control_deinit(struct control *c);

struct workload {
	pid_t pid;		/* 0: no command */
	int go;		/* pipe: a byte starts the exec, closing it cancels it; -1: closed */
	int failed;		/* pipe: carries errno if exec fails; -1: closed */
	enum { WORKLOAD_OURS, WORKLOAD_TRACED, WORKLOAD_REAPED } tracer;	/* atomic */
	bool ended;		/* wait() has returned its status */
	int status;		/* from wait() */
	bool terminated;	/* it was running at the end of the recording: SIGTERM was sent */
};

void workload_init(struct workload *w);
/* workload_check - find the program of a command; @full: set to its path */
int workload_check(const char *name, char full[PATH_MAX]);
/* workload_fork - fork the command, which waits; @stdout_taken: its output goes to stderr */
int workload_fork(struct workload *w, char *const *argv, bool stdout_taken);
/* workload_go - execute the command; @name: for the message */
int workload_go(struct workload *w, const char *name);
/* workload_held - true if the command is forked and not executed yet */
static inline bool workload_held(const struct workload *w)
{
	return w->pid && !w->ended && w->go >= 0;
}

/* workload_traced - a thread traces the command: it waits for it, too, and workload_poll() does not */
void workload_traced(struct workload *w);
/* workload_reaped - that thread has got its exit @status: wakes up who calls workload_poll() */
void workload_reaped(struct workload *w, int status);
/* workload_released - that thread has ended */
void workload_released(struct workload *w);
/* workload_poll - has the command exited? Return: true once, on the first call after its exit. */
bool workload_poll(struct workload *w);
/* workload_deinit - end the command if it still runs: @w->status is valid. May be called again */
void workload_deinit(struct workload *w);

struct trigger {
	struct ring_options options;
	struct rings rings;		/* empty without such events */
};

/*
 * trigger_open - open the events of --switch-output-event on the CPUs and threads of @recorded;
 * exec enables those of a command. @t: zeroed; trigger_close() in any case
 */
int trigger_open(struct trigger *t, struct record_options *o, const struct rings *recorded,
		 bool per_task);
/* trigger_fired - true if one of the events occurred since the last call */
bool trigger_fired(struct trigger *t);
void trigger_close(struct trigger *t);

struct thread_group {
	struct cpu_list cpus;		/* whose buffers the thread reads */
	struct cpu_list affinity;	/* where it runs */
};

struct thread_groups {
	struct thread_group *v;
	u32 nr, cap;
};

/*
 * thread_groups_settle - make groups of --threads: "cpu", "core", "package", "numa", or
 * "CPUS/AFFINITY:..."; NULL: none. They share no CPU, and run on none in common. @online: the CPUs
 * with buffers; others are ignored. thread_groups_deinit() in any case
 */
int thread_groups_settle(const char *spec, const struct cpu_list *online,
			 struct thread_groups *groups);
void thread_groups_deinit(struct thread_groups *groups);

struct follow_process {
	u32 pid;
	bool gone;			/* there are no records of it any more */
};

struct follow {
	struct hash processes;		/* pid -> number of running threads */
	bool everyone;			/* system-wide: no list is needed */
	bool children;			/* child processes are measured too */
	bool carrying;			/* follow_note() keeps records in @carry */
	struct outbuf carry;
	struct follow_process *listed;	/* the processes when follow_list() was called */
	u32 nr_listed, cap_listed;
};

/* follow_init - begin with the measured threads' processes; @children: theirs are measured, too */
void follow_init(struct follow *f, const struct thread_list *threads, bool children);
/* follow_note - update the list from a record of a kernel buffer that is no sample */
void follow_note(struct follow *f, const struct perf_event_header *h);
/* follow_list - copy the list of processes for follow_synth() */
void follow_list(struct follow *f);

/* follow_synth - synthesise follow_list()'s processes, on a thread, too; not system-wide */
void follow_synth(struct follow *f, struct synth *s);
/* follow_listed - take those that follow_synth() did not find out of the list of processes */
void follow_listed(struct follow *f);
/* follow_carry - start or stop keeping records of follow_note() for the next file */
void follow_carry(struct follow *f, bool on);
void follow_deinit(struct follow *f);

#define UNANSWERED_MS 1000	/* so long a file waits, at most */

struct unanswered {
	struct event_list events;	/* layout of samples and records */
	/* the current file */
	struct hash open;		/* (tid, cookie) of its samples -> enum in unanswered.c */
	u64 nr_open;			/* number of cookies without their deferred record */
	/* the previous file; path NULL: closed, or none */
	char *path;
	struct writer writer;
	struct outbuf sections[FEAT_MAX];
	struct hash wanted;		/* like @open, for the previous file */
	u64 nr_wanted;
	u64 deadline;			/* CLOCK_MONOTONIC, ms */
};

void unanswered_init(struct unanswered *l, const struct description *d);
/* unanswered_note - track a record; the previous file gets its deferred ones */
void unanswered_note(struct unanswered *l, const struct perf_event_header *h);
/* unanswered_wanted - true if a sample of the current file has no deferred record yet */
static inline bool unanswered_wanted(const struct unanswered *l)
{
	return l->nr_open;
}

/* unanswered_leave - the current file becomes the previous one; @l owns the arguments then */
void unanswered_leave(struct unanswered *l, const struct writer *writer,
		      const struct outbuf *sections, char *path);
/* unanswered_waiting - true if the previous file is still open */
static inline bool unanswered_waiting(const struct unanswered *l)
{
	return l->path;
}

/* unanswered_due - true if the previous file is complete or its wait has timed out */
bool unanswered_due(const struct unanswered *l);
/* unanswered_close - close the previous file; @path: its name, to be freed. Return: -errno */
int unanswered_close(struct unanswered *l, char **path);
void unanswered_deinit(struct unanswered *l);

struct synthesis {
	struct synth synth;
	bool made;
	bool runs;			/* @thread makes @synth */
	bool later;			/* it is not the first file's */
	pthread_t thread;
};

/* synth_running - add what runs already of the measured tasks, but a command that waits */
void synth_running(struct synth *s, const struct rings *r);

/*
 * begin_tables - if tables walk user stacks: set @rec->tables and queue the vDSO, the command's
 * files and, if the recording does not list them, those of running tasks
 */
int begin_tables(struct recorder *rec);

/* synthesis_start - read /proc and /sys on a thread; not for the first file */
void synthesis_start(struct recorder *rec);
/* synthesis_done - wait for that thread, @ms at most. Return: true if the records are complete. */
bool synthesis_done(struct recorder *rec, int ms);
/* synthesis_records - the records, until synthesis_forget(); the first call reads /proc and /sys */
const struct outbuf *synthesis_records(struct recorder *rec);
/* synthesis_forget - free the records; the next synthesis_records() reads /proc and /sys again */
void synthesis_forget(struct recorder *rec);

struct drain {
	struct affinity affinity;
	u64 least;			/* --mmap-flush: bytes for which a buffer is read */
	u32 rounds_held;		/* rounds since all buffers were read */
	pthread_mutex_t lock;		/* --threads: of all that is not one buffer's */
};

/* drain_init - begin with --affinity and --mmap-flush of the options; the buffers are mapped */
void drain_init(struct recorder *rec);
/* drain_ring - --threads: write a buffer's records, in its thread. Return: 0, or -errno. */
int drain_ring(struct recorder *rec, u32 ring);
/* drain_round - write all buffers' records; @all: ignore --mmap-flush. Return: 0, or -errno. */
int drain_round(struct recorder *rec, bool all);
/* drain_snapshot - write the records in the backward buffers. Return: 0, or -errno */
int drain_snapshot(struct recorder *rec);
/* drain_live - write all records still in the live stage. Return: 0, or -errno */
int drain_live(struct recorder *rec);
void drain_deinit(struct recorder *rec);

struct stream_thread;

struct streams {
	struct stream_thread *v;	/* a thread for each group */
	u32 *of;			/* index of the thread of each buffer */
	u32 nr;				/* running threads; 0: the caller reads the buffers */
	int failure;			/* eventfd: readable after a failed write; -1: none */
	int err;			/* -errno of it */
};

int streams_start(struct recorder *rec);
/* streams_wake - have the thread of buffer @ring read it; without a thread nothing happens */
void streams_wake(struct recorder *rec, u32 ring);
void streams_wake_all(struct recorder *rec);
/* streams_error - 0, or the -errno of a failed write: its thread has ended */
int streams_error(const struct recorder *rec);
/* streams_stop - end the threads: from here on the caller drains. Return: as streams_error(). */
int streams_stop(struct recorder *rec);
void streams_deinit(struct recorder *rec);

/*
 * record_look - count cut user callchains of the recording, and collect the files with samples:
 * @hits, as by record_hits(); @line: set to a message, to be freed, above the threshold of
 * cuts_percent(). Return: false: no user callchains to judge, too large, or a file system hangs.
 */
bool record_look(const struct record_options *opts, const struct output *out,
		 const struct tables *tables, struct hash *hits, char **line);

struct files {
	char **names;			/* of the finished files, oldest first */
	u32 nr_names, cap_names, nr_removed;
	u64 lost;			/* records, by LOST records of all earlier files */
	u64 counted;			/* lost records of all files, if the kernel counts them */
	u64 *told;			/* by event: lost samples that earlier files tell */
	char *cut_line;		/* by files_end(): message about cut callchains; NULL: none */
};

/* files_init - begin without a file: the components of a file, from the options */
void files_init(struct recorder *rec);
/* files_begin - create the first file, with the records that precede the data */
int files_begin(struct recorder *rec);
/* files_switch - continue in a new file. Return: 0, or -1 after diag_error() */
int files_switch(struct recorder *rec);
/* files_timeout - maximum sleep between two rounds in milliseconds; -1: unlimited */
int files_timeout(const struct recorder *rec);
/* files_poll - close the previous file if it is complete or its wait timed out; tables_poll() */
int files_poll(struct recorder *rec);
/* files_end - close all files after the last round; @discard: remove it: nothing was recorded */
int files_end(struct recorder *rec, bool discard);
/* files_final_name - after files_end(): give the last file its final name. Return: the name. */
const char *files_final_name(struct recorder *rec);
void files_deinit(struct recorder *rec);

struct loop {
	struct map_events maps;		/* epoll -1: not open */
	int epoll, signals, timer, switch_timer;	/* -1: not open */
	u64 start_ns;			/* CLOCK_MONOTONIC */
	u32 next_span;			/* index of the next -D span */
	bool enabled;			/* events are on */
	bool switch_wanted;		/* requested by signal, timer, command or event */
	bool mapped;			/* the current round is for a mapping */
	bool done;			/* the current round is the last */
	bool started;			/* recording has begun: the file has content */
	int signal;			/* signal that ended the recording; 0: none */
	u64 wakeups;
};

struct recorder {
	struct record_options opts;
	struct rings rings;
	struct control control;
	struct workload workload;
	struct description desc;
	struct sampler *sampler;	/* NULL: the kernel samples */
	struct wall *wall;		/* NULL: no --wall, or by the sampler */
	struct tables *tables;		/* NULL: no tables are registered */
	struct bpf_walk *walk;		/* NULL: no BPF program walks stacks */
	struct frames *frames;		/* NULL: no --call-graph bpf */
	struct live *live;		/* NULL: no stacks are copied */
	struct output out;		/* the open file */
	struct drain drain;
	struct thread_groups groups;	/* --threads; nr 0: one thread */
	struct streams streams;
	struct synthesis synthesis;
	bool follows;			/* --switch-output: @follow is in use */
	struct follow follow;
	bool waits;			/* and deferred callchains: @unanswered is in use */
	struct unanswered unanswered;
	struct keep *keep;		/* NULL: nothing is kept */
	struct files files;
	struct trigger trigger;
	struct loop loop;
};

/* loop_block_signals - block signals, which the loop reads; call before the workload is forked */
void loop_block_signals(void);
void loop_init(struct recorder *rec);
/* loop_run - record until the end; if @rec->loop.started is false, the file has no content */
int loop_run(struct recorder *rec);
void loop_deinit(struct recorder *rec);

#endif /* PERF_CMD_RECORD_RECORDER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: its parts, the lowest first: recording, window with sideband, sums, counting,
 * refresh, browser. The window is the records of the last minutes, from the pipe of perf record, in
 * segments: window_take() ends the newest, which a thread fills.
 *
 * Each refresh decays the sums and adds new samples. Memory is bounded by the window's: tasks,
 * frames and stacks are rebuilt from it after counting twice its bytes of records.
 */
#ifndef PERF_CMD_TOP_TOP_H
#define PERF_CMD_TOP_TOP_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include "annotate/annotate.h"
#include "base/hash.h"
#include "base/memory_limit.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "cmd/report/report.h"
#include "event/abi.h"
#include "event/event.h"
#include "perfdata/reader.h"
#include "session/feed.h"

struct top_options {
	struct word_list record, report;	/* command lines of perf record and perf report */
	struct report_options shown;	/* parsed from .report */
	double delay;			/* seconds between refreshes */
	u64 max_memory;			/* bytes */
	u64 min_samples;		/* rows with this many samples or fewer are hidden */
	int entries;			/* number of rows; 0: as many as fit */
	/* no decay: rows restart at 0 at each refresh (zero), or cover the whole window (add_up) */
	bool zero, add_up;
	bool hide_kernel, hide_user;
	bool usual_keys;		/* neither -s nor --fields was given */
	bool only_own;			/* no permission to measure other users' processes */
};

/* top_options_parse - set @o; top_options_deinit() in any case. Return: 0, or -1. */
int top_options_parse(struct top_options *o, int argc, char **argv);
/* top_options_delay - set the refresh interval. Return: false if invalid or too short */
bool top_options_delay(struct top_options *o, const char *seconds);
/* top_parse_report - parse a command line of perf report. Return: 0, or -1 after diag_error() */
int top_parse_report(struct report_options *o, struct word_list *words);

struct recording {
	pid_t pid;			/* 0: it has exited */
	int data, control, messages;	/* messages: file for its stderr; -1: not redirected */
	char path[32];			/* path of .data */
	clockid_t clock;		/* its CPU clock */
	int status;			/* wait status, after its exit */
};

/*
 * recording_start - fork the process; @quiet: store its messages for recording_messages(). In a
 * group of its own it gets no ^C and ^Z; it is killed when its parent exits. Return: 0, or -1.
 */
int recording_start(struct recording *r, struct word_list *words, bool quiet);
/* recording_flush - make it write the contents of the kernel's buffers */
void recording_flush(const struct recording *r);
/* recording_ns - its CPU time, in ns */
u64 recording_ns(const struct recording *r);
/* recording_wait - wait for its exit; recording_stop - terminate it */
void recording_wait(struct recording *r);
void recording_stop(struct recording *r);
/* recording_messages - print its stored messages, after its exit */
void recording_messages(const struct recording *r);
void recording_deinit(struct recording *r);

struct sideband {
	struct outbuf records;
	size_t compact;			/* size after the last compaction, in bytes */
};

void sideband_deinit(struct sideband *s);

/*
 * sideband_add - add a record that has left the window, in time order; copied if it may be needed.
 * The size is proportional to the existing tasks and mappings.
 */
void sideband_add(struct sideband *s, const struct perf_event_header *h);

/* The records between two refreshes, or fewer. */
struct window_segment {
	struct window_segment *next;
	struct outbuf records;
	u64 refresh;			/* set by the caller: number of the refresh that took it */
	bool walked;			/* set by the caller: counted, it may be removed */
};

struct window {
	struct reader *reader;
	struct outbuf head;		/* perf's own records: attributes, features */
	struct sideband before;		/* side-band records older than the segments */
	struct window_segment *first, *last;	/* segments returned by window_take() */
	u64 bytes;			/* in these segments */
	/* The thread's members, under the lock */
	pthread_t thread;
	pthread_mutex_t lock;
	struct window_segment *filling;
	u64 lost;			/* records and samples lost by the kernel */
	bool ended;			/* the pipe's write end is closed */
	bool paused;			/* samples are dropped; side-band records are kept */
};

/* window_open - read the head of the pipe @path, start the thread; on error @w needs no close */
struct error *window_open(struct window *w, const char *path);
/* window_close - free the window; the pipe's write end must be closed */
void window_close(struct window *w);
/* window_take - add the new records to the segments. Return: the first new one; NULL: none. */
struct window_segment *window_take(struct window *w);
/* window_ended - true if the recording has ended; @lost: set to the lost records and samples */
bool window_ended(struct window *w, u64 *lost);
/* window_pause - start or stop dropping samples. Return: bytes not taken by window_take() yet */
u64 window_pause(struct window *w, bool pause);
/* window_trim - remove the oldest counted segments while the total exceeds @most bytes */
void window_trim(struct window *w, u64 most);
/* window_write - write the segments as a recording. Return: 0, or -errno. */
int window_write(struct window *w, int fd);

/* A thread left its CPU to wait, was switched in, or exited. */
struct wait_mark {
	u64 time;
	u64 refresh;			/* refresh number of the sample's segment */
	struct perf_event_header *sample;	/* begins a wait; NULL: its end */
	u32 tid;
};

struct waits {
	bool used;			/* an event is one of --off-cpu */
	struct wait_mark *marks;	/* since the last waits_end() */
	size_t nr, cap;
	struct wait_mark *open;		/* waits that have not ended, by thread */
	size_t nr_open, cap_open;
};

enum sums_kind {
	SUMS_ROWS,
	SUMS_STACKS,			/* of a flame graph */
	SUMS_CODE,			/* the addresses of a function */
	SUMS_TIMES,			/* samples over time */
	SUMS_KINDS
};

struct top_count;

struct top_sums {
	struct top_count *of;
	enum sums_kind kind;
	const struct report_options *opt;	/* NULL: not counted */
	struct report_run run;
	struct session_ops ops;		/* callbacks of the walker */
	struct session_walker *walker;
	/* SUMS_CODE. .event, .symbol and .dso of the options are set by the caller */
	struct annotate code;
	struct annotate_opt code_opt;
	/* SUMS_TIMES. .cpus is set by the caller */
	struct times_count times;
};

/* sums_begin - fit the options, if any, to the session, create a walker; sums_end() in any case */
int sums_begin(struct top_sums *s);
void sums_end(struct top_sums *s);
/* sums_add - count a sample */
void sums_add(const struct top_sums *s, const struct perf_event_header *h);
/* sums_decays - true if earlier samples lose weight at each refresh */
bool sums_decays(const struct top_sums *s);
/* sums_decay - multiply all sums by @num / @den */
void sums_decay(struct top_sums *s, u32 num, u32 den);
/* sums_finish - create rows, or sort. Return: true if there are rows */
bool sums_finish(struct top_sums *s);

/* A position between two records of a segment. */
struct window_place {
	struct window_segment *segment;	/* NULL: before the first */
	size_t at;
};

struct top_count {
	const struct top_options *opts;
	struct window *window;
	struct session *session;
	struct top_sums sums[SUMS_KINDS];
	struct waits waits;
	struct window_place walked;	/* samples before it were counted */
	struct window_place round, last_round;	/* ends of the last two rounds */
	u64 newest;			/* latest record time before @round */
	u64 oldest;			/* time of the window's first sample, for SUMS_TIMES */
	u64 refresh;
	u64 counted_bytes;		/* bytes of records since the last rebuild */
	struct memory_bound memory;
	u64 rate_samples, rate_kernel;	/* since the previous refresh */
	bool zero, hide_kernel, hide_user;	/* set by keys; see struct top_options */
};

/* counting_init - initialise the counts. Return: 0, or -1. counting_deinit() in either case */
int counting_init(struct top_count *c, const struct top_options *o, struct window *w);

/*
 * counting_refresh - count new samples and make rows; the previous ones become invalid; @all: no
 * more records follow. Return: true if there are rows.
 */
bool counting_refresh(struct top_count *c, bool all);
/* counting_again - recount after a change of the hidden samples. Return: as counting_refresh() */
bool counting_again(struct top_count *c);

/*
 * counting_start - also count another @kind, of all samples of the window; its members that the
 * caller sets are set; @o: stays in place meanwhile. Return: 0, or -1 after diag_error().
 */
int counting_start(struct top_count *c, enum sums_kind kind, const struct report_options *o);
void counting_deinit(struct top_count *c);

/* Between the last two refreshes */
struct top_status {
	double rate;			/* samples per second */
	double kernel;			/* percentage of kernel samples */
	double cpu;			/* percent of a CPU used by perf top and its recording */
	u64 lost;			/* lost records since the start */
	u64 window_bytes;		/* bytes of records in memory */
	bool ended;			/* the recording has ended */
};

struct top {
	struct top_options opts;
	struct recording recording;
	struct window window;
	struct top_count counting;
	struct top_status status;
	bool shown;			/* rows were shown at least once */
	u64 refreshed_ns, used_ns;	/* time of the last refresh, CPU time until then */
	u64 flushed_ns;			/* time of the last recording_flush() */
};

/* top_begin - the recording has started */
void top_begin(struct top *t);
/* top_refresh - count new samples. Return: true if there are rows */
bool top_refresh(struct top *t);
/* top_wait_ms - maximum wait before top_due(), in ms */
u32 top_wait_ms(const struct top *t);
/* top_due - flush buffers when due. Return: true if top_refresh() is due */
bool top_due(struct top *t);

/* top_browse.c: show rows in the browser until the user quits. Return: the exit status */
int top_browse(struct top *t);
/* top_is_dummy - true if the event has no samples, only side-band records */
bool top_is_dummy(const struct event *ev);
/* top_status_text - append the status as one line, without newline */
void top_status_text(const struct top *t, struct outbuf *o);

#endif /* PERF_CMD_TOP_TOP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: the records of the last minutes, from perf record's pipe.
 *
 * A thread reads the pipe and appends to the newest segment. window_take() ends that segment; the
 * caller may then read it until window_trim() removes it. Its side-band records are kept in
 * .before.
 */
#ifndef PERF_CMD_TOP_WINDOW_H
#define PERF_CMD_TOP_WINDOW_H

#include <pthread.h>

#include "cmd/top/sideband.h"
#include "perfdata/reader.h"

/* The records between two refreshes, or fewer. */
struct window_segment {
	struct window_segment *next;
	struct outbuf records;
	u64 refresh;			/* set by the caller: number of the refresh that took it */
	/* set by the caller: its samples were counted, and it may be removed */
	bool walked;
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

/**
 * window_open() - read the head of the stream, and start the thread
 * @w: structure to initialise
 * @path: path of the pipe
 *
 * Return: NULL, or an error; @w needs no window_close() then.
 */
struct error *window_open(struct window *w, const char *path);

/* window_close - free the window; the pipe's write end must be closed */
void window_close(struct window *w);

/**
 * window_take() - append the new records to the segments
 * @w: the window
 *
 * Return: the first new segment; NULL: none.
 */
struct window_segment *window_take(struct window *w);

/* window_ended - true if the recording has ended; @lost: set to the lost records and samples */
bool window_ended(struct window *w, u64 *lost);

/* window_pause - start or stop dropping samples. Return: bytes not taken by window_take() yet */
u64 window_pause(struct window *w, bool pause);

/* window_trim - remove the oldest counted segments while the total exceeds @most bytes */
void window_trim(struct window *w, u64 most);

/**
 * window_write() - write the segments as a recording
 * @w: the window
 * @fd: destination
 *
 * Return: 0, or -errno.
 */
int window_write(struct window *w, int fd);

#endif /* PERF_CMD_TOP_WINDOW_H */

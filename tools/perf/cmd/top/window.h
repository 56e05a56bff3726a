/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: the records of the last minutes, as perf record writes them into a pipe.
 *
 * A thread reads the pipe and appends to the newest segment. window_take() ends that segment; from then on
 * it is the caller's to read, until window_trim() removes it. What it says of tasks is kept in .before.
 */
#ifndef PERF_CMD_TOP_WINDOW_H
#define PERF_CMD_TOP_WINDOW_H

#include <pthread.h>

#include "cmd/top/sideband.h"
#include "perfdata/reader.h"

/* Records between two refreshes of the screen, or fewer. */
struct window_segment {
	struct window_segment *next;
	struct outbuf records;
	u64 refresh;			/* the caller's: in which one it was taken */
	bool walked;			/* the caller's: its samples were counted, it may be removed */
};

struct window {
	struct reader *reader;
	struct outbuf head;		/* records of perf itself: attributes, features */
	struct sideband before;		/* side-band records older than the segments */
	struct window_segment *first, *last;	/* those that were taken */
	u64 bytes;			/* in them */
	/* The thread's, under the lock */
	pthread_t thread;
	pthread_mutex_t lock;
	struct window_segment *filling;
	u64 lost;			/* records and samples that the kernel could not write */
	bool ended;			/* the pipe's other end is closed */
	bool paused;			/* samples are thrown away; what is said of tasks is not */
};

/**
 * window_open() - read the head of the stream, and start the thread
 * @w: what to fill
 * @path: of the pipe
 *
 * Return: NULL, or why not; then nothing is to be freed.
 */
struct error *window_open(struct window *w, const char *path);

/* window_close - end; the other end of the pipe is closed already */
void window_close(struct window *w);

/**
 * window_take() - append what has come to the segments
 * @w: the window
 *
 * Return: the first new segment; NULL: there is none.
 */
struct window_segment *window_take(struct window *w);

/* window_ended - has the recording ended? Also *@lost: how many records and samples were lost */
bool window_ended(struct window *w, u64 *lost);

/* window_pause - take no samples, or take them again; return: bytes that were not taken with window_take() */
u64 window_pause(struct window *w, bool pause);

/* window_trim - remove the oldest segments that were walked while there are more bytes than @most */
void window_trim(struct window *w, u64 most);

/**
 * window_write() - write a recording of the segments
 * @w: the window
 * @fd: where to
 *
 * Return: 0, or -errno.
 */
int window_write(struct window *w, int fd);

#endif /* PERF_CMD_TOP_WINDOW_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output to a descriptor, in large blocks.
 *
 * Functions that print append to @text, which is in memory, and may measure or change what they
 * have appended. Only a function that is given the struct outfile can write it, between two lines.
 */
#ifndef PERF_BASE_OUTFILE_H
#define PERF_BASE_OUTFILE_H

#include "base/outbuf.h"

/* Text is written when there is so much of it. */
#ifndef OUTFILE_BLOCK	/* tool.mk: less in the builds with sanitizers */
#define OUTFILE_BLOCK (128 * 1024)
#endif

struct outfile {
	struct outbuf text;	/* not written yet */
	int fd;
	int err;		/* first -errno of a write; output is dropped after it */
};

/* outfile_init - begin output to @fd, which remains the caller's */
void outfile_init(struct outfile *f, int fd);

/*
 * outfile_flush - write the text. Return: 0, or the first -errno that a write gave. Of standard
 * output base/stdout.h reports it at exit, and only there.
 */
int outfile_flush(struct outfile *f);

/* outfile_put - write the content of a buffer, behind the text, without copying it */
void outfile_put(struct outfile *f, const struct outbuf *from);

/* outfile_deinit - flush and free. Return: as outfile_flush(). */
int outfile_deinit(struct outfile *f);

/*
 * outfile_drain - write the text if there is much. To be called after each piece of bounded size: a
 * row, a sample. Return: as outfile_flush().
 */
static inline int outfile_drain(struct outfile *f)
{
	return unlikely(outbuf_len(&f->text) >= OUTFILE_BLOCK) ? outfile_flush(f) : f->err;
}

/*
 * stdout_begin - check standard output when the program exits. Called once, at program start.
 * Closed descriptors 0 to 2 are opened on /dev/null such that reads and writes fail; otherwise a
 * file that the program opens would become one of them. A write past the limit of file sizes
 * (RLIMIT_FSIZE) gives EFBIG, no signal; see signals_default() for programs that are executed.
 */
void stdout_begin(void);

/**
 * stdout_failed() - a write to standard output that did not go through stdio has failed
 * @err: -errno; the first one counts
 *
 * -EPIPE is no failure: the reader, head or a pager, wants no more.
 * Context: any thread.
 */
void stdout_failed(int err);

/* signals_default - in a child before its exec: undo stdout_begin()'s changes of signals */
void signals_default(void);

#endif /* PERF_BASE_OUTFILE_H */

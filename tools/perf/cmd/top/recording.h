/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: the process that records, perf record -o - with the options of perf top.
 */
#ifndef PERF_CMD_TOP_RECORDING_H
#define PERF_CMD_TOP_RECORDING_H

#include <sys/types.h>
#include <time.h>

#include "base/types.h"

/* A growing command line; .v is ended by NULL. */
struct word_list {
	char **v;
	int nr;
	u32 cap;
};

/* words_add - a copy of a word at the end */
void words_add(struct word_list *w, const char *fmt, ...) __printf(2, 3);
void words_deinit(struct word_list *w);

struct recording {
	pid_t pid;			/* 0: it has ended */
	int data, control, messages;	/* messages: a file, -1: they go to stderr */
	char path[32];			/* of .data */
	clockid_t clock;		/* its processor time */
	int status;			/* once it has ended, as of waitpid() */
};

/**
 * recording_start() - fork the process
 * @r: what to fill
 * @words: its command line
 * @quiet: its messages are kept for recording_messages()
 *
 * It is in a process group of its own, so that ^C and ^Z do not reach it, and ends when this one does.
 * Return: 0, or -1 after diag_error().
 */
int recording_start(struct recording *r, struct word_list *words, bool quiet);

/* recording_flush - have it pass on what the kernel's buffers hold */
void recording_flush(const struct recording *r);

/* recording_ns - processor time that it has used, in ns */
u64 recording_ns(const struct recording *r);

/* recording_wait - wait for its end; recording_stop - end it */
void recording_wait(struct recording *r);
void recording_stop(struct recording *r);

/* recording_messages - print what it said; it has been stopped */
void recording_messages(const struct recording *r);
void recording_deinit(struct recording *r);

#endif /* PERF_CMD_TOP_RECORDING_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: the recording process, perf record -o - with options of perf top.
 */
#ifndef PERF_CMD_TOP_RECORDING_H
#define PERF_CMD_TOP_RECORDING_H

#include <sys/types.h>
#include <time.h>

#include "base/words.h"

struct recording {
	pid_t pid;			/* 0: it has exited */
	int data, control, messages;	/* messages: file for its stderr; -1: not redirected */
	char path[32];			/* path of .data */
	clockid_t clock;		/* its CPU clock */
	int status;			/* wait status, after its exit */
};

/**
 * recording_start() - fork the process
 * @r: structure to initialise
 * @words: its command line
 * @quiet: store its messages for recording_messages()
 *
 * The process is in its own process group, so that ^C and ^Z do not reach it. It is killed when
 * its parent exits.
 * Return: 0, or -1 after diag_error().
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

#endif /* PERF_CMD_TOP_RECORDING_H */

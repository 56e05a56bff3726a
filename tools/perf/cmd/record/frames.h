/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --call-graph bpf: between the drain and the output callchains of a BPF program (bpf/walk.h) join their
 * samples. What is written is as a plain recording.
 */
#ifndef PERF_CMD_RECORD_FRAMES_H
#define PERF_CMD_RECORD_FRAMES_H

#include <sys/uio.h>

#include "base/outbuf.h"
#include "bpf/walk.h"
#include "cmd/record/describe.h"

struct frames;

/**
 * frames_create() - begin
 * @opts: the options, with events that are recorded so
 * @desc: the events, with their ids
 * @walk: the program; NULL: there is none
 *
 * Return: the stage; NULL without a program.
 */
struct frames *frames_create(const struct record_options *opts, const struct description *desc, struct bpf_walk *walk);

/**
 * frames_begin() - have the open events run the program, from now on
 * @f: the stage
 *
 * Tracepoints run it before they are enabled.
 * Return: 0, or -1 after diag_error().
 */
int frames_begin(struct frames *f);

/**
 * frames_join() - records as they are to be written
 * @f: the stage
 * @ring: number of the buffer
 * @iov: spans of it that together are whole records
 * @nr: how many
 *
 * Return: the records, valid until the next call.
 */
const struct outbuf *frames_join(struct frames *f, u32 ring, const struct iovec *iov, u32 nr);

/* frames_text - what became of the callchains, one sentence a line; nothing where all is well */
void frames_text(const struct frames *f, struct outbuf *o);

/* frames_free - @f may be NULL */
void frames_free(struct frames *f);

#endif /* PERF_CMD_RECORD_FRAMES_H */

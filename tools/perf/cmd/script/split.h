/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script --per-event-dump: a file for each event.
 */
#ifndef PERF_CMD_SCRIPT_SPLIT_H
#define PERF_CMD_SCRIPT_SPLIT_H

#include "base/outbuf.h"
#include "session/session.h"

struct script_split;

/**
 * script_split_open() - create a file for each event of a recording, RECORDING.EVENT.dump
 * @s: the session
 *
 * Return: the files, or NULL after diag_error().
 */
struct script_split *script_split_open(const struct session *s);

/* The output of an event's samples (@sample) or records. */
struct outbuf *script_split_out(struct script_split *split, const struct event *ev, bool sample);

/* Close the files and report their sizes. Return: 0, or -1 after diag_error(). */
int script_split_close(struct script_split *split);

#endif /* PERF_CMD_SCRIPT_SPLIT_H */

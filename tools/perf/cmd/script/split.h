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
 * script_split_open() - a file for each event of a recording, RECORDING.EVENT.dump
 * @s: the session
 *
 * Return: the files, or NULL after diag_error().
 */
struct script_split *script_split_open(const struct session *s);

/* Where an event's samples (@sample) and records go. */
struct outbuf *script_split_out(struct script_split *split, const struct event *ev, bool sample);

/* Close the files and say what was written. Return: 0, or -1 after diag_error(). */
int script_split_close(struct script_split *split);

#endif /* PERF_CMD_SCRIPT_SPLIT_H */

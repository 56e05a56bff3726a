/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session without a recording: perf record feeds it one record at a time.
 *
 *	session_feed()		each record of a few rounds, except samples
 *	session_feed_seal()	apply these records
 *	session_walk()		each sample up to the time of the sealed records
 *
 * The sequence repeats. Records must be of this machine. session_feed_seal() copies their contents.
 */
#ifndef PERF_SESSION_FEED_H
#define PERF_SESSION_FEED_H

#include "session/session.h"

/* Delivers samples to one consumer, on one thread. */
struct session_walker;

/*
 * session_fed - a session of this machine's records, for session_close(); @events: outlives it. The
 * caller may set .reader and .features.
 */
struct session *session_fed(struct event_list *events, const struct symbol_config *symbols);

/* session_feed - add a record, no sample, that stays until the seal. Return: its time in ns. */
u64 session_feed(struct session *s, const struct perf_event_header *rec);

/* session_feed_forget - drop all tasks, mappings, threads and spaces, to feed current ones */
void session_feed_forget(struct session *s);

/* session_feed_seal - apply what was fed up to @until (ns), which is complete; no walker runs */
void session_feed_seal(struct session *s, u64 until);

/* session_walker_create - @ops: whole_sample() and sample() are called as by session_run() */
struct session_walker *session_walker_create(struct session *s, const struct session_ops *ops, void *ctx);

/*
 * session_walk - deliver a sample. Return: the callback's value; -EINVAL: it is damaged or of no
 * known event. Context: one thread per walker.
 */
int session_walk(struct session_walker *w, const struct perf_event_header *rec);

/* session_walk_kernel - the same, but the copy of its stack is not walked */
int session_walk_kernel(struct session_walker *w, const struct perf_event_header *rec);

void session_walker_destroy(struct session_walker *w);

#endif /* PERF_SESSION_FEED_H */

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
 * session_fed - a session of this machine's records; @events: must outlive it; @symbols: how files
 * are read. The caller may set .reader and .features, and ends it with session_close().
 */
struct session *session_fed(struct event_list *events, const struct symbol_config *symbols);

/*
 * session_feed - add a record that is no sample, and that stays until session_feed_seal(). Return:
 * its time in ns.
 */
u64 session_feed(struct session *s, const struct perf_event_header *rec);

/*
 * session_feed_forget - drop all tasks and mappings, to feed current ones; threads and spaces
 * become invalid
 */
void session_feed_forget(struct session *s);

/*
 * session_feed_seal - sort and apply the records fed so far, while no walker runs; @until: ns; no
 * older record is fed later, newer ones stay until the next call, which applies them
 */
void session_feed_seal(struct session *s, u64 until);

/* session_walker_create - @ops: whole_sample() and sample() are called as by session_run() */
struct session_walker *session_walker_create(struct session *s, const struct session_ops *ops, void *ctx);

/*
 * session_walk - deliver a sample. Return: the callback's value; -EINVAL: the sample is damaged or
 * has no known event, and was not delivered. Context: one thread per walker.
 */
int session_walk(struct session_walker *w, const struct perf_event_header *rec);

/* session_walk_kernel - the same, but the copy of its stack is not walked */
int session_walk_kernel(struct session_walker *w, const struct perf_event_header *rec);

void session_walker_destroy(struct session_walker *w);

#endif /* PERF_SESSION_FEED_H */

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

/**
 * session_fed() - create a session
 * @events: events of the records; must outlive the session
 * @symbols: how files are read; the machine is always this one
 *
 * Return: the session; free it with session_close(). If its records have a file, the caller may
 * set .reader and .features.
 */
struct session *session_fed(struct event_list *events, const struct symbol_config *symbols);

/*
 * session_feed - add a record that is not a sample; @rec: must stay in place until
 * session_feed_seal(). Return: the time of the record, in ns.
 */
u64 session_feed(struct session *s, const struct perf_event_header *rec);

/**
 * session_feed_forget() - drop all tasks and mappings, to feed current ones
 * @s: the session; its threads and spaces become invalid, files remain
 */
void session_feed_forget(struct session *s);

/**
 * session_feed_seal() - sort and apply the records fed so far
 * @s: the session; no walker may be running
 * @until: time in ns; no older record is fed later. Newer records are applied by the next call and
 *   must stay in place until then.
 */
void session_feed_seal(struct session *s, u64 until);

/**
 * session_walker_create() - create a walker
 * @ops: its whole_sample() and sample() are called as by session_run()
 */
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session without a recording: its records are handed over one by one, as perf record gets them.
 *
 *	session_feed()		each record that is no sample, of some rounds
 *	session_feed_seal()	they hold from now on
 *	session_walk()		each sample that is not later than what was fed
 *
 * and so again. Records are of this machine. What they say is copied by session_feed_seal().
 */
#ifndef PERF_SESSION_FEED_H
#define PERF_SESSION_FEED_H

#include "session/session.h"

/* One who gets samples, on one thread. */
struct session_walker;

/**
 * session_fed() - begin
 * @events: of the records; they outlive the session
 * @symbols: how files are read, but that the machine is this one
 *
 * Return: the session, for session_close(). Its .reader and .features may be set, if the records are read.
 */
struct session *session_fed(struct event_list *events, const struct symbol_config *symbols);

/**
 * session_feed() - a record that is no sample
 * @s: the session
 * @rec: stays where it is until session_feed_seal()
 *
 * Return: its time, in ns.
 */
u64 session_feed(struct session *s, const struct perf_event_header *rec);

/**
 * session_feed_forget() - tasks and mappings are fed anew
 * @s: the session; threads and spaces of it are gone, files remain
 */
void session_feed_forget(struct session *s);

/**
 * session_feed_seal() - put what was fed in order
 * @s: the session; no walker is at work
 * @until: nothing older than this time, in ns, is fed later. Records that are newer wait for the next call, and
 *	stay where they are
 */
void session_feed_seal(struct session *s, u64 until);

/**
 * session_walker_create() - somebody who gets samples
 * @s: the session
 * @ops: whole_sample() and sample() are called as session_run() does
 * @ctx: handed to them
 */
struct session_walker *session_walker_create(struct session *s, const struct session_ops *ops, void *ctx);

/**
 * session_walk() - deliver a sample
 * @w: the walker
 * @rec: the sample
 *
 * Return: the callback's value; -EINVAL: the sample is damaged, or of no event, and was not delivered.
 * Context: one thread per walker.
 */
int session_walk(struct session_walker *w, const struct perf_event_header *rec);

void session_walker_destroy(struct session_walker *w);

#endif /* PERF_SESSION_FEED_H */

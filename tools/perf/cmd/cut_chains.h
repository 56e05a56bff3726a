/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of incomplete user callchains in a recording, with files, reasons and remedy,
 * counted and printed in one way by all commands. unwind/chain_end.h decides whether a
 * callchain is complete.
 */
#ifndef PERF_CMD_CUT_CHAINS_H
#define PERF_CMD_CUT_CHAINS_H

#include "base/outbuf.h"
#include "session/session.h"

struct cuts;

/**
 * cuts_create() - an account without callchains
 * @s: the session whose callchains come; it must outlive the account
 *
 * An account is for one thread at a time.
 */
struct cuts *cuts_create(struct session *s);

/* cuts_destroy - @c may be NULL */
void cuts_destroy(struct cuts *c);

/* cuts_forget_frames - tasks and mappings of the session are new ones */
void cuts_forget_frames(struct cuts *c);

/* cuts_add - count a callchain by where its walk ended */
void cuts_add(struct cuts *c, const struct walk_end *w);

/**
 * cuts_count() - count the callchain of a sample
 * @c: the account
 * @v: the sample; nothing is counted if the last span is none of user space, or if the event has
 *	user callchains neither from the kernel's walk nor from copies of the stack
 */
void cuts_count(struct cuts *c, const struct visit *v);

/* cuts_merge - add what another account of the session has */
void cuts_merge(struct cuts *c, const struct cuts *from);

/* cuts_in_jit - how many callchains end in code that was made at run time */
u64 cuts_in_jit(const struct cuts *c);

/**
 * cuts_percent() - judge all callchains that were counted
 * @c: the account; no more callchains come
 *
 * Return: how many of 100 were cut; 0 if that does not matter: fewer than ten, or not more than one in
 * a hundred; one in ten, if nothing is mapped where they end, as a mapping may be unknown.
 */
double cuts_percent(struct cuts *c);

/**
 * cuts_numbers() - how many callchains there are, and how many were cut
 * @c: the account, after cuts_percent()
 * @chains: set to the number of all
 *
 * Return: of those that were cut.
 */
u64 cuts_numbers(const struct cuts *c, u64 *chains);

/**
 * cuts_text() - one sentence on the callchains that were cut, and one on what helps
 * @c: the account, after cuts_percent()
 * @why: says more about a file than the recording does; returns NULL: nothing more. NULL: nobody does
 * @ctx: for @why
 * @o: where to
 */
void cuts_text(const struct cuts *c, const char *(*why)(const void *ctx, const char *path), const void *ctx,
	       struct outbuf *o);

#endif /* PERF_CMD_CUT_CHAINS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The number of incomplete user callchains in a recording, with files, reasons and remedy,
 * counted and printed in one way by all commands. unwind/chain_end.h decides whether a
 * callchain is complete.
 */
#ifndef PERF_CMD_CUT_CHAINS_H
#define PERF_CMD_CUT_CHAINS_H

#include "base/outbuf.h"
#include "base/types.h"
#include "session/session.h"

struct cuts;

/*
 * cuts_create - create a counter of callchains; @s: the session; it must outlive the counter. A
 * counter is not thread-safe.
 */
struct cuts *cuts_create(struct session *s);

/* cuts_destroy - @c may be NULL */
void cuts_destroy(struct cuts *c);

/*
 * cuts_settle - classify the callchains so far, before the session is closed: their files are not
 * named later. cuts_go_on - continue with another session of the same events
 */
void cuts_settle(struct cuts *c);
void cuts_go_on(struct cuts *c, struct session *s);

/**
 * cuts_count() - count the callchain of a sample
 * @v: the sample; not counted if the last span is not of user space, or if the event has no user
 *	callchains from a walk by the kernel or of stack copies
 */
void cuts_count(struct cuts *c, const struct visit *v);

/* cuts_merge - add the counts of another counter of the session */
void cuts_merge(struct cuts *c, const struct cuts *from);

/* cuts_in_jit - the number of callchains that end in JIT code */
u64 cuts_in_jit(const struct cuts *c);

/**
 * cuts_percent() - classify all counted callchains
 * @c: the counter; no more callchains may be added
 *
 * Return: the percentage of incomplete callchains; 0 if insignificant: fewer than ten, or at most 1
 * %. If they end at unmapped addresses the threshold is 10 %, as mappings may be unknown.
 */
double cuts_percent(struct cuts *c);

/**
 * cuts_numbers() - the numbers of all and of incomplete callchains
 * @c: the counter, after cuts_percent()
 * @chains: set to the number of all callchains
 *
 * Return: the number of incomplete ones.
 */
u64 cuts_numbers(const struct cuts *c, u64 *chains);

/**
 * cuts_text() - append a sentence on the incomplete callchains, and one with a remedy
 * @c: the counter, after cuts_percent()
 * @why: returns the reason why a file is missing, or NULL; may be NULL
 * @ctx: for @why
 */
void cuts_text(const struct cuts *c, const char *(*why)(const void *ctx, const char *path), const void *ctx,
	       struct outbuf *o);

struct runtime {
	const char *name;
	const char *files[3];	/* its files: the beginning of the name, no letter follows */
	const char *names;	/* the command that writes perf-PID.map; NULL: none is known */
	const char *whole;	/* what makes callchains whole, a sentence; NULL: none is known */
};

/* runtime_of - the runtime that a file is of. Return: a number for runtime_at(), 0: none. */
u32 runtime_of(const char *path);

/* runtime_at - the runtime with this number, from 1 on; NULL: there are no more */
const struct runtime *runtime_at(u32 nr);

#endif /* PERF_CMD_CUT_CHAINS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf inject: a sample with its whole callchain in it.
 */
#ifndef PERF_CMD_INJECT_CHAIN_H
#define PERF_CMD_INJECT_CHAIN_H

#include "base/outbuf.h"
#include "session/session.h"

/* How the samples of an event change. */
struct inject_plan {
	bool drop_stack;		/* copies of stacks go ... */
	bool drop_regs;			/* ... and the registers that belong to them */
	bool add_chain;			/* samples had no callchain and get one */
	bool put_lbr;			/* user halves are made of branch stacks, which stay */
};

/**
 * inject_plan() - how an event's samples are to change
 * @attr: its attributes
 * @convert: --convert-callchain was given
 */
struct inject_plan inject_plan(const struct perf_event_attr *attr, bool convert);

/**
 * inject_attr() - the attributes that fit samples which have changed
 * @attr: changed in place
 * @convert: as above
 */
void inject_attr(struct perf_event_attr *attr, bool convert);

/* inject_changes - would inject_sample() change this sample? If not it is copied as it stands. */
static inline bool inject_changes(const struct inject_plan *plan, const struct sample *s)
{
	return s->deferred || plan->drop_stack || plan->put_lbr;
}

/**
 * inject_sample() - append a sample with its whole callchain
 * @o: where to
 * @s: the sample
 * @cc: its callchain. Without a user half the sample keeps what it has but for its cookie
 * @plan: of its event
 *
 * A record has 65535 bytes at most: the outermost frames that have no room are left out.
 * Return: how many were left out.
 */
u32 inject_sample(struct outbuf *o, const struct sample *s, const struct callchain *cc,
		  const struct inject_plan *plan);

#endif /* PERF_CMD_INJECT_CHAIN_H */

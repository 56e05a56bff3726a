/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf inject: a sample with its complete callchain.
 */
#ifndef PERF_CMD_PLAIN_SAMPLE_H
#define PERF_CMD_PLAIN_SAMPLE_H

#include "base/outbuf.h"
#include "session/session.h"

/* The changes to the samples of an event. */
struct plain_plan {
	bool drop_stack;		/* remove copies of stacks ... */
	bool drop_regs;			/* ... and their registers */
	bool drop_user;			/* remove user halves that are not of a walk */
	bool add_chain;			/* add a callchain to samples that had none */
	bool put_lbr;			/* make user halves from branch stacks, which are kept */
};

/* plain_plan - the changes to an event's samples; @convert: --convert-callchain was given */
struct plain_plan plain_plan(const struct perf_event_attr *attr, bool convert);

/**
 * plain_attr() - adjust the attributes to the changed samples
 * @attr: changed in place
 * @convert: as above
 */
void plain_attr(struct perf_event_attr *attr, bool convert);

/* plain_changes - would plain_sample() change this sample? If not, it is copied unchanged. */
static inline bool plain_changes(const struct plain_plan *plan, const struct sample *s)
{
	return s->deferred || plan->drop_stack || plan->put_lbr;
}

/**
 * plain_sample() - append a sample with its whole callchain
 * @cc: its callchain. Without a user half the sample keeps its callchain without the cookie
 * @plan: the plan of its event
 *
 * A record has at most 65535 bytes: outermost frames that do not fit are omitted.
 * Return: the number of omitted frames.
 */
u32 plain_sample(struct outbuf *o, const struct sample *s, const struct callchain *cc,
		  const struct plain_plan *plan);

#endif /* PERF_CMD_PLAIN_SAMPLE_H */

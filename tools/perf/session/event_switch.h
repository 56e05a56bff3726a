/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --switch-on and --switch-off: samples between two events of a recording, for perf report and
 * perf script.
 */
#ifndef PERF_SESSION_EVENT_SWITCH_H
#define PERF_SESSION_EVENT_SWITCH_H

#include "base/argparse.h"
#include "base/outbuf.h"
#include "event/event.h"

struct session;

struct event_switch {
	const char *on, *off;	/* names of events; NULL: not given */
	bool show;		/* samples of these two, too */
};

/* The entries of a command's table. @s: its struct event_switch */
#define EVENT_SWITCH_OPTIONS(s)								\
	{ OPT_STRING, 0, "switch-on", &(s).on, "event",					\
	  .help = "Only from where this event comes" },					\
	{ OPT_STRING, 0, "switch-off", &(s).off, "event",				\
	  .help = "Only up to where this event comes" },				\
	{ OPT_BOOL, 0, "show-on-off-events", &(s).show, .help = "These two, too" }

static inline bool event_switch_given(const struct event_switch *s)
{
	return s->on || s->off;
}

/* event_switch_setup - fit the options to a recording; return: NULL, or which event it does not have */
struct error *event_switch_setup(const struct event_switch *sw, const struct session *s);

/**
 * event_switch_passes() - is a sample between the two events?
 * @sw: the options
 * @off: the state, which begins as whether @sw->on is given
 * @ev: the event of the sample; all samples go through here, in the order of time
 */
bool event_switch_passes(const struct event_switch *sw, bool *off, const struct event *ev);

/* event_switch_text - the options as they were given, each with a blank before it */
void event_switch_text(const struct event_switch *sw, struct outbuf *o);

#endif /* PERF_SESSION_EVENT_SWITCH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --switch-on and --switch-off of perf report and perf script: only samples between two events.
 */
#ifndef PERF_SESSION_EVENT_SWITCH_H
#define PERF_SESSION_EVENT_SWITCH_H

#include "base/argparse.h"
#include "base/outbuf.h"
#include "event/event.h"

struct session;

struct event_switch {
	const char *on, *off;	/* event names; NULL: not given */
	bool show;		/* show samples of the two events too */
};

/* Entries for a command's option table. @s: its struct event_switch */
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

/*
 * event_switch_setup - check the options against a recording. Return: NULL, or the event it lacks
 */
struct error *event_switch_setup(const struct event_switch *sw, const struct session *s);

/**
 * event_switch_passes() - check whether a sample is between the two events
 * @sw: the options
 * @off: state; initially true if @sw->on is given
 * @ev: event of the sample. Call it for every sample, in time order.
 */
bool event_switch_passes(const struct event_switch *sw, bool *off, const struct event *ev);

/* event_switch_text - append the options as given, each preceded by a blank */
void event_switch_text(const struct event_switch *sw, struct outbuf *o);

#endif /* PERF_SESSION_EVENT_SWITCH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: events that are not recorded, but begin the next file (--switch-output-event).
 */
#ifndef PERF_CMD_RECORD_TRIGGER_H
#define PERF_CMD_RECORD_TRIGGER_H

#include "cmd/record/record_options.h"
#include "measure/rings.h"

struct trigger {
	struct ring_options options;
	struct rings rings;		/* none: there are no such events */
};

/**
 * trigger_open() - open the events of --switch-output-event
 * @t: all zeroes; trigger_close() it in any case
 * @o: the options; the events' attributes are made here
 * @recorded: the recording's own events, open: the others look at the same CPUs and threads
 * @per_task: whether these are threads
 *
 * Events of a command begin when it is executed, others have to be enabled.
 * Return: 0, or -1 after diag_error().
 */
int trigger_open(struct trigger *t, struct record_options *o, const struct rings *recorded, bool per_task);

/* trigger_fired - has one of the events happened since the last call? */
bool trigger_fired(struct trigger *t);
void trigger_close(struct trigger *t);

#endif /* PERF_CMD_RECORD_TRIGGER_H */

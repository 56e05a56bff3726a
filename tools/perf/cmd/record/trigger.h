/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: events that start the next file and are not recorded (--switch-output-event).
 */
#ifndef PERF_CMD_RECORD_TRIGGER_H
#define PERF_CMD_RECORD_TRIGGER_H

#include "cmd/record/record_options.h"
#include "measure/rings.h"

struct trigger {
	struct ring_options options;
	struct rings rings;		/* empty without such events */
};

/**
 * trigger_open() - open the events of --switch-output-event
 * @t: zeroed; call trigger_close() in any case
 * @o: the options; the attributes of its trigger events are set here
 * @recorded: the recording's open events: the trigger events use their CPUs and threads
 * @per_task: true if @recorded measures threads
 *
 * Events of a command are enabled by its exec; the caller enables the others.
 * Return: 0, or -1 after diag_error().
 */
int trigger_open(struct trigger *t, struct record_options *o, const struct rings *recorded, bool per_task);

/* trigger_fired - true if one of the events occurred since the last call */
bool trigger_fired(struct trigger *t);
void trigger_close(struct trigger *t);

#endif /* PERF_CMD_RECORD_TRIGGER_H */

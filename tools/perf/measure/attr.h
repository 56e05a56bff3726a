/* SPDX-License-Identifier: GPL-2.0 */
/* Event attributes from -e and the other options. */
#ifndef PERF_MEASURE_ATTR_H
#define PERF_MEASURE_ATTR_H

#include "base/error.h"
#include "measure/measure_options.h"

/* chains_settle - replace callchain modes that this kernel lacks, before attrs_configure() */
void chains_settle(struct ring_options *o, struct spec_list *specs);
/* chain_used - true if the command line or an event has this mode */
bool chain_used(const struct ring_options *o, const struct spec_list *specs, enum spec_chain chain);
/* chain_deferred - true if an event takes its user callchains later, after attrs_configure() */
bool chain_deferred(const struct spec_list *specs);

/*
 * attrs_configure - complete each event's attributes; the tracking event is marked. Unsupported
 * options are cleared with a message. @per_task: tasks are measured, not CPUs.
 */
struct error *attrs_configure(struct ring_options *o, struct spec_list *specs, bool per_task);
/* attr_copy_stack - copy user registers and @bytes bytes of the user stack into each sample */
void attr_copy_stack(struct perf_event_attr *a, u32 bytes);
/* attr_print - print attributes for -vv */
void attr_print(const struct perf_event_attr *attr);

#endif /* PERF_MEASURE_ATTR_H */

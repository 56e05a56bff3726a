/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From -e and the other options to the attributes for the kernel.
 */
#ifndef PERF_MEASURE_ATTR_H
#define PERF_MEASURE_ATTR_H

#include "base/error.h"
#include "measure/measure_options.h"

/**
 * chains_settle() - how callchains are taken, now that the kernel is known
 * @o: the options
 * @specs: the events
 *
 * Replaces modes that this kernel lacks, with a message. Comes before
 * attrs_configure().
 */
void chains_settle(struct ring_options *o, struct spec_list *specs);

/* chain_used - is it the command line's, or that of an event? */
bool chain_used(const struct ring_options *o, const struct spec_list *specs, enum spec_chain chain);

/**
 * attrs_configure() - complete each event's attributes from the options
 * @o: the options; unsupported ones are switched off, with a
 *     message
 * @specs: the events, the tracking one already marked
 * @per_task: the target is tasks, not CPUs
 *
 * Return: NULL, or the error.
 */
struct error *attrs_configure(struct ring_options *o, struct spec_list *specs, bool per_task);

/**
 * attr_print() - show attributes as -vv does
 * @attr: the attributes
 */
void attr_print(const struct perf_event_attr *attr);

#endif /* PERF_MEASURE_ATTR_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_event_attr as words, for headers, dumps and -vv.
 */
#ifndef PERF_EVENT_ATTR_TEXT_H
#define PERF_EVENT_ATTR_TEXT_H

#include "event/abi.h"

/**
 * attr_each() - call a function for each non-zero field of an event's attributes
 * @attr: the attributes
 * @tp_name: for a tracepoint, "system:name" from the recording; may be NULL
 * @fn: called with the name of the field and its value, in the order of the fields; also for a
 *	type, size or config of 0
 * @ctx: passed to @fn
 */
void attr_each(const struct perf_event_attr *attr, const char *tp_name,
	       void (*fn)(const char *name, const char *value, void *ctx), void *ctx);

#endif /* PERF_EVENT_ATTR_TEXT_H */

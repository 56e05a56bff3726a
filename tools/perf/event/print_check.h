/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_EVENT_PRINT_CHECK_H
#define PERF_EVENT_PRINT_CHECK_H

#include <traceevent/event-parse.h>

#include "event/sample.h"

/* Bytes after the raw data that may be read while an event is printed that print_check() lets pass. */
#define PRINT_BEHIND 65536

/* What a tracepoint's text needs before libtraceevent may print it. */
enum print_kind {
	PRINT_SAFE,		/* nothing, for any sample */
	PRINT_CHECKED,		/* print_check() of each sample */
	PRINT_NOT,		/* it is never printed */
};

/**
 * print_kind() - may libtraceevent print a tracepoint's text?
 * @event: the tracepoint's format, parsed
 *
 * libtraceevent trusts a format: sizes of arrays and indices that lie outside of the
 * raw data, divisions by 0, fields that are none, widths of gigabytes.
 */
enum print_kind print_kind(struct tep_event *event);

/**
 * print_check() - the same for one sample
 * @event: the tracepoint's format
 * @data: the sample's raw data, with PRINT_BEHIND bytes after it
 *
 * Return: false when printing would read beyond that, or divide by 0.
 */
bool print_check(struct tep_event *event, const void *data);

#endif /* PERF_EVENT_PRINT_CHECK_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_EVENT_PRINT_CHECK_H
#define PERF_EVENT_PRINT_CHECK_H

#include <traceevent/event-parse.h>

#include "event/sample.h"

/*
 * Bytes after the raw data that may be read while an event is printed that print_check() accepts.
 */
#define PRINT_BEHIND 65536

/* The check that is required before libtraceevent prints a tracepoint's text. */
enum print_kind {
	PRINT_SAFE,		/* none: safe for any sample */
	PRINT_CHECKED,		/* print_check() of each sample */
	PRINT_NOT,		/* it is never printed */
};

/**
 * print_kind() - may libtraceevent print a tracepoint's text?
 * @event: the tracepoint's format, parsed
 *
 * libtraceevent does not check formats: array sizes and indices outside of the raw data, division
 * by 0, invalid fields, widths of gigabytes.
 */
enum print_kind print_kind(struct tep_event *event);

/**
 * print_check() - may libtraceevent print the text of a sample?
 * @event: the tracepoint's format
 * @data: the sample's raw data, with PRINT_BEHIND bytes after it
 *
 * Return: false if printing would read beyond these bytes, or divide by 0.
 */
bool print_check(struct tep_event *event, const void *data);

#endif /* PERF_EVENT_PRINT_CHECK_H */

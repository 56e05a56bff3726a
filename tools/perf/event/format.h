/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats of tracepoints, by libtraceevent, from the recording's TRACING_DATA.
 *
 * libtraceevent trusts its input and keeps state while it prints: only these functions pass raw
 * data to it, after a check of the fields' bounds, one thread at a time.
 */
#ifndef PERF_EVENT_FORMAT_H
#define PERF_EVENT_FORMAT_H

#include <traceevent/event-parse.h>

#include "base/outbuf.h"
#include "event/sample.h"

struct tep_format_field;

/**
 * tracepoints_load() - read the formats and assign them to the events
 * @list: the events; each tracepoint among them gets its tp_format
 * @data: a TRACING_DATA section; need not outlive the call
 *
 * For events added later call tracepoints_bind().
 * Return: 0, or -EINVAL if the section is damaged; formats before the damage are used.
 */
int tracepoints_load(struct event_list *list, const u8 *data, u64 size);

/* tracepoints_bind - assign the loaded formats to events */
void tracepoints_bind(struct event_list *list);

/**
 * tracepoints_resolve() - name kernel functions in print formats (%ps, %pS)
 * @list: the events; formats may be loaded later
 * @symbol: sets the address to the function's start; @module: set to its module, NULL: none.
 *	Return: its name, or NULL
 * @ctx: passed to @symbol
 */
void tracepoints_resolve(struct event_list *list,
			 char *(*symbol)(void *ctx, unsigned long long *addr, char **module),
			 void *ctx);

/**
 * tracepoint_print() - the fields of a tracepoint's sample as text
 * @s: a sample with raw data
 * @o: the text is appended, by the format's print fmt: "prev_comm=swapper/0 ..."
 *
 * Return: true if the event has a format.
 */
bool tracepoint_print(const struct event_list *list, const struct sample *s, struct outbuf *o);

/**
 * tracepoint_print_field() - one field of a tracepoint's sample as text
 * @s: a sample with raw data
 * @field: a field of its event's format
 * @o: the value is appended
 *
 * Return: true if the sample has the field.
 */
bool tracepoint_print_field(const struct sample *s, const struct tep_format_field *field,
			    struct outbuf *o);

/**
 * tracepoint_print_fields() - the fields of a tracepoint's sample as name=value pairs
 * @s: a sample with raw data
 * @o: the text is appended
 *
 * Return: true if the event has a format.
 */
bool tracepoint_print_fields(const struct event_list *list, const struct sample *s,
			     struct outbuf *o);

void tracepoints_deinit(struct event_list *list);

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

/*
 * print_kind - may libtraceevent print a tracepoint's text? @event: the tracepoint's format,
 * parsed. libtraceevent does not check formats: array sizes and indices outside of the raw data,
 * division by 0, invalid fields, widths of gigabytes.
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

#endif /* PERF_EVENT_FORMAT_H */

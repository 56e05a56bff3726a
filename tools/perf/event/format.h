/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats of tracepoints, by libtraceevent, from the recording's TRACING_DATA.
 *
 * libtraceevent trusts its input and keeps state while it prints: only these functions pass raw
 * data to it, after a check of the fields' bounds, one thread at a time.
 */
#ifndef PERF_EVENT_FORMAT_H
#define PERF_EVENT_FORMAT_H

#include "base/outbuf.h"
#include "event/sample.h"

struct tep_format_field;

/**
 * tracepoints_load() - read the formats and assign them to the events
 * @list: the events; each tracepoint among them gets its tp_format
 * @data: a TRACING_DATA section; need not outlive the call
 * @size: bytes
 *
 * For events added later call tracepoints_bind().
 * Return: 0, or -EINVAL if the section is damaged; formats before the damage are used.
 */
int tracepoints_load(struct event_list *list, const u8 *data, u64 size);

/**
 * tracepoints_bind() - assign the loaded formats to events
 * @list: the events
 */
void tracepoints_bind(struct event_list *list);

/**
 * tracepoint_print() - the fields of a tracepoint's sample as text
 * @list: the events
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
 * @list: the events
 * @s: a sample with raw data
 * @o: the text is appended
 *
 * Return: true if the event has a format.
 */
bool tracepoint_print_fields(const struct event_list *list, const struct sample *s,
			     struct outbuf *o);

void tracepoints_deinit(struct event_list *list);

#endif /* PERF_EVENT_FORMAT_H */

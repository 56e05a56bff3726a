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
 * tracepoints_load() - read the formats and tie them to the events
 * @list: the events; each tracepoint among them gets its tp_format
 * @data: a TRACING_DATA section; need not outlive the call
 * @size: bytes
 *
 * Events that are added later are tied by tracepoints_bind().
 * Return: 0, or -EINVAL when the section can't be read to its end; what was
 * read counts nevertheless.
 */
int tracepoints_load(struct event_list *list, const u8 *data, u64 size);

/**
 * tracepoints_bind() - tie events to formats loaded earlier
 * @list: the events
 */
void tracepoints_bind(struct event_list *list);

/**
 * tracepoint_print() - the fields of a tracepoint's sample as text
 * @list: the events
 * @s: a sample with raw data
 * @o: where the text goes: the format's own print fmt, e.g. "prev_comm=swapper/0 ..."
 *
 * Return: whether the event has a format.
 */
bool tracepoint_print(const struct event_list *list, const struct sample *s, struct outbuf *o);

/**
 * tracepoint_print_field() - one field of a tracepoint's sample as text
 * @s: a sample with raw data
 * @field: a field of its event's format
 * @o: where the text goes: the value alone
 *
 * Return: whether the sample has the field.
 */
bool tracepoint_print_field(const struct sample *s, const struct tep_format_field *field,
			    struct outbuf *o);

/**
 * tracepoint_print_fields() - the same as name=value pairs, one for each field
 * @list: the events
 * @s: a sample with raw data
 * @o: where the text goes
 *
 * Return: whether the event has a format.
 */
bool tracepoint_print_fields(const struct event_list *list, const struct sample *s,
			     struct outbuf *o);

void tracepoints_deinit(struct event_list *list);

#endif /* PERF_EVENT_FORMAT_H */

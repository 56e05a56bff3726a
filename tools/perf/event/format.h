/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats of tracepoints, by libtraceevent, from TRACING_DATA. It trusts its input and keeps state
 * while it prints: these functions alone pass raw data to it, checked, one thread at a time.
 */
#ifndef PERF_EVENT_FORMAT_H
#define PERF_EVENT_FORMAT_H

#include <traceevent/event-parse.h>

#include "base/outbuf.h"
#include "event/sample.h"

struct tep_format_field;

/*
 * tracepoints_load - set the events' tp_format from a TRACING_DATA section, which need not stay.
 * Return: 0; -EINVAL: it is damaged, what precedes is used.
 */
int tracepoints_load(struct event_list *list, const u8 *data, u64 size);

/* tracepoints_bind - assign the loaded formats to the events from the index @first on */
void tracepoints_bind(struct event_list *list, u32 first);

/*
 * tracepoints_resolve - have @symbol name kernel functions in print formats (%ps, %pS), also of
 * formats loaded later: it sets address and module, or NULL, of the function; NULL: unknown
 */
void tracepoints_resolve(struct event_list *list,
			 char *(*symbol)(void *ctx, unsigned long long *addr, char **module),
			 void *ctx);

/* tracepoint_print - append raw data by its print fmt, "prev_comm=..."; false: no format */
bool tracepoint_print(const struct event_list *list, const struct sample *s, struct outbuf *o);

/* tracepoint_field - a field's bytes or, dynamic, those it points to; NULL: not in the raw data */
const char *tracepoint_field(const struct sample *s, const struct tep_format_field *f, u32 *size);

/* tracepoint_print_field - append the value of a field. Return: false: not in the raw data. */
bool tracepoint_print_field(const struct sample *s, const struct tep_format_field *field,
			    struct outbuf *o);

/* tracepoint_print_fields - append all fields, name=value. Return: false: no format. */
bool tracepoint_print_fields(const struct event_list *list, const struct sample *s,
			     struct outbuf *o);

void tracepoints_deinit(struct event_list *list);

/* Bytes that may be read behind the raw data when print_check() accepts an event. */
#define PRINT_BEHIND 65536

/*
 * print_kind - may libtraceevent print a tracepoint's text? It checks no formats: arrays outside of
 * the raw data, division by 0, invalid fields, widths of gigabytes.
 */
enum print_kind {
	PRINT_SAFE,		/* none: safe for any sample */
	PRINT_CHECKED,		/* print_check() of each sample */
	PRINT_NOT,		/* it is never printed */
};

/*
 * print_kind - may libtraceevent print a tracepoint's text? It does not check formats: arrays
 * outside of the raw data, division by 0, invalid fields, widths of gigabytes.
 */
enum print_kind print_kind(struct tep_event *event);

/*
 * print_check - may it print a sample's? @data: raw data and PRINT_BEHIND bytes more. Return:
 * false: it would read beyond these, or divide by 0.
 */
bool print_check(struct tep_event *event, const void *data);

#endif /* PERF_EVENT_FORMAT_H */

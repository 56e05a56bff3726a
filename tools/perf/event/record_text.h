/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records as text, for perf script --show-... and the raw dump (-D).
 */
#ifndef PERF_EVENT_RECORD_TEXT_H
#define PERF_EVENT_RECORD_TEXT_H

#include "base/outbuf.h"
#include "event/abi.h"

/**
 * record_type_name() - the name of a type of record
 * @type: the kernel's or perf's own
 *
 * Return: the part after PERF_RECORD_, or NULL: unknown.
 */
const char *record_type_name(u32 type);

/**
 * record_text() - the content of a record as text, without the name of its type
 * @rec: a kernel record other than a sample, checked by the reader
 * @o: the text is appended: " 116/116: [...", without a newline
 *
 * Return: false, with nothing appended, if the type has no text common to both commands.
 */
bool record_text(const struct perf_event_header *rec, struct outbuf *o);

#endif /* PERF_EVENT_RECORD_TEXT_H */

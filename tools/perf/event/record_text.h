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
 * Return: what follows PERF_RECORD_, or NULL: unknown.
 */
const char *record_type_name(u32 type);

/**
 * record_text() - what a record says, after its type's name
 * @rec: a kernel's record that is no sample, checked by the reader
 * @o: where the text goes: " 116/116: [...", ends without a newline
 *
 * Return: false, and nothing is printed, when this type has no text that both have.
 */
bool record_text(const struct perf_event_header *rec, struct outbuf *o);

#endif /* PERF_EVENT_RECORD_TEXT_H */

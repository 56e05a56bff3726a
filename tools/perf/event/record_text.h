/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_EVENT_RECORD_TEXT_H
#define PERF_EVENT_RECORD_TEXT_H

#include "base/outbuf.h"
#include "event/abi.h"

/**
 * record_text() - what a record says, as perf script and report -D print it
 * @rec: a kernel's record that is no sample, checked by the reader
 * @o: where the text goes: "PERF_RECORD_MMAP2 116/116: [...", ends without a newline
 *
 * Return: whether this type of record is known here.
 */
bool record_text(const struct perf_event_header *rec, struct outbuf *o);

#endif /* PERF_EVENT_RECORD_TEXT_H */

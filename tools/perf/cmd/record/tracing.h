/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the TRACING_DATA section.
 */
#ifndef PERF_CMD_RECORD_TRACING_H
#define PERF_CMD_RECORD_TRACING_H

#include "base/outbuf.h"
#include "spec/spec.h"

/**
 * tracing_data() - collect the data that readers need to decode tracepoints
 * @specs: the events
 * @out: destination; initialised only if @specs has a tracepoint
 *
 * Unreadable data is omitted; diag_warn() names an event whose format is missing.
 */
void tracing_data(const struct spec_list *specs, struct outbuf *out);

#endif /* PERF_CMD_RECORD_TRACING_H */

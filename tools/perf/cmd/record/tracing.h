/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: the TRACING_DATA section.
 */
#ifndef PERF_CMD_RECORD_TRACING_H
#define PERF_CMD_RECORD_TRACING_H

#include "base/outbuf.h"
#include "spec/spec.h"

/**
 * tracing_data() - collect what a reader needs to decode tracepoints
 * @specs: the events
 * @out: where to; initialised only when there is a tracepoint among the events
 *
 * What cannot be read is left out; diag_warn() names the event whose format is missing.
 */
void tracing_data(const struct spec_list *specs, struct outbuf *out);

#endif /* PERF_CMD_RECORD_TRACING_H */

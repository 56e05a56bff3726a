/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: side-band records older than the window that are still valid.
 */
#ifndef PERF_CMD_TOP_SIDEBAND_H
#define PERF_CMD_TOP_SIDEBAND_H

#include "base/outbuf.h"
#include "event/abi.h"

struct sideband {
	struct outbuf records;
	size_t compact;			/* size after the last compaction, in bytes */
};

void sideband_init(struct sideband *s);
void sideband_deinit(struct sideband *s);

/**
 * sideband_add() - add a record that has left the window
 * @s: destination
 * @h: a kernel record that is not a sample, in time order; copied if it may be needed
 *
 * Compactions remove the records of exited tasks, earlier names of threads and replaced mappings.
 * The size is proportional to the existing tasks and mappings.
 */
void sideband_add(struct sideband *s, const struct perf_event_header *h);

#endif /* PERF_CMD_TOP_SIDEBAND_H */

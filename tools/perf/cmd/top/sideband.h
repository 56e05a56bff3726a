/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top: side-band records that are older than the window and still hold.
 */
#ifndef PERF_CMD_TOP_SIDEBAND_H
#define PERF_CMD_TOP_SIDEBAND_H

#include "base/outbuf.h"
#include "event/abi.h"

struct sideband {
	struct outbuf records;
	size_t compact;			/* bytes of them after the last compaction */
};

void sideband_init(struct sideband *s);
void sideband_deinit(struct sideband *s);

/**
 * sideband_add() - a record that is no longer in the window
 * @s: where to
 * @h: a kernel record that is no sample, not earlier than those before; copied if it may be needed
 *
 * Records of tasks that have exited, of threads' earlier names and of mappings that others replaced
 * are removed now and then: the size is proportional to what exists, not to what has come and gone.
 */
void sideband_add(struct sideband *s, const struct perf_event_header *h);

#endif /* PERF_CMD_TOP_SIDEBAND_H */

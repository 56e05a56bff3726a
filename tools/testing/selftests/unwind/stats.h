/* SPDX-License-Identifier: GPL-2.0 */
/* The counters in debugfs unwind/stats. */
#ifndef SELFTEST_STATS_H
#define SELFTEST_STATS_H

#include "event.h"

/* A counter by its name; dies when it is not there. */
u64 stats_read(const char *name);
/* Completions for a reason: return, block, exec, exit, disable. */
u64 stats_completed(const char *reason);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of perf-list(1), indexed by the kernel's numbers.
 */
#ifndef PERF_EVENT_ATTR_NAME_H
#define PERF_EVENT_ATTR_NAME_H

#include "event/abi.h"

#define SW_NAMES 12	/* PERF_COUNT_SW_CGROUP_SWITCHES is the last */

extern const char *const hw_event_names[PERF_COUNT_HW_MAX];
extern const char *const sw_event_names[SW_NAMES];
extern const char *const cache_event_names[PERF_COUNT_HW_CACHE_MAX];

#endif /* PERF_EVENT_ATTR_NAME_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Milliseconds, of the clock that nobody sets, and until when to wait for a condition variable or a thread.
 */
#ifndef PERF_BASE_CLOCK_H
#define PERF_BASE_CLOCK_H

#include <time.h>

#include "base/types.h"

/* now_ms - CLOCK_MONOTONIC in milliseconds */
static inline u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* time_after - the time in @ms milliseconds, by CLOCK_REALTIME */
static inline struct timespec time_after(u32 ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += ms % 1000 * 1000000;
	ts.tv_sec += ms / 1000 + ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}

#endif /* PERF_BASE_CLOCK_H */

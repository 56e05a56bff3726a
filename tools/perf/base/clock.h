/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time in nanoseconds and milliseconds, and until when to wait for a condition variable or a
 * thread.
 */
#ifndef PERF_BASE_CLOCK_H
#define PERF_BASE_CLOCK_H

#include <time.h>

#include "base/types.h"

/* clock_ns - the time of a clock in nanoseconds */
static inline u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* monotonic_ns - CLOCK_MONOTONIC, which nobody sets, in nanoseconds */
static inline u64 monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* now_ms - CLOCK_MONOTONIC in milliseconds */
static inline u64 now_ms(void)
{
	return monotonic_ns() / 1000000;
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

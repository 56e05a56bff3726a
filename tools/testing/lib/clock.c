// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded: a clock of which each look is TICK milliseconds later than the one before. So what a
 * program does after a while it does at once, or never.
 */
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *ts)
{
	static long ms;

	(void)id;
	ms += atol(getenv("TICK"));
	ts->tv_sec = ms / 1000;
	ts->tv_nsec = ms % 1000 * 1000000;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A thread does not inherit the priority of the one that starts it. Owns nothing.
 */
#include <sched.h>

#include "base/thread.h"

int thread_start_usual(pthread_t *thread, void *(*fn)(void *arg), void *arg)
{
	struct sched_param p = { .sched_priority = 0 };
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
	pthread_attr_setschedparam(&attr, &p);
	err = pthread_create(thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads of normal priority in a process with a realtime thread (perf record -r).
 */
#ifndef PERF_BASE_THREAD_H
#define PERF_BASE_THREAD_H

#include <pthread.h>

/**
 * thread_start_usual() - start a thread of normal priority, whatever the caller's is
 * @thread: set to the thread, for pthread_join()
 * @fn: what it runs
 * @arg: passed to @fn
 *
 * Return: 0, or an errno.
 */
int thread_start_usual(pthread_t *thread, void *(*fn)(void *arg), void *arg);

#endif /* PERF_BASE_THREAD_H */

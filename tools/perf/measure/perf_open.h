/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System call wrapper of perf_event_open(2).
 */
#ifndef PERF_MEASURE_PERF_OPEN_H
#define PERF_MEASURE_PERF_OPEN_H

#include <sys/types.h>

#include "event/abi.h"

/**
 * perf_open() - perf_event_open(2)
 * @attr: the event's attributes
 * @pid: the thread; -1: all threads; with PERF_FLAG_PID_CGROUP, a cgroup's descriptor
 * @cpu: the CPU; -1: any
 * @group_fd: descriptor of the group leader; -1: none
 * @flags: PERF_FLAG_*; close-on-exec is added
 *
 * Return: the descriptor, or -errno.
 */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

#endif /* PERF_MEASURE_PERF_OPEN_H */

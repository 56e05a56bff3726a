/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system call that opens an event.
 */
#ifndef PERF_MEASURE_PERF_OPEN_H
#define PERF_MEASURE_PERF_OPEN_H

#include <sys/types.h>

#include "event/abi.h"

/**
 * perf_open() - perf_event_open(2)
 * @attr: what to measure
 * @pid: whom, -1: everyone, or with PERF_FLAG_PID_CGROUP a cgroup's descriptor
 * @cpu: where, -1: anywhere
 * @group_fd: the leader, -1: none
 * @flags: PERF_FLAG_*; close-on-exec is added
 *
 * Return: the descriptor, or -errno.
 */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

#endif /* PERF_MEASURE_PERF_OPEN_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* perf_event_open(2) */
#ifndef PERF_MEASURE_OPEN_H
#define PERF_MEASURE_OPEN_H

#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "event/abi.h"

/*
 * perf_open - perf_event_open(2), close-on-exec; @pid: with PERF_FLAG_PID_CGROUP a cgroup's
 * descriptor. Return: the descriptor, or -errno.
 */
static inline int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			    unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			 flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* PERF_IDLE - attributes of an event that never counts */
#define IDLE_FIELDS									\
	.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .disabled = 1,	\
	.config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1, .exclude_hv = 1
#define PERF_IDLE { IDLE_FIELDS }

/* perf_try - open an event on this thread and close it. Return: 0, or -errno. */
static inline int perf_try(struct perf_event_attr *attr)
{
	int fd = perf_open(attr, 0, -1, -1, 0);

	return fd < 0 ? fd : close(fd);
}

#endif /* PERF_MEASURE_OPEN_H */

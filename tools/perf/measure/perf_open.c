// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2), for which the C library has no wrapper.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/perf_open.h"

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			 flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

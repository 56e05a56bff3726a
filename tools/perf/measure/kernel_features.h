/* SPDX-License-Identifier: GPL-2.0 */
/* Features of this kernel's perf_event_open(2), tested by an idle software event on this thread. */
#ifndef PERF_MEASURE_KERNEL_FEATURES_H
#define PERF_MEASURE_KERNEL_FEATURES_H

#include "event/abi.h"

enum kernel_feature {
	KERNEL_SAMPLE_ID_ALL, KERNEL_MMAP2, KERNEL_COMM_EXEC, KERNEL_CLOCKID,
	KERNEL_CONTEXT_SWITCH, KERNEL_WRITE_BACKWARD, KERNEL_NAMESPACES, KERNEL_KSYMBOL,
	KERNEL_BPF_EVENT, KERNEL_CGROUP, KERNEL_BUILD_ID, KERNEL_READ_LOST, KERNEL_WEIGHT_STRUCT,
	KERNEL_PAGE_SIZES, KERNEL_PHYS_ADDR, KERNEL_DEFER_CALLCHAIN,
	KERNEL_UNWIND_TABLE,	/* unwind tables, and deferral, which uses them */
	KERNEL_FEATURES,
};

/* kernel_has - has the kernel a feature? True where events are refused: the real call says why */
bool kernel_has(enum kernel_feature f);
/* kernel_allows - may this process measure itself? @kernel: also in the kernel */
bool kernel_allows(bool kernel);
/* kernel_mlock - perf_event_mlock_kb, in bytes: what an unprivileged user may lock per CPU */
u64 kernel_mlock(void);
/* kernel_paranoid - /proc/sys/kernel/perf_event_paranoid; 2, the default, if it cannot be read */
int kernel_paranoid(void);
/* kernel_max_freq - perf_event_max_sample_rate, samples per second; 0 if it cannot be read */
u64 kernel_max_freq(void);

/* raise_fd_limit - raise the limit of open descriptors if permitted. Return: the new limit. */
u64 raise_fd_limit(u64 wanted);

#endif /* PERF_MEASURE_KERNEL_FEATURES_H */

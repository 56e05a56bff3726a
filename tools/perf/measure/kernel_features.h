/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The features of this kernel's perf_event_open(2), found by opening an idle software event on
 * this thread for each.
 */
#ifndef PERF_MEASURE_KERNEL_FEATURES_H
#define PERF_MEASURE_KERNEL_FEATURES_H

#include "event/abi.h"

enum kernel_feature {
	KERNEL_SAMPLE_ID_ALL,
	KERNEL_MMAP2,
	KERNEL_COMM_EXEC,
	KERNEL_CLOCKID,
	KERNEL_CONTEXT_SWITCH,
	KERNEL_WRITE_BACKWARD,
	KERNEL_NAMESPACES,
	KERNEL_KSYMBOL,
	KERNEL_BPF_EVENT,
	KERNEL_CGROUP,
	KERNEL_BUILD_ID,
	KERNEL_READ_LOST,
	KERNEL_WEIGHT_STRUCT,
	KERNEL_PAGE_SIZES,
	KERNEL_PHYS_ADDR,
	KERNEL_DEFER_CALLCHAIN,
	KERNEL_UNWIND_TABLE,	/* and deferral, which walks by them */
	KERNEL_FEATURES,
};

/**
 * kernel_has() - does the kernel know a feature
 * @f: which
 *
 * Tried at the first call; remembered. When perf_event_open() may not be used
 * at all the answer is yes: the real call will fail with the reason.
 * Return: whether it does.
 */
bool kernel_has(enum kernel_feature f);

/**
 * kernel_allows() - may this process measure itself
 * @kernel: also in the kernel
 *
 * Return: whether it may.
 */
bool kernel_allows(bool kernel);

/**
 * kernel_paranoid() - /proc/sys/kernel/perf_event_paranoid
 *
 * Return: its value, 2 (the kernel's default) when it can't be read.
 */
int kernel_paranoid(void);

/**
 * kernel_max_freq() - /proc/sys/kernel/perf_event_max_sample_rate
 *
 * Return: samples per second, or 0 when it can't be read.
 */
u64 kernel_max_freq(void);

/**
 * raise_fd_limit() - allow as many descriptors as we may
 * @wanted: how many will be needed
 *
 * Return: how many there may be now.
 */
u64 raise_fd_limit(u64 wanted);

#endif /* PERF_MEASURE_KERNEL_FEATURES_H */

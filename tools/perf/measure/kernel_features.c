// SPDX-License-Identifier: GPL-2.0
/*
 * Tests what this kernel's perf_event_open(2) takes, once, by a software event that never runs.
 * Also the kernel's limits: paranoia, sampling rate, descriptors.
 */
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "measure/kernel_features.h"
#include "measure/open.h"
#include "measure/table.h"

/* Events that need a feature. */
static const struct perf_event_attr probes[KERNEL_FEATURES] = {
	[KERNEL_SAMPLE_ID_ALL] = { IDLE_FIELDS, .sample_id_all = 1 },
	[KERNEL_MMAP2] = { IDLE_FIELDS, .mmap2 = 1 },
	[KERNEL_COMM_EXEC] = { IDLE_FIELDS, .comm_exec = 1 },
	[KERNEL_CLOCKID] = { IDLE_FIELDS, .use_clockid = 1, .clockid = CLOCK_MONOTONIC },
	[KERNEL_CONTEXT_SWITCH] = { IDLE_FIELDS, .context_switch = 1 },
	[KERNEL_WRITE_BACKWARD] = { IDLE_FIELDS, .write_backward = 1 },
	[KERNEL_NAMESPACES] = { IDLE_FIELDS, .namespaces = 1 },
	[KERNEL_KSYMBOL] = { IDLE_FIELDS, .ksymbol = 1 },
	[KERNEL_BPF_EVENT] = { IDLE_FIELDS, .bpf_event = 1 },
	[KERNEL_CGROUP] = { IDLE_FIELDS, .cgroup = 1 },
	[KERNEL_BUILD_ID] = { IDLE_FIELDS, .mmap = 1, .mmap2 = 1, .build_id = 1 },
	[KERNEL_READ_LOST] = { IDLE_FIELDS, .read_format = PERF_FORMAT_LOST },
	[KERNEL_WEIGHT_STRUCT] = { IDLE_FIELDS, .sample_type = PERF_SAMPLE_WEIGHT_STRUCT },
	[KERNEL_PAGE_SIZES] = {
		IDLE_FIELDS, .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE,
	},
	[KERNEL_PHYS_ADDR] = { IDLE_FIELDS, .sample_type = PERF_SAMPLE_PHYS_ADDR },
	[KERNEL_DEFER_CALLCHAIN] = { IDLE_FIELDS, .sample_type = PERF_SAMPLE_CALLCHAIN },
};

static bool takes_tables(void)
{
	int fd = table_event_open();

	if (fd >= 0)
		close(fd);
	return fd != -ENOTTY && fd != -EPERM && kernel_has(KERNEL_DEFER_CALLCHAIN);
}

bool kernel_has(enum kernel_feature f)
{
	static signed char known[KERNEL_FEATURES];	/* 0: not tested yet, 1: yes, -1: no */
	struct perf_event_attr attr = probes[f];
	int err;

	if (known[f])
		return known[f] > 0;
	if (f == KERNEL_UNWIND_TABLE) {
		known[f] = takes_tables() ? 1 : -1;
		return known[f] > 0;
	}
	attr.sample_period = 1;
	if (f == KERNEL_DEFER_CALLCHAIN)
		attr_set_flags(&attr, attr_flags(&attr) | ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT);
	err = perf_try(&attr);
	/* Only EINVAL and E2BIG mean unsupported; EACCES has other causes. */
	known[f] = err == -EINVAL || err == -E2BIG ? -1 : 1;
	return known[f] > 0;
}

bool kernel_allows(bool kernel)
{
	struct perf_event_attr attr = PERF_IDLE;

	attr.exclude_kernel = attr.exclude_hv = !kernel;
	return !perf_try(&attr);
}

/* A number in a file; @otherwise: if it cannot be read. */
static s64 kernel_setting(const char *path, s64 otherwise)
{
	char text[32];

	return read_text(path, text, sizeof(text)) > 0 ? strtoll(text, NULL, 10) : otherwise;
}

int kernel_paranoid(void)
{
	return kernel_setting("/proc/sys/kernel/perf_event_paranoid", 2);
}

u64 kernel_max_freq(void)
{
	return kernel_setting("/proc/sys/kernel/perf_event_max_sample_rate", 0);
}

u64 kernel_mlock(void)
{
	return 1024 * kernel_setting("/proc/sys/kernel/perf_event_mlock_kb", 516);
}

u64 raise_fd_limit(u64 wanted)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return 1024;
	if (lim.rlim_cur >= wanted)
		return lim.rlim_cur;
	if (lim.rlim_max < wanted) {
		struct rlimit more = { wanted, wanted };

		if (!setrlimit(RLIMIT_NOFILE, &more))
			return wanted;
	}
	lim.rlim_cur = min((u64)lim.rlim_max, wanted);
	if (setrlimit(RLIMIT_NOFILE, &lim))
		getrlimit(RLIMIT_NOFILE, &lim);
	return lim.rlim_cur;
}

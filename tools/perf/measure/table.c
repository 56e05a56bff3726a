// SPDX-License-Identifier: GPL-2.0
/* The event that owns unwind tables, a dummy on this thread, and the ioctl that registers them. */
#include <linux/unwind_table.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "event/abi.h"
#include "measure/open.h"
#include "measure/table.h"

static int add(int event, struct unwind_table_add *a)
{
	return ioctl(event, PERF_EVENT_IOC_UNWIND_TABLE, a) ? -errno : 0;
}

int table_event_open(void)
{
	struct unwind_table_add nothing = { .size = 0 };
	struct perf_event_attr attr = PERF_IDLE;
	int fd = perf_open(&attr, 0, -1, -1, 0);
	int err;

	if (fd < 0)
		return fd;
	/* A kernel that supports tables rejects this size with EINVAL. */
	err = add(fd, &nothing);
	if (err == -EINVAL)
		return fd;
	close(fd);
	return err == -EPERM ? -EPERM : -ENOTTY;
}

const char *table_missing(void)
{
	int fd = table_event_open();

	if (fd >= 0)
		close(fd);
	return fd == -EPERM ? "only root (CAP_PERFMON) can register unwind tables" :
	       "this kernel takes no unwind tables";
}

int table_event_add(int event, int file, const void *data, size_t size)
{
	struct unwind_table_add a = {
		.size = sizeof(a),
		.flags = file < 0 ? UNWIND_TABLE_ADD_VDSO : 0,
		.fd = file < 0 ? -1 : file,
		.addr = (uintptr_t)data,
		.bytes = size,
	};

	return add(event, &a);
}

const char *table_refused(int err)
{
	switch (-err) {
	case EFBIG:
		return "its table is larger than kernel.unwind_table_file_max_kb allows";
	case ENOSPC:
		return "the tables of all files are as large as kernel.unwind_table_max_kb allows";
	case ENOMEM:
		return "the kernel has no memory for its table";
	}
	return strerror(-err);
}

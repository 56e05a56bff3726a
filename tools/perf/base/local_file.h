/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that open at once, as no server answers for their file system: those on block devices and in memory.
 * No child process (base/aside.h) is needed to open them.
 */
#ifndef PERF_BASE_LOCAL_FILE_H
#define PERF_BASE_LOCAL_FILE_H

#include <sys/types.h>

#include "base/hash.h"

/* Devices of file systems that are mounted here. Zeroed at first; used for moments, as numbers are reused. */
struct local_devices {
	struct hash devices;
	bool read;
};

/* A mapping in /proc/PID/maps. */
struct file_mapping {
	pid_t pid;
	u64 start, end;
	u32 major, minor;
	u64 inode;
};

/**
 * local_file_open() - open the file of a mapping for reading
 * @l: the devices
 * @m: the mapping
 *
 * /proc/PID/map_files leads to it without a path. It is for root (CAP_CHECKPOINT_RESTORE).
 *
 * Return: a descriptor; -EXDEV: its file system is not known to be local; or another -errno.
 */
int local_file_open(struct local_devices *l, const struct file_mapping *m);

void local_devices_deinit(struct local_devices *l);

#endif /* PERF_BASE_LOCAL_FILE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Local file systems: /proc/self/mountinfo (proc(5)) has lines "36 35 98:0 /root /mnt rw master:1 - ext4 /dev/sda1 rw".
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/local_file.h"

static u64 device_key(u32 major, u32 minor)
{
	return (u64)major << 32 | minor;
}

/* On a block device, not by FUSE as some of NTFS are; or in memory. */
static bool is_local(u32 major, const char *type)
{
	if (major)
		return strncmp(type, "fuse", 4);
	return !strcmp(type, "tmpfs") || !strcmp(type, "devtmpfs") || !strcmp(type, "ramfs") || !strcmp(type, "rootfs");
}

static void read_devices(struct local_devices *l)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[8192], type[32];
	const char *dash;
	u32 major, minor;

	l->read = true;
	while (f && fgets(line, sizeof(line), f)) {
		dash = strstr(line, " - ");
		if (dash && sscanf(line, "%*u %*u %u:%u", &major, &minor) == 2 &&
		    sscanf(dash, " - %31s", type) == 1 && is_local(major, type))
			hash_insert(&l->devices, device_key(major, minor), 0, NULL);
	}
	if (f)
		fclose(f);
}

int local_file_open(struct local_devices *l, const struct file_mapping *m)
{
	_cleanup_close_ int place = -1;
	struct statx st;
	char path[64];
	int fd;

	if (!l->read)
		read_devices(l);
	if (!hash_find(&l->devices, device_key(m->major, m->minor), 0))
		return -EXDEV;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", m->pid, m->start, m->end);
	place = open(path, O_PATH | O_CLOEXEC);
	/* Another file may be mapped there meanwhile, and neither call asks the server of its file system. */
	if (place < 0 || statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &st))
		return -errno;
	if (st.stx_dev_major != m->major || st.stx_dev_minor != m->minor || st.stx_ino != m->inode ||
	    !S_ISREG(st.stx_mode))
		return -EXDEV;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

void local_devices_deinit(struct local_devices *l)
{
	hash_deinit(&l->devices);
}

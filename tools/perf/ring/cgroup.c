// SPDX-License-Identifier: GPL-2.0
/*
 * Where cgroups are mounted: version 1 with the perf_event controller, or
 * version 2.
 */
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "ring/open.h"

static bool find_mount(char *mount, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/mounts", "re");
	char line[4096], path[2048], type[64], options[1024];
	bool found = false;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %2047s %63s %1023s", path, type, options) != 3)
			continue;
		if (!strcmp(type, "cgroup") && strstr(options, "perf_event")) {
			snprintf(mount, size, "%s", path);
			return true;
		}
		if (!strcmp(type, "cgroup2") && !found) {
			snprintf(mount, size, "%s", path);
			found = true;
		}
	}
	return found;
}

int cgroup_open(const char *name)
{
	char mount[2048], path[4096];
	int fd;

	if (!find_mount(mount, sizeof(mount)))
		return diag_error("-G %s: no cgroup file system with perf events is mounted "
				  "(mount -t cgroup2 none /sys/fs/cgroup)", name);
	snprintf(path, sizeof(path), "%s/%s", mount, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return diag_error("-G %s: %s: %s", name, path, strerror(errno));
	return fd;
}

// SPDX-License-Identifier: GPL-2.0
/* Mount points of cgroups: version 1 with the perf_event controller, or version 2. */
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "measure/open.h"

/* @version: set to 1 or 2. */
static bool find_mount(char *mount, size_t size, int *version)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/mounts", "re");
	char line[4096], path[2048], type[64], options[1024];
	bool found = false;

	*version = 2;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %2047s %63s %1023s", path, type, options) != 3)
			continue;
		if (!strcmp(type, "cgroup") && strstr(options, "perf_event")) {
			snprintf(mount, size, "%s", path);
			*version = 1;
			return true;
		}
		if (!strcmp(type, "cgroup2") && !found) {
			snprintf(mount, size, "%s", path);
			found = true;
		}
	}
	return found;
}

struct error *cgroup_open(const char *name, int *fd)
{
	char mount[2048], path[4096];
	int version;

	if (!find_mount(mount, sizeof(mount), &version))
		return error_create(ENOENT, "-G %s: no cgroup file system with perf events is mounted "
				    "(mount -t cgroup2 none /sys/fs/cgroup)", name);
	snprintf(path, sizeof(path), "%s/%s", mount, name);
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *fd < 0 ? error_create(errno, "-G %s: %s: %m", name, path) : NULL;
}

/* Hierarchy of the perf_event controller; 0: version 2; -1: no such controller. */
static int perf_hierarchy(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/cgroups", "re");
	char line[256];
	int id;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "perf_event %d", &id) == 1)
			return id;
	return -1;
}

struct error *cgroup_explain(const char *name, int err)
{
	int hierarchy = perf_hierarchy(), version;
	char mount[2048];

	if ((err != -ENOENT && err != -EINVAL) || !find_mount(mount, sizeof(mount), &version))
		return NULL;
	if (hierarchy < 0)
		return error_create(-err, "-G %s: this kernel cannot measure cgroups (CONFIG_CGROUP_PERF)", name);
	if (err != -ENOENT)
		return NULL;
	if (version == 2 && hierarchy > 0)
		return error_create(-err, "-G %s: the perf_event controller is not in %s but in a version 1 hierarchy "
				    "(mount -t cgroup -o perf_event none DIR shows it)", name, mount);
	/* The controller is enabled implicitly together with the first other controller. */
	return error_create(-err, "-G %s: the kernel has not set up perf events in the cgroups of %s yet: enable any "
			    "controller there (echo +pids > %s/cgroup.subtree_control)", name, mount, mount);
}

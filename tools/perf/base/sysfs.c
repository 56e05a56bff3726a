// SPDX-License-Identifier: GPL-2.0
/*
 * Small files of sysfs, procfs and tracefs. If tracefs is not mounted, a process with the
 * privilege mounts it once.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/sort.h"
#include "base/sysfs.h"

const char *sysfs_root(void)
{
	const char *env = getenv("SYSFS_PATH");

	return env && *env ? env : "/sys";
}

int read_text(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return -errno;
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n] = 0;
	return n;
}

char **sysfs_list(const char *path, u32 *nr)
{
	_cleanup_closedir_ DIR *d = opendir(path);
	struct dirent *e;
	char **names = NULL;
	u32 cap = 0;

	*nr = 0;
	if (!d)
		return NULL;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		GROW(names, *nr, cap);
		names[(*nr)++] = xstrdup(e->d_name);
	}
	sort_strings(names, *nr);
	return names;
}

void sysfs_list_free(char **names, u32 nr)
{
	while (nr)
		free(names[--nr]);
	free(names);
}

#define TRACEFS	"/sys/kernel/tracing"

/* What came of the only attempt to mount tracefs: 0, or errno. */
static int mount_errno;

static bool has_events(const char *dir)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/events", dir);
	return !access(path, F_OK);
}

/* Mounted at another place, or below debugfs, which mounts it on access. */
static bool find_elsewhere(char *root, size_t size)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	bool found = false;

	while (f && !found && (m = getmntent(f))) {
		if (strcmp(m->mnt_type, "tracefs") && strcmp(m->mnt_type, "debugfs"))
			continue;
		snprintf(root, size, "%s%s", m->mnt_dir, m->mnt_type[0] == 'd' ? "/tracing" : "");
		found = has_events(root);
	}
	if (f)
		endmntent(f);
	return found;
}

const char *tracefs_root(void)
{
	static char root[PATH_MAX];
	const char *env = getenv("TRACEFS_PATH");

	if (env && *env)
		return env;
	if (root[0])
		return root;
	/* Any other error than ENOENT: it is mounted, and closed to this user. */
	if (!has_events(TRACEFS) && errno == ENOENT) {
		if (find_elsewhere(root, sizeof(root)))
			return root;
		if (mount("tracefs", TRACEFS, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
			mount_errno = errno;
	}
	snprintf(root, sizeof(root), "%s", TRACEFS);
	return root;
}

const char *tracefs_why(int err, char *buf, size_t size)
{
	const char *root = tracefs_root();

	if (err == -EACCES)
		snprintf(buf, size, "no permission for %s/events (be root, or: mount -o remount,mode=755 %s)",
			 root, root);
	else if (access(root, F_OK))
		snprintf(buf, size, "there is no %s (sysfs is not mounted at /sys, or the kernel has no tracepoints)",
			 root);
	else if (mount_errno && mount_errno != EPERM)
		snprintf(buf, size, "nothing is mounted at %s, and mounting tracefs there failed: %s",
			 root, strerror(mount_errno));
	else
		snprintf(buf, size, "nothing is mounted at %s (as root: mount -t tracefs tracefs %s)", root, root);
	return buf;
}

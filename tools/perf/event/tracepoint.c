// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints as tracefs lists them: events/SYSTEM/NAME/id. Where tracefs is
 * mounted; a process that may mount it does so when it is mounted nowhere.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/arena.h"
#include "event/names.h"

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

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int one(const char *system, const char *name,
	       int (*fn)(const char *system, const char *name, u64 id, void *arg), void *arg)
{
	char path[768], text[32];
	int err;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs_root(), system, name);
	err = read_text(path, text, sizeof(text));
	if (err == -EACCES || err == -EPERM)
		return -EACCES;
	if (err <= 0)
		return 0;
	err = fn(system, name, strtoull(text, NULL, 10), arg);
	return err < 0 ? err : 1;
}

static int in_system(const char *system, const char *name,
		     int (*fn)(const char *system, const char *name, u64 id, void *arg),
		     void *arg)
{
	char path[512];
	struct dirent **d;
	int n, i, err = 0, nr = 0;

	if (!is_glob(name))
		return one(system, name, fn, arg);
	snprintf(path, sizeof(path), "%s/events/%s", tracefs_root(), system);
	n = scandir(path, &d, not_hidden, alphasort);
	if (n < 0)
		return errno == EACCES ? -EACCES : 0;
	for (i = 0; i < n; i++) {
		if (err >= 0 && !fnmatch(name, d[i]->d_name, 0)) {
			err = one(system, d[i]->d_name, fn, arg);
			if (err > 0)
				nr += err;
		}
		free(d[i]);
	}
	free(d);
	return err < 0 ? err : nr;
}

int tracepoint_each(const char *system, const char *name,
		    int (*fn)(const char *system, const char *name, u64 id, void *arg),
		    void *arg)
{
	char path[512];
	struct dirent **d;
	int n, i, err = 0, nr = 0;

	if (strchr(system, '/') || strchr(name, '/'))
		return 0;
	snprintf(path, sizeof(path), "%s/events", tracefs_root());
	if (access(path, X_OK))
		return errno == EACCES ? -EACCES : -ENOENT;
	if (!is_glob(system))
		return in_system(system, name, fn, arg);
	n = scandir(path, &d, not_hidden, alphasort);
	if (n < 0)
		return errno == EACCES ? -EACCES : -ENOENT;
	for (i = 0; i < n; i++) {
		if (err >= 0 && d[i]->d_type == DT_DIR && !fnmatch(system, d[i]->d_name, 0)) {
			err = in_system(d[i]->d_name, name, fn, arg);
			if (err > 0)
				nr += err;
		}
		free(d[i]);
	}
	free(d);
	return err < 0 ? err : nr;
}

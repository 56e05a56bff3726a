// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of tracefs: events/SYSTEM/NAME/id.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "spec/tracepoint.h"

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

bool tracepoint_system(const char *name, size_t len)
{
	_cleanup_free_ char *system = xstrndup(name, len);
	char path[512];

	snprintf(path, sizeof(path), "%s/events/%s", tracefs_root(), system);
	return is_glob(system) || !access(path, F_OK);
}

// SPDX-License-Identifier: GPL-2.0
/* Tracepoints of tracefs: events/SYSTEM/NAME/id. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "spec/names.h"

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

/* What is searched for: globs of system and name, and the function to call. */
struct search {
	const char *system, *name;
	int (*fn)(const char *system, const char *name, u64 id, void *arg);
	void *arg;
};

static int one(const struct search *s, const char *system, const char *name)
{
	char path[768], text[32];
	int err;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs_root(), system, name);
	err = read_text(path, text, sizeof(text));
	if (err == -EACCES || err == -EPERM)
		return -EACCES;
	if (err <= 0)
		return 0;
	err = s->fn(system, name, strtoull(text, NULL, 10), s->arg);
	return err < 0 ? err : 1;
}

/* Search the folder of a system, or with @system NULL that of all systems. */
static int in_folder(const struct search *s, const char *system)
{
	const char *glob = system ? s->name : s->system;
	int err = 0, found = 0;
	char path[512], **names;
	u32 nr, i;

	if (!is_glob(glob))
		return system ? one(s, system, glob) : in_folder(s, glob);
	snprintf(path, sizeof(path), "%s/events/%s", tracefs_root(), system ?: "");
	errno = 0;
	names = sysfs_list(path, &nr);
	if (!names)
		return errno == EACCES ? -EACCES : 0;
	for (i = 0; i < nr && err >= 0; i++) {
		if (fnmatch(glob, names[i], 0))
			continue;
		err = system ? one(s, system, names[i]) : in_folder(s, names[i]);
		found += max(err, 0);
	}
	sysfs_list_free(names, nr);
	return err < 0 ? err : found;
}

int tracepoint_each(const char *system, const char *name,
		    int (*fn)(const char *system, const char *name, u64 id, void *arg),
		    void *arg)
{
	char path[512];

	if (strchr(system, '/') || strchr(name, '/'))
		return 0;
	snprintf(path, sizeof(path), "%s/events", tracefs_root());
	if (access(path, X_OK))
		return errno == EACCES ? -EACCES : -ENOENT;
	return in_folder(&(struct search){ system, name, fn, arg }, NULL);
}

bool tracepoint_system(const char *name, size_t len)
{
	_cleanup_free_ char *system = xstrndup(name, len);
	char path[512];

	snprintf(path, sizeof(path), "%s/events/%s", tracefs_root(), system);
	return is_glob(system) || !access(path, F_OK);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * CGROUP records: each cgroup's (version 2) path by its id, its folder's handle
 * (name_to_handle_at(2)).
 */
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "synth/synth.h"

static bool mount_point(char *mount, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/mounts", "re");
	char line[4096], path[2048], type[64];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %2047s %63s", path, type) == 2 && !strcmp(type, "cgroup2")) {
			snprintf(mount, size, "%s", path);
			return true;
		}
	}
	return false;
}

void synth_cgroup(struct synth *s, pid_t pid)
{
	static char mount[2048];
	static int mounted = -1;
	char path[4400], *line, *cgroup;
	union { struct file_handle h; char room[sizeof(struct file_handle) + 8]; } handle = {
		.h.handle_bytes = 8
	};
	struct cgroup_record r = { .header.type = PERF_RECORD_CGROUP };
	int mount_id;
	size_t at;
	bool added;

	if (mounted < 0)
		mounted = mount_point(mount, sizeof(mount));
	if (!mounted)
		return;
	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	if (synth_slurp(s, path) <= 0)
		return;
	line = !strncmp(s->buf, "0::", 3) ? s->buf : strstr(s->buf, "\n0::");
	if (!line)
		return;
	cgroup = strstr(line, "::") + 2;
	cgroup[strcspn(cgroup, "\n")] = 0;
	snprintf(path, sizeof(path), "%s%s", mount, cgroup);
	if (name_to_handle_at(AT_FDCWD, path, &handle.h, &mount_id, 0))
		return;
	memcpy(&r.id, handle.h.f_handle, sizeof(r.id));
	hash_insert(&s->cgroups_seen, r.id, 0, &added);
	if (!added)
		return;
	at = synth_fixed(s, &r.header);
	synth_string(s, cgroup, strlen(cgroup));
	synth_end(s, at, true);
}

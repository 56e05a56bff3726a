// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks from /proc: FORK, COMM, NAMESPACES, CGROUP, MMAP2. /proc/PID/stat has a thread's name,
 * parent, flags and number of threads (proc(5)). Kernel threads have no maps.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sysfs.h"
#include "synth/synth.h"

#define PF_KTHREAD	0x00200000

struct task_stat {
	char comm[64];
	size_t comm_len;
	pid_t ppid;
	u32 flags, threads;
	bool runs;		/* or waits for a disk */
};

char *synth_stat(pid_t pid, pid_t tid, char *text, size_t size, const char **name)
{
	char path[64], *open, *close;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (read_text(path, text, size) <= 0)
		return NULL;
	/* "123 (name) S ppid ...": the name may contain any character, including ')' */
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close[1] != ' ')
		return NULL;
	*close = 0;
	*name = open + 1;
	return close + 2;
}

static bool read_stat(pid_t pid, pid_t tid, struct task_stat *t)
{
	const char *name;
	char buf[1024], *p = synth_stat(pid, tid, buf, sizeof(buf), &name);
	int field;

	if (!p)
		return false;
	t->comm_len = min(strlen(name), sizeof(t->comm) - 1);
	memcpy(t->comm, name, t->comm_len);
	t->comm[t->comm_len] = 0;
	t->runs = *p == 'R' || *p == 'D';
	t->ppid = t->flags = 0;
	t->threads = 1;
	for (field = 3; field <= 20 && *p; field++) {
		char *end = p + strcspn(p, " ");

		if (field == 4)
			t->ppid = atoi(p);
		else if (field == 9)
			t->flags = strtoul(p, NULL, 10);
		else if (field == 20)
			t->threads = strtoul(p, NULL, 10);
		p = *end ? end + 1 : end;
	}
	return true;
}

static void put_fork(struct synth *s, pid_t pid, pid_t tid, pid_t ppid)
{
	pid_t parent = pid == tid ? ppid : pid;
	const struct task_record f = {
		.header.type = PERF_RECORD_FORK,
		.pid = pid, .ppid = parent, .tid = tid, .ptid = parent,
	};

	synth_end(s, synth_fixed(s, &f.header), true);
}

static void put_comm(struct synth *s, pid_t pid, pid_t tid, const char *comm, size_t len)
{
	const struct comm_record c = { .header.type = PERF_RECORD_COMM, .pid = pid, .tid = tid };
	size_t at = synth_fixed(s, &c.header);

	synth_string(s, comm, len);
	synth_end(s, at, true);
}

static void synth_namespaces(struct synth *s, pid_t pid, pid_t tid)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct { u64 dev, ino; } links[ARRAY_SIZE(names)] = { 0 };
	const struct namespaces_record n = {
		.header.type = PERF_RECORD_NAMESPACES, .pid = pid, .tid = tid,
		.nr = ARRAY_SIZE(names),
	};
	size_t at;
	char path[64];
	struct stat st;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/ns/%s", pid, tid, names[i]);
		if (!stat(path, &st)) {
			links[i].dev = st.st_dev;
			links[i].ino = st.st_ino;
		}
	}
	at = synth_fixed(s, &n.header);
	synth_put(s, links, sizeof(links));
	synth_end(s, at, true);
}

static void put_thread(struct synth *s, pid_t pid, pid_t tid, const struct task_stat *t)
{
	if (t->runs && pid != getpid())
		s->idle = false;
	put_fork(s, pid, tid, t->ppid);
	if (s->namespaces)
		synth_namespaces(s, pid, tid);
	put_comm(s, pid, tid, t->comm, t->comm_len);
}

void synth_thread(struct synth *s, pid_t pid, pid_t tid, bool is_new)
{
	struct task_stat t;

	if (!read_stat(pid, tid, &t))
		return;
	if (is_new)
		put_fork(s, pid, tid, t.ppid);
	put_comm(s, pid, tid, t.comm, t.comm_len);
}

/* The threads of a process beside its leader. */
static void put_threads(struct synth *s, pid_t pid)
{
	_cleanup_closedir_ DIR *d = NULL;
	struct task_stat t;
	struct dirent *e;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		pid_t tid = atoi(e->d_name);

		if (tid <= 0 || tid == pid)
			continue;
		if (read_stat(pid, tid, &t))
			put_thread(s, pid, tid, &t);
	}
}

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

/* The cgroup (version 2) of a process, once: its path, and as id its folder's handle. */
static void put_cgroup(struct synth *s, pid_t pid)
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

/* Read a process, and put its cgroup. Return: are its tasks wanted? */
static bool read_process(struct synth *s, pid_t pid, struct task_stat *leader)
{
	if (!read_stat(pid, pid, leader))
		return false;
	if (s->cgroups)
		put_cgroup(s, pid);
	return !s->no_tasks;
}

void synth_process(struct synth *s, pid_t pid, bool maps)
{
	struct task_stat leader;

	if (!read_process(s, pid, &leader))
		return;
	s->idle = true;
	put_thread(s, pid, pid, &leader);
	if (leader.threads > 1)
		put_threads(s, pid);
	if (maps && !s->no_maps && !(leader.flags & PF_KTHREAD))
		synth_maps(s, pid);
}

void synth_all(struct synth *s)
{
	_cleanup_closedir_ DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			synth_process(s, atoi(e->d_name), true);
}

/* Tgid of /proc/TID/status */
pid_t synth_process_of(pid_t tid)
{
	char path[64], buf[4096], *p;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (read_text(path, buf, sizeof(buf)) <= 0)
		return 0;
	p = strstr(buf, "\nTgid:");
	return p ? atoi(p + 6) : 0;
}

void synth_threads(struct synth *s, const pid_t *tids, u32 nr)
{
	_cleanup_hash_ struct hash seen = { 0 };
	bool added;
	u32 i;

	for (i = 0; i < nr; i++) {
		pid_t pid;

		/* The process's other threads were recorded with it. */
		hash_insert(&seen, tids[i], 1, &added);
		if (!added)
			continue;
		pid = synth_process_of(tids[i]);
		if (!pid)
			continue;
		hash_insert(&seen, pid, 2, &added);
		if (added)
			synth_process(s, pid, true);
	}
}

void synth_workload(struct synth *s, pid_t pid)
{
	struct task_stat t;

	if (!read_process(s, pid, &t))
		return;
	if (s->namespaces)
		synth_namespaces(s, pid, pid);
	put_comm(s, pid, pid, t.comm, t.comm_len);
}

// SPDX-License-Identifier: GPL-2.0
/* The CPUs and threads to record. Lists of CPUs are sorted, without duplicates; { -1 } is any. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "measure/target.h"

bool cpu_list_has(const struct cpu_list *list, s32 cpu)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		if (list->v[i] == cpu)
			return true;
	return false;
}

void cpu_list_add(struct cpu_list *list, s32 cpu)
{
	u32 i;

	for (i = list->nr; i > 0 && list->v[i - 1] >= cpu; i--)
		if (list->v[i - 1] == cpu)
			return;
	GROW(list->v, list->nr, list->cap);
	memmove(&list->v[i + 1], &list->v[i], (list->nr - i) * sizeof(*list->v));
	list->v[i] = cpu;
	list->nr++;
}

int cpu_list_parse(const char *text, struct cpu_list *list)
{
	const char *p = text;
	char *end;
	long lo, hi;

	for (;;) {
		lo = hi = strtol(p, &end, 10);
		if (end == p || lo < 0 || lo > 65535)
			return -EINVAL;
		if (*end == '-') {
			p = end + 1;
			hi = strtol(p, &end, 10);
			if (end == p || hi < lo || hi > 65535)
				return -EINVAL;
		}
		for (; lo <= hi; lo++)
			cpu_list_add(list, lo);
		if (!*end)
			return 0;
		if (*end != ',')
			return -EINVAL;
		p = end + 1;
	}
}

void cpu_list_online(struct cpu_list *list)
{
	char text[4096];
	long n;

	if (read_text("/sys/devices/system/cpu/online", text, sizeof(text)) > 0 &&
	    !cpu_list_parse(text, list))
		return;
	for (n = sysconf(_SC_NPROCESSORS_ONLN); n > 0; n--)
		cpu_list_add(list, n - 1);
}

void thread_list_add(struct thread_list *list, pid_t tid)
{
	GROW(list->v, list->nr, list->cap);
	list->v[list->nr++] = tid;
}

bool proc_is_ours(void)
{
	char self[16] = "";

	return readlink("/proc/self", self, sizeof(self) - 1) > 0 && atoi(self) == getpid();
}

bool thread_list_has(const struct thread_list *list, pid_t tid)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		if (list->v[i] == tid)
			return true;
	return false;
}

int thread_list_add_process(struct thread_list *list, pid_t pid)
{
	char path[64];
	struct dirent *e;
	u32 before = list->nr;
	_cleanup_closedir_ DIR *d = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (isdigit((u8)e->d_name[0]))
			thread_list_add(list, atoi(e->d_name));
	return list->nr > before ? 0 : -ESRCH;
}

void thread_list_add_user(struct thread_list *list, uid_t uid)
{
	char path[300];
	struct dirent *e;
	struct stat st;
	_cleanup_closedir_ DIR *d = opendir("/proc");

	while (d && (e = readdir(d))) {
		_cleanup_close_ int fd = -1;

		if (!isdigit((u8)e->d_name[0]))
			continue;
		/* It is the user's also where measuring, as reading its mappings, is refused. */
		snprintf(path, sizeof(path), "/proc/%s/maps", e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		*strrchr(path, '/') = '\0';
		if (fd >= 0 && !stat(path, &st) && st.st_uid == uid)
			thread_list_add_process(list, atoi(e->d_name));
	}
}

struct error *thread_list_parse(struct thread_list *list, const char *text, bool processes)
{
	const char *p = text;
	char path[64];
	char *end;
	long id;

	for (;; p = end + 1) {
		id = strtol(p, &end, 10);
		if (end == p || id <= 0 || id > INT32_MAX || (*end && *end != ','))
			return error_create(EINVAL, "'%s' is not a list of %s ids: expected numbers separated by commas",
					    text, processes ? "process" : "thread");
		if (processes) {
			if (thread_list_add_process(list, id))
				return error_create(ESRCH, "there is no process %ld", id);
		} else {
			snprintf(path, sizeof(path), "/proc/%ld", id);
			if (access(path, F_OK))
				return error_create(ESRCH, "there is no thread %ld", id);
			thread_list_add(list, id);
		}
		if (!*end)
			return NULL;
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Names of JIT code: from a map with lines "START SIZE NAME", both numbers in hexadecimal
 * (/tmp/perf-PID.map; tools/perf/Documentation/jit-interface.txt), and from a recorded jit-PID.dump
 * (jitdump.c). For containers the recording names the copies that perf record made.
 */
#include <fcntl.h>
#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/text.h"
#include "symbol/find_file.h"
#include "symbol/jit.h"
#include "symbol/jitdump.h"
#include "symbol/kallsyms.h"
#include "symbol/symbol_private.h"

bool jit_is_code(const char *mapped)
{
	static const char *const prefixes[] = {
		"//anon", "/dev/zero", "/anon_hugepage", "[anon:", "[anon_shmem:", "/memfd:doublemapper", "/SYSV", "[stack",
	};
	u32 i;

	if (!strcmp(mapped, "[heap]"))
		return true;
	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(mapped, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Is the last component PREFIX, digits, optionally "-" and hexadecimal digits, and SUFFIX? */
static bool is_named(const char *path, const char *prefix, const char *suffix)
{
	const char *p = strrchr(path, '/');
	size_t digits;

	if (likely(!p || strncmp(p + 1, prefix, strlen(prefix))))
		return false;
	p += 1 + strlen(prefix);
	digits = strspn(p, "0123456789");
	p += digits;
	if (*p == '-')
		p += 1 + strspn(p + 1, "0123456789abcdef");
	return digits && !strncmp(p, suffix, strlen(suffix));
}

bool jit_is_dump(const char *path)
{
	return is_named(path, "jit-", ".dump");
}

bool jit_is_map(const char *path)
{
	return is_named(path, "perf-", ".map");
}

/* Does the task run as this user? Only tasks of this machine can be checked. */
static bool task_runs_as(const struct dso_table *t, u32 pid, uid_t uid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return t->cfg.same_machine && !stat(path, &st) && st.st_uid == uid;
}

/*
 * Open a file. Any user can create files in /tmp, so symbolic links are not followed, and the file
 * must be a regular file owned by root, this user or the task's user (with -f: by any user).
 * Return: a descriptor, or -errno: -EPERM for a file of another user.
 */
static int open_file(const struct dso_table *t, u32 pid, const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, O_NOFOLLOW, &st);

	if (fd < 0)
		return fd;
	if (st.st_uid && st.st_uid != geteuid() && !t->cfg.force &&
	    !task_runs_as(t, pid, st.st_uid)) {
		diag_warn("%s: belongs to another user: its names are not used (-f uses them all the same)",
			  path);
		return -EPERM;
	}
	return no_close(fd);
}

u32 jit_inner_pid(u32 pid)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], line[512], *p;
	u32 inner = pid;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		for (p = strtok(line + 6, "\t \n"); p; p = strtok(NULL, "\t \n"))
			inner = strtoul(p, NULL, 10);
	}
	return inner;
}

static const char *parse_hex(const char *p, const char *end, u64 *v)
{
	const char *start = p + 2 * (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x');

	p = hex_number(start, end, v);
	return p > start && p - start <= 16 && p < end && *p == ' ' ? p + 1 : NULL;
}

static void on_line(void *priv, const char *p, const char *end)
{
	struct dso_file *f = priv;
	const char *q;
	u64 start, len;

	q = parse_hex(p, end, &start);
	q = q ? parse_hex(q, end, &len) : NULL;
	if (q && q < end && start + len >= start)
		symtab_add(&f->tab, start, start + len, arena_strndup(&f->arena, q, end - q), STB_GLOBAL);
}

/* The recorded path of a process's file; NULL: none. */
static const char *noted(struct dso_table *t, const struct hash *files, u32 pid)
{
	const char *path;
	const u64 *slot;

	pthread_mutex_lock(&t->lock);
	slot = hash_find(files, pid, 0);
	path = slot ? (const char *)(uintptr_t)*slot : NULL;
	pthread_mutex_unlock(&t->lock);
	return path;
}

/* Did the process begin in the recording, after its map was written? It is another's. */
static bool is_of_other(const struct dso_file *f, int fd)
{
	const struct dso_table *t = f->table;
	struct stat st;

	if (!t->cfg.begun_ns || !t->has_process || fstat(fd, &st) ||
	    st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec >= t->cfg.begun_ns)
		return false;
	return t->has_process(t->process_ctx, f->dso.pid) == PROCESS_YOUNG;
}

/* Return: 0, or -errno. */
static int load_map(struct dso_file *f)
{
	u64 *all = &f->table->jitmap_bytes, taken;
	const char *copy = noted(f->table, &f->table->jitmaps, f->dso.pid);
	_cleanup_close_ int fd = copy ? open_file(f->table, f->dso.pid, copy) : -ENOENT;
	char path[96];
	s64 n;

	if (fd < 0)
		fd = open_file(f->table, f->dso.pid, f->dso.path);
	if (fd < 0 && fd != -EPERM) {
		snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", f->dso.pid,
			 jit_inner_pid(f->dso.pid));
		fd = open_file(f->table, f->dso.pid, path);
	}
	if (fd < 0)
		return fd;
	if (!copy && is_of_other(f, fd)) {
		diag_warn("%s: is older than process %u, so it is another process's: its names are not used", f->dso.path,
			  f->dso.pid);
		return -ESRCH;
	}
	/* The total size of all maps is limited. */
	taken = __atomic_load_n(all, __ATOMIC_RELAXED);
	n = lines_read(fd, JIT_FILE_MAX - min(taken, (u64)JIT_FILE_MAX), on_line, f);
	__atomic_fetch_add(all, n == -EFBIG ? JIT_FILE_MAX : max(n, (s64)0), __ATOMIC_RELAXED);
	return min(n, (s64)0);
}

/* Open a process's dump. The recorded path is the program's, which may be in a container. */
int jitdump_find(struct dso_table *t, u32 pid, const char **path)
{
	_cleanup_free_ char *other = NULL;
	int fd;

	*path = noted(t, &t->jitdumps, pid);
	if (!*path)
		return -ENOENT;
	if (t->cfg.symfs) {
		other = find_file_below(t->cfg.symfs, *path);
		fd = open_file(t, pid, other);
	} else {
		fd = open_file(t, pid, *path);
		if (fd == -ENOENT && asprintf(&other, "/proc/%u/root%s", pid, *path) > 0)
			fd = open_file(t, pid, other);
	}
	return fd == -ENOENT ? -ESTALE : fd;
}

/* Read the newest dump of a process. Return: 0; -ENOENT: none; or another -errno. */
static int load_dump(struct dso_file *f)
{
	const char *path;
	int fd = jitdump_find(f->table, f->dso.pid, &path);
	int err = fd < 0 ? fd : jitdump_read(f, fd);

	if (err && err != -EPERM && err != -ENOENT)
		diag_warn("%s: %s: its names of JIT code are not used", path, err == -EINVAL ? "is no jitdump file" :
			  strerror(err == -ESTALE ? ENOENT : -err));
	return err;
}

void jitmap_load(struct dso_file *f)
{
	int map, dump;

	f->map.absolute = true;
	map = load_map(f);
	dump = load_dump(f);
	if (map == -EPERM)
		f->why = "its perf-PID.map belongs to another user (-f reads it all the same)";
	else if (dump == -EPERM)
		f->why = "its jit-PID.dump belongs to another user (-f reads it all the same)";
	else if (map == -ESRCH)
		f->why = "its perf-PID.map is older than the process";
	else if (map == -EFBIG)
		f->why = "this and the other perf-PID.map files are larger than 512 MB";
	else if (map && dump == -ENOENT)
		f->why = "no perf-PID.map was written by its JIT compiler";
	else if (map && dump)
		f->why = "its jit-PID.dump cannot be read";
	/* A JIT compiler reuses memory: the last line that covers an address is valid. */
	symtab_finish(&f->tab, CHOOSE_NEWEST, NULL, 0);
}

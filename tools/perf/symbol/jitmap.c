// SPDX-License-Identifier: GPL-2.0
/*
 * The names of code that JIT compilers make: of a map with lines "START SIZE NAME", both numbers in
 * hexadecimal (tools/perf/Documentation/jit-interface.txt names the format;
 * /tmp/perf-PID.map is the place), and of a jit-PID.dump that the recording names (jitdump.c).
 */
#include <fcntl.h>
#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "symbol/private.h"

#define JITMAP_MAX (1u << 30)

/* Does the task run as this user? Only tasks of this machine can be checked. */
static bool task_runs_as(const struct dso_file *f, uid_t uid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u", f->dso.pid);
	return f->table->cfg.same_machine && !stat(path, &st) && st.st_uid == uid;
}

/*
 * Anybody may put a file under /tmp: it must not lead elsewhere, and it counts only as a
 * regular file of root, of ours or of the task's user (or of anybody with -f).
 * Return: a descriptor, or -errno: -EPERM for a file of another user.
 */
static int open_map(const struct dso_file *f, const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, O_NOFOLLOW, &st);

	if (fd < 0)
		return fd;
	if (st.st_size > JITMAP_MAX)
		return -EINVAL;
	if (st.st_uid && st.st_uid != geteuid() && !f->table->cfg.force &&
	    !task_runs_as(f, st.st_uid)) {
		diag_warn("%s: belongs to another user: its names are not used (-f uses them all the same)",
			  path);
		return -EPERM;
	}
	return no_close(fd);
}

/* The pid that the task has in its own pid namespace: the map is named by it. */
static u32 inner_pid(u32 pid)
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

static char *read_fd(int fd, struct arena *a, size_t *size)
{
	_cleanup_free_ char *buf = NULL;
	size_t nr = 0, cap = 0;
	struct stat st;
	ssize_t n;
	char *out;

	if (fstat(fd, &st))
		return NULL;
	do {
		if (nr + 1 >= cap) {
			cap = cap ? 2 * cap : (size_t)st.st_size + 4096;
			buf = xrealloc(buf, cap);
		}
		n = read(fd, buf + nr, cap - nr - 1);
		if (n > 0)
			nr += n;
	} while ((n > 0 && nr < JITMAP_MAX) || (n < 0 && errno == EINTR));
	out = arena_alloc(a, nr + 1);
	memcpy(out, buf, nr);
	*size = nr;
	return out;
}

static const char *parse_hex(const char *p, const char *end, u64 *v)
{
	const char *start = p;

	*v = 0;
	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		start = p += 2;
	for (; p < end && p - start < 17; p++) {
		char c = *p | 0x20;

		if (*p >= '0' && *p <= '9')
			*v = *v << 4 | (*p - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (c - 'a' + 10);
		else
			break;
	}
	return p > start && p - start <= 16 && p < end && *p == ' ' ? p + 1 : NULL;
}

static void parse(struct dso_file *f, char *text, size_t size)
{
	char *p, *nl, *end = text + size;
	const char *q;
	u64 start, len;

	for (p = text; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		q = parse_hex(p, nl, &start);
		q = q ? parse_hex(q, nl, &len) : NULL;
		if (!q || q == nl || start + len < start)
			continue;
		*nl = 0;
		symtab_add(&f->tab, start, start + len, q, STB_GLOBAL);
	}
}

/* Return: 0, or -errno. */
static int load_map(struct dso_file *f)
{
	_cleanup_close_ int fd = open_map(f, f->dso.path);
	char path[96];
	size_t size;
	char *text;

	if (fd < 0 && fd != -EPERM) {
		snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", f->dso.pid,
			 inner_pid(f->dso.pid));
		fd = open_map(f, path);
	}
	if (fd < 0)
		return fd;
	text = read_fd(fd, &f->arena, &size);
	if (text)
		parse(f, text, size);
	return 0;
}

/* A recording has the path that the program saw, which may be one of a container. */
static int open_dump(const struct dso_file *f, const char *path)
{
	_cleanup_free_ char *other = NULL;
	int fd;

	if (f->table->cfg.symfs && asprintf(&other, "%s%s", f->table->cfg.symfs, path) > 0)
		return open_map(f, other);
	fd = open_map(f, path);
	if (fd == -ENOENT && asprintf(&other, "/proc/%u/root%s", f->dso.pid, path) > 0)
		fd = open_map(f, other);
	return fd;
}

/* The last file that a process began holds its last code. Return: 0; -ENOENT: there is none; -errno. */
static int load_dump(struct dso_file *f)
{
	const char *path;
	const u64 *slot;
	int fd, err;

	pthread_mutex_lock(&f->table->lock);
	slot = hash_find(&f->table->jitdumps, f->dso.pid, 0);
	path = slot ? (const char *)(uintptr_t)*slot : NULL;
	pthread_mutex_unlock(&f->table->lock);
	if (!path)
		return -ENOENT;
	fd = open_dump(f, path);
	err = fd < 0 ? fd : jitdump_read(f, fd);
	if (err && err != -EPERM)
		diag_warn("%s: %s: its names of JIT code are not used", path,
			  err == -EINVAL ? "is no jitdump file" : strerror(-err));
	return err == -ENOENT ? -ESTALE : err;
}

void jitmap_load(struct dso_file *f)
{
	int map, dump;

	f->absolute = true;
	map = load_map(f);
	dump = load_dump(f);
	if (map == -EPERM)
		f->why = "its perf-PID.map belongs to another user (-f reads it all the same)";
	else if (dump == -EPERM)
		f->why = "its jit-PID.dump belongs to another user (-f reads it all the same)";
	else if (map && dump == -ENOENT)
		f->why = "no perf-PID.map was written by its JIT compiler";
	else if (map && dump)
		f->why = "its jit-PID.dump cannot be read";
	/* A JIT writes a line again when it uses memory again: the last one holds. */
	symtab_finish(&f->tab, CHOOSE_LAST, NULL, 0);
}

// SPDX-License-Identifier: GPL-2.0
/* The kernel as one map, and its modules. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "synth/synth.h"

static void put_kernel_map(struct synth *s, u64 start, u64 len, u64 offset, const char *name,
			   const u8 *id, u8 id_size)
{
	struct mmap2_record r = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_KERNEL },
		.pid = -1, .addr = start, .len = len, .pgoff = offset,
	};
	size_t at;

	if (s->build_ids && id_size) {
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		r.build_id_size = id_size;
		memcpy(r.build_id, id, sizeof(r.build_id));
	} else {
		/* MMAP begins like MMAP2, and all readers accept it for the kernel. */
		r.header.type = PERF_RECORD_MMAP;
	}
	at = synth_fixed(s, &r.header);
	synth_string(s, name, strlen(name));
	synth_end(s, at, true);
}

/* The begin of a line. */
static const char *line_of(const char *buf, const char *p)
{
	while (p > buf && p[-1] != '\n')
		p--;
	return p;
}

/* The length of "Kernel code" in /proc/iomem; 0: hidden. */
static u64 text_length(struct synth *s)
{
	u64 lo, hi;
	char *p;

	if (synth_slurp(s, "/proc/iomem") <= 0)
		return 0;
	p = strstr(s->buf, " : Kernel code");
	if (!p || sscanf(line_of(s->buf, p), " %llx-%llx", &lo, &hi) != 2 || !hi)
		return 0;
	return hi - lo + 1;
}

struct text_range {
	u64 start, end;
};

static u64 symbol_in(const char *buf, const char *name)
{
	char pattern[64];
	const char *p;

	snprintf(pattern, sizeof(pattern), " %s\n", name);
	p = strstr(buf, pattern);
	return p ? strtoull(line_of(buf, p), NULL, 16) : 0;
}

/* Kallsyms' text is generated as it is read: _text is near the start, _etext near the end. */
static bool kernel_text(struct synth *s, struct text_range *t)
{
	u64 len = text_length(s);
	_cleanup_close_ int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n;
	char *keep;

	t->start = t->end = 0;
	if (fd < 0)
		return false;
	for (;;) {
		if (s->buf_size - have < 32768) {
			s->buf_size *= 2;
			s->buf = xrealloc(s->buf, s->buf_size);
		}
		n = read(fd, s->buf + have, 32768 - 1);
		if (n <= 0)
			break;
		have += n;
		s->buf[have] = 0;
		if (!t->start)
			t->start = symbol_in(s->buf, "_text");
		if (!t->start)
			t->start = symbol_in(s->buf, "_stext");
		if (t->start && len) {
			t->end = t->start + len;
			return true;
		}
		if (t->start)
			t->end = symbol_in(s->buf, "_etext");
		if (t->end)
			return true;
		/* keep the incomplete last line */
		keep = memrchr(s->buf, '\n', have);
		if (!keep)
			continue;
		have -= keep - s->buf;
		memmove(s->buf, keep, have);
	}
	return false;
}

/* Is a file that of module "name"? '-' and '_' are equal. */
static bool same_module(const char *file, size_t len, const char *name)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((file[i] == '-' ? '_' : file[i]) != (name[i] == '-' ? '_' : name[i]) || !name[i])
			return false;
	return !name[len];
}

/* Find a module's file in modules.dep: lines "kernel/a/b.ko.xz: ...". */
static bool module_path(const char *deps, const char *dir, const char *name, char *path, size_t size)
{
	const char *line = deps, *colon, *file, *p, *dot;

	for (; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		colon = line + strcspn(line, ":\n");
		if (*colon != ':')
			continue;
		for (file = p = line; p < colon; p++)
			if (*p == '/')
				file = p + 1;
		for (dot = file; dot < colon && strncmp(dot, ".ko", 3); dot++)
			;
		if (dot == colon || !same_module(file, dot - file, name))
			continue;
		snprintf(path, size, "%s/%.*s", dir, (int)(colon - line), line);
		return true;
	}
	return false;
}

static void synth_modules(struct synth *s)
{
	_cleanup_free_ char *deps = NULL;
	char path[4096], dir[256], name[128];
	struct utsname uts;
	char *line, *next;
	u8 id[20];

	if (uname(&uts))
		return;
	snprintf(dir, sizeof(dir), "/lib/modules/%s", uts.release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	if (synth_slurp(s, path) > 0)
		deps = xstrdup(s->buf);
	if (synth_slurp(s, "/proc/modules") <= 0)
		return;
	for (line = s->buf; *line; line = next) {
		u64 size, start;
		u8 id_size = 0;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		/* "name size uses deps state 0xaddress" */
		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &start) != 3 || !start)
			continue;
		if (s->build_ids) {
			snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
			id_size = build_id_of_notes(path, id);
		}
		if (!deps || !module_path(deps, dir, name, path, sizeof(path)))
			snprintf(path, sizeof(path), "[%s]", name);
		put_kernel_map(s, start, size, 0, path, id, id_size);
	}
}

void synth_kernel(struct synth *s)
{
	struct text_range t;
	u8 id[20], size;

	if (!kernel_text(s, &t)) {
		s->restricted = 1;
		return;
	}
	size = build_id_of_notes(KERNEL_NOTES, id);
	put_kernel_map(s, t.start, t.end - t.start, t.start, "[kernel.kallsyms]_text", id, size);
	synth_modules(s);
}

// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/maps, parsed by hand: "start-end perms offset major:minor inode   path". */
#include <stdio.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "synth/synth.h"

static u64 hex(char **p)
{
	u64 v = 0;

	for (;; (*p)++) {
		char c = **p;

		if (c >= '0' && c <= '9')
			v = v << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (c - 'a' + 10);
		else
			return v;
	}
}

/* Decode a path, which ends with NUL: the kernel writes a newline as \012. */
static size_t unescape(char *path, size_t len)
{
	char *from = path, *to = path, *end = path + len;

	if (!memchr(path, '\\', len))
		return len;
	while (from < end) {
		if (from[0] == '\\' && end - from >= 4 && !memcmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	return to - path;
}

static bool parse_map(char *p, char *eol, struct synth_map *m)
{
	m->file.start = hex(&p);
	if (*p++ != '-')
		return false;
	m->file.end = hex(&p);
	if (*p++ != ' ' || eol - p < 5)
		return false;
	m->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
		  (p[2] == 'x' ? PROT_EXEC : 0);
	m->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	p += 5;
	m->offset = hex(&p);
	p++;
	m->major = hex(&p);
	p++;
	m->minor = hex(&p);
	m->file.inode = 0;
	for (p++; *p >= '0' && *p <= '9'; p++)
		m->file.inode = m->file.inode * 10 + (*p - '0');
	while (*p == ' ')
		p++;
	if (p > eol)
		return false;
	m->file.path = p;
	m->path_len = unescape(p, eol - p);
	return true;
}

/* The build-id of a mapped file, read once. Its path may lead elsewhere: device and inode tell. */
static const struct file_id *map_build_id(struct synth *s, const struct synth_map *m)
{
	bool added;
	u64 *slot;

	if (!m->file.inode)
		return NULL;
	slot = hash_insert(&s->files, (u64)m->major << 32 | m->minor, m->file.inode, &added);
	if (added) {
		struct file_id id = { 0 };

		id.size = build_id_of_mapped(s->host, &m->file, id.id);
		GROW(s->ids, s->nr_ids, s->cap_ids);
		s->ids[s->nr_ids++] = id;
		*slot = s->nr_ids;
	}
	return s->ids[*slot - 1].size ? &s->ids[*slot - 1] : NULL;
}

static void put_map(struct synth *s, const struct synth_map *m)
{
	const struct file_id *id = s->build_ids ? map_build_id(s, m) : NULL;
	struct mmap2_record r = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = m->file.pid, .tid = m->file.pid, .addr = m->file.start,
		.len = m->file.end - m->file.start,
		.pgoff = m->offset, .prot = m->prot, .flags = m->flags,
	};
	size_t at;

	if (id) {
		r.build_id_size = id->size;
		memcpy(r.build_id, id->id, sizeof(r.build_id));
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	} else {
		r.maj = m->major;
		r.min = m->minor;
		r.ino = m->file.inode;
	}
	if (!(m->prot & PROT_EXEC))
		r.header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	at = synth_fixed(s, &r.header);
	if (m->path_len)
		synth_string(s, m->file.path, m->path_len);
	else
		synth_string(s, "//anon", 6);
	synth_end(s, at, true);
}

/* Code copied to anonymous memory (huge pages), known by its file's mapping around it. */
struct copied_code {
	struct synth_map before;		/* the file's mapping before it */
	u64 end;			/* end of the last one */
	bool found;			/* such code was found */
};

static bool is_wanted(const struct synth *s, const struct synth_map *m)
{
	return m->prot & PROT_EXEC || (s->data_maps && m->prot & PROT_READ);
}

static bool is_same_path(const struct synth_map *a, const struct synth_map *b)
{
	return a->path_len == b->path_len && !memcmp(a->file.path, b->file.path, a->path_len);
}

/* Is the mapping anonymous, or of a removed file of hugetlbfs? */
static bool is_no_file(const struct synth_map *m)
{
	static const char deleted[] = " (deleted)";
	size_t tail = sizeof(deleted) - 1;

	return !m->path_len || (m->path_len > tail &&
				!memcmp(m->file.path + m->path_len - tail, deleted, tail));
}

/* Record the mapping around copied code, the only non-executable mapping that is recorded. */
static void put_around(struct synth *s, struct copied_code *c, const struct synth_map *m)
{
	if (m->file.start == c->end && m->prot & PROT_EXEC && is_no_file(m) &&
	    !is_same_path(m, &c->before)) {
		c->end = m->file.end;
		c->found = true;
		return;
	}
	if (c->found && m->file.start == c->end && m->path_len && is_same_path(m, &c->before) &&
	    m->file.start - m->offset == c->before.file.start - c->before.offset) {
		if (!is_wanted(s, &c->before))
			put_map(s, &c->before);
		if (!is_wanted(s, m))
			put_map(s, m);
	}
	*c = (struct copied_code){ .before = *m, .end = m->path_len ? m->file.end : 0 };
}

void synth_maps(struct synth *s, pid_t pid)
{
	struct copied_code copied = { 0 };
	char path[64], *p, *eol, *end;
	struct synth_map m = { .file.pid = pid, .idle = s->idle };
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	n = synth_slurp(s, path);
	for (p = s->buf, end = p + max(n, (ssize_t)0); p < end; p = eol + 1) {
		eol = memchr(p, '\n', end - p);
		if (!eol)
			break;
		*eol = 0;
		if (!parse_map(p, eol, &m))
			continue;
		put_around(s, &copied, &m);
		if (!is_wanted(s, &m))
			continue;
		if (s->on_code && m.prot & PROT_EXEC && m.file.inode)
			s->on_code(s->arg, &m);
		put_map(s, &m);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The TRACING_DATA section: the formats of the recorded tracepoints, from tracefs, in the format
 * of trace.dat version 6 (trace-cmd.dat.v6(5)). It is created once and written to every file of a
 * recording.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/sysfs.h"
#include "cmd/record/tracing.h"
#include "spec/tracepoint.h"

static void put(struct outbuf *o, const void *p, size_t n)
{
	outbuf_write(o, p, n);
}

/* Append a file's size, in 32 or 64 bits, and its text. Sizes reported by tracefs are wrong. */
static int put_file(struct outbuf *o, const char *path, u32 size_bytes)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t at = o->pos - o->base;
	u64 size = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	put(o, &size, size_bytes);
	while ((n = read(fd, outbuf_reserve(o, 65536), 65536)) > 0)
		o->pos += n;
	size = o->pos - o->base - at - size_bytes;
	memcpy(o->base + at, &size, size_bytes);
	return n < 0 ? -errno : 0;
}

static bool is_tracepoint(const struct event_spec *s)
{
	return s->attr.type == PERF_TYPE_TRACEPOINT;
}

struct find_id {
	u64 id;
	char system[128], name[128];
};

static int match_id(const char *system, const char *name, u64 id, void *arg)
{
	struct find_id *f = arg;

	if (id != f->id)
		return 0;
	snprintf(f->system, sizeof(f->system), "%s", system);
	snprintf(f->name, sizeof(f->name), "%s", name);
	return -EEXIST;		/* found: end the search */
}

/* Find system and name of a tracepoint: from its name, or by its id. */
static bool locate(const struct event_spec *s, struct find_id *f)
{
	const char *colon = strchr(s->name, ':');
	char path[768], text[32];

	f->id = s->attr.config;
	if (colon) {
		snprintf(f->system, sizeof(f->system), "%.*s", (int)(colon - s->name), s->name);
		snprintf(f->name, sizeof(f->name), "%.*s", (int)strcspn(colon + 1, ":/"), colon + 1);
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs_root(), f->system, f->name);
		if (read_text(path, text, sizeof(text)) > 0 && strtoull(text, NULL, 10) == f->id)
			return true;
	}
	return tracepoint_each("*", "*", match_id, f) == -EEXIST;
}

void tracing_data(const struct spec_list *specs, struct outbuf *out)
{
	static const u8 magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	u8 endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, long_size = sizeof(long);
	u32 page = sysconf(_SC_PAGESIZE), none = 0, nr = 0, i, one = 1;
	struct find_id f;
	char path[768];
	u64 none64 = 0;
	size_t count_at;

	for (i = 0; i < specs->nr; i++)
		nr += is_tracepoint(specs->v[i]);
	if (!nr)
		return;
	outbuf_init(out, -1);
	put(out, magic, sizeof(magic));
	put(out, "0.6", 4);
	put(out, &endian, 1);
	put(out, &long_size, 1);
	put(out, &page, sizeof(page));
	put(out, "header_page", 12);
	snprintf(path, sizeof(path), "%s/events/header_page", tracefs_root());
	if (put_file(out, path, 8))
		put(out, &none64, 8);
	put(out, "header_event", 13);
	snprintf(path, sizeof(path), "%s/events/header_event", tracefs_root());
	if (put_file(out, path, 8))
		put(out, &none64, 8);
	put(out, &none, 4);		/* no formats of ftrace events */
	count_at = out->pos - out->base;
	put(out, &nr, 4);
	/* A system may be repeated: one entry per event preserves their order. */
	for (nr = 0, i = 0; i < specs->nr; i++) {
		size_t at = out->pos - out->base;

		if (!is_tracepoint(specs->v[i]) || !locate(specs->v[i], &f))
			continue;
		put(out, f.system, strlen(f.system) + 1);
		put(out, &one, 4);
		snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs_root(), f.system, f.name);
		if (put_file(out, path, 8)) {
			out->pos = out->base + at;
			diag_warn("%s: the format of its fields can't be read: they will not be shown", specs->v[i]->name);
			continue;
		}
		nr++;
	}
	memcpy(out->base + count_at, &nr, 4);
	put(out, &none, 4);		/* kallsyms: empty, readers have their own */
	snprintf(path, sizeof(path), "%s/printk_formats", tracefs_root());
	if (put_file(out, path, 4))
		put(out, &none, 4);
	put(out, &none64, 8);		/* saved_cmdlines: empty, COMM records have the names */
}

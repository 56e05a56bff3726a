// SPDX-License-Identifier: GPL-2.0
/*
 * The BUILD_ID section, for --buildid-all and kernels whose map records have none. Names are added
 * once, as map records are read; after the last one, files without samples are removed (unless all
 * are wanted) and the others opened. struct build_ids owns the entries of one file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "cmd/record/buildid.h"
#include "event/records.h"
#include "session/sample_files.h"
#include "synth/synth.h"

/* One entry: header, pid, id and its length, then the name, padded to a multiple of 64. */
struct build_id_row {
	struct perf_event_header header;
	u32 pid;
	u8 id[20];
	u8 id_size, reserved[3];
};

#define MISC_BUILD_ID_SIZE	(1 << 15)

static void put_entry(struct build_ids *b, const char *name, u16 misc, const u8 *id, u8 size)
{
	size_t len = ALIGN_UP(strlen(name) + 1, (size_t)64);
	struct build_id_row e = {
		/* the type matters in a pipe, where an entry is a record */
		.header = { .type = REC_HEADER_BUILD_ID, .misc = (misc & PERF_RECORD_MISC_CPUMODE_MASK) | MISC_BUILD_ID_SIZE },
		.pid = -1, .id_size = size,
	};

	if (sizeof(e) + len > UINT16_MAX)
		return;
	e.header.size = sizeof(e) + len;
	memcpy(e.id, id, size);
	outbuf_write(&b->out, &e, sizeof(e));
	outbuf_puts(&b->out, name);
	outbuf_fill(&b->out, 0, len - strlen(name));
}

static u8 find_id(struct build_ids *b, const char *name, u8 *id)
{
	if (name[0] == '/')
		return build_id_of_mapped(b->host, &(struct mapped){ .path = name }, id);
	return strncmp(name, "[kernel.kallsyms]", 17) ? 0 : build_id_of_notes(KERNEL_NOTES, id);
}

void build_ids_init(struct build_ids *b, struct host *host)
{
	*b = (struct build_ids){ .host = host };
}

void build_ids_note(struct build_ids *b, const struct perf_event_header *h)
{
	size_t at = h->type == PERF_RECORD_MMAP ? 40 : 72, max;
	const struct mmap2_record *m2 = (const void *)h;
	const char *name = (const char *)h + at;
	u8 id[20] = { 0 }, size = 0;
	bool added;

	if ((h->type != PERF_RECORD_MMAP && h->type != PERF_RECORD_MMAP2) || h->size <= at ||
	    h->misc & PERF_RECORD_MISC_MMAP_DATA)
		return;
	max = h->size - at;
	if (!memchr(name, 0, max) || (name[0] == '/' && name[1] == '/'))
		return;
	if (!strncmp(name, "[kernel.kallsyms]", 17))
		name = "[kernel.kallsyms]";
	hash_insert(&b->noted, hash_bytes(name, strlen(name)), 0, &added);
	if (!added)
		return;
	if (mmap2_has_build_id(h)) {
		size = m2->build_id_size;
		memcpy(id, m2->build_id, size);
	}
	put_entry(b, name, h->misc, id, size);
}

void build_ids_known(struct build_ids *b, const char *name, size_t len)
{
	hash_insert(&b->noted, hash_bytes(name, len), 0, NULL);
}

/* Remove all files but those of @names, if given; else those without build-id. */
static void filter(struct build_ids *b, const struct hash *names)
{
	char *from, *to = b->out.base;
	size_t size;
	bool wanted;

	for (from = b->out.base; from < b->out.pos; from += size) {
		struct build_id_row *e = (struct build_id_row *)from;
		const char *name = from + sizeof(*e);

		size = e->header.size;
		if (!names && !e->id_size)
			e->id_size = find_id(b, name, e->id);
		wanted = names ? !!hash_find(names, hash_bytes(name, strlen(name)), 0) : e->id_size;
		if (wanted)
			to = (char *)memmove(to, from, size) + size;
	}
	b->out.pos = to;
}

void build_ids_keep(struct build_ids *b, const struct hash *names)
{
	filter(b, names);
}

void build_ids_keep_hit(struct build_ids *b, const char *path)
{
	struct hash names = { 0 };

	if (!record_hits(path, &names))
		build_ids_keep(b, &names);
	hash_deinit(&names);
}

void build_ids_find(struct build_ids *b)
{
	filter(b, NULL);
}

void build_ids_deinit(struct build_ids *b)
{
	hash_deinit(&b->noted);
	outbuf_deinit(&b->out);
}

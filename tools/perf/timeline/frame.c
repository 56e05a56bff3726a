// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: resolved instruction pointers. It is given an address space, an ip and a time, and
 * owns the frames. An ip in a space has one frame for each time span with the same mapping; a
 * frame never moves or changes.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "timeline/frame.h"

struct frame_entry {
	struct frame f;
	struct frame_entry *older;	/* another span of the same ip and space */
};

struct frame_slot {
	u64 ip;
	struct frame_entry *entry;	/* NULL: free */
};

struct frame_cache {
	struct timeline *tl;
	bool inlines;
	struct arena arena;
	struct frame_slot *slots;
	size_t mask;
	u32 nr, nr_ips;
};

#define NO_SPACE ((u32)-1)

struct frame_cache *frame_cache_create(struct timeline *tl, bool inlines)
{
	struct frame_cache *fc = xcalloc(1, sizeof(*fc));

	fc->tl = tl;
	fc->inlines = inlines;
	fc->mask = 1023;
	fc->slots = xcalloc(fc->mask + 1, sizeof(*fc->slots));
	return fc;
}

void frame_cache_destroy(struct frame_cache *fc)
{
	if (!fc)
		return;
	arena_deinit(&fc->arena);
	free(fc->slots);
	free(fc);
}

u32 frame_cache_nr(const struct frame_cache *fc)
{
	return fc->nr;
}

static inline size_t place(const struct frame_cache *fc, u64 ip, u32 space)
{
	return hash_mix(ip, space) & fc->mask;
}

static void grow(struct frame_cache *fc)
{
	struct frame_slot *old = fc->slots;
	size_t size = fc->mask + 1, i, j;

	fc->mask = 2 * size - 1;
	fc->slots = xcalloc(2 * size, sizeof(*fc->slots));
	for (i = 0; i < size; i++) {
		if (!old[i].entry)
			continue;
		j = place(fc, old[i].ip, old[i].entry->f.space);
		while (fc->slots[j].entry)
			j = (j + 1) & fc->mask;
		fc->slots[j] = old[i];
	}
	free(old);
}

static struct frame_entry *make(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
			  u64 time)
{
	struct frame_entry *e = arena_alloc(&fc->arena, sizeof(*e));
	struct frame *f = &e->f;
	u64 valid[2] = { 0, -1 };

	f->ip = ip;
	f->addr = ip;
	f->id = fc->nr++;
	f->space = sp ? sp->id : NO_SPACE;
	f->cpumode = cpumode;
	if (sp)
		f->map = space_find(fc->tl, sp, ip, time, valid);
	f->from = valid[0];
	f->to = valid[1];
	if (!f->map)
		return e;
	f->dso = f->map->dso;
	f->addr = dso_map_ip(f->dso, ip, f->map->start, f->map->pgoff);
	f->sym = dso_find_symbol(f->dso, f->addr);
	if (fc->inlines)
		f->nr_inlines = dso_inlines(f->dso, f->addr, &f->inlines);
	return e;
}

struct frame *frame_resolve(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
			    u64 time)
{
	u32 space = sp ? sp->id : NO_SPACE;
	struct frame_slot *slot;
	struct frame_entry *e;
	size_t i;

	for (i = place(fc, ip, space); (e = fc->slots[i].entry); i = (i + 1) & fc->mask) {
		if (fc->slots[i].ip != ip || e->f.space != space)
			continue;
		/* -1 is a time like any other, and the end of the last span. */
		for (; e; e = e->older)
			if (time >= e->f.from && (time < e->f.to || e->f.to == (u64)-1))
				return &e->f;
		break;
	}
	slot = &fc->slots[i];
	e = make(fc, sp, ip, cpumode, time);
	e->older = slot->entry;
	slot->ip = ip;
	slot->entry = e;
	if (!e->older && 4 * (size_t)++fc->nr_ips > 3 * fc->mask)
		grow(fc);
	return &e->f;
}

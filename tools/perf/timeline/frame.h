/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: an instruction pointer in an address space, resolved once. A frame is
 * interned: equal frames have equal numbers, so chains of frames compare as
 * arrays of u32.
 */
#ifndef PERF_TIMELINE_FRAME_H
#define PERF_TIMELINE_FRAME_H

#include "symbol/dso.h"
#include "timeline/timeline.h"

struct frame {
	u64 ip;				/* virtual */
	u64 addr;			/* in the dso, from dso_map_ip() */
	const struct map *map;		/* NULL: nothing mapped there */
	struct dso *dso;		/* NULL: as map */
	const struct symbol *sym;	/* NULL: unknown */
	const struct inline_frame *inlines;	/* innermost first; only if the cache resolves them */
	u32 nr_inlines;
	u8 cpumode;			/* PERF_RECORD_MISC_KERNEL or _USER ... */
	u32 id;				/* dense from 0 in its cache */
	u32 space;			/* id of the space */
	u64 from, to;			/* when it is the answer; @to exclusive but for -1 */
	/* For the consumer of the cache: text, labels or numbers, made once. Zeroed when the frame is made. */
	void *user;
	u32 user_len;			/* bytes of a text */
};

struct frame_cache;

struct frame_cache *frame_cache_create(struct timeline *tl, bool inlines);
void frame_cache_destroy(struct frame_cache *fc);

/* frame_cache_nr - how many frames it holds */
u32 frame_cache_nr(const struct frame_cache *fc);

/**
 * frame_resolve() - the frame of an ip
 * @fc: the cache; one per reading thread
 * @sp: the address space: the kernel's for kernel ips (timeline_space()); NULL: unknown
 * @ip: virtual address
 * @cpumode: PERF_RECORD_MISC_*
 * @time: when
 *
 * Return: the frame; valid as long as the cache. One hash look-up when the ip was looked up
 * before in this space and its map still held.
 */
struct frame *frame_resolve(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
			    u64 time);

#endif /* PERF_TIMELINE_FRAME_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Frames: addresses in files, resolved once for all address spaces that map the file. */
#ifndef PERF_TIMELINE_FRAME_H
#define PERF_TIMELINE_FRAME_H

#include "symbol/dso.h"
#include "timeline/timeline.h"

struct frame {
	u64 addr;			/* in the dso, from dso_map_ip(); without one: the ip */
	u64 code;			/* @addr or one less: what is named, with its line */
	struct dso *dso;		/* NULL: nothing mapped there */
	const struct symbol *sym;	/* NULL: unknown */
	const struct inline_frame *inlines;	/* innermost first; only if the cache resolves them */
	u32 nr_inlines;
	u32 user_len;			/* bytes of text in @user */
	/* For the user of the cache: text, labels or numbers. Zero in a new frame. */
	void *user;
	/* The last look-up that returned the frame: */
	u64 ip;				/* virtual */
	const struct map *map;		/* NULL: as dso */
	u8 cpumode;			/* PERF_RECORD_MISC_KERNEL or _USER ... */
	u8 mode;			/* @cpumode, maybe with FRAME_CALLER */
	bool sigreturn;			/* a caller, and a signal trampoline */
};

/* Added to the cpumode of what may be a return address: it is named by the call in front. */
#define FRAME_CALLER	0x80

struct frame_cache;

enum {
	FRAMES_INLINES	= 1,	/* inlined functions are resolved */
	FRAMES_BY_IP	= 2,	/* frames differ by virtual address and mapping */
	FRAMES_NAMELESS	= 4,	/* no names are looked up: frames have no .sym */
};

/* frame_cache_create - a cache without frames; @flags: of FRAMES_* */
struct frame_cache *frame_cache_create(struct timeline *tl, u32 flags);
void frame_cache_destroy(struct frame_cache *fc);

/* frame_cache_limit - drop all of more than @max frames, against hostile files; true: it did */
bool frame_cache_limit(struct frame_cache **fc, u32 max);

/*
 * frame_resolve - the frame of an ip, valid as long as the cache, on one thread; @sp: NULL:
 * unknown; @cpumode: maybe with FRAME_CALLER. Two hash look-ups for a known address of the file, in
 * any space, near a known ip in this one.
 */
struct frame *frame_resolve(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
			    u64 time);

/* frame_of - the same, by the task that has the ip */
struct frame *frame_of(struct frame_cache *fc, const struct thread *t, u64 ip, u8 cpumode,
		       u64 time);

/* frame_by_sign - the same, of an address without cpumode: the kernel's are negative */
struct frame *frame_by_sign(struct frame_cache *fc, const struct thread *t, u64 addr, u64 time);

/* frame_resolve_span - as the first; @valid: the times [valid[0], valid[1]) with this result */
struct frame *frame_resolve_span(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
				 u64 time, u64 valid[2]);

#endif /* PERF_TIMELINE_FRAME_H */

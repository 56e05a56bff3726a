// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: resolved instruction pointers. It is given an address space, an ip and a time, and owns
 * the frames and a table of ips that were looked up. A frame never moves. The table is emptied when
 * it has many more ips than there are frames: thousands of short-lived processes map one library at
 * as many addresses.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/slots.h"
#include "timeline/frame.h"

/* A resolved ip. */
struct frame_ip {
	u64 ip, from, last;		/* valid at the times @from to @last, inclusive */
	const struct map *map;
	struct frame *f;
	u32 space;
	u32 round;			/* free, unless it is that of the cache */
};

struct frame_cache {
	struct timeline *tl;
	bool inlines, by_ip;
	struct pool frames;
	struct slots by_place;		/* their numbers */
	struct frame_ip *ips;		/* open addressing */
	u32 mask, nr_ips;
	u32 round;			/* number of times that @ips was emptied, and 1 */
};

#define FIRST_IPS	256
#define IPS_ANYWAY	4096u		/* number of ips that are always kept */
#define IPS_PER_FRAME	2

struct frame_cache *frame_cache_create(struct timeline *tl, bool inlines)
{
	struct frame_cache *fc = xcalloc(1, sizeof(*fc));

	fc->tl = tl;
	fc->inlines = inlines;
	fc->frames = POOL(struct frame);
	fc->mask = FIRST_IPS - 1;
	fc->round = 1;
	fc->ips = xcalloc(FIRST_IPS, sizeof(*fc->ips));
	return fc;
}

void frame_cache_destroy(struct frame_cache *fc)
{
	if (!fc)
		return;
	pool_deinit(&fc->frames);
	slots_deinit(&fc->by_place);
	free(fc->ips);
	free(fc);
}

void frame_cache_by_ip(struct frame_cache *fc)
{
	fc->by_ip = true;
}

u32 frame_cache_nr(const struct frame_cache *fc)
{
	return fc->frames.nr - 1;
}

/* The slot of an ip (at any time), or a free slot for it. */
static inline struct frame_ip *find_slot(const struct frame_cache *fc, u64 ip, u32 space)
{
	/* The middle bits of the product depend on all bits of the ip. */
	u32 i = (ip ^ (u64)space << 40) * 0x9e3779b97f4a7c15ULL >> 32;
	struct frame_ip *at;

	for (; (at = &fc->ips[i & fc->mask])->round == fc->round; i++)
		if (at->ip == ip && at->space == space)
			break;
	return at;
}

/* Empty the table, or double it. */
static void make_room(struct frame_cache *fc)
{
	struct frame_ip *old = fc->ips;
	size_t size = (size_t)fc->mask + 1, i;

	if (fc->nr_ips > IPS_ANYWAY + IPS_PER_FRAME * (u64)fc->frames.nr) {
		fc->round++;
		fc->nr_ips = 0;
		return;
	}
	fc->mask = 2 * size - 1;
	fc->ips = xcalloc(2 * size, sizeof(*fc->ips));
	for (i = 0; i < size; i++)
		if (old[i].round == fc->round)
			*find_slot(fc, old[i].ip, old[i].space) = old[i];
	free(old);
}

/* The offset in the file; the ip if there is no mapping. */
static inline u64 file_offset(u64 ip, const struct map *map)
{
	return map ? ip - map->start + map->pgoff : ip;
}

/*
 * True if frames are distinguished by virtual address, not by file address. Anonymous memory has no
 * file addresses.
 */
static bool differs_by_ip(const struct frame_cache *fc, const struct dso *dso)
{
	return fc->by_ip || (dso && dso->memory);
}

/* True if the offset in the file says which address of the file it is: so it is for programs and libraries. */
static bool has_offsets(const struct frame_cache *fc, const struct dso *dso)
{
	return dso && dso->kind == DSO_USER && !differs_by_ip(fc, dso);
}

static u64 place_hash(const struct frame_cache *fc, const struct frame *f)
{
	u64 dso = f->dso ? f->dso->id + 1 : 0, where = f->addr;

	if (differs_by_ip(fc, f->dso))
		where = f->ip;
	else if (has_offsets(fc, f->dso))
		where = file_offset(f->ip, f->map);
	return hash_mix(where, dso << 8 | f->cpumode);
}

static u64 hash_of(const void *ctx, u32 nr)
{
	const struct frame_cache *fc = ctx;

	return place_hash(fc, pool_at(&fc->frames, nr));
}

static bool same_place(const struct frame_cache *fc, const struct frame *a, const struct frame *b)
{
	if (a->dso != b->dso || a->cpumode != b->cpumode)
		return false;
	if (differs_by_ip(fc, a->dso))
		return a->addr == b->addr && a->ip == b->ip && a->map == b->map;
	return file_offset(a->ip, a->map) == file_offset(b->ip, b->map) &&
	       (has_offsets(fc, a->dso) || a->addr == b->addr);
}

static void set_address(struct frame *f)
{
	if (f->map)
		f->addr = dso_map_ip(f->dso, f->ip, f->map->start, f->map->pgoff);
}

static struct frame *intern(struct frame_cache *fc, u64 ip, const struct map *map, u8 cpumode)
{
	struct frame place = { .addr = ip, .ip = ip, .map = map, .cpumode = cpumode,
			       .dso = map ? map->dso : NULL }, *f;
	bool later = has_offsets(fc, place.dso);
	u64 hash;
	u32 *at;

	if (!later)
		set_address(&place);
	hash = place_hash(fc, &place);
	slots_each(&fc->by_place, hash, at) {
		f = pool_at(&fc->frames, *at);
		if (same_place(fc, f, &place))
			return f;
	}
	if (later)
		set_address(&place);
	if (place.dso) {
		place.sym = dso_find_symbol(place.dso, place.addr);
		if (fc->inlines)
			place.nr_inlines = dso_inlines(place.dso, place.addr, &place.inlines);
	}
	f = pool_at(&fc->frames, pool_add(&fc->frames));
	*f = place;
	slots_add(&fc->by_place, hash, fc->frames.nr - 1, hash_of, fc);
	return f;
}

/* The key of an unknown space is the cpumode. */
static inline u32 space_key(const struct space *sp, u8 cpumode)
{
	return likely(sp) ? sp->id : (u32)-1 - cpumode;
}

static inline bool holds_at(const struct frame_cache *fc, const struct frame_ip *at, u64 time)
{
	return at->round == fc->round && time - at->from <= at->last - at->from;
}

static inline struct frame *use(const struct frame_ip *at)
{
	struct frame *f = at->f;

	f->ip = at->ip;
	f->map = at->map;
	return f;
}

static __attribute__((noinline)) struct frame_ip *resolve(struct frame_cache *fc, const struct space *sp, u64 ip,
							  u8 cpumode, u64 time)
{
	u32 space = space_key(sp, cpumode);
	struct frame_ip *at = find_slot(fc, ip, space);
	u64 valid[2] = { 0, -1 };

	if (at->round != fc->round && hash_full(fc->nr_ips, (u64)fc->mask + 1)) {
		make_room(fc);
		at = find_slot(fc, ip, space);
	}
	fc->nr_ips += at->round != fc->round;
	at->round = fc->round;
	at->ip = ip;
	at->space = space;
	at->map = sp ? space_find(fc->tl, sp, ip, time, valid) : NULL;
	at->from = valid[0];
	/* The last span ends at -1, which is also a valid time, so it is inclusive. */
	at->last = valid[1] == (u64)-1 ? (u64)-1 : valid[1] - 1;
	at->f = intern(fc, ip, at->map, cpumode);
	return at;
}

/*
 * Not inlined, and with the caller's arguments, so that the path for a known ip saves no registers.
 */
static __attribute__((noinline)) struct frame *resolve_new(struct frame_cache *fc, const struct space *sp, u64 ip,
							   u8 cpumode, u64 time)
{
	return use(resolve(fc, sp, ip, cpumode, time));
}

struct frame *frame_resolve(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode, u64 time)
{
	const struct frame_ip *at = find_slot(fc, ip, space_key(sp, cpumode));

	return likely(holds_at(fc, at, time)) ? use(at) : resolve_new(fc, sp, ip, cpumode, time);
}

struct frame *frame_resolve_span(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
				 u64 time, u64 valid[2])
{
	const struct frame_ip *at = find_slot(fc, ip, space_key(sp, cpumode));

	if (unlikely(!holds_at(fc, at, time)))
		at = resolve(fc, sp, ip, cpumode, time);
	valid[0] = at->from;
	valid[1] = at->last == (u64)-1 ? (u64)-1 : at->last + 1;
	return use(at);
}

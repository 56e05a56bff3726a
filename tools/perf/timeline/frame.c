// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: resolved instruction pointers, which never move. A look-up has two steps: the ip's area,
 * which leads to a place in a file, and that place's frame. Areas are a small fixed number, as
 * thousands of short-lived processes map one library at as many addresses.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/pool.h"
#include "event/abi.h"
#include "timeline/frame.h"

/* Addresses of a space that belong to one mapping, or to none, for some time. */
struct frame_area {
	u64 start, size;		/* size 0: a free entry */
	u64 from, span;			/* valid at the times @from to @from + @span, inclusive */
	u64 offset;			/* of the place of an ip: ip + offset */
	const struct map *map;
	const struct dso *file;		/* NULL: frames of other mappings are other frames */
	struct dso *made;		/* the names of code made here by a process; NULL: none */
	u32 space;
	u32 kind;			/* kind_of() */
};

/* A frame by its place: an offset in a file, or a virtual address. */
struct placed {
	u64 place;
	struct frame *f;		/* NULL: free */
};

#define AREAS		4096
#define AREA_SHIFT	15		/* the entry of an ip depends on the bits above */
#define FIRST_PLACES	256

struct frame_cache {
	struct timeline *tl;
	u32 flags;			/* FRAMES_* */
	struct pool frames;
	struct placed *places;		/* open addressing */
	u32 mask;
	struct frame_area areas[AREAS];
};

struct frame_cache *frame_cache_create(struct timeline *tl, u32 flags)
{
	struct frame_cache *fc = xcalloc(1, sizeof(*fc));

	fc->tl = tl;
	fc->flags = flags;
	fc->frames = POOL(struct frame);
	fc->mask = FIRST_PLACES - 1;
	fc->places = xcalloc(FIRST_PLACES, sizeof(*fc->places));
	return fc;
}

void frame_cache_destroy(struct frame_cache *fc)
{
	if (!fc)
		return;
	pool_deinit(&fc->frames);
	free(fc->places);
	free(fc);
}

bool frame_cache_limit(struct frame_cache **fc, u32 max)
{
	struct frame_cache *old = *fc;

	if (likely(old->frames.nr - 1 <= max))
		return false;
	*fc = frame_cache_create(old->tl, old->flags);
	frame_cache_destroy(old);
	return true;
}

/* What frames of equal places have in common if they are the same. */
static inline u32 kind_of(const struct dso *dso, u8 cpumode)
{
	return (dso ? dso->id + 1 : 0) << 8 | cpumode;
}

static inline u32 place_hash(u64 place, u32 kind)
{
	/* The middle bits of the product depend on all bits of the place. */
	return (place ^ (u64)kind << 32) * 0x9e3779b97f4a7c15ULL >> 32;
}

/* The key of an unknown space is the cpumode. */
static inline u32 space_key(const struct space *sp, u8 cpumode)
{
	return likely(sp) ? sp->id : (u32)-1 - (cpumode & ~FRAME_CALLER);
}

static inline struct frame_area *area_slot(struct frame_cache *fc, u64 ip, u32 space)
{
	return &fc->areas[((ip >> AREA_SHIFT) + space) % AREAS];
}

static inline bool in_area(const struct frame_area *a, u64 ip, u32 space, u64 time)
{
	return ip - a->start < a->size && a->space == space && time - a->from <= a->span;
}

/* Are frames told apart by virtual address? Anonymous memory has no file addresses. */
static bool differs_by_ip(const struct frame_cache *fc, const struct dso *dso)
{
	return fc->flags & FRAMES_BY_IP || (dso && dso->memory);
}

static __attribute__((noinline)) const struct frame_area *
find_area(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode, u64 time)
{
	u32 space = space_key(sp, cpumode);
	struct frame_area *a = area_slot(fc, ip, space);
	struct map_area range = MAP_AREA_ALL;
	const struct map *map = sp ? space_find(fc->tl, sp, ip, time, &range) : NULL;
	struct dso *dso = map ? map->dso : NULL, *made = NULL;
	bool by_ip = differs_by_ip(fc, dso);

	if (dso && !(fc->flags & FRAMES_NAMELESS) && dso_may_have_made(dso, map->pgoff))
		made = space_made_names(fc->tl, sp, range.from);
	if (made == dso)
		made = NULL;
	by_ip |= !!made;

	*a = (struct frame_area){
		.start = range.start, .size = range.end - range.start, .from = range.from,
		/* The last span ends at -1, which is also a valid time, so it is inclusive. */
		.span = (range.until == (u64)-1 ? range.until : range.until - 1) - range.from,
		/* One mapping's addresses differ by less: each process has its own frames there. */
		.offset = made ? (u64)made->pid << 40 : map && !by_ip ? map->pgoff - map->start : 0,
		.map = map, .space = space, .kind = kind_of(dso, cpumode & ~FRAME_CALLER),
		/* Of programs and libraries, an offset in the file is one address in the file. */
		.file = dso && dso->kind == DSO_USER && !by_ip ? dso : NULL,
		.made = made,
	};
	return a;
}

static void put(struct frame_cache *fc, u64 place, struct frame *f)
{
	u32 i = place_hash(place, kind_of(f->map ? f->map->dso : NULL, f->mode));

	while (fc->places[i & fc->mask].f)
		i++;
	fc->places[i & fc->mask] = (struct placed){ place, f };
}

static void add(struct frame_cache *fc, u64 place, struct frame *f)
{
	struct placed *old = fc->places;
	size_t size = (size_t)fc->mask + 1, i;

	if (hash_full(fc->frames.nr, size)) {
		fc->mask = 2 * size - 1;
		fc->places = xcalloc(2 * size, sizeof(*fc->places));
		for (i = 0; i < size; i++)
			if (old[i].f)
				put(fc, old[i].place, old[i].f);
		free(old);
	}
	put(fc, place, f);
}

static bool is_sigreturn(const struct frame *f, enum code_kind code)
{
	static const char *const names[] = {
		"__restore_rt", "__restore", "__kernel_rt_sigreturn", "__kernel_sigreturn",
	};
	u32 i;

	if (code != CODE_UNKNOWN || !f->sym)
		return code == CODE_SIGRETURN;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(f->sym->name, names[i]))
			return true;
	return false;
}

/*
 * Is the address of a user caller a return address, to be looked up in the call in front of it?
 * This decides for all; who names a frame uses .code. It is asked (FRAME_CALLER) for ips that may
 * be one: not the innermost, nor one that a signal interrupted, nor those of perf's own walks
 * (chain_callers()).
 *
 * No call stored the start of a signal trampoline or of __start_context(). Addresses in the call
 * already, by a BPF program or perf inject, may be lowered once more: calls have two bytes. Without
 * code (JIT, missing files) the byte in front must be in a function and in the mapping: a uretprobe
 * stores the start of [uprobes].
 */
static bool is_return_address(const struct frame *f, enum code_kind code)
{
	if (code != CODE_UNKNOWN)
		return code == CODE_BEHIND_CALL;
	return f->ip != f->map->start &&
	       (dso_find_symbol(f->dso, f->addr - 1) || !dso_find_symbol(f->dso, f->addr));
}

static void look_up(const struct frame_cache *fc, struct frame *f, struct dso *made)
{
	bool caller = f->mode & FRAME_CALLER;
	enum code_kind code;

	/* A forked process may have made code in memory of its parent. */
	if (made && (f->dso->kind == DSO_ANON || !dso_find_symbol(f->dso, f->addr - caller)) &&
	    dso_find_symbol(made, f->ip - caller)) {
		f->dso = made;
		f->addr = f->ip;
	}
	code = caller ? dso_code(f->dso, f->addr) : CODE_OTHER;
	f->code = f->addr - (caller && is_return_address(f, code));
	f->sym = fc->flags & FRAMES_NAMELESS ? NULL : dso_find_symbol(f->dso, f->code);
	f->sigreturn = caller && f->code == f->addr && is_sigreturn(f, code);
	if (fc->flags & FRAMES_INLINES)
		f->nr_inlines = dso_inlines(f->dso, f->code, &f->inlines);
}

/* The frame of a place that is new, or that another mapping has. @kind: maybe with FRAME_CALLER */
static __attribute__((noinline)) struct frame *
intern(struct frame_cache *fc, const struct frame_area *a, u64 ip, u32 kind)
{
	u64 place = ip + a->offset;
	const struct placed *p;
	struct frame new = {
		.addr = ip, .ip = ip, .map = a->map, .cpumode = a->kind, .mode = kind,
	}, *f;
	u32 i;

	if (a->map) {
		new.dso = a->map->dso;
		new.addr = dso_map_ip(new.dso, ip, a->map->start, a->map->pgoff);
	}
	new.code = new.addr;
	for (i = place_hash(place, kind); !a->made && !differs_by_ip(fc, new.dso); i++) {
		p = &fc->places[i & fc->mask];
		f = p->f;
		if (!f)
			break;
		if (p->place != place || f->dso != new.dso || f->mode != new.mode ||
		    f->addr != new.addr)
			continue;
		f->ip = ip;
		f->map = a->map;
		return f;
	}
	if (new.dso)
		look_up(fc, &new, a->made);
	f = pool_at(&fc->frames, pool_add(&fc->frames));
	*f = new;
	add(fc, place, f);
	return f;
}

/* Is @f the frame of an ip of @a with the same place? Most frames belong to one mapping. */
static inline bool is_of(const struct frame *f, const struct frame_area *a, u32 kind)
{
	return (f->map == a->map || (a->file && f->dso == a->file)) && f->mode == (u8)kind;
}

static inline struct frame *find(struct frame_cache *fc, const struct frame_area *a, u64 ip,
				 u8 mode)
{
	u32 kind = a->kind | (mode & FRAME_CALLER);
	u64 place = ip + a->offset;
	u32 i = place_hash(place, kind);
	const struct placed *p;

	for (; (p = &fc->places[i & fc->mask])->f; i++) {
		if (p->place != place || !is_of(p->f, a, kind))
			continue;
		p->f->ip = ip;
		p->f->map = a->map;
		return p->f;
	}
	return intern(fc, a, ip, kind);
}

/* Not inlined, with the caller's arguments: the path for a known area saves no registers. */
static __attribute__((noinline)) struct frame *
resolve_new(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode, u64 time)
{
	return find(fc, find_area(fc, sp, ip, cpumode, time), ip, cpumode);
}

struct frame *frame_resolve(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
			    u64 time)
{
	u32 space = space_key(sp, cpumode);
	const struct frame_area *a = area_slot(fc, ip, space);

	return likely(in_area(a, ip, space, time)) ? find(fc, a, ip, cpumode) :
						     resolve_new(fc, sp, ip, cpumode, time);
}

struct frame *frame_of(struct frame_cache *fc, const struct thread *t, u64 ip, u8 cpumode, u64 time)
{
	return frame_resolve(fc, timeline_space(fc->tl, t, cpumode, time), ip, cpumode, time);
}

struct frame *frame_by_sign(struct frame_cache *fc, const struct thread *t, u64 addr, u64 time)
{
	u8 mode = (s64)addr < 0 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	return frame_of(fc, t, addr, mode, time);
}

struct frame *frame_resolve_span(struct frame_cache *fc, const struct space *sp, u64 ip, u8 cpumode,
				 u64 time, u64 valid[2])
{
	u32 space = space_key(sp, cpumode);
	const struct frame_area *a = area_slot(fc, ip, space);
	u64 last;

	if (unlikely(!in_area(a, ip, space, time)))
		a = find_area(fc, sp, ip, cpumode, time);
	last = a->from + a->span;
	valid[0] = a->from;
	valid[1] = last == (u64)-1 ? last : last + 1;
	return find(fc, a, ip, cpumode);
}

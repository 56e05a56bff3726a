// SPDX-License-Identifier: GPL-2.0
/*
 * The index of inlined functions, in memory and as a file of the build-id cache. It is given a
 * path, and owns the file's bytes and the additions to them. The file is a head, then the arrays
 * of ranges, pieces and calls as in memory, then the names.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/sort.h"
#include "buildid/buildid_cache.h"
#include "symbol/symbol_private.h"

#define MAGIC 0x32786469206c6e69ULL	/* "inl idx2": of this version and byte order */

/* The file that an index describes. Nobody can give it to another file with the same build-id. */
struct index_key {
	u64 dev, ino, size, changed_s, changed_ns;
};

struct index_head {
	u64 magic;
	struct index_key key;
	u32 crc;			/* of the bytes after it */
	u32 nr_ranges, nr_pieces, nr_calls, nr_names;
	u32 zero;
};

struct index_range {
	u64 start, end;
};

struct index_piece {
	u64 start;
	u32 call, zero;
};

struct index_call {
	u32 outer;			/* number of the call around it; 0: none */
	u32 name;			/* offset of the name, times 2; bit 0: it is mangled */
};

/* The arrays, sorted by address in a file. */
struct index_parts {
	struct index_range *ranges;
	struct index_piece *pieces;
	struct index_call *calls;
	char *names;
	u32 nr_ranges, nr_pieces, nr_calls, nr_names;
};

struct inline_index {
	struct index_key key;
	void *file;			/* its bytes; NULL: none */
	struct index_parts old;		/* in @file */
	struct index_parts add;		/* numbers and offsets continue those of @old */
	u32 cap_ranges, cap_pieces, cap_calls, cap_names;
	struct hash names;		/* (hash, length) -> offset of an added name */
};

static u64 parts_bytes(const struct index_parts *p)
{
	return (u64)p->nr_ranges * sizeof(*p->ranges) + (u64)p->nr_pieces * sizeof(*p->pieces) +
	       (u64)p->nr_calls * sizeof(*p->calls) + p->nr_names;
}

/*
 * Whether all that is read later may be used as it is: the numbers and offsets are inside, the
 * arrays are sorted, each range begins behind a piece, and no call is around itself. The CRC says
 * nothing: the file may be anybody's.
 */
static bool parts_good(const struct index_parts *p)
{
	u32 i;

	for (i = 1; i < p->nr_ranges; i++)
		if (p->ranges[i].start < p->ranges[i - 1].start)
			return false;
	for (i = 0; i < p->nr_pieces; i++)
		if (p->pieces[i].call > p->nr_calls ||
		    (i && p->pieces[i].start < p->pieces[i - 1].start))
			return false;
	for (i = 0; i < p->nr_calls; i++)
		if (p->calls[i].outer > i || p->calls[i].name / 2 >= p->nr_names)
			return false;
	return (!p->nr_ranges || (p->nr_pieces && p->pieces[0].start <= p->ranges[0].start)) &&
	       (!p->nr_names || !p->names[p->nr_names - 1]);
}

static bool set_parts(struct inline_index *x, size_t size)
{
	const struct index_head *h = x->file;
	struct index_parts *p = &x->old;

	*p = (struct index_parts){
		.nr_ranges = h->nr_ranges, .nr_pieces = h->nr_pieces,
		.nr_calls = h->nr_calls, .nr_names = h->nr_names,
	};
	p->ranges = (void *)(h + 1);
	p->pieces = (void *)(p->ranges + p->nr_ranges);
	p->calls = (void *)(p->pieces + p->nr_pieces);
	p->names = (void *)(p->calls + p->nr_calls);
	return h->magic == MAGIC && !memcmp(&h->key, &x->key, sizeof(h->key)) &&
	       parts_bytes(p) == size - sizeof(*h) &&
	       h->crc == crc32_z(0, (const u8 *)(h + 1), size - sizeof(*h)) && parts_good(p);
}

struct inline_index *inline_index_open(const char *path, const struct stat *of)
{
	struct inline_index *x = xcalloc(1, sizeof(*x));
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, O_NOFOLLOW, &st);

	x->key = (struct index_key){
		of->st_dev, of->st_ino, of->st_size, of->st_ctim.tv_sec, of->st_ctim.tv_nsec,
	};
	if (fd < 0 || (st.st_uid && st.st_uid != geteuid()) || (st.st_mode & 022) ||
	    st.st_size < (off_t)sizeof(struct index_head) || st.st_size > INLINE_INDEX_MAX)
		return x;
	x->file = xcalloc(1, st.st_size);
	if (read(fd, x->file, st.st_size) != st.st_size || !set_parts(x, st.st_size)) {
		free(x->file);
		x->file = NULL;
		x->old = (struct index_parts){ 0 };
	}
	return x;
}

bool inline_index_find(const struct inline_index *x, u64 addr, u32 *call)
{
	const struct index_parts *p = &x->old;
	size_t i = LOWER_BOUND(0, p->nr_ranges, at, p->ranges[at].end <= addr);

	if (i == p->nr_ranges || addr < p->ranges[i].start)
		return false;
	i = LOWER_BOUND(0, p->nr_pieces, at, p->pieces[at].start <= addr);
	*call = p->pieces[i - 1].call;
	return true;
}

bool inline_index_is_empty(const struct inline_index *x)
{
	return !x->old.nr_ranges;
}

const char *inline_index_name(const struct inline_index *x, u32 *call, bool *mangled)
{
	const struct index_call *c = &x->old.calls[*call - 1];

	*call = c->outer;
	*mangled = c->name & 1;
	return x->old.names + c->name / 2;
}

u32 inline_index_add_call(struct inline_index *x, u32 outer, const char *name, bool mangled)
{
	struct index_parts *a = &x->add;
	size_t len = strlen(name);
	bool added;
	u64 *v = hash_insert(&x->names, hash_bytes(name, len), len, &added);

	if (added) {
		*v = x->old.nr_names + a->nr_names;
		GROW_TO(a->names, a->nr_names + len + 1, x->cap_names);
		memcpy(a->names + a->nr_names, name, len + 1);
		a->nr_names += len + 1;
	}
	GROW(a->calls, a->nr_calls, x->cap_calls);
	a->calls[a->nr_calls++] = (struct index_call){ outer, 2 * (u32)*v + mangled };
	return x->old.nr_calls + a->nr_calls;
}

void inline_index_add_piece(struct inline_index *x, u64 start, u32 call)
{
	GROW(x->add.pieces, x->add.nr_pieces, x->cap_pieces);
	x->add.pieces[x->add.nr_pieces++] = (struct index_piece){ .start = start, .call = call };
}

void inline_index_add_range(struct inline_index *x, u64 start, u64 end)
{
	GROW(x->add.ranges, x->add.nr_ranges, x->cap_ranges);
	x->add.ranges[x->add.nr_ranges++] = (struct index_range){ start, end };
}

static bool range_before(const struct index_range *a, const struct index_range *b)
{
	return a->start < b->start;
}

static bool piece_before(const struct index_piece *a, const struct index_piece *b)
{
	return a->start < b->start;
}

DEFINE_MERGE_SORT(sort_ranges, struct index_range, range_before)
DEFINE_MERGE_SORT(sort_pieces, struct index_piece, piece_before)

static void *put(void *to, const void *from, size_t size)
{
	if (size)
		memcpy(to, from, size);
	return (char *)to + size;
}

/* The bytes of the new file: both parts, sorted. */
static struct index_head *joined(const struct inline_index *x, u64 size)
{
	struct index_head *h = xcalloc(1, size);
	const struct index_parts *o = &x->old, *a = &x->add;
	void *ranges = h + 1, *pieces, *p;
	struct sort_room room = { 0 };

	h->magic = MAGIC;
	h->key = x->key;
	h->nr_ranges = o->nr_ranges + a->nr_ranges;
	h->nr_pieces = o->nr_pieces + a->nr_pieces;
	h->nr_calls = o->nr_calls + a->nr_calls;
	h->nr_names = o->nr_names + a->nr_names;
	p = put(ranges, o->ranges, o->nr_ranges * sizeof(*o->ranges));
	pieces = put(p, a->ranges, a->nr_ranges * sizeof(*a->ranges));
	p = put(pieces, o->pieces, o->nr_pieces * sizeof(*o->pieces));
	p = put(p, a->pieces, a->nr_pieces * sizeof(*a->pieces));
	p = put(p, o->calls, o->nr_calls * sizeof(*o->calls));
	p = put(p, a->calls, a->nr_calls * sizeof(*a->calls));
	p = put(p, o->names, o->nr_names);
	put(p, a->names, a->nr_names);
	sort_ranges(ranges, h->nr_ranges, &room);
	sort_pieces(pieces, h->nr_pieces, &room);
	sort_room_deinit(&room);
	h->crc = crc32_z(0, (const u8 *)(h + 1), size - sizeof(*h));
	return h;
}

static void save(const struct inline_index *x, const char *path)
{
	u64 size = sizeof(struct index_head) + parts_bytes(&x->old) + parts_bytes(&x->add);
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *name = xstrndup(path, slash - path);
	_cleanup_free_ struct index_head *h = NULL;
	_cleanup_close_ int folder = -1, fd = -1;
	struct stat st;
	char tmp[32];

	/* A full index is begun again by the next reader. */
	if (size > INLINE_INDEX_MAX)
		size = sizeof(*h);
	folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || fstat(folder, &st) || st.st_uid != geteuid())
		return;
	snprintf(tmp, sizeof(tmp), ".tmp.%d", getpid());
	fd = openat(folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	h = size > sizeof(*h) ? joined(x, size) : xcalloc(1, size);
	if (write_all(fd, h, size))
		unlinkat(folder, tmp, 0);
	else
		buildid_cache_name(folder, tmp, slash + 1);
}

void inline_index_close(struct inline_index *x, const char *path)
{
	if (!x)
		return;
	if (x->add.nr_ranges)
		save(x, path);
	free(x->add.ranges);
	free(x->add.pieces);
	free(x->add.calls);
	free(x->add.names);
	hash_deinit(&x->names);
	free(x->file);
	free(x);
}

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

struct inline_index {
	struct index_head head;		/* of the arrays */
	struct index_range *ranges;
	struct index_piece *pieces;
	struct index_call *calls;
	char *names;
	u32 cap_ranges, cap_pieces, cap_calls, cap_names;
	u32 old_ranges, old_pieces;	/* from the file, sorted by address; others were added */
	struct hash added;		/* (hash, length) -> offset of an added name */
};

#define NR_ARRAYS 4

/* The arrays as they follow the head. Return: their bytes. */
static u64 arrays_of(const struct inline_index *x, struct iovec v[NR_ARRAYS])
{
	const struct index_head *h = &x->head;

	v[0] = (struct iovec){ x->ranges, h->nr_ranges * sizeof(*x->ranges) };
	v[1] = (struct iovec){ x->pieces, h->nr_pieces * sizeof(*x->pieces) };
	v[2] = (struct iovec){ x->calls, h->nr_calls * sizeof(*x->calls) };
	v[3] = (struct iovec){ x->names, h->nr_names };
	return (u64)v[0].iov_len + v[1].iov_len + v[2].iov_len + v[3].iov_len;
}

static u32 crc_of(const struct iovec v[NR_ARRAYS])
{
	u32 crc = 0, i;

	for (i = 0; i < NR_ARRAYS; i++)
		if (v[i].iov_len)
			crc = crc32_z(crc, v[i].iov_base, v[i].iov_len);
	return crc;
}

/*
 * Whether all that is read later may be used as it is: the numbers and offsets are inside, the
 * arrays are sorted, each range begins behind a piece, and no call is around itself. The CRC says
 * nothing: the file may be anybody's.
 */
static bool arrays_good(const struct inline_index *x)
{
	const struct index_head *h = &x->head;
	u32 i;

	for (i = 1; i < h->nr_ranges; i++)
		if (x->ranges[i].start < x->ranges[i - 1].start)
			return false;
	for (i = 0; i < h->nr_pieces; i++)
		if (x->pieces[i].call > h->nr_calls ||
		    (i && x->pieces[i].start < x->pieces[i - 1].start))
			return false;
	for (i = 0; i < h->nr_calls; i++)
		if (x->calls[i].outer > i || x->calls[i].name / 2 >= h->nr_names)
			return false;
	return (!h->nr_ranges || (h->nr_pieces && x->pieces[0].start <= x->ranges[0].start)) &&
	       (!h->nr_names || !x->names[h->nr_names - 1]);
}

/* Read a file of @size bytes. Return: false: it is not good. */
static bool read_file(struct inline_index *x, int fd, u64 size, const struct index_key *key)
{
	struct index_head *h = &x->head;
	struct iovec v[NR_ARRAYS];

	if (read(fd, h, sizeof(*h)) != sizeof(*h) || h->magic != MAGIC ||
	    memcmp(&h->key, key, sizeof(*key)) || arrays_of(x, v) != size - sizeof(*h))
		return false;
	GROW_TO(x->ranges, h->nr_ranges, x->cap_ranges);
	GROW_TO(x->pieces, h->nr_pieces, x->cap_pieces);
	GROW_TO(x->calls, h->nr_calls, x->cap_calls);
	GROW_TO(x->names, h->nr_names, x->cap_names);
	size = arrays_of(x, v);
	return readv(fd, v, NR_ARRAYS) == (ssize_t)size && h->crc == crc_of(v) && arrays_good(x);
}

struct inline_index *inline_index_open(const char *path, const struct stat *of)
{
	struct inline_index *x = xcalloc(1, sizeof(*x));
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, O_NOFOLLOW, &st);

	const struct index_key key = {
		of->st_dev, of->st_ino, of->st_size, of->st_ctim.tv_sec, of->st_ctim.tv_nsec,
	};

	if (fd < 0 || (st.st_uid && st.st_uid != geteuid()) || (st.st_mode & 022) ||
	    st.st_size < (off_t)sizeof(x->head) || st.st_size > INLINE_INDEX_MAX ||
	    !read_file(x, fd, st.st_size, &key))
		x->head = (struct index_head){ .magic = MAGIC, .key = key };
	x->old_ranges = x->head.nr_ranges;
	x->old_pieces = x->head.nr_pieces;
	return x;
}

bool inline_index_find(const struct inline_index *x, u64 addr, u32 *call)
{
	size_t i = LOWER_BOUND(0, x->old_ranges, at, x->ranges[at].end <= addr);

	if (i == x->old_ranges || addr < x->ranges[i].start)
		return false;
	i = LOWER_BOUND(0, x->old_pieces, at, x->pieces[at].start <= addr);
	*call = x->pieces[i - 1].call;
	return true;
}

bool inline_index_is_empty(const struct inline_index *x)
{
	return !x->old_ranges;
}

const char *inline_index_name(const struct inline_index *x, u32 *call, bool *mangled)
{
	const struct index_call *c = &x->calls[*call - 1];

	*call = c->outer;
	*mangled = c->name & 1;
	return x->names + c->name / 2;
}

u32 inline_index_add_call(struct inline_index *x, u32 outer, const char *name, bool mangled)
{
	struct index_head *h = &x->head;
	size_t len = strlen(name);
	bool added;
	u64 *v = hash_insert(&x->added, hash_bytes(name, len), len, &added);

	if (added) {
		*v = h->nr_names;
		GROW_TO(x->names, h->nr_names + len + 1, x->cap_names);
		memcpy(x->names + h->nr_names, name, len + 1);
		h->nr_names += len + 1;
	}
	GROW(x->calls, h->nr_calls, x->cap_calls);
	x->calls[h->nr_calls++] = (struct index_call){ outer, 2 * (u32)*v + mangled };
	return h->nr_calls;
}

void inline_index_add_piece(struct inline_index *x, u64 start, u32 call)
{
	GROW(x->pieces, x->head.nr_pieces, x->cap_pieces);
	x->pieces[x->head.nr_pieces++] = (struct index_piece){ .start = start, .call = call };
}

void inline_index_add_range(struct inline_index *x, u64 start, u64 end)
{
	GROW(x->ranges, x->head.nr_ranges, x->cap_ranges);
	x->ranges[x->head.nr_ranges++] = (struct index_range){ start, end };
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

/* Sort the arrays and write them. Return: 0, or another value. */
static int write_file(struct inline_index *x, int fd)
{
	struct sort_room room = { 0 };
	struct iovec v[NR_ARRAYS];
	int err, i;

	sort_ranges(x->ranges, x->head.nr_ranges, &room);
	sort_pieces(x->pieces, x->head.nr_pieces, &room);
	sort_room_deinit(&room);
	arrays_of(x, v);
	x->head.crc = crc_of(v);
	err = write_all(fd, &x->head, sizeof(x->head));
	for (i = 0; i < NR_ARRAYS && !err; i++)
		err = write_all(fd, v[i].iov_base, v[i].iov_len);
	return err;
}

static void save(struct inline_index *x, const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *name = xstrndup(path, slash - path);
	_cleanup_close_ int folder = -1, fd = -1;
	struct iovec v[NR_ARRAYS];
	struct stat st;
	char tmp[32];

	folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || fstat(folder, &st) || st.st_uid != geteuid())
		return;
	snprintf(tmp, sizeof(tmp), ".tmp.%d", getpid());
	fd = openat(folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	/* A full index is begun again by the next reader. */
	if (sizeof(x->head) + arrays_of(x, v) > INLINE_INDEX_MAX)
		x->head = (struct index_head){ 0 };
	if (write_file(x, fd))
		unlinkat(folder, tmp, 0);
	else
		buildid_cache_name(folder, tmp, slash + 1);
}

void inline_index_close(struct inline_index *x, const char *path)
{
	if (!x)
		return;
	if (x->head.nr_ranges > x->old_ranges)
		save(x, path);
	free(x->ranges);
	free(x->pieces);
	free(x->calls);
	free(x->names);
	hash_deinit(&x->added);
	free(x);
}

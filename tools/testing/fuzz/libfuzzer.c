// SPDX-License-Identifier: GPL-2.0
/*
 * The entry points that libFuzzer calls. The name that the program was started by is the target's,
 * or FUZZ_TARGET is. Half of the changes to a recording keep its records whole: they are removed,
 * repeated, exchanged, made longer or shorter, given another type or other fields, and the
 * sections behind them are moved. The other half are libFuzzer's own changes. Of text a third of the changes put
 * another number in place of one.
 */
#include <stdio.h>

#include "fuzz.h"
#include "perfdata/perfdata_private.h"

/* libFuzzer's side of the interface. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);
const char *__lsan_default_suppressions(void);

#define MAX_RECORDS 4096

static const struct fuzz_target *target;

/* libtraceevent loses memory on formats that it cannot parse. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *slash = strrchr((*argv)[0], '/'), *name = getenv("FUZZ_TARGET");

	target = fuzz_target_find(name ? name : slash ? slash + 1 : (*argv)[0]);
	if (!target) {
		fprintf(stderr, "FUZZ_TARGET: there is no such target\n");
		exit(1);
	}
	fuzz_begin();
	atexit(fuzz_end);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	fuzz_run(target, data, size);
	return 0;
}

struct rng {
	u64 state;
};

static u32 pick(struct rng *r, u32 nr)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return nr ? r->state % nr : 0;
}

static void put_u16(u8 *p, u16 v, bool swap)
{
	v = swap ? __builtin_bswap16(v) : v;
	memcpy(p, &v, sizeof(v));
}

static u64 get_u64(const u8 *p, bool swap)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static void put_u64(u8 *p, u64 v, bool swap)
{
	v = swap ? __builtin_bswap64(v) : v;
	memcpy(p, &v, sizeof(v));
}

/* Bytes between @at and @at + @old become @new ones; what is new is zero. Return: the size. */
static size_t resize(u8 *data, size_t size, size_t max, const struct fuzz_frame *f, size_t at, size_t old, size_t new)
{
	u64 i, features = 0, section, offset;

	if (size - old + new > max)
		return size;
	memmove(data + at + new, data + at + old, size - at - old);
	if (new > old)
		memset(data + at + old, 0, new - old);
	size = size - old + new;
	if (f->pipe)
		return size;
	put_u64(data + offsetof(struct file_header, data.size), f->end - f->start - old + new, f->swap);
	for (i = 0; i < FEAT_MAX; i++)
		features += get_u64(data + 72 + i / 64 * 8, f->swap) >> i % 64 & 1;
	/* The table of sections stands behind the records. */
	for (i = 0, section = f->end - old + new; i < features && section + 16 <= size; i++, section += 16) {
		offset = get_u64(data + section, f->swap);
		if (offset >= f->end)
			put_u64(data + section, offset - old + new, f->swap);
	}
	return size;
}

/* One field of a record gets a value at a boundary, or libFuzzer changes its bytes in place. */
static void change_fields(struct rng *r, u8 *record, size_t size, bool swap)
{
	static const u64 values[] = { 0, 1, 2, 7, 8, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
				      1ULL << 63, -1ULL, -8ULL, -128ULL, -512ULL, -640ULL };
	size_t body = size - sizeof(struct perf_event_header), at;

	if (!body)
		return;
	at = sizeof(struct perf_event_header) + pick(r, body);
	switch (pick(r, 3)) {
	case 0:
		at &= ~(size_t)7;
		if (at + 8 <= size)
			put_u64(record + at, values[pick(r, ARRAY_SIZE(values))], swap);
		break;
	case 1:
		record[at] ^= 1 << pick(r, 8);
		break;
	default:
		LLVMFuzzerMutate(record + at, min(size - at, (size_t)16), min(size - at, (size_t)16));
	}
}

static void change_type(struct rng *r, u8 *record, bool swap)
{
	u32 type = pick(r, 4) ? pick(r, 24) : 64 + pick(r, 22);

	type = swap ? __builtin_bswap32(type) : type;
	if (pick(r, 2))
		memcpy(record, &type, sizeof(type));
	else
		put_u16(record + 4, pick(r, 2) ? 1U << pick(r, 16) : 1 + pick(r, 3), swap);
}

static size_t change_size(struct rng *r, u8 *data, size_t size, size_t max, const struct fuzz_frame *f,
			  size_t at, size_t old)
{
	size_t new = 8 + 8 * pick(r, old / 8 + 8), after;

	if (new > 65528)
		return size;
	after = resize(data, size, max, f, at + min(old, new), old > new ? old - new : 0, new > old ? new - old : 0);
	if (after != size)
		put_u16(data + at + 6, new, f->swap);
	return after;
}

static size_t copy_record(u8 *data, size_t size, size_t max, const struct fuzz_frame *f, size_t at,
			  size_t len, size_t to)
{
	u8 copy[65536];
	size_t after;

	memcpy(copy, data + at, len);
	after = resize(data, size, max, f, to, 0, len);
	if (after != size)
		memcpy(data + to, copy, len);
	return after;
}

/* A change that keeps the records whole. Return: the size; that of before: there is none. */
static size_t change_records(struct rng *r, u8 *data, size_t size, size_t max)
{
	static size_t at[MAX_RECORDS];
	struct fuzz_frame f;
	size_t pos, len, nr;
	u32 i;

	if (!fuzz_frame(data, size, &f))
		return LLVMFuzzerMutate(data, size, max);
	for (nr = 0, pos = f.start; nr < MAX_RECORDS && (len = fuzz_record_size(data, &f, pos)); pos += len)
		at[nr++] = pos;
	if (!nr)
		return LLVMFuzzerMutate(data, size, max);
	i = pick(r, nr);
	pos = at[i];
	len = fuzz_record_size(data, &f, pos);
	switch (pick(r, 8)) {
	case 0:
		return resize(data, size, max, &f, pos, len, 0);
	case 1:
		return copy_record(data, size, max, &f, pos, len, at[pick(r, nr)]);
	case 2:
		return change_size(r, data, size, max, &f, pos, len);
	case 3:
		change_type(r, data + pos, f.swap);
		return size;
	case 4:
		/* The attributes and sections around the records. */
		pos = pick(r, 2) ? pick(r, f.start) : f.end + pick(r, size - f.end);
		if (pos < size)
			LLVMFuzzerMutate(data + pos, min(size - pos, (size_t)8), min(size - pos, (size_t)8));
		return size;
	default:
		change_fields(r, data + pos, len, f.swap);
		return size;
	}
}

static bool is_digit(u8 c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* A number of the text becomes one at a boundary. Return: the size; that of before: there is none, or no room. */
static size_t change_number(struct rng *r, u8 *data, size_t size, size_t max)
{
	static const char *const numbers[] = {
		"0", "1", "4", "8", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967288", "4294967295",
		"18446744073709551615", "99999999999", "ffffffff81000000", "7fffffffffffffff",
	};
	size_t at = 1 + pick(r, size - 1), end, len;
	const char *n = numbers[pick(r, ARRAY_SIZE(numbers))];

	/* The next one: letters are of numbers where digits are, too, and a change of a word does no harm. */
	while (at < size && !is_digit(data[at]))
		at++;
	for (end = at; end < size && is_digit(data[end]); end++)
		;
	len = strlen(n);
	if (end == at || size - (end - at) + len > max)
		return size;
	memmove(data + at + len, data + end, size - end);
	memcpy(data + at, n, len);
	return size - (end - at) + len;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	struct rng r = { seed * 0x9e3779b97f4a7c15ULL | 1 };
	u32 n;

	pick(&r, 1);
	if (target->text && size > 2 && !pick(&r, 3))
		return change_number(&r, data, size, max);
	if (!target->records || size < 2 || r.state & 1 << 20)
		return LLVMFuzzerMutate(data, size, max);
	/* Another command line reads the same recording. */
	if (!pick(&r, 16)) {
		data[0] = pick(&r, 256);
		return size;
	}
	for (n = 1 + pick(&r, 3); n; n--)
		size = 1 + change_records(&r, data + 1, size - 1, max - 1);
	return size;
}

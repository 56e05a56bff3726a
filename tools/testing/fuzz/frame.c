// SPDX-License-Identifier: GPL-2.0
/*
 * Where the records of a recording lie, for what changes one without breaking all behind the
 * change. Reads the bytes it is given, and keeps nothing.
 */
#include "fuzz.h"
#include "perfdata/perfdata_private.h"

static u64 number(const u8 *p, bool swap)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

bool fuzz_frame(const u8 *data, size_t size, struct fuzz_frame *f)
{
	u64 header_size, start, len;

	if (size < PIPE_HEADER_SIZE + sizeof(struct perf_event_header))
		return false;
	f->swap = !memcmp(data, "2ELIFREP", 8);
	if (!f->swap && memcmp(data, "PERFILE2", 8))
		return false;
	header_size = number(data + 8, f->swap);
	f->pipe = header_size == PIPE_HEADER_SIZE;
	f->start = PIPE_HEADER_SIZE;
	f->end = size;
	if (f->pipe)
		return true;
	if (size < sizeof(struct file_header))
		return false;
	start = number(data + offsetof(struct file_header, data.offset), f->swap);
	len = number(data + offsetof(struct file_header, data.size), f->swap);
	if (start < sizeof(struct file_header) || start >= size)
		return false;
	f->start = start;
	f->end = len && len < size - start ? start + len : size;
	return true;
}

size_t fuzz_record_size(const u8 *data, const struct fuzz_frame *f, size_t at)
{
	u16 size;

	if (at + sizeof(struct perf_event_header) > f->end)
		return 0;
	memcpy(&size, data + at + offsetof(struct perf_event_header, size), sizeof(size));
	if (f->swap)
		size = __builtin_bswap16(size);
	return size >= sizeof(struct perf_event_header) && size <= f->end - at ? size : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The table of records: its rows agree with themselves, and with it records of the other byte
 * order become what they were.
 */
#include <byteswap.h>

#include "base/types.h"
#include "event/records.h"
#include "perfdata/perfdata_private.h"
#include "unit.h"

#define TYPES 256

/* Bytes of the fixed fields behind the header; *bytes: a run of bytes ends them. */
static u32 fixed_fields(const char *f, bool *bytes)
{
	u32 sum = 0;

	for (; *f && *f != '(' && *f != '|' && *f != 'b'; f++) {
		assert_non_null(strchr("1248x", *f));
		sum += *f == 'x' ? 8 : *f - '0';
	}
	*bytes = *f == 'b';
	return sum;
}

TEST(fields_add_up)
{
	u32 type, sum, nr = 0;
	bool bytes;

	for (type = 0; type < TYPES; type++) {
		const struct record_shape *s = record_shape(type);

		if (!s->name || type == PERF_RECORD_SAMPLE)
			continue;
		nr++;
		sum = sizeof(struct perf_event_header) + fixed_fields(s->fields, &bytes);
		if (type == REC_HEADER_BUILD_ID) {
			/* build-id and the NUL of the name are among the bytes */
			assert_int_equal(s->size, sizeof(struct build_id_record) + 1);
			continue;
		}
		if (type == REC_HEADER_ATTR || type == REC_CPU_MAP)
			continue;		/* no fields that a table can say */
		assert_int_equal(sum, s->size);
		if (s->string)
			assert_true(bytes);
		if (s->entry)
			assert_int_equal(strchr(s->fields, '(') != NULL, true);
	}
	assert_int_equal(nr, 21 + 21);
}

TEST(unknown_types_have_no_name)
{
	assert_null(record_shape(23)->name);
	assert_null(record_shape(63)->name);
	assert_null(record_shape(85)->name);
	assert_null(record_shape(-1)->name);
	assert_non_null(record_shape(-1)->fields);
}

static struct perf_event_header *foreign(void *rec, u32 type, u16 misc, u16 size)
{
	struct perf_event_header *h = rec;

	*h = (struct perf_event_header){
		.type = bswap_32(type), .misc = bswap_16(misc), .size = bswap_16(size),
	};
	return h;
}

static void swap(struct perf_event_header *h)
{
	const struct event_list none = { 0 };

	swap_record(h, &none);
}

TEST(swap_mmap2)
{
	union { struct mmap2_record r; u64 room[12]; } u = { .room = { 0 } };

	foreign(&u, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(u));
	u.r.pid = bswap_32(17);
	u.r.tid = bswap_32(18);
	u.r.addr = bswap_64(0x1000);
	u.r.maj = bswap_32(8);
	u.r.min = bswap_32(1);
	u.r.ino = bswap_64(99);
	u.r.prot = bswap_32(5);
	u.r.flags = bswap_32(2);
	memcpy(u.r.filename, "/bin/some-program", 18);
	swap(&u.r.header);
	assert_int_equal(u.r.header.size, sizeof(u));
	assert_int_equal(u.r.pid, 17);
	assert_int_equal(u.r.tid, 18);
	assert_int_equal(u.r.addr, 0x1000);
	assert_int_equal(u.r.maj, 8);
	assert_int_equal(u.r.min, 1);
	assert_int_equal(u.r.ino, 99);
	assert_int_equal(u.r.prot, 5);
	assert_int_equal(u.r.flags, 2);
	assert_string_equal(u.r.filename, "/bin/some-program");

	memset(&u, 0, sizeof(u));
	foreign(&u, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, sizeof(u));
	u.r.build_id_size = 20;
	memcpy(u.r.build_id, "0123456789abcdefghij", BUILD_ID_MAX);
	u.r.prot = bswap_32(5);
	swap(&u.r.header);
	assert_int_equal(u.r.build_id_size, 20);
	assert_memory_equal(u.r.build_id, "0123456789abcdefghij", BUILD_ID_MAX);
	assert_int_equal(u.r.prot, 5);
}

TEST(swap_narrow)
{
	union { struct ksymbol_record r; u64 room[5]; } k = { .room = { 0 } };
	union { struct text_poke_record r; u64 room[5]; } t = { .room = { 0 } };

	foreign(&k, PERF_RECORD_KSYMBOL, 0, sizeof(k));
	k.r.addr = bswap_64(0xffffffffc0001000);
	k.r.len = bswap_32(300);
	k.r.ksym_type = bswap_16(1);
	k.r.flags = bswap_16(2);
	memcpy(k.r.name, "bpf_prog_x", 11);
	swap(&k.r.header);
	assert_true(k.r.addr == 0xffffffffc0001000);
	assert_int_equal(k.r.len, 300);
	assert_int_equal(k.r.ksym_type, 1);
	assert_int_equal(k.r.flags, 2);
	assert_string_equal(k.r.name, "bpf_prog_x");

	foreign(&t, PERF_RECORD_TEXT_POKE, 0, sizeof(t));
	t.r.addr = bswap_64(0x1234);
	t.r.old_len = bswap_16(5);
	t.r.new_len = bswap_16(6);
	memcpy(t.r.bytes, "0123456789a", 11);
	swap(&t.r.header);
	assert_int_equal(t.r.addr, 0x1234);
	assert_int_equal(t.r.old_len, 5);
	assert_int_equal(t.r.new_len, 6);
	assert_memory_equal(t.r.bytes, "0123456789a", 11);
}

/* Sizes of perf's own records need not be multiples of 8. */
TEST(swap_tool_records)
{
	union { struct tracing_data_record r; u64 room[2]; } t = { .room = { 0 } };
	union { struct thread_map_record r; u64 room[2 + 2 * 3]; } m = { .room = { 0 } };

	foreign(&t, REC_HEADER_TRACING_DATA, 0, sizeof(t.r));
	t.r.size = bswap_32(77);
	swap(&t.r.header);
	assert_int_equal(t.r.size, 77);

	foreign(&m, REC_THREAD_MAP, 0, sizeof(m));
	m.r.nr = bswap_64(2);
	m.r.entries[0].tid = bswap_64(4);
	memcpy(m.r.entries[0].comm, "first-thread-xx", 16);
	m.r.entries[1].tid = bswap_64(5);
	memcpy(m.r.entries[1].comm, "second-thread-x", 16);
	swap(&m.r.header);
	assert_int_equal(m.r.nr, 2);
	assert_int_equal(m.r.entries[0].tid, 4);
	assert_string_equal(m.r.entries[0].comm, "first-thread-xx");
	assert_int_equal(m.r.entries[1].tid, 5);
	assert_string_equal(m.r.entries[1].comm, "second-thread-x");
}

/* The words of a mask stand 6 bytes behind the type, those of 64 bits 10. */
TEST(swap_cpu_masks)
{
	u64 room[4] = { 0 };
	struct cpu_map_record *r = (void *)room;
	struct cpu_map *m = (void *)r->map;
	u32 narrow[2] = { bswap_32(0x80000001), bswap_32(3) };
	u64 wide = bswap_64(0x8000000000000001);

	foreign(r, REC_CPU_MAP, 0, sizeof(room));
	m->type = bswap_16(CPU_MAP_MASK);
	m->mask.nr = bswap_16(2);
	m->mask.word_bytes = bswap_16(4);
	memcpy(r->map + 6, narrow, sizeof(narrow));
	swap(&r->header);
	memcpy(narrow, r->map + 6, sizeof(narrow));
	assert_int_equal(m->mask.nr, 2);
	assert_int_equal(narrow[0], 0x80000001);
	assert_int_equal(narrow[1], 3);

	memset(room, 0, sizeof(room));
	foreign(r, REC_CPU_MAP, 0, sizeof(room));
	m->type = bswap_16(CPU_MAP_MASK);
	m->mask.nr = bswap_16(1);
	m->mask.word_bytes = bswap_16(8);
	memcpy(r->map + 10, &wide, sizeof(wide));
	swap(&r->header);
	memcpy(&wide, r->map + 10, sizeof(wide));
	assert_int_equal(m->mask.nr, 1);
	assert_true(wide == 0x8000000000000001);
}

UNIT_MAIN(NULL, NULL)

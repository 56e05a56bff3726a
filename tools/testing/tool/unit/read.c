// SPDX-License-Identifier: GPL-2.0
/*
 * The reader and the decoding of samples, on recordings made here in memory.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>


#include "base/arena.h"
#include "base/diag.h"
#include "event/sample.h"
#include "perfdata/perfdata_private.h"
#include "unit.h"

struct file {
	u8 data[1 << 16];
	size_t size;
};

static void put(struct file *f, const void *p, size_t n)
{
	memcpy(f->data + f->size, p, n);
	f->size += n;
}

static void put64(struct file *f, u64 v)
{
	put(f, &v, sizeof(v));
}

static void put_header(struct file *f, u32 type, u16 misc, u16 size)
{
	struct perf_event_header h = { type, misc, size };

	put(f, &h, sizeof(h));
}

/* A file with one event and these records. */
static void make_file(struct file *f, u64 sample_type, const void *records, size_t size)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .sample_type = sample_type,
		.sample_id_all = 1, .sample_period = 1,
	};
	struct file_header h = {
		.magic = PERFILE2_MAGIC, .size = sizeof(h), .attr_size = sizeof(attr) + 16,
		.attrs = { sizeof(h), sizeof(attr) + 16 },
		.data = { sizeof(h) + sizeof(attr) + 16, size },
	};

	f->size = 0;
	put(f, &h, sizeof(h));
	put(f, &attr, sizeof(attr));
	put64(f, 0);
	put64(f, 0);
	put(f, records, size);
}

static struct reader *open_file(const struct file *f)
{
	int fd = memfd_create("unit", 0);
	struct reader *r;
	char path[64];

	assert_int_equal(write(fd, f->data, f->size), f->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_null(reader_open(path, true, &r));
	close(fd);
	return r;
}

static void put_comm(struct file *f, const char *name, u64 time)
{
	char comm[16] = "";
	u32 id[2] = { 10, 11 };

	snprintf(comm, sizeof(comm), "%s", name);
	put_header(f, PERF_RECORD_COMM, 0, 48);
	put(f, id, 8);
	put(f, comm, 16);
	put(f, id, 8);
	put64(f, time);
}

#define COMM_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* sample_decode() */

static int decode(u64 type, const u64 *words, size_t nr, struct sample *s,
		  struct event_list *list)
{
	static u64 rec[512];
	struct perf_event_attr attr = {
		.sample_type = type, .sample_period = 7, .sample_regs_user = 0x105,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	struct perf_event_header *h = (void *)rec;

	h->type = PERF_RECORD_SAMPLE;
	h->misc = PERF_RECORD_MISC_USER;
	h->size = 8 + 8 * nr;
	memcpy(rec + 1, words, nr * 8);
	return sample_decode(event_list_add(list, &attr), h, 0x100, s);
}

TEST(test_fixed)
{
	const u64 w[] = { 77, 0x1000, 11ULL << 32 | 10, 123, 0xadd, 77, 78, 3, 99 };
	struct event_list list = { 0 };
	struct sample s;

	assert_int_equal(decode(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD, w, 9, &s,
				&list), 0);
	assert_int_equal(s.ip, 0x1000);
	assert_int_equal(s.pid, 10);
	assert_int_equal(s.tid, 11);
	assert_int_equal(s.time, 123);
	assert_int_equal(s.addr, 0xadd);
	assert_int_equal(s.id, 77);
	assert_int_equal(s.stream_id, 78);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.period, 99);
	event_list_deinit(&list);
}

TEST(test_absent)
{
	const u64 w[] = { 0x1000 };
	struct event_list list = { 0 };
	struct sample s;

	assert_int_equal(decode(PERF_SAMPLE_IP, w, 1, &s, &list), 0);
	assert_int_equal(s.time, (u64)-1);
	assert_int_equal(s.tid, (u32)-1);
	assert_int_equal(s.cpu, (u32)-1);
	assert_int_equal(s.period, 7);
	assert_null(s.callchain);
	event_list_deinit(&list);
}

TEST(test_deferred)
{
	const u64 w[] = { 4, (u64)PERF_CONTEXT_KERNEL, 0x123, CONTEXT_USER_DEFERRED, 0xb00000006 };
	struct event_list list = { 0 };
	struct sample s;

	assert_int_equal(decode(PERF_SAMPLE_CALLCHAIN, w, 5, &s, &list), 0);
	assert_true(s.deferred);
	assert_int_equal(s.cookie, 0xb00000006);
	assert_int_equal(s.callchain_nr, 4);
	event_list_deinit(&list);
}

/* Everything of variable size at once; then each shorter record is refused. */
TEST(test_variable)
{
	const u64 w[] = {
		/* READ */ 1, 500, 77, /* CALLCHAIN */ 1, 0x42,
		/* RAW: 12 bytes */ 0x6262626200000000ULL | 12, 0x6363636364646464ULL,
		/* BRANCH_STACK */ 1, 9, 0xa, 0xb, 1,
		/* REGS_USER */ 2, 1, 2, 3, /* STACK_USER */ 16, 0x11, 0x22, 8,
		/* WEIGHT_STRUCT */ 5 | 6ULL << 32 | 7ULL << 48, /* DATA_SRC */ 8,
		/* TRANSACTION */ 9, /* PHYS_ADDR */ 10, /* CGROUP */ 11, /* page sizes */ 4096, 8192,
		/* AUX */ 3, 0x616161,
	};
	u64 type = PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
		PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
		PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
		PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
		PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX;
	struct event_list list = { 0 };
	struct sample s;
	size_t n;

	assert_int_equal(decode(type, w, ARRAY_SIZE(w), &s, &list), 0);
	assert_int_equal(s.read_size, 24);
	assert_int_equal(s.callchain[0], 0x42);
	assert_int_equal(s.raw_size, 12);
	assert_memory_equal(s.raw, "bbbbddddcccc", 12);
	assert_int_equal(s.branch_nr, 1);
	assert_int_equal(s.branch_hw_idx, 9);
	assert_int_equal(s.branch[1], 0xb);
	assert_int_equal(s.user_regs.regs[2], 3);
	assert_int_equal(s.user_stack_size, 8);
	assert_int_equal(s.user_stack_full, 16);
	assert_int_equal(s.weight, 5);
	assert_int_equal(s.ins_lat, 6);
	assert_int_equal(s.p_stage_cyc, 7);
	assert_int_equal(s.data_src, 8);
	assert_int_equal(s.transaction, 9);
	assert_int_equal(s.phys_addr, 10);
	assert_int_equal(s.cgroup, 11);
	assert_int_equal(s.data_page_size, 4096);
	assert_int_equal(s.code_page_size, 8192);
	assert_int_equal(s.aux_size, 3);
	assert_memory_equal(s.aux, "aaa", 3);
	for (n = 0; n < ARRAY_SIZE(w); n++)
		assert_int_equal(decode(type, w, n, &s, &list), -EINVAL);
	event_list_deinit(&list);
}

TEST(test_counts_that_lie)
{
	const u64 nr[] = { 3, 1ULL << 61, (1ULL << 61) + 1, -1ULL, 1ULL << 32 };
	struct event_list list = { 0 };
	struct sample s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nr); i++) {
		const u64 chain[] = { nr[i], 1, 2 }, branch[] = { nr[i], 0, 1, 2, 3 };
		const u64 stack[] = { nr[i], 1, 2 };

		assert_int_equal(decode(PERF_SAMPLE_CALLCHAIN, chain, 3, &s, &list), -EINVAL);
		assert_int_equal(decode(PERF_SAMPLE_READ, chain, 3, &s, &list), -EINVAL);
		assert_int_equal(decode(PERF_SAMPLE_BRANCH_STACK, branch, 5, &s, &list), -EINVAL);
		assert_int_equal(decode(PERF_SAMPLE_STACK_USER, stack, 3, &s, &list), -EINVAL);
	}
	event_list_deinit(&list);
}

TEST(test_record_time)
{
	struct perf_event_attr attr = {
		.sample_type = COMM_TYPE | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER, .sample_id_all = 1,
	};
	const u64 rec[] = { (8ULL + 32) << 48 | PERF_RECORD_SWITCH, 1, 4711, 2, 77 };
	struct event_list list = { 0 };
	struct sample s;
	struct event *ev = event_list_add(&list, &attr);

	event_add_id(&list, ev, 77);
	assert_int_equal(record_time(&list, (void *)rec), 4711);
	assert_ptr_equal(event_list_find(&list, (void *)rec), ev);
	assert_int_equal(sample_id_decode(ev, (void *)rec, &s), 0);
	assert_int_equal(s.pid, 1);
	assert_int_equal(s.cpu, 2);
	assert_int_equal(s.id, 77);
	event_list_deinit(&list);
}

/* The reader */

/* A stream of comms, compressed; the packed bytes are cut into records at every place in turn,
 * and the unpacked ones with a flush in the middle of a record.
 */
TEST(test_zstd_remainder)
{
	static struct file plain, packed, whole;
	size_t cut;
	u32 i;

	plain.size = 0;
	for (i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "task%u", i);
		put_comm(&plain, name, i + 1);
	}
	for (cut = 1; cut < 200; cut += 7) {
		ZSTD_CCtx *cctx = ZSTD_createCCtx();
		size_t parts[] = { cut, plain.size - cut }, part, from = 0;
		struct record rec;
		struct reader *r;
		u32 type = cut & 1 ? REC_COMPRESSED : REC_COMPRESSED2, pass, comms;

		packed.size = 0;
		for (part = 0; part < 2; part++) {
			u8 buf[8192];
			ZSTD_inBuffer in = { plain.data + from, parts[part], 0 };
			ZSTD_outBuffer out = { buf, sizeof(buf), 0 };

			assert_int_equal(ZSTD_compressStream2(cctx, &out, &in, ZSTD_e_flush), 0);
			from += parts[part];
			if (type == REC_COMPRESSED) {
				/* No padding here: what follows stands misaligned. */
				put_header(&packed, type, 0, 8 + out.pos);
				put(&packed, buf, out.pos);
			} else {
				size_t pad = -out.pos & 7;

				put_header(&packed, type, 0, 16 + out.pos + pad);
				put64(&packed, out.pos);
				memset(buf + out.pos, 0, pad);
				put(&packed, buf, out.pos + pad);
			}
		}
		put_comm(&packed, "last", 1000);
		make_file(&whole, COMM_TYPE, packed.data, packed.size);
		r = open_file(&whole);
		for (pass = 0; pass < 2; pass++) {
			comms = 0;
			while (reader_next(r, &rec)) {
				char name[16];

				if (rec.header->type != PERF_RECORD_COMM)
					continue;
				assert_int_equal((uintptr_t)rec.header & 7, 0);
				snprintf(name, sizeof(name), comms == 40 ? "last" : "task%u", comms);
				assert_string_equal((const char *)rec.header + 16, name);
				comms++;
			}
			assert_int_equal(comms, 41);
			assert_false(r->damaged);
			assert_int_equal(reader_rewind(r), 0);
		}
		reader_close(r);
		ZSTD_freeCCtx(cctx);
	}
}

TEST(test_swap)
{
	static struct file f, whole;
	struct file_header *h;
	struct record rec;
	struct reader *r;
	u64 *w;
	u8 *attr;
	u32 i, pass;

	f.size = 0;
	put_comm(&f, "swapped", 4711);
	make_file(&whole, COMM_TYPE, f.data, f.size);
	/* By hand what a big-endian machine would have written. */
	h = (void *)whole.data;
	w = (u64 *)(whole.data + h->data.offset);
	w[0] = (u64)__builtin_bswap32(PERF_RECORD_COMM) | (u64)__builtin_bswap16(48) << 48;
	w[1] = (u64)__builtin_bswap32(10) | (u64)__builtin_bswap32(11) << 32;
	w[4] = w[1];
	w[5] = __builtin_bswap64(4711);
	attr = whole.data + h->attrs.offset;
	for (i = 0; i < 2; i++)
		((u32 *)attr)[i] = __builtin_bswap32(((u32 *)attr)[i]);
	for (i = 1; i < 5; i++)
		((u64 *)attr)[i] = __builtin_bswap64(((u64 *)attr)[i]);
	memset(attr + 40, 0, 8);
	attr[42] = 1 << (7 - 2);		/* sample_id_all, bit 18 counted from the top */
	for (i = 0; i < sizeof(*h) / 8; i++)
		((u64 *)h)[i] = __builtin_bswap64(((u64 *)h)[i]);
	r = open_file(&whole);
	assert_int_equal(r->events.events[0]->attr.sample_id_all, 1);
	for (pass = 0; pass < 3; pass++) {
		assert_int_equal(reader_next(r, &rec), 1);
		assert_int_equal(rec.header->type, PERF_RECORD_COMM);
		assert_int_equal(((u32 *)rec.header)[2], 10);
		assert_string_equal((const char *)rec.header + 16, "swapped");
		assert_int_equal(record_time(&r->events, rec.header), 4711);
		assert_int_equal(reader_next(r, &rec), 0);
		reader_rewind(r);
	}
	reader_close(r);
}

TEST(test_swap_attr)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	u8 *flags = (u8 *)&attr + 40;

	memset(flags, 0, 8);
	/* Big-endian: bit n of the declaration is bit 7 - n % 8 of byte n / 8; precise_ip, bits
	 * 15 and 16, has its high bit first.
	 */
	flags[0] = 0x80;	/* disabled */
	flags[2] = 0x80;	/* low bit of precise_ip */
	flags[4] = 0x03;	/* bits 38 and 39 */
	swap_attr((u8 *)&attr, sizeof(attr));
	assert_int_equal(attr.disabled, 1);
	assert_int_equal(attr.inherit, 0);
	assert_int_equal(attr.precise_ip, 1);
	assert_int_equal(attr_flags(&attr) & (ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT),
			 ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT);
}

TEST(test_damage_stops)
{
	static struct file f, whole;
	unsigned int lines = diag_errors();
	struct record rec;
	struct reader *r;
	u32 pass;

	f.size = 0;
	put_comm(&f, "one", 1);
	put_header(&f, PERF_RECORD_SAMPLE, 0, 0);
	put_comm(&f, "two", 2);
	make_file(&whole, COMM_TYPE, f.data, f.size);
	r = open_file(&whole);
	for (pass = 0; pass < 2; pass++) {
		assert_int_equal(reader_next(r, &rec), 1);
		assert_int_equal(reader_next(r, &rec), 0);
		assert_int_equal(reader_next(r, &rec), 0);
		assert_true(r->damaged);
		reader_rewind(r);
	}
	assert_int_equal(diag_errors(), lines + 1);
	reader_close(r);
}

TEST(test_bad_record_is_left_out)
{
	static struct file f, whole;
	struct record rec;
	struct reader *r;

	f.size = 0;
	put_comm(&f, "one", 1);
	put_comm(&f, "two", 2);
	memset(f.data + 48 + 16, 'x', 16);	/* no NUL */
	put_comm(&f, "three", 3);
	make_file(&whole, COMM_TYPE, f.data, f.size);
	r = open_file(&whole);
	assert_int_equal(reader_next(r, &rec), 1);
	assert_int_equal(reader_next(r, &rec), 1);
	assert_string_equal((const char *)rec.header + 16, "three");
	assert_int_equal(reader_next(r, &rec), 0);
	assert_true(r->damaged);
	reader_close(r);
}

TEST(test_features)
{
	/* A string, a number, and one that is cut short. */
	const u8 data[] = { 8, 0, 0, 0, 'h', 'o', 's', 't', 0, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 'x' };
	const u8 open_end[] = { 4, 0, 0, 0, 'a', 'b', 'c', 'd' };
	struct features f = { 0 };
	struct feature_cursor c;

	f.sections[FEAT_HOSTNAME].data = data;
	f.sections[FEAT_HOSTNAME].size = sizeof(data);
	assert_false(feature_open(&f, FEAT_ARCH, &c));
	assert_true(feature_open(&f, FEAT_HOSTNAME, &c));
	assert_string_equal(feature_string(&c), "host");
	assert_int_equal(feature_u32(&c), 5);
	assert_false(c.bad);
	assert_null(feature_string(&c));
	assert_true(c.bad);
	assert_int_equal(feature_u64(&c), 0);
	f.sections[FEAT_ARCH].data = open_end;
	f.sections[FEAT_ARCH].size = sizeof(open_end);
	assert_true(feature_open(&f, FEAT_ARCH, &c));
	assert_null(feature_string(&c));
	assert_true(c.bad);
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/*
 * Records in several spans: every way to cut the same records into three spans gives the same
 * walk; what is not whole is not handed out.
 */
#include "event/spans.h"
#include "unit.h"

static u64 bytes[64];		/* records of 8, 16, 104, 24 and 88 bytes: 240 */
static const u16 sizes[] = { 8, 16, 104, 24, 88 };
#define ALL 240

static int fill(void **state __unused)
{
	u64 at = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		bytes[i] = i;
	for (i = 0; i < ARRAY_SIZE(sizes); at += sizes[i++])
		*(struct perf_event_header *)((char *)bytes + at) =
			(struct perf_event_header){ .type = 100 + i, .size = sizes[i] };
	return 0;
}

static void cut(struct iovec *iov, size_t a, size_t b, size_t end)
{
	char *p = (char *)bytes;

	iov[0] = (struct iovec){ p, a };
	iov[1] = (struct iovec){ p + a, b - a };
	iov[2] = (struct iovec){ p + b, end - b };
}

TEST_WITH(walks, fill, NULL)
{
	u64 head[SPAN_HEAD / 8];
	struct iovec iov[3];
	size_t a, b;
	u32 i;

	for (a = 0; a <= ALL; a++) {
		for (b = a; b <= ALL; b++) {
			struct span_walk w = { .iov = iov, .nr = 3 };
			u64 at = 0;

			cut(iov, a, b, ALL);
			for (i = 0; i < ARRAY_SIZE(sizes); at += sizes[i++]) {
				assert_int_equal(span_next(&w, head), sizes[i]);
				assert_memory_equal(head, (char *)bytes + at, min(sizes[i], (u16)SPAN_HEAD));
				assert_int_equal(w.at, at + sizes[i]);
			}
			assert_int_equal(span_next(&w, head), 0);
			assert_int_equal(w.at, ALL);
		}
	}
}

/* In one piece, wherever they are cut; a sample that wraps is given by its head alone, unless it is wanted. */
TEST_WITH(in_one_piece, fill, NULL)
{
	static u64 room[(UINT16_MAX + 1) / 8];
	const struct perf_event_header *h;
	struct iovec iov[3];
	size_t a, b, at;
	bool samples;
	u32 i;

	((struct perf_event_header *)((char *)bytes + 24))->type = PERF_RECORD_SAMPLE;
	for (a = 8; a <= ALL - 16; a += 8) {
		for (b = a + 8; b < ALL; b += 8) {
			struct span_walk w = { .iov = iov, .nr = 3 };

			samples = b % 16;
			cut(iov, a, b, ALL);
			for (i = at = 0; i < ARRAY_SIZE(sizes); at += sizes[i++]) {
				memset(room, 0xff, sizeof(room));
				h = span_record(&w, samples, room);
				assert_non_null(h);
				assert_memory_equal(h, (char *)bytes + at, samples ? sizes[i] : min(sizes[i], (u16)SPAN_HEAD));
				assert_int_equal(w.at, at + sizes[i]);
				if (h != (void *)((char *)bytes + at))
					assert_true((at < a && at + sizes[i] > a) || (at < b && at + sizes[i] > b));
			}
			assert_null(span_record(&w, samples, room));
		}
	}
}

TEST_WITH(whole, fill, NULL)
{
	struct iovec iov[3];
	size_t limit, end, want, i;

	for (end = 0; end <= ALL; end++) {
		for (limit = 0; limit <= ALL + 8; limit++) {
			for (want = i = 0; i < ARRAY_SIZE(sizes) && want + sizes[i] <= min(limit, end); i++)
				want += sizes[i];
			cut(iov, min(end, (size_t)20), min(end, (size_t)111), end);
			assert_int_equal(span_whole(iov, 3, limit), want);
		}
	}
	/* A size that cannot be ends the walk. */
	((struct perf_event_header *)((char *)bytes + 8))->size = 4;
	cut(iov, 20, 111, ALL);
	assert_int_equal(span_whole(iov, 3, ALL), 8);
}

TEST_WITH(parts, fill, NULL)
{
	struct iovec iov[3], part[3];
	size_t from, to, at;
	u32 nr, i;

	cut(iov, 20, 111, ALL);
	for (from = 0; from <= ALL; from++) {
		for (to = from; to <= ALL; to++) {
			nr = span_cut(iov, 3, from, to, part);
			for (at = from, i = 0; i < nr; at += part[i++].iov_len) {
				assert_ptr_equal(part[i].iov_base, (char *)bytes + at);
				assert_true(part[i].iov_len > 0);
			}
			assert_int_equal(at, to);
			assert_int_equal(span_bytes(part, nr), to - from);
		}
	}
}

UNIT_MAIN(NULL, NULL)

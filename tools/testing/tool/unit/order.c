// SPDX-License-Identifier: GPL-2.0
/*
 * Order by time: rounds, runs, stability, and what it costs.
 */
#include "base/arena.h"
#include "session/session_private.h"
#include "unit.h"

/* A record is known by its offset. */
static void add(struct order *o, u64 time, u64 nr)
{
	order_add(o, time, NULL, nr);
}

static void expect(const struct order_key *keys, size_t nr, const u64 *offsets, size_t want)
{
	size_t i;

	assert_int_equal(nr, want);
	for (i = 0; i < nr; i++)
		assert_int_equal(keys[i].offset, offsets[i]);
}

#define EXPECT(keys, nr, ...) do {					\
	const u64 _o[] = { __VA_ARGS__ };				\
	expect(keys, nr, _o, ARRAY_SIZE(_o));				\
} while (0)

TEST(equal_times_keep_their_order)
{
	struct order o = { 0 };
	const struct order_key *keys;
	size_t nr;

	add(&o, 5, 1);
	add(&o, 3, 2);
	add(&o, 5, 3);
	add(&o, 3, 4);
	add(&o, 5, 5);
	keys = order_end(&o, &nr);
	EXPECT(keys, nr, 2, 4, 1, 3, 5);
	order_deinit(&o);
}

/* A round lets go what is not newer than the newest of the round before. */
TEST(rounds)
{
	struct order o = { 0 };
	const struct order_key *keys;
	size_t nr;

	add(&o, 10, 1);
	add(&o, 30, 2);
	add(&o, 20, 3);
	order_round(&o, &nr);
	assert_int_equal(nr, 0);
	add(&o, 25, 4);
	add(&o, 40, 5);
	keys = order_round(&o, &nr);
	EXPECT(keys, nr, 1, 3, 4, 2);
	keys = order_round(&o, &nr);
	EXPECT(keys, nr, 5);
	add(&o, 35, 6);		/* too late: delivered when it comes */
	keys = order_end(&o, &nr);
	EXPECT(keys, nr, 6);
	order_deinit(&o);
}

TEST(nothing)
{
	struct order o = { 0 };
	size_t nr;

	order_round(&o, &nr);
	assert_int_equal(nr, 0);
	order_end(&o, &nr);
	assert_int_equal(nr, 0);
	order_deinit(&o);
}

/* Any mix of buffers comes out in order, each round's memory is used again. */
TEST(many)
{
	struct order o = { 0 };
	const struct order_key *keys;
	u64 seed = 1, last_time = 0, got = 0, put = 0, round, i, seen[2][4] = { { 0 } };
	size_t nr;

	for (round = 0; round < 200; round++) {
		u64 buffer;

		for (buffer = 0; buffer < 4; buffer++) {
			u64 time = 1000 * round;

			for (i = 0; i < 50; i++) {
				seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
				time += seed >> 60;
				add(&o, time, buffer << 32 | put++);
			}
		}
		keys = round < 199 ? order_round(&o, &nr) : order_end(&o, &nr);
		for (i = 0; i < nr; i++, got++) {
			buffer = keys[i].offset >> 32;
			assert_true(keys[i].time >= last_time);
			last_time = keys[i].time;
			/* Each buffer's own order is kept. */
			assert_true((u32)keys[i].offset >= seen[0][buffer]);
			seen[0][buffer] = (u32)keys[i].offset + 1;
		}
	}
	assert_int_equal(got, put);
	/* Two rounds of 200 and no more were ever held. */
	assert_true(o.cap <= 1024);
	order_deinit(&o);
}

TEST(descending)
{
	struct order o = { 0 };
	const struct order_key *keys;
	size_t nr, i;

	for (i = 0; i < 10000; i++)
		add(&o, 10000 - i, i);
	keys = order_end(&o, &nr);
	assert_int_equal(nr, 10000);
	for (i = 0; i < nr; i++)
		assert_int_equal(keys[i].time, i + 1);
	order_deinit(&o);
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/*
 * Cookies, and a task's state through requests, completions and resets. What an
 * NMI does in between is played by calling it in between.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

static void cookies(struct kunit *test)
{
	struct unwind_task_info info[3] = {};
	u64 cookie[3];
	u32 was;
	int i;

	/* The counter comes round to 1, not to 0. */
	preempt_disable();
	was = this_cpu_read(unwind_counter);
	this_cpu_write(unwind_counter, U32_MAX - 2);
	for (i = 0; i < 3; i++)
		unwind_state_request(&info[i], 0, 0, &cookie[i]);
	this_cpu_write(unwind_counter, was);
	i = smp_processor_id();
	preempt_enable();

	KUNIT_EXPECT_EQ(test, cookie[0], (u64)U32_MAX << 32 | (i + 1));
	KUNIT_EXPECT_EQ(test, cookie[1], (1ULL << 32) + i + 1);
	KUNIT_EXPECT_EQ(test, cookie[2], (3ULL << 32) + i + 1);
	KUNIT_EXPECT_EQ(test, was & 1, 1);
}

static u64 request(struct unwind_task_info *info, unsigned int bit,
		   unsigned int depth, u64 *cookie)
{
	u64 old;

	preempt_disable();
	old = unwind_state_request(info, BIT_ULL(bit) | UNWIND_QUEUED, depth, cookie);
	preempt_enable();
	return old;
}

static u64 state_of(struct unwind_task_info *info)
{
	return atomic64_read(&info->state);
}

static void requests(struct kunit *test)
{
	struct unwind_task_info info = {};
	u64 a, b, c;

	/* The first one makes the cookie and must queue the work. */
	KUNIT_EXPECT_EQ(test, request(&info, 3, 10, &a), 0);
	KUNIT_EXPECT_NE(test, a, 0);
	KUNIT_EXPECT_EQ(test, (u32)(a >> 32) & 1, 1);

	/* Again: pending. Another client: the same entry, the same cookie. */
	KUNIT_EXPECT_TRUE(test, request(&info, 3, 10, &b) & BIT_ULL(3));
	KUNIT_EXPECT_EQ(test, a, b);
	KUNIT_EXPECT_EQ(test, request(&info, 7, 20, &c) & UNWIND_PENDING, BIT_ULL(3));
	KUNIT_EXPECT_EQ(test, a, c);

	/* The depth is that of the deepest request. */
	KUNIT_EXPECT_EQ(test, FIELD_GET(UNWIND_DEPTH, state_of(&info)), 20);
	request(&info, 3, UNWIND_DEPTH_MAX, &b);
	KUNIT_EXPECT_EQ(test, FIELD_GET(UNWIND_DEPTH, state_of(&info)), UNWIND_DEPTH_MAX);
	KUNIT_EXPECT_EQ(test, state_of(&info) & UNWIND_PENDING, BIT_ULL(3) | BIT_ULL(7));
}

static void completions(struct kunit *test)
{
	struct unwind_task_info info = {};
	u64 a, b;

	request(&info, 0, 1, &a);
	request(&info, 1, 1, &a);
	request(&info, 2, 1, &a);
	/* Each request is taken once, and only by whom it is for. */
	KUNIT_EXPECT_EQ(test, unwind_state_take(&info, 0x5, 0), 0x5);
	KUNIT_EXPECT_EQ(test, unwind_state_take(&info, 0x5, 0), 0);
	KUNIT_EXPECT_EQ(test, unwind_state_take(&info, ~0U, 0), 0x2);

	/* A walk at a block that failed says nothing of those that come later. */
	request(&info, 0, 1, &b);
	atomic64_or(UNWIND_FAULTED, &info.state);
	KUNIT_EXPECT_EQ(test, unwind_state_take(&info, ~0U, 0), 0x1);
	KUNIT_EXPECT_FALSE(test, state_of(&info) & UNWIND_FAULTED);

	/* A later one of the entry is a new one, with the entry's cookie. */
	KUNIT_EXPECT_EQ(test, request(&info, 0, 1, &b) & UNWIND_PENDING, 0);
	KUNIT_EXPECT_EQ(test, a, b);
	KUNIT_EXPECT_EQ(test, unwind_state_take(&info, ~0U, 0), 0x1);
	KUNIT_EXPECT_TRUE(test, state_of(&info) & UNWIND_QUEUED);
}

/* After the completion for the return no request counts until the entry is over. */
static void leaving(struct kunit *test)
{
	struct unwind_task_info info = {};
	u64 a, b = 1, before;

	request(&info, 0, 1, &a);
	KUNIT_EXPECT_EQ(test, unwind_state_take(&info, ~0U, UNWIND_LEAVING_AT(jiffies)), 0x1);
	before = state_of(&info);
	KUNIT_EXPECT_TRUE(test, request(&info, 0, 1, &b) & UNWIND_LEAVING);
	KUNIT_EXPECT_TRUE(test, request(&info, 5, 9, &b) & UNWIND_LEAVING);
	KUNIT_EXPECT_EQ(test, b, 1);
	KUNIT_EXPECT_EQ(test, state_of(&info), before);

	unwind_state_reset(&info);
	KUNIT_EXPECT_FALSE(test, request(&info, 0, 1, &b) & UNWIND_LEAVING);
	KUNIT_EXPECT_NE(test, a, b);
}

/* A task work that ran in the middle of an entry: requests are refused for a while only. */
static void staying(struct kunit *test)
{
	struct unwind_task_info info = {};
	u64 a, b = 1;

	request(&info, 0, 1, &a);
	KUNIT_EXPECT_EQ(test, unwind_state_take(&info, ~0U, UNWIND_LEAVING_AT(jiffies - 2 * HZ)),
			0x1);
	KUNIT_EXPECT_EQ(test, request(&info, 0, 1, &b) & (UNWIND_LEAVING | UNWIND_PENDING), 0);
	KUNIT_EXPECT_EQ(test, a, b);
	KUNIT_EXPECT_EQ(test, state_of(&info) & (UNWIND_LEAVING | UNWIND_LEFT), 0);

	/* The last time counts. */
	unwind_state_take(&info, ~0U, UNWIND_LEAVING_AT(jiffies - 3 * HZ));
	unwind_state_take(&info, ~0U, UNWIND_LEAVING_AT(jiffies));
	KUNIT_EXPECT_TRUE(test, request(&info, 0, 1, &b) & UNWIND_LEAVING);
}

/* In execve() before the old image goes: requests are refused, for however long that takes. */
static void refusing(struct kunit *test)
{
	struct unwind_task_info info = { .state = ATOMIC64_INIT(UNWIND_REFUSED) };
	u64 cookie = 1;

	KUNIT_EXPECT_TRUE(test, request(&info, 0, 1, &cookie) & UNWIND_LEAVING);
	KUNIT_EXPECT_EQ(test, cookie, 1);
	KUNIT_EXPECT_EQ(test, state_of(&info), UNWIND_REFUSED);
}

static void resets(struct kunit *test)
{
	struct unwind_task_info info = {};
	u64 a, b;

	unwind_state_reset(&info);
	KUNIT_EXPECT_EQ(test, state_of(&info), 0);

	/* A request that is pending keeps its cookie until it is completed. */
	request(&info, 0, 1, &a);
	unwind_state_reset(&info);
	KUNIT_EXPECT_TRUE(test, request(&info, 0, 1, &b) & BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, a, b);

	/* The entry's end forgets all but that the work is queued. */
	unwind_state_take(&info, ~0U, 0);
	atomic64_or(UNWIND_FAULTED, &info.state);
	unwind_state_reset(&info);
	KUNIT_EXPECT_EQ(test, state_of(&info), UNWIND_QUEUED);

	/* Another entry, another cookie. */
	request(&info, 0, 1, &b);
	KUNIT_EXPECT_NE(test, a, b);
	unwind_state_take(&info, ~0U, 0);
	atomic64_andnot(UNWIND_QUEUED, &info.state);
	unwind_state_reset(&info);
	KUNIT_EXPECT_EQ(test, state_of(&info), 0);
}

/*
 * An interrupted request finds a cookie in the word, but it does not count.
 * The one left here is no CPU's: the counter's low bit is always 1.
 */
static void stale_cookie(struct kunit *test)
{
	const u64 stale = 0x200000001ULL;
	struct unwind_task_info info = { .cookie = stale };
	u64 a;

	request(&info, 0, 1, &a);
	KUNIT_EXPECT_NE(test, a, stale);
	KUNIT_EXPECT_EQ(test, a, info.cookie);
}

static void never(struct unwind_work *work, struct unwind_stacktrace *trace, u64 cookie)
{
	WARN_ON(1);
}

/* A kernel thread has no user stack, and a cancelled client no requests. */
static void refused(struct kunit *test)
{
	struct unwind_work work, other[UNWIND_CLIENTS + 1];
	u64 cookie = 1;
	int i, err;

	KUNIT_ASSERT_EQ(test, unwind_deferred_init(&work, never), 0);
	KUNIT_EXPECT_EQ(test, unwind_deferred_request(&work, &cookie, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, cookie, 0);
	unwind_deferred_cancel(&work);
	KUNIT_EXPECT_LT(test, work.bit, 0);
	unwind_deferred_cancel(&work);
	KUNIT_EXPECT_EQ(test, unwind_deferred_request(&work, &cookie, 1), -EINVAL);

	for (i = 0; i <= UNWIND_CLIENTS; i++) {
		err = unwind_deferred_init(&other[i], never);
		if (err)
			break;
	}
	KUNIT_EXPECT_EQ(test, err, -EBUSY);
	while (i--)
		unwind_deferred_cancel(&other[i]);
	KUNIT_EXPECT_EQ(test, unwind_deferred_init(&work, never), 0);
	unwind_deferred_cancel(&work);
}

/* Room that cannot be had leaves what there was. */
static void no_room(struct kunit *test)
{
	struct unwind_work work;
	unsigned int room;

	KUNIT_EXPECT_EQ(test, unwind_deferred_reserve(UINT_MAX), -ENOMEM);
	KUNIT_ASSERT_EQ(test, unwind_deferred_init(&work, never), 0);
	room = unwind_scratch_room;
	KUNIT_EXPECT_GE(test, room, UNWIND_USER_DEPTH);
	KUNIT_EXPECT_EQ(test, unwind_deferred_reserve(UINT_MAX), -ENOMEM);
	KUNIT_EXPECT_EQ(test, unwind_scratch_room, room);
	unwind_deferred_cancel(&work);
}

static struct kunit_case state_cases[] = {
	KUNIT_CASE(cookies),
	KUNIT_CASE(requests),
	KUNIT_CASE(completions),
	KUNIT_CASE(leaving),
	KUNIT_CASE(staying),
	KUNIT_CASE(refusing),
	KUNIT_CASE(resets),
	KUNIT_CASE(stale_cookie),
	KUNIT_CASE(refused),
	KUNIT_CASE(no_room),
	{}
};

static struct kunit_suite state_suite = {
	.name = "unwind_state",
	.test_cases = state_cases,
};

kunit_test_suite(state_suite);

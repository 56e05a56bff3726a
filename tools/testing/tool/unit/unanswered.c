// SPDX-License-Identifier: GPL-2.0
/* --switch-output: which samples of a file still need a deferred record. */
#include "cmd/record/recorder.h"
#include "perfdata.h"
#include "unit.h"

#define KIP 0xffffffff81000100ULL

static struct perfdata pd;
static struct unanswered l;

static int setup(void **state __unused)
{
	struct writer_event event = { 0 };
	const struct description d = { .events = &event, .nr_events = 1 };

	pd_init(&pd, true);
	event.attr = pd.attr;
	unanswered_init(&l, &d);
	return 0;
}

static int teardown(void **state __unused)
{
	unanswered_deinit(&l);
	pd_deinit(&pd);
	return 0;
}

static void note(void)
{
	unanswered_note(&l, (const struct perf_event_header *)pd.buf);
	pd.size = 0;
}

static void sample(u32 tid, u64 cookie)
{
	pd_deferred_sample(&pd, tid, tid, 100, KIP, cookie);
	note();
}

static void record(u32 tid, u64 cookie)
{
	pd_deferred(&pd, tid, tid, 100, cookie, NULL, 0);
	note();
}

TEST_WITH(record_after, setup, teardown)
{
	sample(5, 7);
	sample(6, 7);
	assert_true(unanswered_wanted(&l));
	record(5, 7);
	record(5, 8);
	assert_true(unanswered_wanted(&l));
	record(6, 7);
	assert_false(unanswered_wanted(&l));
}

TEST_WITH(record_before, setup, teardown)
{
	record(5, 7);
	sample(5, 7);
	assert_false(unanswered_wanted(&l));
	sample(5, 7);
	assert_false(unanswered_wanted(&l));
	sample(5, 8);
	record(5, 8);
	sample(5, 8);
	assert_false(unanswered_wanted(&l));
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/* The attribute bits, and what stays as it was without them. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "test.h"

static int open_bits(const int *bit, int nr)
{
	struct perf_event_attr attr;
	int fd;

	attr_dummy(&attr);
	while (nr--)
		attr_flag(&attr, bit[nr]);
	fd = event_open(&attr, 0, -1);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	return fd;
}

#define BITS(...)	open_bits((int[]){ __VA_ARGS__ }, ARRAY_SIZE(((int[]){ __VA_ARGS__ })))

TEST(attr, "both bits are taken, unknown ones are not")
{
	int bit, err;

	ok(!BITS(DEFER_CALLCHAIN), "defer_callchain alone");
	ok(!BITS(DEFER_OUTPUT), "defer_output alone");
	ok(!BITS(DEFER_CALLCHAIN, DEFER_OUTPUT), "both");
	for (bit = 40; bit < 64; bit++) {
		err = BITS(bit);
		if (err != -EINVAL && err != -E2BIG)
			break;
	}
	ok(bit == 64, "bits 40 to 63 are refused");
	err = BITS(DEFER_CALLCHAIN, DEFER_OUTPUT, 40);
	ok(err == -EINVAL || err == -E2BIG, "bit 40 is refused beside good ones");
}

#define CONTEXTS	"/proc/sys/kernel/perf_event_max_contexts_per_stack"

TEST(contexts, "a sysctl that leaves no room for a cookie: nothing is deferred")
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct tally t;
	int i;

	if (!write_text(CONTEXTS, "2"))
		die(CONTEXTS);
	for (i = 0; i < 8; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	path_syscall_at(&p, 40, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	check_samples(&r, 0, &p, "8 events");
	tally(&r, &t, NULL, NULL);
	ok(t.samples == 8 && t.is_inline == 8 && !t.records, "8 samples, all inline");
	recorder_close(&r);
	if (!write_text(CONTEXTS, "8"))
		die(CONTEXTS);
}

TEST(refused, "a kernel without the feature refuses the bits")
{
	ok(BITS(DEFER_CALLCHAIN) == -EINVAL, "defer_callchain: EINVAL");
	ok(BITS(DEFER_OUTPUT) == -EINVAL, "defer_output: EINVAL");
	ok(BITS(DEFER_CALLCHAIN, DEFER_OUTPUT) == -EINVAL, "both: EINVAL");
	ok(defer_inline() == -1, "no kernel.perf_event_defer_inline");
}

TEST(plain, "events without the bits are as ever")
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct tally t;
	int i;

	attr_syscall(&attr, false);
	recorder_add(&r, &attr, 0, -1, 6);
	attr_syscall(&attr, true);
	recorder_add(&r, &attr, 0, -1, -1);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < 20; i++)
		path_syscall_at(&p, 7, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	check_samples(&r, 0, &p, "two events");
	tally(&r, &t, NULL, NULL);
	ok(t.samples == 40 && t.is_inline == 40, "40 samples, all inline");
	ok(!t.records, "no record 22");
	recorder_close(&r);
}

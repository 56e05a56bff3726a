// SPDX-License-Identifier: GPL-2.0
/*
 * Timing and status of refreshes. It is given the running perf top. A display waits top_wait_ms(),
 * with or without reading keys, and then calls top_due().
 */
#include "base/clock.h"
#include "cmd/top/top.h"

#define FLUSH_MS	100		/* interval at which the kernel's buffers are read */
#define FIRST_MS	300		/* delay of the first rows */
#define FLAME_SECONDS	1.0		/* longest delay while a flame graph is shown */

static u64 processor_ns(const struct top *t)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + recording_ns(&t->recording);
}

void top_begin(struct top *t)
{
	t->refreshed_ns = monotonic_ns();
	t->used_ns = processor_ns(t);
}

bool top_refresh(struct top *t)
{
	u64 now = monotonic_ns(), used = processor_ns(t);
	struct top_status *s = &t->status;
	double seconds = (now - t->refreshed_ns) / 1e9;
	bool any;

	s->ended = window_ended(&t->window, &s->lost);
	any = counting_refresh(&t->counting, s->ended);
	s->rate = t->counting.rate_samples / seconds;
	s->kernel = t->counting.rate_samples ? 100.0 * t->counting.rate_kernel / t->counting.rate_samples : 0;
	s->cpu = 100.0 * (used - t->used_ns) / 1e9 / seconds;
	s->window_bytes = t->window.bytes;
	t->refreshed_ns = now;
	t->used_ns = used;
	return any;
}

static u64 refresh_at(const struct top *t)
{
	bool flame = t->counting.sums[SUMS_STACKS].opt;
	double delay = flame ? min(t->opts.delay, FLAME_SECONDS) : t->opts.delay;

	return t->refreshed_ns + (t->shown ? delay * 1e9 : FIRST_MS * 1000000ULL);
}

u32 top_wait_ms(const struct top *t)
{
	u64 due = min(refresh_at(t), t->flushed_ns + FLUSH_MS * 1000000ULL), now = monotonic_ns();

	return due <= now ? 0 : (due - now + 999999) / 1000000;
}

bool top_due(struct top *t)
{
	u64 now = monotonic_ns();

	if (now >= t->flushed_ns + FLUSH_MS * 1000000ULL) {
		recording_flush(&t->recording);
		t->flushed_ns = now;
	}
	return now >= refresh_at(t);
}

void top_status_text(const struct top *t, struct outbuf *o)
{
	const struct top_status *s = &t->status;

	outbuf_printf(o, "%.0f samples/s, kernel %.1f %%, lost %llu, perf top itself %.1f %% of a CPU, %.1f MB of records",
		      s->rate, s->kernel, s->lost, s->cpu, s->window_bytes / 1048576.0);
}

bool top_is_dummy(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

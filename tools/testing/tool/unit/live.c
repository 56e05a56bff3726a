// SPDX-License-Identifier: GPL-2.0
/*
 * The stage of perf record --call-graph live, whose thread (pthread_create) walks stacks: a recording with copies
 * of stacks, which is made here, goes through it as if its rounds came from the kernel's buffers, cut in the
 * middle of records as buffers that wrap are. Each record must leave it as perf inject --convert-callchain,
 * which reads the recording in two passes, has it. LIVE_PROGRAM names another command to record
 * (tool/record/live-programs.t).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "cmd/record/live.h"
#include "perfdata/reader.h"

#define PROGRAM "perl -e 'sub f { my $n = shift; return $n ? 1 + f($n - 1) : length join q(,), sort 1 .. 500 } " \
		"for (1 .. 3000) { f(30) } for (1 .. 5) { system q(/bin/true) }'"

static char dir[] = "/tmp/unit-live-XXXXXX", copies[64], plain[64];

static bool shell(const char *fmt, const char *a, const char *b)
{
	char cmd[4096];

	snprintf(cmd, sizeof(cmd), fmt, getenv("PERF") ?: "build/perf", a, b);
	return !system(cmd);
}

static int record(void **state __unused)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(copies, sizeof(copies), "%s/copies", dir);
	snprintf(plain, sizeof(plain), "%s/plain", dir);
	if (!shell("%s record -q -N -B -e cpu-clock:u -F 4000 --call-graph dwarf,16384 -m 1024 -o %s -- %s >/dev/null 2>&1", copies,
		   getenv("LIVE_PROGRAM") ?: PROGRAM) ||
	    !shell("%s inject --convert-callchain -i %s -o %s 2>/dev/null", copies, plain))
		copies[0] = '\0';
	return 0;
}

static int clean(void **state __unused)
{
	return shell("true %s; rm -r %s%s", dir, "") ? 0 : -1;
}

/* What the recorder knows of a recording's events. */
struct made {
	struct record_options opts;
	struct event_spec spec;
	struct event_spec *specs[1];
	struct rings rings;
	struct description desc;
	struct writer_event event;
	struct live *live;
	struct outbuf out;		/* what came out */
};

static void make(struct made *m, const struct event_list *events)
{
	static s32 tid = 1;

	*m = (struct made){ 0 };
	assert_int_equal(events->nr, 1);
	m->spec.attr = events->events[0]->attr;
	m->spec.is_live = m->opts.ring.is_live = true;
	m->specs[0] = &m->spec;
	m->opts.specs = (struct spec_list){ .v = m->specs, .nr = 1 };
	m->opts.ring.has_workload = true;
	m->rings.threads.v = &tid;
	m->rings.threads.nr = 1;
	m->event = (struct writer_event){ .ids = events->events[0]->ids, .nr_ids = events->events[0]->nr_ids };
	m->desc = (struct description){ .opts = &m->opts, .rings = &m->rings, .events = &m->event, .nr_events = 1 };
	outbuf_init(&m->out, -1);
	assert_int_equal(live_create(&m->opts, &m->desc, &m->live), 0);
}

static void take_finished(struct made *m, bool wait)
{
	const struct outbuf *o;

	while ((o = live_finished(m->live, wait)))
		outbuf_write(&m->out, o->base, outbuf_len(o));
}

/* A round, in two spans. */
static void give(struct made *m, const struct outbuf *round, u32 nr)
{
	size_t len = outbuf_len(round), at = len * (nr % 7) / 7 & ~7ul;
	struct iovec iov[2] = { { round->base, at }, { round->base + at, len - at } };

	if (at)
		live_take(m->live, iov, 2);
	else
		live_take(m->live, iov + 1, 1);
}

static void same_chains(void **state __unused)
{
	struct reader *in, *want;
	struct outbuf round;
	struct record r;
	struct made m;
	u32 nr = 0, samples = 0;
	const char *p;

	if (!copies[0]) {
		print_message("events cannot be opened here\n");
		skip();
	}
	assert_null(reader_open(copies, true, &in));
	assert_null(reader_open(plain, true, &want));
	make(&m, reader_events(in));
	outbuf_init(&round, -1);
	while (reader_next(in, &r)) {
		/* What perf record wrote by itself stands in front. */
		if (r.header->type == REC_FINISHED_INIT) {
			assert_int_equal(live_begin(m.live, &round), 0);
			outbuf_write(&m.out, round.base, outbuf_len(&round));
			round.pos = round.base;
		}
		if (r.header->type >= REC_HEADER_ATTR && r.header->type != REC_FINISHED_ROUND)
			continue;
		outbuf_write(&round, r.header, r.header->size);
		if (r.header->type != REC_FINISHED_ROUND)
			continue;
		give(&m, &round, nr++);
		round.pos = round.base;
		take_finished(&m, false);
	}
	if (outbuf_len(&round))
		give(&m, &round, 0);
	live_flush(m.live);
	take_finished(&m, true);

	for (p = m.out.base; reader_next(want, &r);) {
		if (r.header->type >= REC_HEADER_ATTR && r.header->type != REC_FINISHED_ROUND)
			continue;
		assert_true(p + sizeof(*r.header) <= m.out.pos);
		assert_int_equal(((const struct perf_event_header *)p)->size, r.header->size);
		assert_memory_equal(p, r.header, r.header->size);
		p += r.header->size;
		samples += r.header->type == PERF_RECORD_SAMPLE;
	}
	assert_ptr_equal(p, m.out.pos);
	assert_true(samples > 50);
	live_free(m.live);
	outbuf_deinit(&round);
	outbuf_deinit(&m.out);
	reader_close(in);
	reader_close(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_chains),
	};

	return cmocka_run_group_tests(tests, record, clean);
}

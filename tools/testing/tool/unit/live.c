// SPDX-License-Identifier: GPL-2.0
/*
 * The stage of perf record --call-graph live, whose thread (pthread_create) walks stacks: a recording with copies
 * of stacks, which is made here, goes through it as if its rounds came from the kernel's buffers, cut in the
 * middle of records as buffers that wrap are. Each record must leave it as perf inject --convert-callchain,
 * which reads the recording in two passes, has it. LIVE_PROGRAM names another command to record
 * (tool/record/live-programs.t).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>


#include "base/error.h"
#include "perfdata/reader.h"
#include "stage.h"
#include "unit.h"

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

TEST(same_chains)
{
	struct reader *in, *want;
	struct outbuf round;
	struct record r;
	struct stage s;
	u32 nr = 0, samples = 0;
	const char *p;

	if (!copies[0]) {
		print_message("events cannot be opened here\n");
		skip();
	}
	assert_null(reader_open(copies, true, &in));
	assert_null(reader_open(plain, true, &want));
	assert_int_equal(in->events.nr, 1);
	stage_make(&s, in->events.events[0]);
	outbuf_init(&round);
	while (reader_next(in, &r)) {
		/* What perf record wrote by itself stands in front. */
		if (r.header->type == REC_FINISHED_INIT) {
			assert_int_equal(live_begin(s.live, &round), 0);
			outbuf_write(&s.out, round.base, outbuf_len(&round));
			round.pos = round.base;
		}
		if (r.header->type >= REC_HEADER_ATTR && r.header->type != REC_FINISHED_ROUND)
			continue;
		outbuf_write(&round, r.header, r.header->size);
		if (r.header->type != REC_FINISHED_ROUND)
			continue;
		stage_give(&s, &round, nr++);
	}
	if (outbuf_len(&round))
		stage_give(&s, &round, 0);
	stage_end(&s);

	for (p = s.out.base; reader_next(want, &r);) {
		if (r.header->type >= REC_HEADER_ATTR && r.header->type != REC_FINISHED_ROUND)
			continue;
		assert_true(p + sizeof(*r.header) <= s.out.pos);
		assert_int_equal(((const struct perf_event_header *)p)->size, r.header->size);
		assert_memory_equal(p, r.header, r.header->size);
		p += r.header->size;
		samples += r.header->type == PERF_RECORD_SAMPLE;
	}
	assert_ptr_equal(p, s.out.pos);
	assert_true(samples > 50);
	stage_free(&s);
	outbuf_deinit(&round);
	reader_close(in);
	reader_close(want);
}

UNIT_MAIN(record, clean)

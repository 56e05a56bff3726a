// SPDX-License-Identifier: GPL-2.0
/*
 * perf record --call-graph bpf: each callchain of the program in the kernel against the one that perf report finds in a copy of the
 * same sample's stack. The recorder's parts are put together here, as its events have no copies; tables are made on threads
 * (pthread_create).
 */
#include <fcntl.h>
#include <linux/unwind_table.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <asm/perf_regs.h>

#include "base/arena.h"
#include "base/error.h"
#include "bpf/walk.h"
#include "cmd/record/recorder.h"
#include "event/records.h"
#include "session/feed.h"
#include "unit.h"

#define COPY	32760
#define REGS	0xff0fffULL		/* all but segments */

struct recording {
	struct record_options opts;
	struct rings rings;
	struct workload workload;
	struct description desc;
	struct bpf_walk *walk;
	struct frames *frames;
	struct tables *tables;
	struct outbuf out;
};

/* Tables of noise, which nobody has checked, for files that the command maps. */
static void add_noise(struct bpf_walk *walk)
{
	static const char *const files[] = {
		"/usr/bin/perl", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
	};
	struct unwind_table_head *h = xcalloc(1, 1 << 16);
	u8 *p = (u8 *)h;
	u32 i, j;
	u64 key;
	int fd;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (j = sizeof(*h); j < 1 << 16; j++)
			p[j] = rand() >> 8;
		/* Rows and pages lie behind the table, too. */
		*h = (struct unwind_table_head){ .nr_pages = 1 << 20, .nr_rules = 2000, .nr_rows = 1 << 20, .page_shift = 8 + i };
		fd = open(files[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		assert_int_equal(bpf_walk_key(bpf_walk_key_program(walk), fd, &key), 0);
		assert_int_equal(bpf_walk_add(walk, key, h, 1 << 16, NULL), 0);
		assert_int_equal(bpf_walk_add(walk, key, h, 1 << 16, NULL), -EEXIST);
		close(fd);
	}
	free(h);
}

/* Return: why not. */
static const char *begin(struct recording *r, int argc, char **argv, bool noise)
{
	struct perf_event_attr *a;
	struct recorder rec;

	r->rings.options = &r->opts.ring;
	r->rings.specs = &r->opts.specs;
	assert_int_equal(record_options_parse(&r->opts, argc, argv), 0);
	assert_int_equal(settle(&r->opts, &r->rings, &r->walk), 0);
	if (!r->walk)
		return r->opts.ring.why_not_bpf;
	a = &r->opts.specs.v[0]->attr;
	r->opts.ring.bpf_copy = 0;
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user = REGS;
	a->sample_stack_user = COPY;
	workload_init(&r->workload);
	assert_int_equal(workload_fork(&r->workload, r->opts.command, false), 0);
	thread_list_add(&r->rings.threads, r->workload.pid);
	assert_null(rings_open(&r->rings));
	assert_null(rings_map(&r->rings));
	description_init(&r->desc, &r->opts, &r->rings);
	r->opts.output = "data";
	r->desc.host = host_create();
	r->frames = frames_create(&r->opts, &r->desc, r->walk);
	if (noise)
		add_noise(r->walk);
	rec = (struct recorder){ .opts = r->opts, .rings = r->rings, .desc = r->desc, .walk = r->walk };
	assert_int_equal(begin_tables(&rec), 0);
	r->tables = rec.tables;
	tables_settle(r->tables);
	while (!tables_settled(r->tables))
		;
	outbuf_init(&r->out);
	assert_int_equal(frames_begin(r->frames), 0);
	return NULL;
}

static void drain(struct recording *r)
{
	const struct outbuf *o;
	struct iovec iov[2];
	u32 i, n;

	for (i = 0; i < r->rings.nr; i++) {
		n = ring_spans(&r->rings.v[i], iov);
		o = frames_join(r->frames, i, iov, n);
		outbuf_write(&r->out, o->base, outbuf_len(o));
		ring_consume(&r->rings.v[i]);
	}
}

static void end(struct recording *r)
{
	if (r->walk) {
		tables_end(r->tables);
		workload_deinit(&r->workload);
		tables_free(r->tables);
		frames_free(r->frames);
		host_free(r->desc.host);
		description_deinit(&r->desc);
		outbuf_deinit(&r->out);
	}
	rings_close(&r->rings);
	bpf_walk_free(r->walk);
	record_options_deinit(&r->opts);
}

struct compared {
	u64 same, other, none;
	u64 cut;		/* by the program, at rbx in _dl_runtime_resolve(): tables know it in the innermost frame only */
};

/* @sample has the program's callchain, @chain the one of the copy. */
static int on_sample(void *ctx, const struct visit *v)
{
	const struct chain_span *copy = &v->chain->spans[v->chain->nr_spans - 1];
	const struct sample *s = v->sample;
	struct compared *c = ctx;
	u64 i;

	for (i = 0; i < s->callchain_nr && s->callchain[i] != PERF_CONTEXT_USER; i++)
		;
	if (v->chain->user_half != USER_HALF_UNWOUND || i == s->callchain_nr || v->chain->stop != WALK_OUTERMOST) {
		c->none++;
		return 0;
	}
	i++;
	if (s->callchain_nr - i <= copy->nr &&
	    !memcmp(s->callchain + i, copy->ips, (s->callchain_nr - i) * sizeof(u64))) {
		++*(s->callchain_nr - i == copy->nr ? &c->same : &c->cut);
		return 0;
	}
	if (!c->other++)
		print_message("by BPF %llu entries, %llx ... %llx, by the copy %u, ... %llx\n", s->callchain_nr - i, s->callchain[i],
			      s->callchain[s->callchain_nr - 1], copy->nr, copy->ips[copy->nr - 1]);
	return 0;
}

static void compare(struct recording *r, struct compared *c)
{
	static const struct session_ops ops = { .sample = on_sample };
	struct event_list events = { 0 };
	struct event *ev = event_list_add(&events, &r->opts.specs.v[0]->attr);
	struct session_walker *walker;
	struct session *s;
	const char *p;
	u32 i;

	for (i = 0; i < r->desc.events[0].nr_ids; i++)
		event_add_id(&events, ev, r->desc.events[0].ids[i]);
	s = session_fed(&events, &(struct symbol_config){ 0 });
	for (p = r->out.base; p < r->out.pos; p += ((const struct perf_event_header *)p)->size)
		if (((const struct perf_event_header *)p)->type != PERF_RECORD_SAMPLE)
			session_feed(s, (const void *)p);
	session_feed_seal(s, UINT64_MAX);
	walker = session_walker_create(s, &ops, c);
	for (p = r->out.base; p < r->out.pos; p += ((const struct perf_event_header *)p)->size)
		if (((const struct perf_event_header *)p)->type == PERF_RECORD_SAMPLE)
			session_walk(walker, (const void *)p);
	session_walker_destroy(walker);
	session_close(s);
	event_list_deinit(&events);
}

static void same_chains(char *const *command, u32 nr, bool noise)
{
	char *argv[16] = { "record", "--call-graph", "bpf", "-N", "-q", "-e", "cpu-clock:u", "-F", "2000", "-m", "4096", "--" };
	struct recording r = { 0 };
	struct compared c = { 0 };
	const char *why;
	int argc = 12;

	memcpy(argv + argc, command, nr * sizeof(*command));
	why = begin(&r, argc + nr, argv, noise);
	if (why) {
		end(&r);
		print_message("no BPF program here: %s\n", why);
		skip();
	}
	assert_int_equal(workload_go(&r.workload, r.opts.command[0]), 0);
	do {
		poll(NULL, 0, 5);
		drain(&r);
	} while (!workload_poll(&r.workload));
	drain(&r);
	compare(&r, &c);
	print_message("%llu callchains are the same, %llu are cut, %llu are others, %llu could not be compared\n", c.same, c.cut,
		      c.other, c.none);
	if (noise) {
		assert_true(c.same + c.cut + c.other + c.none > 50);
		end(&r);
		return;
	}
	assert_true(c.same > 50);
	assert_int_equal(c.other, 0);
	assert_true(c.cut <= 2 + c.same / 20);
	assert_true(c.none <= c.same / 4);
	end(&r);
}

TEST(perl)
{
	static char program[] = "sub f { my $n = shift; return $n ? 1 + f($n - 1) : length join q(,), sort 1 .. 500 } "
				"for (1 .. 2000) { f(30) }";
	char *const command[] = { "/usr/bin/perl", "-e", program };

	same_chains(command, ARRAY_SIZE(command), false);
	/* Walks end, whatever a table has. */
	same_chains(command, ARRAY_SIZE(command), true);
}

TEST(bash)
{
	static char *const command[] = { "/bin/bash", "-c", "for ((i = 0; i < 30000; i++)); do x=${x:0:10}$i; done" };

	same_chains(command, ARRAY_SIZE(command), false);
}

UNIT_MAIN(NULL, NULL)

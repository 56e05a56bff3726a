// SPDX-License-Identifier: GPL-2.0
/* One task watched: chains, cookies, entries, depth, overflow. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "test.h"

#define ROUNDS	60

/* Which call a sample is of, by time. */
struct calls {
	int nr;
	struct call {
		u64 start, end;
		struct path path;
	} call[];
};

static struct calls *make_calls(int nr)
{
	struct calls *c = calloc(1, sizeof(*c) + nr * sizeof(c->call[0]));

	if (!c)
		die("calloc");
	return c;
}

static void make_call(struct calls *c, int depth, long nr)
{
	struct call *call = &c->call[c->nr++];

	if (c->nr > 1) {
		call->path.stack = call[-1].path.stack;
		call->path.stack_size = call[-1].path.stack_size;
	}
	call->start = now_ns();
	path_syscall_at(&call->path, depth, nr, 0, 0, 0, 0);
	call->end = now_ns();
}

static int find_call(const struct calls *c, u64 time)
{
	int i;

	for (i = 0; i < c->nr; i++)
		if (time >= c->call[i].start && time <= c->call[i].end)
			return i;
	return -1;
}

static bool call_chain(const struct rec *rec, const struct chain *chain, void *data)
{
	struct calls *c = data;
	int i = find_call(c, rec->time);

	if (i < 0) {
		diag("a sample outside of every call");
		return false;
	}
	/* What closes it belongs to the same entry, so to the same call. */
	if (chain->from && find_call(c, chain->from->time) != i) {
		diag("sample of call %d closed by a record of call %d", i,
		     find_call(c, chain->from->time));
		return false;
	}
	return path_is(&c->call[i].path, chain);
}

TEST(task, "one event on one task: every chain, every cookie")
{
	struct calls *c = make_calls(ROUNDS);
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int i, j, made = 0, cpu = 0;
	struct tally t;
	bool same = false;

	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 7);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < ROUNDS; i++)
		make_call(c, 1 + i, SYS_getppid);
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, call_chain, c);
	ok(t.samples == ROUNDS, "%d calls, %d samples", ROUNDS, t.samples);
	ok(!t.wrong && !t.orphans && !t.none, "each has the chain of its call");
	check_policy(&t);
	if (defer_inline() == 1)
		ok(t.is_inline == ROUNDS && !t.records,
		   "the only sample of each entry is inline, no record");

	for (i = 0; i < r.nr; i++) {
		u64 cookie = r.rec[i].cookie;

		if (r.rec[i].type != PERF_RECORD_SAMPLE || !cookie)
			continue;
		made += (cookie >> 32) & 1;
		cpu += (u32)cookie == r.rec[i].cpu + 1;
		for (j = 0; j < i; j++)
			same |= r.rec[j].type == PERF_RECORD_SAMPLE && r.rec[j].cookie == cookie;
	}
	ok(made == t.deferred, "the counter in a cookie is odd");
	ok(cpu == t.deferred, "a cookie names the CPU");
	ok(!same, "no two entries have one cookie");
	for (i = 0; i < r.nr; i++)
		if (r.rec[i].type == RECORD_CALLCHAIN_DEFERRED &&
		    (r.rec[i].misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
			ok(false, "record 22 has misc %#x", r.rec[i].misc);
	recorder_close(&r);
}

TEST(entry, "several events in one entry share a cookie and a chain")
{
	struct calls *c = make_calls(ROUNDS);
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	u64 cookie[ROUNDS] = { 0 };
	int first_inline[ROUNDS], seen[ROUNDS] = { 0 };
	bool shared = true, apart = true, first = true;
	struct tally t;
	int i, j, call;

	for (i = 0; i < 6; i++) {
		attr_syscall(&attr, i >= 3);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 8);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < ROUNDS; i++)
		make_call(c, 1 + i, SYS_getppid);
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, call_chain, c);
	ok(t.samples == 6 * ROUNDS, "%d calls, 6 events, %d samples", ROUNDS, t.samples);
	ok(!t.wrong && !t.orphans && !t.none, "each has the chain of its call");
	check_policy(&t);

	for (i = 0; i < r.nr; i++) {
		struct rec *rec = &r.rec[i];

		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		call = find_call(c, rec->time);
		if (call < 0)
			continue;
		if (!seen[call]++)
			first_inline[call] = rec->is_inline;
		if (!rec->cookie)
			continue;
		if (!cookie[call])
			cookie[call] = rec->cookie;
		shared &= cookie[call] == rec->cookie;
	}
	for (i = 0; i < ROUNDS; i++) {
		first &= !seen[i] || first_inline[i] == (defer_inline() == 1);
		for (j = 0; j < i; j++)
			apart &= !cookie[i] || cookie[i] != cookie[j];
	}
	ok(shared, "deferred samples of one entry have one cookie");
	ok(apart, "two entries never have");
	ok(first, "the first sample of an entry is %s", defer_inline() == 1 ? "inline" : "deferred");
	recorder_close(&r);
}

/* Bytes of all records of calls with two samples each. */
static u64 two_samples(bool defer)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	u64 bytes = 0;
	int i;

	for (i = 0; i < 2; i++) {
		attr_syscall(&attr, i);
		if (defer)
			attr_flag(&attr, DEFER_CALLCHAIN);
		/* One record for both. */
		if (defer && !i)
			attr_flag(&attr, DEFER_OUTPUT);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < ROUNDS; i++)
		path_syscall_at(&p, 20, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	check_samples(&r, 0, &p, defer ? "deferred" : "plain");
	for (i = 0; i < r.nr; i++)
		bytes += r.rec[i].size;
	recorder_close(&r);
	path_free(&p);
	return bytes;
}

TEST(twosamples, "two samples in each entry take no more room than plain ones")
{
	u64 plain = two_samples(false), deferred = two_samples(true);

	if (defer_inline() == 1)
		ok(deferred * 100 <= plain * 105, "%llu bytes, plain %llu",
		   (unsigned long long)deferred, (unsigned long long)plain);
}

static int samples_spinning(const struct recorder *r)
{
	int i, nr = 0;

	for (i = 0; i < r->nr; i++)
		nr += r->rec[i].type == PERF_RECORD_SAMPLE && path_spins_at(r->rec[i].ip);
	return nr;
}

TEST(user, "samples in user mode: a timer while the task spins")
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { .leaf = PATH_SPIN, .rounds = 200000 };
	int i, right = 0, spinning = 0;
	struct path want;
	struct chain chain;
	u64 end;

	attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	attr.sample_period = 500000;
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 8);
	path_run(&p, 25);
	/* The leaf and its return address: as the functions noted them. */
	path_want_syscall(&want, 25);
	recorder_enable(&r);
	/* As long as it takes for some samples, on however slow a machine. */
	end = now_ns() + 40000000000ULL;
	do {
		for (i = 0; i < 20; i++)
			path_run(&p, 25);
		recorder_read(&r);
	} while (samples_spinning(&r) < 100 && now_ns() < end);
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE || !path_spins_at(r.rec[i].ip))
			continue;
		spinning++;
		chain = recorder_chain(&r, i);
		/* Entry 1 is path_leaf()'s call of path_spin(); above it all is one path. */
		right += chain.nr == want.nr_want && path_spins_at(chain.ip[0]) &&
			 chain.ip[1] != want.want[1] &&
			 !memcmp(chain.ip + 2, want.want + 2, 8 * (want.nr_want - 2));
	}
	ok(spinning >= 50, "%d samples in the spinning function", spinning);
	ok(right == spinning, "%d of them with the chain of the call path", right);
	recorder_close(&r);
}

static bool prefix_chain(const struct rec *rec, const struct chain *chain, void *data)
{
	struct path *p = data;
	int max = p->arg[3];

	/* An inline chain shares the limit with the kernel's part. */
	if (chain->nr > max || chain->nr + (rec->is_inline ? rec->nr_kernel : 0) < max)
		return false;
	return !memcmp(chain->ip, p->want, 8 * chain->nr);
}

static void depth_test(int max, int depth, int expect, const char *name)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct tally t;
	int i;

	attr_syscall(&attr, false);
	attr_defer(&attr);
	attr.sample_max_stack = max;
	recorder_add(&r, &attr, 0, -1, 6);
	attr_syscall(&attr, true);
	attr_defer(&attr);
	attr.sample_max_stack = max;
	recorder_add(&r, &attr, 0, -1, -1);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < 10; i++)
		path_syscall_at(&p, depth, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	p.arg[3] = expect;
	tally(&r, &t, prefix_chain, &p);
	ok(t.samples == 20 && !t.wrong && !t.orphans && !t.none,
	   "%s: %d innermost entries of %d", name, expect, p.nr_want);
	recorder_close(&r);
}

TEST(depth, "a chain is no deeper than sample_max_stack")
{
	int max = read_long("/proc/sys/kernel/perf_event_max_stack");

	depth_test(20, 40, 20, "sample_max_stack 20");
	depth_test(0, 152, max, "the sysctl's default");
	ok(max == 127, "perf_event_max_stack is %d", max);
	if (ok(write_text("/proc/sys/kernel/perf_event_max_stack", "40"), "set to 40"))
		depth_test(0, 60, 40, "the sysctl at 40");
	write_text("/proc/sys/kernel/perf_event_max_stack", "127");
}

TEST(overflow, "a full buffer loses records, but matches none wrongly")
{
	enum { CALLS = 400 };
	struct calls *c = make_calls(CALLS);
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct tally t;
	int i;

	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 0);
	attr_syscall(&attr, true);
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, -1);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < CALLS; i++) {
		make_call(c, 1 + i % 60, SYS_getppid);
		/* Now and then there is room again. */
		if (i % 23 == 0)
			recorder_read(&r);
	}
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, call_chain, c);
	ok(t.lost > 0, "%llu records were lost", (unsigned long long)t.lost);
	ok(t.samples > 0 && t.samples < 2 * CALLS, "%d of %d samples came", t.samples, 2 * CALLS);
	ok(!t.wrong, "none has another call's chain");
	ok((u64)t.orphans <= t.lost, "no more orphans than were lost");
	recorder_close(&r);
}

TEST(exclude, "exclude_callchain_user and _kernel")
{
	struct perf_event_attr attr;
	struct path p = { 0 };
	int i, pass;

	for (pass = 0; pass < 2; pass++) {
		struct recorder r = { 0 };
		struct tally t;
		int kernel = 0;

		attr_syscall(&attr, false);
		attr_defer(&attr);
		attr.exclude_callchain_user = !pass;
		attr.exclude_callchain_kernel = pass;
		recorder_add(&r, &attr, 0, -1, 6);
		recorder_filter_syscall(&r, SYS_getppid);
		recorder_enable(&r);
		for (i = 0; i < 20; i++)
			path_syscall_at(&p, 9, SYS_getppid, 0, 0, 0, 0);
		recorder_disable(&r);
		recorder_read(&r);
		if (pass) {
			check_samples(&r, 0, &p, "exclude_callchain_kernel");
			for (i = 0; i < r.nr; i++)
				kernel += r.rec[i].nr_kernel;
			ok(!kernel, "and no kernel entries");
		} else {
			tally(&r, &t, NULL, NULL);
			ok(t.samples == 20 && t.none == 20,
			   "exclude_callchain_user: no cookie, no user chain");
			ok(!t.records, "and no record");
		}
		recorder_close(&r);
	}
}

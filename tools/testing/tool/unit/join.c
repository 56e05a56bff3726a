// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred callchains: which record closes which sample, from a file and from
 * a pipe, and the account of it.
 */
#include <sched.h>
#include <unistd.h>

#include "base/diag.h"
#include "perfdata.h"
#include "session/filter.h"
#include "session/session.h"
#include "unit.h"

#define KIP 0xffffffff81000100ULL
#define UIP 0x401000ULL

static struct perfdata pd;

/* What was delivered: a line a sample, "time tid comm: ips (cookie)". */
struct seen {
	struct session *s;
	char lines[64][160];
	u32 nr;
	struct deferred_account account;
};

static int on_sample(void *ctx, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct sample *s = v->sample;
	struct seen *seen = ctx;
	char *line = seen->lines[seen->nr++];
	u32 i, j;
	int n;

	assert_true(seen->nr <= ARRAY_SIZE(seen->lines));
	n = snprintf(line, 160, "%lld %d %s:", s->time == (u64)-1 ? -1LL : (long long)s->time,
		     s->tid, thread_comm(seen->s->timeline, v->thread, cc->time));
	for (i = 0; i < cc->nr_spans; i++)
		for (j = 0; j < cc->spans[i].nr; j++)
			n += snprintf(line + n, 160 - n, " %c%llx",
				      cc->spans[i].cpumode == PERF_RECORD_MISC_KERNEL ? 'k' : 'u',
				      cc->spans[i].ips[j] & 0xffffff);
	if (cc->deferred && !cc->joined)
		snprintf(line + n, 160 - n, " (%llx)", cc->cookie);
	return 0;
}

static void read_back(struct seen *seen, bool pipe)
{
	struct session_ops ops = { .sample = on_sample };
	struct session_config cfg = { .no_progress = true };
	char path[] = "/tmp/join-XXXXXX", in[32];
	int fd = mkstemp(path), saved = -1, ends[2];
	FILE *f = fdopen(fd, "w+");

	assert_non_null(f);
	memset(seen, 0, sizeof(*seen));
	assert_int_equal(pd_write(&pd, f, pipe), 0);
	if (pipe) {
		char buf[65536];
		size_t n;

		rewind(f);
		n = fread(buf, 1, sizeof(buf), f);
		assert_int_equal(pipe2(ends, 0), 0);
		assert_true(n < sizeof(buf));
		assert_int_equal(write(ends[1], buf, n), n);
		close(ends[1]);
		saved = dup(0);
		dup2(ends[0], 0);
		close(ends[0]);
		cfg.input = "-";
	} else {
		snprintf(in, sizeof(in), "%s", path);
		cfg.input = in;
	}
	assert_null(session_open(&cfg, &seen->s));
	assert_int_equal(session_run(seen->s, &ops, seen), 0);
	seen->account = seen->s->stats.deferred;
	session_close(seen->s);
	if (pipe) {
		dup2(saved, 0);
		close(saved);
	}
	fclose(f);
	unlink(path);
}

/* What a filter says of the samples: 'p' passes, 'c' counts only, '-' neither. */
static char judged[16];

static int on_judged(void *ctx __unused, const struct visit *v)
{
	size_t nr = strlen(judged);

	assert_true(nr + 1 < sizeof(judged));
	judged[nr] = v->passes ? 'p' : v->counts ? 'c' : '-';
	return 0;
}

/* The whole of the filter but for files and functions is applied where samples are delivered. */
TEST(delivery_filters)
{
	struct filter f = { .time = "0.000000150,0.000000450" };
	const struct session_ops ops = { .sample = on_judged, .filter = &f };
	char path[] = "/tmp/filter-XXXXXX";
	const struct session_config cfg = { .no_progress = true, .input = path };
	FILE *out = fdopen(mkstemp(path), "w+");
	struct session *s;
	u32 i;

	pd_init(&pd, true);
	pd_comm(&pd, 5, 5, "five", false, 1);
	pd_comm(&pd, 5, 6, "six", false, 1);
	for (i = 1; i <= 5; i++)
		pd_deferred_sample(&pd, 5, 5 + i % 2, 100 * i, KIP, i);
	assert_int_equal(pd_write(&pd, out, false), 0);
	assert_null(session_open(&cfg, &s));
	assert_null(name_list_parse("comms", "five", &f.comms));
	assert_null(filter_setup(&f, s));
	assert_int_equal(session_run(s, &ops, NULL), 0);
	assert_string_equal(judged, "-pcp-");
	session_close(s);
	filter_deinit(&f);
	fclose(out);
	unlink(path);
	pd_deinit(&pd);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Reads the recording both ways. A pipe may deliver late what waited. */
static void expect(const char *const *lines, struct deferred_account a)
{
	struct seen seen;
	char sorted[64][160];
	u32 i, nr, pipe;

	for (nr = 0; lines[nr]; nr++)
		snprintf(sorted[nr], 160, "%s", lines[nr]);
	for (pipe = 0; pipe < 2; pipe++) {
		read_back(&seen, pipe);
		assert_int_equal(seen.nr, nr);
		if (pipe) {
			qsort(seen.lines, nr, 160, compare_lines);
			qsort(sorted, nr, 160, compare_lines);
		}
		for (i = 0; i < nr; i++)
			assert_string_equal(seen.lines[i], sorted[i]);
		assert_int_equal(seen.account.deferred, a.deferred);
		assert_int_equal(seen.account.joined, a.joined);
		assert_int_equal(seen.account.never_returned, a.never_returned);
		assert_int_equal(seen.account.lost, a.lost);
		assert_int_equal(seen.account.unreadable, a.unreadable);
		assert_int_equal(seen.account.records, a.records);
		assert_int_equal(seen.account.orphan_records, a.orphan_records);
	}
	pd_deinit(&pd);
}

#define EXPECT(account, ...) \
	expect((const char *const[]){ __VA_ARGS__, NULL }, (struct deferred_account)account)
#define ACCOUNT(...) { __VA_ARGS__ }
/* A test: what is read, both ways, of the records that are given, and the account of it */
#define JOIN(name, given, account, ...)					\
	TEST(name)							\
	{								\
		pd_init(&pd, true);					\
		given;							\
		expect((const char *const[]){ __VA_ARGS__, NULL },	\
		       (struct deferred_account)account);		\
	}

static const u64 user[] = { UIP, UIP + 0x10 }, other[] = { UIP + 0x20 };

/*
 * A record: 's' a sample with a deferred half, 'u', 'o' and 'n' that half (@user, @other, none that
 * could be read), 'c' a name, 'x' one of exec, 'f' FORK, 'e' EXIT, 'l' lost records, '|' the end of a
 * round
 */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
struct given {
	char kind;
	u32 tid;
	u64 time, cookie;
	u32 pid;		/* 0: @tid */
	u32 ip;			/* of a sample: behind KIP */
	const char *comm;
};

static void give(const struct given *g, size_t nr)
{
	for (; nr--; g++) {
		u32 pid = g->pid ?: g->tid;

		switch (g->kind) {
		case 's':
			pd_deferred_sample(&pd, pid, g->tid, g->time, KIP + g->ip, g->cookie);
			break;
		case 'u':
			pd_deferred(&pd, pid, g->tid, g->time, g->cookie, user, 2);
			break;
		case 'o':
			pd_deferred(&pd, pid, g->tid, g->time, g->cookie, other, 1);
			break;
		case 'n':
			pd_deferred(&pd, pid, g->tid, g->time, g->cookie, NULL, 0);
			break;
		case 'c': case 'x':
			pd_comm(&pd, pid, g->tid, g->comm, g->kind == 'x', g->time);
			break;
		case 'f': case 'e':
			pd_task(&pd, g->kind == 'f' ? PERF_RECORD_FORK : PERF_RECORD_EXIT, pid,
				g->tid, 1, 1, g->time);
			break;
		case 'l':
			pd_lost(&pd, 3, g->time);
			break;
		default:
			pd_round(&pd);
		}
	}
}

#define GIVEN(...) give((const struct given []){ __VA_ARGS__ }, \
			sizeof((const struct given []){ __VA_ARGS__ }) / sizeof(struct given))

JOIN(record_after, GIVEN({ 'c', 5, 1, .comm = "five" }, { 's', 5, 100, 7 }, { 'u', 5, 200, 7 }),
     ACCOUNT(.deferred = 1, .joined = 1, .records = 1), "100 5 five: k100 u401000 u401010")

/* Mainline writes no record for a sample that is taken after its entry's record. */
JOIN(record_before, GIVEN({ 'o', 5, 40, 7 }, { 'u', 5, 50, 7 }, { 's', 5, 100, 7 },
			  { 's', 5, 110, 7, .ip = 1 }, { 's', 6, 120, 7, .pid = 5 }),
     ACCOUNT(.deferred = 3, .joined = 2, .never_returned = 1, .records = 2, .orphan_records = 1),
     "100 5 :5: k100 u401000 u401010", "110 5 :5: k101 u401000 u401010", "120 6 :6: k100 (7)")

JOIN(record_before_of_another_entry, GIVEN({ 'u', 5, 50, 6 }, { 's', 5, 100, 7 }),
     ACCOUNT(.deferred = 1, .never_returned = 1, .records = 1, .orphan_records = 1),
     "100 5 :5: k100 (7)")

JOIN(record_after_is_preferred, GIVEN({ 'u', 5, 50, 7 }, { '|' }, { 's', 5, 100, 7 }, { '|' },
				      { '|' }, { '|' }, { 'o', 5, 150, 7 }),
     ACCOUNT(.deferred = 1, .joined = 1, .records = 2, .orphan_records = 1),
     "100 5 :5: k100 u401020")

/* Another entry's record decides the sample, in another window than that of the record before. */
TEST(record_before_across_rounds)
{
	u32 i;

	pd_init(&pd, true);
	GIVEN({ 'u', 5, 50, 7 });
	for (i = 0; i < 5; i++)
		GIVEN({ '|' }, { 's', 6, 60 + i, 8 });
	GIVEN({ 's', 5, 100, 7 });
	for (i = 0; i < 3; i++)
		GIVEN({ '|' });
	GIVEN({ 'o', 5, 150, 9 }, { '|' }, { 's', 5, 160, 9 });
	EXPECT(ACCOUNT(.deferred = 7, .joined = 2, .never_returned = 5, .records = 2),
	       "60 6 :6: k100 (8)", "61 6 :6: k100 (8)", "62 6 :6: k100 (8)", "63 6 :6: k100 (8)",
	       "64 6 :6: k100 (8)", "100 5 :5: k100 u401000 u401010", "160 5 :5: k100 u401020");
}

JOIN(records_around_exit, GIVEN({ 'c', 5, 1, .comm = "five" }, { 'c', 6, 1, .comm = "six" },
				{ 'o', 6, 90, 8 }, { '|' }, { 's', 5, 100, 7 }, { 'e', 5, 110 },
				{ 'e', 6, 110 }, { '|' }, { '|' }, { '|' }, { 'u', 5, 120, 7 },
				{ 's', 6, 130, 8 }, { 's', 5, 140, 7 }),
     ACCOUNT(.deferred = 3, .joined = 3, .records = 2), "100 5 five: k100 u401000 u401010",
     "130 6 six: k100 u401020", "140 5 five: k100 u401000 u401010")

JOIN(record_at_the_same_time_closes, GIVEN({ 's', 5, 100, 7 }, { 'u', 5, 100, 7 }),
     ACCOUNT(.deferred = 1, .joined = 1, .records = 1), "100 5 :5: k100 u401000 u401010")

JOIN(one_record_closes_many, GIVEN({ 's', 5, 100, 7 }, { 's', 5, 110, 7, .ip = 1 },
				   { 's', 5, 120, 7, .ip = 2 }, { 'o', 5, 200, 7 }),
     ACCOUNT(.deferred = 3, .joined = 3, .records = 1), "100 5 :5: k100 u401020",
     "110 5 :5: k101 u401020", "120 5 :5: k102 u401020")

/* The first record at or after a sample is its own. */
JOIN(repeated_records, GIVEN({ 's', 5, 100, 7 }, { 'u', 5, 150, 7 }, { 's', 5, 160, 7 },
			     { 'o', 5, 200, 7 }), ACCOUNT(.deferred = 2, .joined = 2, .records = 2),
     "100 5 :5: k100 u401000 u401010", "160 5 :5: k100 u401020")

JOIN(records_across_rounds, GIVEN({ 's', 5, 100, 7 }, { 's', 6, 110, 8 }, { '|' },
				  { 's', 5, 120, 7 }, { '|' }, { '|' }, { 'o', 5, 300, 7 }, { '|' },
				  { 'u', 6, 400, 8 }),
     ACCOUNT(.deferred = 3, .joined = 3, .records = 2), "100 5 :5: k100 u401020",
     "110 6 :6: k100 u401000 u401010", "120 5 :5: k100 u401020")

JOIN(never_returned, GIVEN({ 's', 5, 100, 7 }, { 's', 6, 110, 8 }, { 'o', 6, 120, 8 }),
     ACCOUNT(.deferred = 2, .joined = 1, .never_returned = 1, .records = 1), "100 5 :5: k100 (7)",
     "110 6 :6: k100 u401020")

JOIN(record_lost, GIVEN({ 'l', 0, 50 }, { 's', 5, 100, 7 }, { 'l', 0, 150 }, { 's', 5, 200, 9 }),
     ACCOUNT(.deferred = 2, .never_returned = 1, .lost = 1), "100 5 :5: k100 (7)",
     "200 5 :5: k100 (9)")

/* A later record of the same task belongs to a later entry. */
JOIN(other_cookie, GIVEN({ 's', 5, 100, 7 }, { 'u', 5, 150, 9 }),
     ACCOUNT(.deferred = 1, .never_returned = 1, .records = 1, .orphan_records = 1),
     "100 5 :5: k100 (7)")

JOIN(foreign_task, GIVEN({ 's', 5, 100, 7 }, { 'u', 6, 150, 7, .pid = 5 }),
     ACCOUNT(.deferred = 1, .never_returned = 1, .records = 1, .orphan_records = 1),
     "100 5 :5: k100 (7)")

JOIN(unreadable_stack, GIVEN({ 's', 5, 100, 7 }, { 'n', 5, 150, 7 }),
     ACCOUNT(.deferred = 1, .unreadable = 1, .records = 1), "100 5 :5: k100")

TEST(more_ips_than_the_record_has)
{
	size_t at;

	pd_init(&pd, true);
	GIVEN({ 's', 5, 100, 7 });
	at = pd.size;
	GIVEN({ 'u', 5, 150, 7 });
	*(u64 *)(pd.buf + at + 16) = 1000000;
	/* The reader has left it out, and said so. */
	EXPECT(ACCOUNT(.deferred = 1, .never_returned = 1), "100 5 :5: k100 (7)");
}

JOIN(tid_reuse, GIVEN({ 'c', 5, 1, .comm = "old" }, { 's', 5, 100, 7 }, { 'e', 5, 110 },
		      { 'f', 5, 120 }, { 'c', 5, 130, .comm = "new" }, { 's', 5, 140, 7 },
		      { 'u', 5, 150, 7 }),
     ACCOUNT(.deferred = 2, .joined = 1, .never_returned = 1, .records = 1), "100 5 old: k100 (7)",
     "140 5 new: k100 u401000 u401010")

/* The records of the earlier task are before the later one's samples, and the other way round. */
TEST(tid_reuse_same_cookie)
{
	u32 forks, rounds;

	for (forks = 0; forks < 2; forks++) {
		for (rounds = 0; rounds < 4; rounds += 3) {
			u32 i;

			pd_init(&pd, true);
			GIVEN({ 'c', 5, 1, .comm = "old" }, { 'u', 5, 90, 7 }, { 's', 5, 95, 8 },
			      { 'e', 5, 110 });
			for (i = 0; i < rounds; i++)
				GIVEN({ '|' });
			if (forks)
				GIVEN({ 'f', 5, 120 });
			GIVEN({ 'c', 5, 130, .comm = "new" }, { 's', 5, 140, 7 });
			for (i = 0; i < rounds; i++)
				GIVEN({ '|' });
			GIVEN({ 'o', 5, 150, 8 });
			EXPECT(ACCOUNT(.deferred = 2, .never_returned = 2, .records = 2,
				       .orphan_records = 2),
			       "95 5 old: k100 (8)", "140 5 new: k100 (7)");
		}
	}
}

/* exec is one entry: the new image's stack is what it returned to. */
JOIN(cookie_across_exec, GIVEN({ 'c', 5, 1, .comm = "old" }, { 's', 5, 100, 7 },
			       { 'x', 5, 110, .comm = "new" }, { 's', 5, 120, 7 },
			       { 'o', 5, 150, 7 }),
     ACCOUNT(.deferred = 2, .joined = 2, .records = 1), "100 5 old: k100 u401020",
     "120 5 new: k100 u401020")

JOIN(cookie_reuse_after_exec, GIVEN({ 'c', 5, 1, .comm = "old" }, { 's', 5, 100, 7 },
				    { 'u', 5, 105, 7 }, { 'x', 5, 110, .comm = "new" },
				    { 's', 5, 120, 7 }, { 'o', 5, 150, 7 }),
     ACCOUNT(.deferred = 2, .joined = 2, .records = 2), "100 5 old: k100 u401000 u401010",
     "120 5 new: k100 u401020")

/* A number that looks like a cookie but has no marker before it is an address. */
TEST(only_the_marker_counts)
{
	const u64 chain[] = { PERF_CONTEXT_KERNEL, KIP, PERF_CONTEXT_USER, UIP };

	pd_init(&pd, true);
	pd_sample(&pd, 5, 5, 100, PERF_RECORD_MISC_KERNEL, chain, 4);
	GIVEN({ 'u', 5, 150, UIP });
	EXPECT(ACCOUNT(.records = 1, .orphan_records = 1), "100 5 :5: k100 u401000");
}

TEST(without_times)
{
	pd_init(&pd, false);
	GIVEN({ 's', 5, 0, 7 }, { 'u', 5, 0, 7 }, { 's', 5, 0, 7 }, { 's', 5, 0, 7, .ip = 1 },
	      { 'o', 5, 0, 7 });
	EXPECT(ACCOUNT(.deferred = 3, .joined = 3, .records = 2),
	       "-1 5 :5: k100 u401000 u401010", "-1 5 :5: k100 u401020", "-1 5 :5: k101 u401020");
	pd_init(&pd, false);
	GIVEN({ 'u', 5, 0, 7 }, { 's', 5, 0, 7 });
	EXPECT(ACCOUNT(.deferred = 1, .joined = 1, .records = 1), "-1 5 :5: k100 u401000 u401010");
}

/* Several threads deliver what one does, chunk by chunk in the same order. */
#define TEAM 3
#define TEAM_SAMPLES 15000
static u64 team_times[2 * SESSION_CHUNKS][4096], gathered[20000];
static u32 team_nr[2 * SESSION_CHUNKS], nr_gathered;
static u32 last_half;		/* of the chunks: which a member works on */

struct member { u32 chunk; };

static void on_chunk(void *ctx, u32 chunk)
{
	((struct member *)ctx)->chunk = chunk;
	team_nr[chunk] = 0;
	__atomic_store_n(&last_half, chunk / SESSION_CHUNKS, __ATOMIC_RELEASE);
}

static int on_team_sample(void *ctx, const struct visit *v)
{
	u32 chunk = ((struct member *)ctx)->chunk;

	team_times[chunk][team_nr[chunk]++] = v->sample->time << 1 | v->chain->joined;
	return 0;
}

static int on_gather(void *ctx __unused, u32 first, u32 nr)
{
	u32 i, j;

	for (i = first; i < first + nr; i++)
		for (j = 0; j < team_nr[i]; j++)
			gathered[nr_gathered++] = team_times[i][j];
	/* The others do not wait for this. */
	while (nr_gathered < TEAM_SAMPLES &&
	       __atomic_load_n(&last_half, __ATOMIC_ACQUIRE) == first / SESSION_CHUNKS)
		sched_yield();
	return 0;
}

TEST(a_team_delivers_the_same)
{
	struct session_ops ops = { .sample = on_team_sample, .chunk = on_chunk,
				   .gather = on_gather };
	char path[] = "/tmp/join-XXXXXX";
	struct session_config cfg = { .no_progress = true, .input = path };
	struct member members[TEAM];
	void *workers[TEAM] = { &members[0], &members[1], &members[2] };
	FILE *f = fdopen(mkstemp(path), "w+");
	struct session *s;
	u32 i;

	pd_init(&pd, true);
	nr_gathered = 0;
	for (i = 0; i < TEAM_SAMPLES; i++) {
		pd_deferred_sample(&pd, 5, 5, 1000 + 10 * i, KIP, 1 + i);
		if (i % 3 == 1)
			pd_deferred(&pd, 5, 5, 995 + 10 * i, 1 + i, user, 2);
		if (i % 3 == 2)
			pd_deferred(&pd, 5, 5, 1005 + 10 * i, 1 + i, user, 2);
		if (i % 700 == 0)
			pd_round(&pd);
	}
	assert_int_equal(pd_write(&pd, f, false), 0);
	assert_null(session_open(&cfg, &s));
	assert_int_equal(session_workers(s, TEAM), TEAM);
	assert_int_equal(session_run_team(s, &ops, workers, TEAM, NULL), 0);
	assert_int_equal(nr_gathered, TEAM_SAMPLES);
	for (i = 0; i < nr_gathered; i++)
		assert_int_equal(gathered[i], (u64)(1000 + 10 * i) << 1 | !!(i % 3));
	assert_int_equal(s->stats.deferred.deferred, 15000);
	assert_int_equal(s->stats.deferred.joined, 10000);
	assert_int_equal(s->stats.deferred.never_returned, 5000);
	session_close(s);
	fclose(f);
	unlink(path);
	pd_deinit(&pd);
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of made-up stacks: options, tuples, orders, sums, call graphs.
 */
#include <sys/mman.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/progress.h"
#include "hist/hist.h"
#include "hist/hist_private.h"
#include "unit-hist.h"
#include "unit.h"

/* An error whose line begins so. */
static void refused(struct error *e, const char *begin)
{
	assert_non_null(e);
	assert_memory_equal(e->text, begin, strlen(begin));
	error_free(e);
}

TEST(chain_options)
{
	struct chain_opt o = CHAIN_OPT_DEFAULT;

	assert_null(chain_opt_parse("", &o));
	assert_int_equal(o.mode, CHAIN_GRAPH);
	assert_null(chain_opt_parse("fractal,5,3,callee,srcline,count", &o));
	assert_int_equal(o.mode, CHAIN_FRACTAL);
	assert_true(o.min_percent == 5.0);
	assert_int_equal(o.print_limit, 3);
	assert_false(o.caller);
	assert_true(o.order_set);
	assert_int_equal(o.key, CHAIN_KEY_SRCLINE);
	assert_int_equal(o.value, CHAIN_COUNT);
	assert_null(chain_opt_parse("caller,0.25,none", &o));
	assert_true(o.caller);
	assert_true(o.min_percent == 0.25);
	assert_int_equal(o.mode, CHAIN_NONE);
	refused(chain_opt_parse("sideways", &o), "-g: ");
	refused(chain_opt_parse("-3", &o), "-g: ");
}

TEST(tuples)
{
	struct tuple_table t;
	u64 row[2];
	u32 i;

	tuple_init(&t, 2);
	for (i = 0; i < 10000; i++) {
		row[0] = i % 100;
		row[1] = i / 100;
		assert_int_equal(tuple_intern(&t, row), i);
	}
	for (i = 0; i < 10000; i += 7) {
		row[0] = i % 100;
		row[1] = i / 100;
		assert_int_equal(tuple_intern(&t, row), i);
	}
	assert_int_equal(t.nr, 10000);
	tuple_deinit(&t);
	tuple_init(&t, 0);
	assert_int_equal(tuple_intern(&t, row), 0);
	assert_int_equal(tuple_intern(&t, row), 0);
	tuple_deinit(&t);
}

static bool smaller(const void *a, const void *b, void *ctx __unused)
{
	return *(const u32 *)a / 4 < *(const u32 *)b / 4;
}

TEST(tree_sort_is_stable)
{
	enum { N = 5000 };
	static u32 values[N];
	static void *items[N];
	u32 i;

	for (i = 0; i < N; i++) {
		values[i] = (i * 2654435761u) % 1000;
		items[i] = &values[i];
	}
	rb_sort(items, N, smaller, NULL);
	for (i = 1; i < N; i++) {
		u32 *a = items[i - 1], *b = items[i];

		assert_true(*a / 4 < *b / 4 || (*a / 4 == *b / 4 && a < b));
	}
	rb_sort(items, 0, smaller, NULL);
}

static const struct hist_row *row(struct made *m, char name)
{
	u32 i;

	for (i = 0; i < m->h.nr_rows; i++)
		if (m->h.rows[i].fkey == m->fkeys[name - 'a'])
			return &m->h.rows[i];
	fail_msg("no row %c", name);
	return NULL;
}

TEST(sums)
{
	struct made m;

	make(&m, true, true);
	sample(&m, "abc", 10);
	sample(&m, "abc", 10);
	sample(&m, "ab", 5);
	sample(&m, "abab", 3);		/* recursion counts once */
	sample(&m, "d", 2);
	hists_finish(&m.h);
	assert_int_equal(m.h.nr_records, 4);
	assert_int_equal(m.h.total.period, 30);
	assert_int_equal(row(&m, 'a')->period, 0);
	assert_int_equal(row(&m, 'a')->period_children, 28);
	assert_int_equal(row(&m, 'b')->period, 8);
	assert_int_equal(row(&m, 'b')->period_children, 28);
	assert_int_equal(row(&m, 'c')->period, 20);
	assert_int_equal(row(&m, 'c')->nr, 2);
	assert_int_equal(row(&m, 'c')->period_children, 20);
	assert_int_equal(row(&m, 'd')->period_children, 2);
	assert_int_equal(row(&m, 'a')->max_depth, 4);
	assert_int_equal(row(&m, 'c')->max_depth, 3);
	unmake(&m);
}

/* A call graph as text: run(children...) with sums */
static void text(struct made *m, const struct chain_node *c, struct outbuf *o)
{
	const struct chain_node *k;
	u32 i;

	for (i = 0; i < c->nr_labels; i++)
		outbuf_puts(o, m->env.labels[c->labels[i]].sym->name);
	outbuf_printf(o, "%llu/%llu", c->hits, c->total);
	if (c->child)
		outbuf_putc(o, '(');
	for (k = c->child; k; k = k->next) {
		text(m, k, o);
		if (k->next)
			outbuf_putc(o, ' ');
	}
	if (c->child)
		outbuf_putc(o, ')');
}

static void graph(struct made *m, char name, double min_percent, const char *want)
{
	struct arena arena = { 0 };
	struct chain_node *root = hist_callgraph(&m->h, row(m, name), min_percent, &arena);
	struct outbuf o;

	assert_non_null(root);
	outbuf_init(&o);
	text(m, root, &o);
	outbuf_putc(&o, 0);
	assert_string_equal(o.base, want);
	outbuf_deinit(&o);
	arena_deinit(&arena);
}

TEST(graphs)
{
	struct made m;

	make(&m, true, true);
	sample(&m, "abcd", 50);
	sample(&m, "abce", 30);
	sample(&m, "abc", 15);
	sample(&m, "afc", 4);
	sample(&m, "g", 1);
	hists_finish(&m.h);
	/* Callers see what follows them; own samples come with their whole stack. */
	graph(&m, 'a', 0, "0/99(a0/99(bc15/95(d50/50 e30/30) fc4/4))");
	graph(&m, 'c', 0, "0/99(c0/80(d50/50 e30/30) a0/19(bc15/15 fc4/4))");
	graph(&m, 'd', 0, "0/50(abcd50/50)");
	/* The threshold is of all: what is under it is left out, its sum is not. */
	graph(&m, 'a', 10, "0/99(a0/99(bc15/95(d50/50 e30/30)))");
	graph(&m, 'a', 40, "0/99(a0/99(bc15/95(d50/50)))");
	unmake(&m);

	make(&m, false, false);
	sample(&m, "abcd", 50);
	sample(&m, "aecd", 30);
	sample(&m, "cd", 20);
	hists_finish(&m.h);
	graph(&m, 'd', 0, "0/100(dc20/100(ba50/50 ea30/30))");
	unmake(&m);
}

/* What was counted, after so much of it, and with what is counted then. */
TEST(decay)
{
	struct made m, twin;

	make(&m, true, true);
	sample(&m, "abc", 80);
	sample(&m, "d", 1);
	sample(&m, "abab", 16);
	hists_finish(&m.h);
	hists_decay(&m.h, 7, 8);
	sample(&m, "abab", 6);
	sample(&m, "ef", 5);
	hists_finish(&m.h);
	make(&twin, true, true);
	sample(&twin, "abc", 70);
	sample(&twin, "abab", 20);
	sample(&twin, "ef", 5);
	hists_finish(&twin.h);
	assert_int_equal(m.h.nr_records, 3);
	assert_int_equal(m.h.nr_rows, twin.h.nr_rows);
	assert_int_equal(m.h.total.period, 95);
	assert_int_equal(m.h.filtered.period, 95);
	assert_int_equal(m.h.total.nr, 4);
	assert_int_equal(row(&m, 'a')->period_children, row(&twin, 'a')->period_children);
	assert_int_equal(row(&m, 'b')->period, row(&twin, 'b')->period);
	assert_int_equal(row(&m, 'c')->period, 70);
	assert_int_equal(row(&m, 'f')->period, 5);
	graph(&m, 'a', 0, "0/90(ab0/90(c70/70 ab20/20))");
	hists_decay(&m.h, 0, 1);
	assert_int_equal(m.h.nr_records, 0);
	assert_int_equal(m.h.total.period, 0);
	sample(&m, "ab", 3);
	hists_finish(&m.h);
	assert_int_equal(m.h.nr_rows, 2);
	assert_int_equal(row(&m, 'b')->period, 3);
	unmake(&twin);
	unmake(&m);
}

static u64 last_done;
static u32 nr_progress;

static void note_progress(const char *what, u64 done, u64 total, bool whole)
{
	assert_string_equal(what, "Making rows");
	assert_true(whole);
	assert_true(done >= last_done && done <= total);
	last_done = done;
	nr_progress++;
}

/* The browser draws and looks at keys while rows are made: that takes as long as reading. */
TEST(progress)
{
	struct made m;

	make(&m, true, true);
	sample(&m, "abc", 1);
	progress_set_sink(note_progress);
	hists_finish(&m.h);
	progress_set_sink(NULL);
	assert_true(nr_progress);
	unmake(&m);
}

/* Against counting by hand: every stack over five functions, up to five deep. */
TEST(many_stacks)
{
	struct made m;
	char stack[8];
	u64 want[5] = { 0 }, total = 0;
	u32 n, depth, i, v;

	make(&m, true, true);
	for (depth = 1; depth <= 5; depth++) {
		for (n = 0; n < 3125; n++) {
			u8 seen = 0;
			u64 period = n * 7 % 13 + 1;

			for (v = n, i = 0; i < depth; i++, v /= 5) {
				stack[i] = 'a' + v % 5;
				seen |= 1 << v % 5;
			}
			if (v)
				continue;
			stack[depth] = 0;
			sample(&m, stack, period);
			total += period;
			for (i = 0; i < 5; i++)
				want[i] += seen & 1 << i ? period : 0;
		}
	}
	hists_finish(&m.h);
	assert_int_equal(m.h.total.period, total);
	for (i = 0; i < 5; i++) {
		struct arena arena = { 0 };

		assert_int_equal(row(&m, 'a' + i)->period_children, want[i]);
		assert_int_equal(hist_callgraph(&m.h, row(&m, 'a' + i), 0, &arena)->total, want[i]);
		arena_deinit(&arena);
	}
	unmake(&m);
}

static bool in_order(const struct stack *a, const struct stack *b, const u32 *pool)
{
	u32 i;

	for (i = 0; i <= a->len && i <= b->len; i++)
		if (pool[a->at + i] != pool[b->at + i])
			return pool[a->at + i] < pool[b->at + i];
	return a->len != b->len ? a->len < b->len : a->record < b->record;
}

/*
 * Any stacks are sorted: of one step in an order in which the median of three keys is the largest but one, and what
 * is left by a pass is like that; equal ones; random ones.
 */
TEST(orders_of_stacks)
{
	enum { NR = 4000 };
	u32 *keys = xcalloc(NR, sizeof(*keys)), *pool = xcalloc(NR, 4 * sizeof(*pool)), n, i, kind, seed = 1;
	struct stack *v = xcalloc(NR, sizeof(*v));

	for (n = 2; n <= NR; n += 2) {
		u32 last = keys[0];

		if (n > 4)
			memmove(&keys[n / 2 + 1], &keys[n / 2], (n / 2 - 2) * sizeof(*keys));
		keys[n - 1] = last;
		keys[n / 2] = n - 2;
		keys[0] = n - 1;
	}
	for (kind = 0; kind < 3; kind++) {
		for (i = 0; i < NR; i++) {
			pool[4 * i] = 1;
			pool[4 * i + 1] = kind == 0 ? keys[i] : 5;
			pool[4 * i + 2] = kind == 2 ? (seed = seed * 1103515245 + 12345) >> 16 & 15 : 7;
			pool[4 * i + 3] = i & 1;
			v[i] = (struct stack){ .at = 4 * i, .len = kind == 2 ? i % 4 : 1, .record = keys[i] };
		}
		stacks_sort(v, NR, pool);
		for (i = 1; i < NR; i++)
			assert_true(in_order(&v[i - 1], &v[i], pool));
	}
	free(v);
	free(pool);
	free(keys);
}

static void sort_rows(struct made *m, char *order)
{
	struct hist_column cols[] = {
		{ .overhead = OV_CHILDREN }, { .overhead = OV_SELF }, { .key = m->env.keys[1] },
	};
	u32 by[] = { 0, 1, 2 }, i;
	const struct hist_columns columns = { .cols = cols, .nr = 3, .order = by, .nr_order = 3 };

	hists_sort(&m->h, &columns, 1, 0);
	for (i = 0; i < m->h.nr_sorted; i++)
		order[i] = 'a' + hists_row_at(&m->h, i)->fkey - m->fkeys[0];
	order[i] = 0;
}

/* Stacks of two threads with equal sums: their rows compare in a circle. */
TEST(order_of_rows)
{
	static const char *const stacks[][2] = { { "abc", "de" }, { "de", "abc" } };
	static struct thread threads[2];
	char order[2][32];
	struct made m;
	u32 i, k;

	for (i = 0; i < 2; i++) {
		make(&m, true, true);
		for (k = 0; k < 2; k++)
			sample_of(&m, &threads[stacks[i][k][0] == 'd'], stacks[i][k], 10);
		hists_finish(&m.h);
		sort_rows(&m, order[i]);
		unmake(&m);
	}
	/* Which sample came first does not matter. */
	assert_string_equal(order[0], order[1]);
	assert_int_equal(strlen(order[0]), 5);

	/*
	 * Of one thread the deeper row stands above, and of equally deep ones the one with samples of
	 * its own: those count with their whole stack, a caller's with what follows it.
	 */
	make(&m, true, true);
	sample_of(&m, &threads[0], "ihg", 10);
	hists_finish(&m.h);
	sort_rows(&m, order[0]);
	assert_string_equal(order[0], "gih");
	unmake(&m);

	make(&m, true, true);
	sample(&m, "ab", 10);
	sample(&m, "cd", 30);
	sample(&m, "ce", 20);
	hists_finish(&m.h);
	sort_rows(&m, order[0]);
	assert_string_equal(order[0], "cdeba");
	unmake(&m);
}

/* What cursors give of rows, stacks and files. */
TEST(cursors)
{
	struct hist_file *files;
	struct hist_step step;
	struct made m;
	u64 samples;

	make(&m, true, true);
	sample(&m, "ab", 10);
	sample(&m, "ac", 30);
	hists_finish(&m.h);
	assert_true(hists_any_row(&m.h));
	assert_int_equal(hists_total(&m.h), 40);
	assert_int_equal(hist_row_number(row(&m, 'a'), 0, OV_CHILDREN), 40);
	assert_int_equal(hist_row_number(row(&m, 'c'), 0, OV_SELF), 30);
	assert_int_equal(hist_row_number(row(&m, 'c'), 0, OV_SAMPLES), 1);
	assert_int_equal(m.h.nr_records, 2);
	assert_int_equal(hist_stack_len(&m.h, 0), 2);
	assert_int_equal(hist_stack_label(&m.h, 0, 0), hist_stack_label(&m.h, 1, 0));
	assert_int_equal(hist_span_end(&m.h, 0, 2, 0), 2);
	assert_int_equal(hist_span_end(&m.h, 0, 2, 1), 1);
	assert_int_equal(hist_span_period(&m.h, 0, 2), 40);
	assert_int_equal(hist_span_samples(&m.h, 0, 2), 2);
	step = hist_step(&m.h, hist_stack_label(&m.h, 0, 0));
	assert_string_equal(step.name, "a");
	assert_false(step.kernel || step.inlined || step.cookie || step.jit);
	assert_int_equal(hists_files((struct hists *[]){ &m.h }, 1, &files, &samples), 0);
	assert_int_equal(samples, 2);
	free(files);
	unmake(&m);
}

/* Numbers that need more than 32 bits: of samples, and of the steps of all stacks. */
TEST(more_than_four_thousand_million)
{
	const size_t room = (1ULL << 32) + 1024;
	struct made m;
	u32 *pool;

	make(&m, true, true);
	/* Never touched but for its last page. */
	pool = mmap(NULL, room * sizeof(*pool), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(pool != MAP_FAILED);
	m.h.pool = pool;
	m.h.cap_pool = room;
	m.h.nr_pool = room - 512;
	sample(&m, "abc", 10);
	sample(&m, "abd", 1);
	assert_true(m.h.records[0].at == room - 512);
	m.h.records[0].nr = UINT32_MAX;
	sample(&m, "abc", 10);
	assert_int_equal(m.h.nr_records, 2);
	assert_true(m.h.records[0].nr == 1ULL << 32);
	hists_finish(&m.h);
	assert_true(row(&m, 'c')->nr == 1ULL << 32);
	graph(&m, 'c', 0, "0/20(abc20/20)");
	munmap(pool, room * sizeof(*pool));
	m.h.pool = NULL;
	unmake(&m);
}

int main(void)
{
	verbose = -1;
	return unit_run(NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The browser without a terminal: the list of lines of rows with made-up call graphs, characters
 * that are safe to show, the command line that prints what is shown.
 */
#include <locale.h>

#include "tui/browse.h"
#include "tui/line.h"
#include "unit.h"

/* Row n has n % 4 callers, each of a run of two steps and, but for the last, two children. */
static u32 made;

static struct chain_node *make_node(struct arena *a, u32 labels, u64 total)
{
	struct chain_node *c = arena_alloc(a, sizeof(*c));

	c->labels = arena_alloc(a, labels * sizeof(*c->labels));
	c->nr_labels = labels;
	c->total = total;
	return c;
}

static struct chain_node *make_graph(void *ctx __unused, u32 row, struct arena *a)
{
	struct chain_node *root = arena_alloc(a, sizeof(*root)), **at = &root->child;
	u32 i;

	made++;
	for (i = 0; i < row % 4; i++) {
		*at = make_node(a, 2, 100 - i);
		if (i + 1 < row % 4) {
			(*at)->child = make_node(a, 1, 80);
			(*at)->child->next = make_node(a, 3, 10);
		}
		at = &(*at)->next;
	}
	return root;
}

#define ROWS 1000

struct fixture {
	struct tui_tree t;
	u32 rows[ROWS];
};

static void fixture_init(struct fixture *f)
{
	u32 i;

	made = 0;
	for (i = 0; i < ROWS; i++)
		f->rows[i] = i;
	f->t = (struct tui_tree){ .rows = f->rows, .nr_rows = ROWS, .graph = make_graph };
}

/* All lines there are, downwards; upwards they must be the same. */
static u32 count_lines(struct fixture *f)
{
	struct tui_place p = { 0 }, *all = xcalloc(ROWS * 40, sizeof(*all)), last;
	u32 nr = 0, i;

	do
		all[nr++] = p;
	while (tree_next(&f->t, &p));
	last = tree_last(&f->t);
	assert_true(tree_same(&last, &all[nr - 1]));
	for (i = nr - 1; i; i--) {
		assert_true(tree_prev(&f->t, &p));
		assert_true(tree_same(&p, &all[i - 1]));
	}
	assert_false(tree_prev(&f->t, &p));
	free(all);
	return nr;
}

TEST(closed_rows)
{
	struct fixture f;

	fixture_init(&f);
	assert_int_equal(count_lines(&f), ROWS);
	assert_int_equal(made, 0);
	tree_deinit(&f.t);
}

TEST(open_and_close)
{
	struct tui_place p = { .at = 3 };
	struct fixture f;

	fixture_init(&f);
	assert_true(tree_foldable(&f.t, &p));
	tree_set_open(&f.t, &p, true, false);
	assert_int_equal(made, 1);
	assert_int_equal(count_lines(&f), ROWS + 3);
	/* The first caller: its second step, and its two children. */
	assert_true(tree_next(&f.t, &p));
	assert_non_null(p.node);
	tree_set_open(&f.t, &p, true, false);
	assert_int_equal(count_lines(&f), ROWS + 3 + 3);
	assert_int_equal(tree_move(&f.t, &p, 3), 3);
	assert_int_equal(p.node->chain->nr_labels, 3);
	tree_set_open(&f.t, &p, true, false);
	assert_int_equal(count_lines(&f), ROWS + 3 + 3 + 2);
	/* From the last step to the node that it is below. */
	assert_int_equal(tree_move(&f.t, &p, 2), 2);
	assert_int_equal(p.step, 2);
	assert_true(tree_up(&p));
	assert_int_equal(p.node->chain->total, 100);
	tree_set_open(&f.t, &p, false, true);
	assert_int_equal(count_lines(&f), ROWS + 3);
	assert_true(tree_up(&p));
	assert_null(p.node);
	assert_false(tree_up(&p));
	tree_set_open(&f.t, &p, true, true);
	assert_int_equal(count_lines(&f), ROWS + 3 * 2 + 2 * (1 + 3));
	tree_set_open(&f.t, &p, false, true);
	assert_int_equal(count_lines(&f), ROWS);
	tree_deinit(&f.t);
}

TEST(row_without_graph)
{
	struct tui_place p = { .at = 4 };
	struct fixture f;

	fixture_init(&f);
	tree_set_open(&f.t, &p, true, false);
	assert_int_equal(count_lines(&f), ROWS);
	assert_false(tree_foldable(&f.t, &p));
	tree_deinit(&f.t);
}

TEST(all_open)
{
	u32 each = (0 + 2 + (2 * 2 + 4) + (3 * 2 + 2 * 4));
	struct tui_place p;
	struct fixture f;

	fixture_init(&f);
	tree_all(&f.t, true);
	/* What is not looked at is not made. */
	p = tree_last(&f.t);
	assert_int_equal(tree_move(&f.t, &p, -30), 30);
	assert_in_range(made, 1, 12);
	assert_int_equal(count_lines(&f), ROWS + ROWS / 4 * each);
	tree_all(&f.t, false);
	assert_int_equal(count_lines(&f), ROWS);
	tree_deinit(&f.t);
}

TEST(hot_path)
{
	struct tui_place p = { .at = 3 };
	struct fixture f;

	fixture_init(&f);
	tree_hot(&f.t, &p);
	assert_int_equal(p.node->chain->total, 80);
	assert_int_equal(p.node->up->chain->total, 100);
	tree_deinit(&f.t);
}

/* A chain of 100,000 steps is one node: its lines cost no more than those of rows. */
static struct chain_node *long_run(void *ctx __unused, u32 row __unused, struct arena *a)
{
	struct chain_node *root = arena_alloc(a, sizeof(*root));

	root->child = make_node(a, 100000, 1);
	return root;
}

TEST(deep_chain)
{
	const u32 rows[] = { 0, 1 };
	struct tui_place p;
	struct tui_tree t;

	t = (struct tui_tree){ .rows = rows, .nr_rows = 2, .graph = long_run };
	tree_all(&t, true);
	p = tree_last(&t);
	assert_int_equal(p.step, 99999);
	assert_int_equal(tree_move(&t, &p, -1000000), 2 * 100001 - 1);
	tree_deinit(&t);
}

static void shows(const char *s, size_t len, const wchar_t *want)
{
	u32 columns;
	wchar_t c;
	size_t i;

	for (i = 0; i < len; want++) {
		i += line_char(s + i, len - i, &c, &columns);
		assert_int_equal(c, *want);
		assert_in_range(columns, 0, 2);
	}
	assert_int_equal(i, len);
	assert_int_equal(*want, 0);
}

TEST(safe_characters)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	shows("a\033[2Jb\t\n\x7f", 9, L"a?[2Jb???");
	shows("\xc3\xa4\xe2\x82\xac", 5, L"\u00e4\u20ac");
	shows("\xc2\x9b" "1", 3, L"?1");			/* C1: CSI */
	shows("\xe2\x80\xae" "x", 4, L"?x");			/* from right to left */
	shows("\xff\xc3", 2, L"??");				/* no UTF-8 */
	shows("\xc3(\xe2\x82(", 5, L"?(?" L"?(");
	shows("\xc0\x9b\xed\xa0\x80", 5, L"?????");		/* too long, a surrogate */
}

TEST(styles)
{
	struct tui_line l = { .nr_parts = 0 };
	u32 i;

	for (i = 0; i < TUI_PARTS + 10; i++) {
		line_style(&l, i % 2 ? STYLE_HOT : STYLE_KERNEL);
		outbuf_putc(&l.text, 'x');
	}
	assert_int_equal(l.nr_parts, TUI_PARTS);
	line_reset(&l);
	line_style(&l, STYLE_HOT);
	line_style(&l, STYLE_WARM);
	assert_int_equal(l.nr_parts, 1);
	assert_int_equal(l.parts[0].style, STYLE_WARM);
	line_deinit(&l);
}

TEST(command_line)
{
	char *argv[] = { "report", "--tui", "-i", "it's a file", NULL };
	struct hist_column dso = { .name = "dso" }, cpu = { .name = "cpu" };
	struct tui_view v = {
		.zooms = { { .col = &dso, .text = "libc.so.6" } }, .nr_zooms = 1,
		.limit = 2.5, .relative = true,
	};
	struct word_list c;
	struct outbuf o;

	outbuf_init(&o);
	assert_null(command_make(&c, argv, &v, FORM_TEXT));
	command_text(&c, 1000, &o);
	assert_string_equal(outbuf_text(&o), "perf report -i 'it'\\''s a file' --stdio --percentage "
			    "relative --percent-limit 2.5 --dsos libc.so.6");
	o.pos = o.base;
	command_text(&c, 40, &o);
	assert_string_equal(outbuf_text(&o), "perf report -i 'it'\\''s a file' \\\n    --stdio "
			    "--percentage relative \\\n    --percent-limit 2.5 --dsos \\\n    libc.so.6");
	words_deinit(&c);
	v.zooms[0].text = "a,b";
	assert_null(command_make(&c, argv, &v, FORM_SVG));
	assert_string_equal(c.v[c.nr - 1], "a\\,b");
	words_deinit(&c);
	v.zooms[0] = (struct tui_zoom){ .col = &cpu, .text = "1" };
	assert_non_null(command_make(&c, argv, &v, FORM_FOLDED));
	outbuf_deinit(&o);
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/*
 * Made-up histograms as tables, nested tables, call graphs, folded lines and flame graphs.
 */
#include "base/diag.h"
#include "base/error.h"
#include "hist/hist.h"
#include "render/colour.h"
#include "render/flame.h"
#include "render/stdio.h"
#include "unit-hist.h"
#include "unit.h"

/* Overhead, comm, symbol; rows by overhead. */
struct shown {
	struct hist_column cols[3];
	u32 order[3];
	struct hist_columns columns;
	struct hists *members[1];
	struct stdio_opt opt;
	struct outfile out;
};

static const char *show(struct made *m, struct shown *s)
{
	struct stdio_view v = {
		.members = s->members, .nr = 1, .title = "event 'cycles'", .cols = &s->columns,
		.opt = &s->opt, .out = &s->out,
	};
	u32 i;

	s->members[0] = &m->h;
	s->cols[0] = (struct hist_column){ .overhead = OV_SELF, .header = "Overhead" };
	for (i = 1; i < 3; i++)
		s->cols[i] = (struct hist_column){
			.key = m->env.keys[i - 1], .name = m->env.keys[i - 1]->name,
			.header = m->env.keys[i - 1]->header, .ragged = i == 2,
		};
	for (i = 0; i < 3; i++)
		s->order[i] = i;
	s->columns = (struct hist_columns){
		.cols = s->cols, .nr = 3, .order = s->order, .nr_order = 3,
	};
	s->opt.socket = -1;
	hists_finish(&m->h);
	hists_sort(&m->h, &s->columns, 1, 0);
	outfile_init(&s->out, -1);
	stdio_print(&v);
	return outbuf_text(&s->out.text);
}

static void some_samples(struct made *m)
{
	make(m, false, true);
	sample(m, "ab", 60);
	sample(m, "ac", 39);
	sample(m, "d", 1);
}

/* Names of more than 60 bytes */
TEST(short_names)
{
	static const struct { const char *name, *want; } v[] = {
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<...>::push_back(...)" },
		{ "std::vector<int, std::allocator<int> >::push_back", NULL },
		{ "std::ostream& operator<< <std::char_traits<char> >(std::ostream&, char const*)",
		  "std::ostream& operator<< <...>(...)" },
		{ "(anonymous namespace)::Parser::visit(std::vector<int>&)::{lambda(int, char)#1}::operator()(int) const",
		  "(anonymous namespace)::Parser::visit(...)::{lambda(...)#1}::operator()(...) const" },
		{ "<alloc::vec::Vec<(alloc::string::String, u64)> as core::iter::Extend<u8>>::extend",
		  "<alloc::vec::Vec<...> as core::iter::Extend<...>>::extend" },
		{ "github.com/prometheus/prometheus/tsdb/chunkenc/varbit.(*Head).Append", ".../varbit.(*Head).Append" },
		{ "a_very_long_name_of_a_function_in_c_that_has_no_brackets_whatsoever", NULL },
		{ "unbalanced<int, std::allocator<int>::of_a_name_that_was_cut_at_its_end", NULL },
	};
	struct outbuf o = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++) {
		o.pos = o.base;
		short_name_put(&o, v[i].name, false);
		assert_string_equal(outbuf_text(&o), v[i].want ?: v[i].name);
		o.pos = o.base;
		short_name_put(&o, v[i].name, true);
		assert_string_equal(outbuf_text(&o), v[i].name);
	}
	outbuf_deinit(&o);
}

TEST(table)
{
	struct shown s = { .opt = { .no_comments = true } };
	struct made m;

	some_samples(&m);
	m.env.cfg.chain.mode = CHAIN_NONE;
	assert_string_equal(show(&m, &s),
			    "    60.00%  test     b\n"
			    "    39.00%  test     c\n"
			    "     1.00%  test     d\n\n\n");
	outbuf_deinit(&s.out.text);
	unmake(&m);
}

TEST(table_with_head)
{
	struct shown s = { .opt = { .percent_limit = 50 } };
	struct made m;

	some_samples(&m);
	m.env.cfg.chain.mode = CHAIN_NONE;
	assert_string_equal(show(&m, &s),
			    "# Samples: 3  of event 'cycles'\n"
			    "# Event count (approx.): 100\n"
			    "#\n"
			    "# Overhead  Command  Symbol\n"
			    "# ........  .......  ......\n"
			    "#\n"
			    "    60.00%  test     b\n\n\n");
	outbuf_deinit(&s.out.text);
	unmake(&m);
}

/* Without padding, and no separator inside of a value. */
TEST(separator)
{
	struct shown s = { .opt = { .no_comments = true, .sep = "e" } };
	struct made m;

	some_samples(&m);
	m.env.cfg.chain.mode = CHAIN_NONE;
	assert_string_equal(show(&m, &s), "60.00%et.steb\n39.00%et.stec\n1.00%et.sted\n\n\n");
	outbuf_deinit(&s.out.text);
	unmake(&m);
}

TEST(call_graph)
{
	struct shown s = { .opt = { .no_comments = true, .percent_limit = 50 } };
	struct made m;

	some_samples(&m);
	sample(&m, "fb", 20);
	assert_string_equal(show(&m, &s),
			    "    66.67%  test     b\n"
			    "            |          \n"
			    "            |--50.00%--a\n"
			    "            |          b\n"
			    "            |          \n"
			    "             --16.67%--f\n"
			    "                       b\n\n\n\n");
	outbuf_deinit(&s.out.text);
	unmake(&m);
}

TEST(hierarchy)
{
	struct shown s = { .opt = { .no_comments = true, .hierarchy = true } };
	struct made m;

	some_samples(&m);
	m.env.cfg.chain.mode = CHAIN_NONE;
	assert_string_equal(show(&m, &s),
			    "   100.00%     test   \n"
			    "       60.00%     b\n"
			    "       39.00%     c\n"
			    "        1.00%     d\n\n\n");
	outbuf_deinit(&s.out.text);
	unmake(&m);
}

TEST(folded)
{
	struct outfile o;
	struct made m;

	some_samples(&m);
	sample(&m, "a", 5);
	hists_finish(&m.h);
	outfile_init(&o, -1);
	flame_folded((struct hists *[]){ &m.h }, 1, &o);
	assert_string_equal(outbuf_text(&o.text), "test;a 1\ntest;a;b 1\ntest;a;c 1\ntest;d 1\n");
	outbuf_deinit(&o.text);
	unmake(&m);
}

TEST(flame_graph)
{
	struct hists *hists[1];
	struct error *e;
	struct outbuf o;
	struct made m;
	u32 nr;

	some_samples(&m);
	hists_finish(&m.h);
	hists[0] = &m.h;
	outbuf_init(&o);
	assert_null(flame_write(hists, 1, false, "-", &o, NULL, 0, &nr));
	/* all, test, a, b, c, d */
	assert_int_equal(nr, 6);
	assert_non_null(strstr(outbuf_text(&o), "data-x=\"0\" data-w=\"99\" data-d=\"2\" data-k=\"u\" data-n=\"a\""));
	assert_non_null(strstr(outbuf_text(&o), ">3 samples</text>"));
	outbuf_deinit(&o);
	e = flame_write(hists, 1, false, "/nonexistent/flame.svg", NULL, NULL, 0, &nr);
	assert_non_null(e);
	assert_int_equal(e->err, ENOENT);
	assert_string_equal(e->text, "cannot write /nonexistent/flame.svg: No such file or directory");
	error_free(e);
	unmake(&m);
}

TEST(colours)
{
	struct error *e = colour_setup("sometimes", false);

	assert_non_null(e);
	error_free(e);
	assert_null(colour_setup("always", false));
	assert_string_equal(colour_begin(COLOUR_HOT), "\033[31m");
	assert_string_equal(colour_begin(COLOUR_WARM), "\033[32m");
	assert_string_equal(colour_begin(0.1), "");
	assert_string_equal(colour_end(0.1), "");
	assert_null(colour_setup("never", false));
	assert_string_equal(colour_begin(COLOUR_HOT), "");
}

int main(void)
{
	verbose = -1;
	return unit_run(NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf report: what the samples of a recording add up to.
 *
 * The order of things: options.c reads the command line, setup() fits it to the recording,
 * count.c counts, and what was counted is printed as tables (ui), as a flame graph, or as
 * folded stacks, or shown in the browser (browse.c). struct report owns all of it. Calls go from here to the other files only.
 */
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/dump/dump.h"
#include "cmd/header/header.h"
#include "cmd/report/report.h"
#include "event/branch.h"
#include "render/colour.h"
#include "render/flame.h"
#include "render/pager.h"
#include "tui/tui.h"

/* @use: set to @re when the text is one. */
static int make_regex(const char *option, const char *text, regex_t *re, const regex_t **use)
{
	char why[128];
	int err = regcomp(re, text, REG_EXTENDED | REG_NOSUB);

	if (err) {
		regerror(err, re, why, sizeof(why));
		return diag_error("%s: '%s': %s", option, text, why);
	}
	*use = re;
	return 0;
}

static bool any_lbr_chains(const struct event_list *events)
{
	u32 i;

	for (i = 0; i < events->nr; i++)
		if (attr_lbr_chains(&events->events[i]->attr))
			return true;
	return false;
}

/* Rows of branches: with -b, or because branches are what was recorded. */
static int setup_branches(struct report *r)
{
	const struct session *s = r->session;
	bool have = s->events->sample_type & PERF_SAMPLE_BRANCH_STACK;
	bool stacks = r->flamegraph || r->folded;
	struct feature_cursor c;

	if (r->branch_history && !have)
		return diag_error("%s has no branch records for --branch-history: record with perf record -b",
				  reader_path(s->reader));
	if (r->branch_history && stacks)
		return diag_error("--branch-history: branches have no stacks for a flame graph");
	if (r->branch_history && r->hierarchy)
		return diag_error("--branch-history and --hierarchy cannot be used together");
	if (r->branch_history) {
		r->branches = false;
		r->hist.branch_history = true;
		return 0;
	}
	if (r->branches_set && r->branches && !have)
		return diag_error("%s has no branch records for -b: record with perf record -b",
				  reader_path(s->reader));
	if (r->branches_set && r->branches && stacks)
		return diag_error("-b: branches have no stacks for a flame graph");
	if (!r->branches_set)	/* As mainline: the file says so, and has no stacks to unwind. */
		r->branches = have && !stacks && !(s->events->sample_type & PERF_SAMPLE_STACK_USER) &&
			      !any_lbr_chains(s->events) &&
			      feature_open(s->features, FEAT_BRANCH_STACK, &c);
	r->hist.branches = r->branches;
	return 0;
}

/* Rows of memory accesses: periods are weights. */
static int setup_memory(struct report *r)
{
	const struct session *s = r->session;

	if (!r->mem_mode)
		return 0;
	if (r->branches_set && r->branches)
		return diag_error("--mem-mode and -b cannot be used together");
	if (!(s->events->sample_type & PERF_SAMPLE_DATA_SRC))
		return diag_error("%s has no data sources for --mem-mode: record with perf mem record, or with -d and "
				  "an event of memory accesses", reader_path(s->reader));
	r->branches_set = r->children_set = r->hist.mem_mode = r->stdio.weights = true;
	r->branches = r->children = false;
	return 0;
}

/* What the recording has decides on call graphs and children. */
static int setup_chains(struct report *r)
{
	struct hist_config *c = &r->hist;
	bool have = r->session->events->sample_type & PERF_SAMPLE_CALLCHAIN;
	bool stacks = r->session->events->sample_type & PERF_SAMPLE_STACK_USER;

	if (c->branch_history && !c->chain.key_set)
		c->chain.key = CHAIN_KEY_ADDRESS;
	if (!have && !stacks && c->branch_history) {
		/* As mainline: from the oldest branch on, but with --no-children. */
		c->use_chains = true;	/* the columns of branches are sums over stacks */
		if (r->children_set && !r->children && !c->chain.order_set)
			c->chain.caller = false;
		return 0;
	}
	if (!have && !stacks) {
		if (r->chain_set && c->chain.mode != CHAIN_NONE)
			return diag_error("%s has no callchains for -g: record with perf record -g",
					  reader_path(r->session->reader));
		if (r->flamegraph || r->folded)
			diag_warn("%s has no callchains: a stack is one frame",
				  reader_path(r->session->reader));
		c->chain.mode = CHAIN_NONE;
		return 0;
	}
	if (c->branches) {
		c->chain.mode = CHAIN_NONE;
		return 0;
	}
	c->use_chains = c->chain.mode != CHAIN_NONE;
	/* As mainline: a pipe's events come too late to turn children on. */
	c->children = r->children_set ? r->children : !reader_pipe_format(r->session->reader);
	if (r->hierarchy)
		c->children = false;
	if (!c->children && !c->chain.order_set && (!r->hierarchy || r->children_set) &&
	    (r->children_set || !reader_pipe_format(r->session->reader)))
		c->chain.caller = false;
	return 0;
}

/* One name in a filter makes its column a line of the title. */
static void elide(struct report *r, const struct name_list *l, const char *key, const char *title,
		  struct outbuf *o)
{
	if (l->nr != 1 || r->fields)
		return;
	if (hist_columns_hide(&r->cols, key) && !r->quiet)
		outbuf_printf(o, "# %s: %s\n", title, l->names[0]);
}

/* Of the column Time with --ns. */
#define TIME_NS_WIDTH 16

static int setup(struct report *r)
{
	struct hist_column_opt columns = {
		.latency = r->latency, .sys_us = r->sys_us, .nr_samples = r->nr_samples, .period = r->total_period,
		.parent = r->parent,
	};
	struct hist_config *c = &r->hist;
	struct session *s = r->session;
	u32 i;

	if (r->latency && !s->has_parallelism)
		return diag_error("%s does not say how many threads ran when, for --latency: record with "
				  "--latency, into a file", reader_path(s->reader));
	if (setup_memory(r) || setup_branches(r) || setup_chains(r))
		return -1;
	if (r->parent || (r->sort && strstr(r->sort, "parent")) || r->exclude_other) {
		if (make_regex("--parent", r->parent ? r->parent : "^sys_|^do_page_fault",
			       &r->parent_regex, &c->parent_regex))
			return -1;
	}
	if (r->ignore_callees &&
	    make_regex("--ignore-callees", r->ignore_callees, &r->ignore_callees_regex,
		       &c->ignore_callees))
		return -1;
	if (error_report(filter_setup(&r->filter, s)))
		return -1;
	if (r->socket >= 0 && !s->features->nr_topology)
		return diag_error("--socket-filter: %s does not say which CPU is on which socket",
				  reader_path(s->reader));
	c->filter = filter_given(&r->filter) ? &r->filter : NULL;
	c->hide_unresolved = r->hide_unresolved;
	c->exclude_other = r->exclude_other;
	c->kernel_only = r->kernel_side;
	c->user_only = r->user_side;
	if (r->flamegraph || r->folded) {
		/*
		 * Whole stacks, and nothing but stacks: from the outermost frame on, unless -g says
		 * callee. Where it says caller the graph begins at the top.
		 */
		bool callee = c->chain.order_set && !c->chain.caller;

		if (c->chain.key != CHAIN_KEY_FUNCTION)
			diag_warn("-g: the frames of a flame graph are functions: address and srcline "
				  "are for tables");
		r->downwards = c->chain.order_set && c->chain.caller;
		c->children = false;
		c->use_chains = c->one_cookie = true;
		c->chain = (struct chain_opt){ .mode = CHAIN_GRAPH, .caller = !callee };
		if (!r->sort)
			r->sort = "comm";
		r->fields = NULL;
		columns.parent = false;
	}
	r->stdio.skip_first = r->sort && !strncmp(r->sort, "sym", 3) && !r->fields;
	if (r->mem_mode && !r->fields)
		r->stdio.sort = r->sort ?: HIST_MEMORY_KEYS;
	columns.sort = r->sort;
	columns.fields = r->fields;
	if (error_report(hist_env_create(c, s, &columns, &r->cols, &r->env)))
		return -1;
	for (i = 0; i < r->cols.nr; i++)
		if (c->time_ns && r->cols.cols[i].key && !strcmp(r->cols.cols[i].name, "time"))
			r->cols.cols[i].min_width = TIME_NS_WIDTH;
	r->hists = xcalloc(max(s->events->nr, 1u), sizeof(*r->hists));
	for (i = 0; i < s->events->nr; i++)
		r->hists[i] = hists_create(r->env, s->events->events[i]);
	return 0;
}

/* The members shown with an event; 0: it is shown with its leader. */
static u32 members_of(const struct report *r, u32 first, struct hists **members)
{
	const struct event_list *list = r->session->events;
	bool forced = r->group_set && r->group, any = false;
	u32 i, nr = 0;

	for (i = 0; i < list->nr; i++)
		any |= list->events[i]->leader != i;
	if (forced && !any) {
		for (i = 0; first == 0 && i < list->nr; i++)
			members[nr++] = r->hists[i];
		return nr;
	}
	if (!r->group) {
		members[0] = r->hists[first];
		return 1;
	}
	if (list->events[first]->leader != first)
		return 0;
	for (i = first; i < list->nr; i++)
		if (list->events[i]->leader == first)
			members[nr++] = r->hists[i];
	return nr;
}

/* Leaves out the members of a group that have no samples. */
static u32 skip_empty(struct hists **members, u32 nr)
{
	u32 i, kept = 0;

	for (i = 0; i < nr; i++)
		if (hists_samples(members[i]))
			members[kept++] = members[i];
	return kept;
}

/* As mainline: a group stays one in its title, when empty members are left out, too. */
static void put_group_title(const struct report *r, const struct event *leader, bool many,
			    struct hists **members, u32 nr, struct outbuf *o)
{
	bool real = leader->group_members > 1;
	u32 i;

	outbuf_puts(o, many ? "events '" : "event '");
	if (many && real)
		outbuf_printf(o, "%s { ", leader->group_name ? leader->group_name : "anon group");
	for (i = 0; i < nr; i++)
		outbuf_printf(o, "%s%s", i ? ", " : "", hists_event_name(members[i]));
	outbuf_puts(o, many && real ? " }'" : "'");
	if (r->filter.time)
		outbuf_printf(o, " (time slices: %s)", r->filter.time);
}

void report_account(const struct report *r, struct outbuf *o)
{
	const struct deferred_account *d = &r->session->stats.deferred;

	if (!d->deferred && !d->records)
		return;
	outbuf_printf(o, "# Deferred callchains: %llu asked for, %llu joined, %llu never returned "
		      "to user space, %llu lost, %llu unreadable; %llu records, %llu of no sample\n",
		      d->deferred, d->joined, d->never_returned, d->lost, d->unreadable,
		      d->records, d->orphan_records);
}

struct report_section report_section(const struct report *r, u32 event, struct outbuf *title)
{
	u32 nr_events = r->session->events->nr, m;
	struct report_section s = { 0 };
	const struct event *leader;
	u64 samples = 0;
	bool many;

	s.members = xcalloc(max(nr_events, 1u), sizeof(*s.members));
	s.nr = members_of(r, event, s.members);
	for (m = 0; m < s.nr; m++)
		samples += hists_samples(s.members[m]);
	if (!samples && r->skip_empty)
		s.nr = 0;
	if (!s.nr)
		return s;
	leader = hists_event(s.members[0]);
	many = s.nr > 1;
	if (r->skip_empty)
		s.nr = skip_empty(s.members, s.nr);
	if (s.nr > 1)
		hists_link(s.members, s.nr);
	hists_sort(s.members[0], &r->cols, s.nr, r->group_sort_idx);
	put_group_title(r, leader, many, s.members, s.nr, title);
	return s;
}

static void put_events(struct report *r, struct outbuf *o)
{
	struct branch_counts branches = { .forward = 0 };
	u32 i;

	if (!r->quiet) {
		outbuf_printf(o, "#\n# Total Lost Samples: %llu\n", r->session->stats.lost_samples);
		report_account(r, o);
		report_diagnosis(r, o);
		outbuf_puts(o, "#\n");
	}
	for (i = 0; i < r->session->events->nr; i++) {
		struct stdio_view v = { .cols = &r->cols, .opt = &r->stdio, .out = o };
		struct report_section s;
		struct outbuf title;

		outbuf_init(&title, -1);
		s = report_section(r, i, &title);
		v.members = s.members;
		v.nr = s.nr;
		v.title = outbuf_text(&title);
		if (s.nr)
			stdio_print(&v);
		outbuf_deinit(&title);
		free(s.members);
	}
	if (!r->quiet) {
		outbuf_puts(o, "#\n");
		report_hints(r, o);
		outbuf_puts(o, "#\n");
	}
	for (i = 0; i < r->session->events->nr; i++)
		branch_counts_add(&branches, hists_branches(r->hists[i]));
	report_kinds(&branches, o);
}

/* Has any event a row that the filters leave? */
static bool any_row(const struct report *r)
{
	u32 i;

	for (i = 0; i < r->session->events->nr; i++)
		if (hists_any_row(r->hists[i]))
			return true;
	return false;
}

/* The options that only report has and that take samples away. */
static void nothing_passed(const struct report *r)
{
	struct outbuf more;

	outbuf_init(&more, -1);
	if (r->hist.symbol_filter)
		outbuf_printf(&more, " --symbol-filter %s", r->hist.symbol_filter);
	if (r->socket >= 0)
		outbuf_printf(&more, " --socket-filter %d", r->socket);
	if (r->hide_unresolved)
		outbuf_puts(&more, " --hide-unresolved");
	if (r->exclude_other)
		outbuf_puts(&more, " --exclude-other");
	if (r->kernel_side)
		outbuf_puts(&more, " --kernel");
	if (r->user_side)
		outbuf_puts(&more, " --user");
	error_report(filter_nothing_passed(&r->filter, r->session, outbuf_text(&more)));
	outbuf_deinit(&more);
}

/* One line that says why there is nothing to show. */
static void no_rows(const struct report *r)
{
	const struct session_stats *st = &r->session->stats;
	const char *path = reader_path(r->session->reader);
	u64 counted = 0;
	u32 i;

	for (i = 0; i < r->session->events->nr; i++)
		counted += hists_samples(r->hists[i]);
	if (st->nr_samples && r->branches && !counted)
		diag_error("%s: no sample with branches passes the filters; --no-branch-stack shows "
			   "samples without", path);
	else if (st->nr_samples)
		nothing_passed(r);
	else if (st->lost_samples || st->lost_events)
		diag_error("%s has no samples: %llu were lost; record again with a larger "
			   "buffer (-m) or a lower frequency (-F)", path,
			   st->lost_samples ? st->lost_samples : st->lost_events);
	else if (!reader_damaged(r->session->reader))	/* which reported itself */
		diag_error("%s has no samples: nothing ran while it was recorded", path);
}

/* --diff: the other recording, counted as this one. NULL after a message. */
static struct report *count_before(const struct report *r)
{
	struct report *b = report_of_words(r->argv);

	if (!b)
		return NULL;
	b->cfg.input = r->diff;
	if (!error_report(session_open(&b->cfg, &b->session)) && !report_make(b))
		return b;
	report_unmake(b);
	session_close(b->session);
	free(b);
	return NULL;
}

static int write_flame_graph(struct report *r, struct outbuf *o)
{
	struct report *before = NULL;
	u32 nr_frames, i;
	u64 samples = 0;
	bool bad;

	if (r->diff) {
		before = count_before(r);
		if (!before)
			return -1;
	}
	bad = error_report(flame_write(r->hists, r->session->events->nr, r->downwards, r->flamegraph, o,
				       before ? before->hists : NULL,
				       before ? before->session->events->nr : 0, &nr_frames));
	if (before) {
		report_unmake(before);
		session_close(before->session);
		free(before);
	}
	if (bad)
		return -1;
	for (i = 0; i < r->session->events->nr; i++)
		samples += hists_filtered_samples(r->hists[i]);
	if (strcmp(r->flamegraph, "-"))
		diag_info(0, "wrote %s: %u frames of %llu samples", r->flamegraph, nr_frames, samples);
	return 0;
}

/* Count, and make the rows. Return: 0; 1: there is nothing to show, which has been said. */
static int make_rows(struct report *r)
{
	int err = report_count(r);
	bool parallel = false;
	u32 i;

	if (err && err != -EINTR)
		return 1;
	for (i = 0; i < r->session->events->nr; i++) {
		hists_finish(r->hists[i]);
		parallel |= hists_parallel(r->hists[i]);
	}
	if (!parallel)
		hist_columns_hide_latency(&r->cols);
	if (any_row(r))
		return 0;
	if (!interrupted())
		no_rows(r);
	return 1;
}

int report_make(struct report *r)
{
	return setup(r) || make_rows(r);
}

static int print(struct report *r, struct outbuf *o)
{
	if (r->folded) {
		flame_folded(r->hists, r->session->events->nr, o);
		return 0;
	}
	if (r->flamegraph)
		return write_flame_graph(r, o) ? 1 : 0;
	if (r->ui == UI_TUI)
		return report_browse(r);
	put_events(r, o);
	return r->threads ? report_threads(r, o) : 0;
}

static void put_header_line(const struct report *r, struct outbuf *o)
{
	if (!r->quiet && !r->folded && !r->flamegraph && r->ui == UI_STDIO)
		outbuf_puts(o, "# To display the perf.data header info, please use "
			    "--header/--header-only options.\n#\n");
}

static int run(struct report *r, struct outbuf *o)
{
	int err;

	if (r->stats || r->tasks || r->mmaps) {
		err = r->stats ? report_stats(r, o) : 0;
		if (!err && (r->tasks || r->mmaps))
			err = report_tasks(r, o);
		return err;
	}
	if (r->header && !r->quiet && r->ui == UI_STDIO)
		header_print(r->session->reader, r->show_info, o);
	else
		put_header_line(r, o);
	if (r->dump)
		return dump_run(r->session, o, NULL, NULL) ? 1 : 0;
	if (r->total_cycles)
		return error_report(filter_setup(&r->filter, r->session)) ? 1 : report_blocks(r, o);
	if (setup(r))
		return 1;
	if (r->ui == UI_STDIO) {
		elide(r, &r->filter.comms, "comm", "comm", o);
		elide(r, &r->filter.dsos, "dso", "dso", o);
	}
	err = make_rows(r);
	if (err)
		return err;
	if (r->ui == UI_STDIO) {
		/* One name may stand for several functions, which are known only now. */
		if (r->filter.symbols.nr == 1 && hist_env_is_called(r->env, r->filter.symbols.names[0]))
			elide(r, &r->filter.symbols, "symbol", "symbol", o);
		hist_columns_keep_keys(&r->cols);
	}
	return print(r, o);
}

void report_unmake(struct report *r)
{
	u32 i;

	for (i = 0; r->hists && i < r->session->events->nr; i++)
		hists_destroy(r->hists[i]);
	free(r->hists);
	cuts_destroy(r->cuts);
	hist_env_destroy(r->env);
	if (r->hist.parent_regex)
		regfree(&r->parent_regex);
	if (r->hist.ignore_callees)
		regfree(&r->ignore_callees_regex);
	hist_columns_deinit(&r->cols);
	filter_deinit(&r->filter);
}

/* Read the recording and show it. Return: the exit status. */
static int show(struct report *r)
{
	struct outbuf o;
	bool paged = false;
	int status;

	if (error_report(session_open(&r->cfg, &r->session))) {
		report_unmake(r);
		return 1;
	}
	/* A pager cuts or folds lines as its user likes; call graphs are not cut anywhere. */
	r->stdio.width = r->stdio.sep || r->stdio.widths ? 0 : terminal_width(STDOUT_FILENO);
	if (!r->flamegraph && r->ui == UI_STDIO) {
		struct error *e = pager_start(&paged);

		if (e)
			diag_warn("%s", e->text);
		error_free(e);
	}
	if (paged)
		r->stdio.width = 0;
	if (error_report(colour_setup(r->colour, paged)))
		return 129;
	/* The browser has colours of its own: in its text there are no escape sequences. */
	ui_colour &= r->ui == UI_STDIO;
	outbuf_init(&o, STDOUT_FILENO);
	status = run(r, &o);
	if (reader_damaged(r->session->reader) && !status)
		status = 1;
	/* A write that failed is reported at exit; a reader that has gone is no failure. */
	if (outbuf_deinit(&o))
		status = 0;
	if (interrupted()) {
		diag_warn("%s: interrupted: this is what had come by then", reader_path(r->session->reader));
		status = 130;
	}
	pager_wait();
	report_unmake(r);
	session_close(r->session);
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct report r = { .hist.chain = CHAIN_OPT_DEFAULT };
	_cleanup_free_ char **words = xcalloc(argc + 1, sizeof(*words));
	int status;

	/* Parsing may put operands behind options, over what stood there. */
	memcpy(words, argv, argc * sizeof(*words));
	r.argv = words;
	if (report_options(&r, argc, argv))
		return 129;
	if (r.header_only)
		return header_print_only(r.cfg.input, r.cfg.force, r.show_info);
	if (r.dump)
		r.cfg.no_merge_callchains = r.cfg.no_unwind = r.cfg.as_recorded = true;
	r.cfg.parallelism = !r.dump && !r.stats && !r.tasks && !r.mmaps;
	if (r.ui == UI_TUI && !tui_begin()) {
		diag_error("--tui: the terminal cannot be used; --stdio prints text");
		return 1;
	}
	status = show(&r);
	if (r.ui == UI_TUI)
		tui_end();
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Fits the options of perf report to a recording: data that the recording lacks is an error, and
 * unset options get defaults from its contents. The input is the options and the session of a
 * report. The results belong to the report: the configuration of histograms and tables, the
 * columns, the filter and the empty histograms.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/report/report.h"

/* @use: set to @re if @text is a regular expression. */
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

/* Rows of branches: with -b, or if branches were recorded. */
static int setup_branches(struct report_run *r)
{
	const struct session *s = r->session;
	bool have = s->events->sample_type & PERF_SAMPLE_BRANCH_STACK;
	bool stacks = r->opt->flamegraph || r->opt->folded;
	struct feature_cursor c;

	if (r->opt->branch_history && !have)
		return diag_error("%s has no branch records for --branch-history: record with perf record -b",
				  s->reader->path);
	if (r->opt->branch_history && stacks)
		return diag_error("--branch-history: branches have no stacks for a flame graph");
	if (r->opt->branch_history && r->opt->hierarchy)
		return diag_error("--branch-history and --hierarchy cannot be used together");
	if (r->opt->branch_history) {
		r->hist.branch_history = true;
		return 0;
	}
	if (r->opt->mem_mode)
		return 0;
	if (r->opt->branches > 0 && !have)
		return diag_error("%s has no branch records for -b: record with perf record -b",
				  s->reader->path);
	if (r->opt->branches > 0 && stacks)
		return diag_error("-b: branches have no stacks for a flame graph");
	if (r->opt->branches >= 0)
		r->hist.branches = r->opt->branches;
	else	/* As in mainline: FEAT_BRANCH_STACK is set, and no stacks are unwound. */
		r->hist.branches = have && !stacks && !(s->events->sample_type & PERF_SAMPLE_STACK_USER) &&
				   !any_lbr_chains(s->events) &&
				   feature_open(s->features, FEAT_BRANCH_STACK, &c);
	return 0;
}

/* Rows of memory accesses: periods are weights. */
static int setup_memory(struct report_run *r)
{
	const struct session *s = r->session;

	if (!r->opt->mem_mode)
		return 0;
	if (r->opt->branches > 0)
		return diag_error("--mem-mode and -b cannot be used together");
	if (!(s->events->sample_type & PERF_SAMPLE_DATA_SRC))
		return diag_error("%s has no data sources for --mem-mode: record with perf mem record, or with -d and "
				  "an event of memory accesses", s->reader->path);
	r->hist.mem_mode = r->stdio.weights = true;
	return 0;
}

/* Choose call graphs and children by the contents of the recording. */
static int setup_chains(struct report_run *r)
{
	struct hist_config *c = &r->hist;
	bool have = r->session->events->sample_type & PERF_SAMPLE_CALLCHAIN;
	bool stacks = r->session->events->sample_type & PERF_SAMPLE_STACK_USER;
	/* --mem-mode implies --no-children. */
	bool children = r->opt->children > 0 && !r->opt->mem_mode;
	bool children_set = r->opt->children >= 0 || r->opt->mem_mode;

	if (c->branch_history && !c->chain.key_set)
		c->chain.key = CHAIN_KEY_ADDRESS;
	if (!have && !stacks && c->branch_history) {
		/* As in mainline: oldest branch first, except with --no-children. */
		c->use_chains = true;	/* the columns of branches are sums over stacks */
		if (children_set && !children && !c->chain.order_set)
			c->chain.caller = false;
		return 0;
	}
	if (!have && !stacks) {
		if (r->opt->chain_set && c->chain.mode != CHAIN_NONE)
			return diag_error("%s has no callchains for -g: record with perf record -g",
					  r->session->reader->path);
		if (r->opt->flamegraph || r->opt->folded)
			diag_warn("%s has no callchains: a stack is one frame",
				  r->session->reader->path);
		c->chain.mode = CHAIN_NONE;
		return 0;
	}
	if (c->branches) {
		c->chain.mode = CHAIN_NONE;
		return 0;
	}
	c->use_chains = c->chain.mode != CHAIN_NONE;
	/* As in mainline: not for a pipe, whose events follow too late for a default. */
	c->children = children_set ? children : !r->session->reader->pipe_format;
	if (r->opt->hierarchy)
		c->children = false;
	if (!c->children && !c->chain.order_set && (!r->opt->hierarchy || children_set) &&
	    (children_set || !r->session->reader->pipe_format))
		c->chain.caller = false;
	return 0;
}

/* Width of the column Time with --ns. */
#define TIME_NS_WIDTH 16

int report_fit(struct report_run *r)
{
	struct hist_column_opt columns = {
		.latency = r->opt->latency, .sys_us = r->opt->sys_us, .nr_samples = r->opt->nr_samples, .period = r->opt->total_period,
		.parent = r->opt->parent,
	};
	struct hist_config *c = &r->hist;
	struct session *s = r->session;
	u32 i;

	if (r->opt->latency && !s->has_parallelism)
		return diag_error("%s does not say how many threads ran when, for --latency: record with "
				  "--latency, into a file", s->reader->path);
	if (setup_memory(r) || setup_branches(r) || setup_chains(r))
		return -1;
	if (r->opt->parent || (r->sort && strstr(r->sort, "parent")) || r->opt->exclude_other) {
		if (make_regex("--parent", r->opt->parent ? r->opt->parent : "^sys_|^do_page_fault",
			       &r->parent_regex, &c->parent_regex))
			return -1;
	}
	if (r->opt->ignore_callees &&
	    make_regex("--ignore-callees", r->opt->ignore_callees, &r->ignore_callees_regex,
		       &c->ignore_callees))
		return -1;
	if (error_report(filter_setup(&r->filter, s)))
		return -1;
	if (r->opt->socket >= 0 && !s->features->nr_topology)
		return diag_error("--socket-filter: %s does not say which CPU is on which socket",
				  s->reader->path);
	c->filter = filter_given(&r->filter) ? &r->filter : NULL;
	c->hide_unresolved = r->opt->hide_unresolved;
	c->exclude_other = r->opt->exclude_other;
	c->kernel_only = r->opt->kernel_side;
	c->user_only = r->opt->user_side;
	if (r->opt->flamegraph || r->opt->folded) {
		/*
		 * Complete stacks only, from the outermost frame unless -g says callee. With -g
		 * caller, the root of the graph is at the top.
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
	if (r->opt->mem_mode && !r->fields)
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

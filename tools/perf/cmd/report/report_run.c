// SPDX-License-Identifier: GPL-2.0
/*
 * A report: from options and a session to rows. The command creates one; --diff creates another
 * for the older recording; the browser creates one for each recount. A report owns its results,
 * but neither the options nor the session.
 */
#include "base/diag.h"
#include "base/error.h"
#include "base/progress.h"
#include "cmd/report/report.h"

struct report_run report_run_of(const struct report_options *o, struct session *s)
{
	return (struct report_run){
		.opt = o, .session = s, .hist = o->hist, .stdio = o->stdio, .filter = o->filter,
		.sort = o->sort, .fields = o->fields,
	};
}

/* Add perf report's own filtering options to the message for an empty result. */
static void nothing_passed(const struct report_run *r)
{
	_cleanup_outbuf_ struct outbuf more = { 0 };

	if (r->hist.symbol_filter)
		outbuf_printf(&more, " --symbol-filter %s", r->hist.symbol_filter);
	if (r->opt->socket >= 0)
		outbuf_printf(&more, " --socket-filter %d", r->opt->socket);
	if (r->opt->hide_unresolved)
		outbuf_puts(&more, " --hide-unresolved");
	if (r->opt->exclude_other)
		outbuf_puts(&more, " --exclude-other");
	if (r->opt->kernel_side)
		outbuf_puts(&more, " --kernel");
	if (r->opt->user_side)
		outbuf_puts(&more, " --user");
	error_report(filter_nothing_passed(&r->filter, r->session, outbuf_text(&more)));
}

/* Print one line with the reason for an empty report. */
static void no_rows(const struct report_run *r)
{
	const struct session_stats *st = &r->session->stats;
	const char *path = r->session->reader->path;
	u64 counted = 0;
	u32 i;

	if (error_report(session_only_counts(r->session)))
		return;
	for (i = 0; i < r->session->events->nr; i++)
		counted += r->hists[i]->total.nr;
	if (st->nr_samples && r->hist.branches && !counted)
		diag_error("%s: no sample with branches passes the filters; --no-branch-stack shows "
			   "samples without", path);
	else if (st->nr_samples)
		nothing_passed(r);
	else if (st->lost_samples || st->lost_events)
		diag_error("%s has no samples: %llu were lost; record again with a larger "
			   "buffer (-m) or a lower frequency (-F)", path, session_lost(st));
	else if (!r->session->reader->damaged)	/* damage was reported */
		diag_error("%s has no samples: nothing ran while it was recorded", path);
}

int report_rows(struct report_run *r)
{
	int err = report_count(r);
	bool parallel = false, any = false;
	u32 i;

	if (err && err != -EINTR)
		return 1;
	for (i = 0; i < r->session->events->nr; i++) {
		hists_finish(r->hists[i]);
		parallel |= r->hists[i]->total.latency != r->hists[i]->total.period;
		any |= hists_any_row(r->hists[i]);
	}
	if (!parallel)
		hist_columns_hide_latency(&r->cols);
	if (any)
		return 0;
	if (!interrupted())
		no_rows(r);
	return 1;
}

int report_make(struct report_run *r)
{
	return report_fit(r) || report_rows(r);
}

void report_unmake(struct report_run *r)
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
	filter_forget(&r->filter);
}

void report_free_other(struct report_run *r)
{
	report_unmake(r);
	session_close(r->session);
	free(r);
}

struct report_run *report_count_other(struct report_run *r, const char *path)
{
	struct session_config cfg = r->opt->cfg;
	struct report_run *other;
	struct session *s;
	bool none;

	cfg.input = path ?: r->opt->diff;
	if (error_report(session_open(&cfg, &s)))
		return NULL;
	other = xmalloc(sizeof(*other));
	*other = report_run_of(r->opt, s);
	other->hist.full_names = r->hist.full_names;
	if (!path && r->opt->before_time)
		other->filter.time = r->opt->before_time;
	none = report_make(other);
	r->other_damaged |= s->reader->damaged;
	if (!none)
		return other;
	report_free_other(other);
	return NULL;
}

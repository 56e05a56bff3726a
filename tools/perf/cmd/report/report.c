// SPDX-License-Identifier: GPL-2.0
/*
 * perf report: sums over the samples of a recording, as tables, a flame graph, folded stacks, or
 * in the browser.
 *
 * Calls go one way: report --> browse --> report_run --> fit_options, count; and from report and
 * browse to sections, hints, times and the other files, each of which prints one section of the
 * output. report_options.c parses the command line; struct report_options is constant after that.
 * struct report_run has the state derived from it and a recording.
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
#include "event/value_text.h"
#include "render/colour.h"
#include "render/flame.h"
#include "render/pager.h"
#include "tui/tui.h"

/* Replace the column of a filter with a single name by a line above the table. */
static void elide(struct report_run *r, const struct name_list *l, const char *key, const char *title,
		  struct outbuf *o)
{
	if (l->nr != 1 || r->fields)
		return;
	if (hist_columns_hide(&r->cols, key) && !r->opt->quiet)
		outbuf_printf(o, "# %s: %s\n", title, l->names[0]);
}

static void put_events(struct report_run *r, struct outfile *out)
{
	struct outbuf *o = &out->text;
	struct branch_counts branches = { .forward = 0 };
	u32 i;

	if (!r->opt->quiet) {
		outbuf_printf(o, "#\n# Total Lost Samples: %llu\n", session_lost(&r->session->stats));
		report_account(r, o);
		report_diagnosis(r, o);
		outbuf_puts(o, "#\n");
	}
	for (i = 0; i < r->session->events->nr; i++)
		report_print_section(r, i, out);
	if (!r->opt->quiet) {
		outbuf_puts(o, "#\n");
		report_hints(r, o);
		outbuf_puts(o, "#\n");
	}
	for (i = 0; i < r->session->events->nr; i++)
		branch_counts_add(&branches, &r->hists[i]->branches);
	report_kinds(&branches, o);
}

static int write_flame_graph(struct report_run *r, struct outbuf *o)
{
	struct report_run *before = NULL;
	u32 nr_frames, i;
	u64 samples = 0;
	bool bad;

	if (r->opt->diff) {
		before = report_count_other(r, NULL);
		if (!before)
			return -1;
	}
	bad = error_report(flame_write(r->hists, r->session->events->nr, r->downwards, r->opt->flamegraph, o,
				       before ? before->hists : NULL,
				       before ? before->session->events->nr : 0, &nr_frames));
	if (before)
		report_free_other(before);
	if (bad)
		return -1;
	for (i = 0; i < r->session->events->nr; i++)
		samples += r->hists[i]->filtered.nr;
	if (strcmp(r->opt->flamegraph, "-"))
		diag_info(0, "wrote %s: %u frames of %llu samples", r->opt->flamegraph, nr_frames, samples);
	return 0;
}

static int print(struct report_run *r, struct outfile *o)
{
	if (r->opt->diff && !r->opt->flamegraph)
		return report_diff(r, o);
	if (r->opt->folded) {
		flame_folded(r->hists, r->session->events->nr, o);
		return 0;
	}
	if (r->opt->flamegraph)
		return write_flame_graph(r, &o->text) ? 1 : 0;
	if (r->opt->ui == UI_TUI)
		return report_browse(r);
	put_events(r, o);
	return r->opt->threads ? report_threads(r, &o->text) : 0;
}

static int print_recording(struct report_run *r, struct outfile *out)
{
	bool head = !r->opt->quiet && r->opt->ui == UI_STDIO;
	struct outbuf *o = &out->text;
	int err;

	if (r->opt->stats || r->opt->tasks || r->opt->mmaps) {
		err = r->opt->stats ? report_stats(r, o) : 0;
		if (!err && (r->opt->tasks || r->opt->mmaps))
			err = report_tasks(r, out);
		return err;
	}
	if (head && r->opt->header)
		header_print(r->session->reader, r->opt->show_info, o);
	else if (head && !r->opt->folded && !r->opt->flamegraph && !r->opt->diff)
		outbuf_puts(o, "# To display the perf.data header info, please use "
			    "--header/--header-only options.\n#\n");
	if (r->opt->dump)
		return dump_run(r->session, out, NULL, NULL) ? 1 : 0;
	if (r->opt->total_cycles)
		return error_report(filter_setup(&r->filter, r->session)) ? 1 : report_blocks(r, o);
	if (report_fit(r))
		return 1;
	/* (Of several recordings all must have the same columns.) */
	if (r->opt->ui == UI_STDIO && !r->opt->diff) {
		elide(r, &r->filter.comms, "comm", "comm", o);
		elide(r, &r->filter.dsos, "dso", "dso", o);
	}
	err = report_rows(r);
	if (err)
		return err;
	if (r->opt->ui == UI_STDIO && !r->opt->diff) {
		/* One name may match several functions, which are known only after counting. */
		if (r->filter.symbols.nr == 1 && hist_env_is_called(r->env, r->filter.symbols.names[0]))
			elide(r, &r->filter.symbols, "symbol", "symbol", o);
		hist_columns_keep_keys(&r->cols);
	}
	return print(r, out);
}

/* Read the recording and show it. Return: the exit status. */
static int show(const struct report_options *opt)
{
	struct report_run run, *r = &run;
	struct session *s;
	struct outfile o;
	bool paged = false;
	int status;

	if (error_report(session_open(&opt->cfg, &s)))
		return 1;
	run = report_run_of(opt, s);
	/* Scripts read whole names. */
	r->hist.full_names |= opt->ui == UI_STDIO && !isatty(STDOUT_FILENO);
	/* A pager truncates or folds lines itself; call graphs are never truncated. */
	r->stdio.width = r->stdio.sep || r->stdio.widths ? 0 : terminal_width(STDOUT_FILENO);
	if (!opt->flamegraph && opt->ui == UI_STDIO) {
		struct error *e = pager_start(&paged);

		if (e)
			diag_warn("%s", e->text);
		error_free(e);
	}
	if (paged)
		r->stdio.width = 0;
	if (error_report(colour_setup(opt->colour, paged)))
		return 129;
	/* The browser's text has no escape sequences: the browser sets its own colours. */
	ui_colour &= opt->ui == UI_STDIO;
	outfile_init(&o, STDOUT_FILENO);
	status = print_recording(r, &o);
	if ((s->reader->damaged || r->other_damaged) && !status)
		status = 1;
	/* A write error is reported at exit; a closed pipe is not an error. */
	if (outfile_deinit(&o))
		status = 0;
	if (interrupted()) {
		diag_warn("%s: interrupted: this is what had come by then", s->reader->path);
		status = 130;
	}
	pager_wait();
	report_unmake(r);
	session_close(s);
	return status;
}

int cmd_report(int argc, char **argv)
{
	_cleanup_free_ char **words = xcalloc(argc + 1, sizeof(*words));
	struct report_options o;
	int status;

	/* Parsing may reorder the arguments, overwriting argv. */
	memcpy(words, argv, argc * sizeof(*words));
	if (report_options_parse(&o, words, argc, argv)) {
		status = 129;
	} else if (o.header_only) {
		status = header_print_only(o.cfg.input, o.cfg.force, o.show_info);
	} else if (o.ui == UI_TUI && !tui_begin()) {
		diag_error("--tui: the terminal cannot be used; --stdio prints text");
		status = 1;
	} else {
		status = show(&o);
		if (o.ui == UI_TUI)
			tui_end();
	}
	report_options_deinit(&o);
	return status;
}

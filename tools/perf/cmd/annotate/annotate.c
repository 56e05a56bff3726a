// SPDX-License-Identifier: GPL-2.0
/*
 * perf annotate: functions with their samples beside assembly and source, as text.
 *
 * The command line is read into struct annotation, which owns the session. Functions are printed
 * event by event, the heaviest first.
 */
#include <unistd.h>

#include "annotate/annotate.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/values.h"
#include "render/colour.h"
#include "render/pager.h"

struct annotation {
	struct session *session;
	struct session_config cfg;
	struct filter filter;
	struct annotate_opt opt;
	struct annotate_style style;
	double limit;			/* percent of the event; functions below are not printed */
	const char *colour;
	bool global;			/* percentages are of the event, not of the function */
};

static struct error *opt_limit(const struct opt *opt, const char *arg, bool unset __unused)
{
	char *end;
	double v = strtod(arg ? arg : "", &end);

	if (!arg || end == arg || *end || !(v >= 0) || v > 100)
		return error_create(EINVAL, "--percent-limit: '%s' is not a percentage", arg ? arg : "");
	*(double *)opt->value = v;
	return NULL;
}

static struct error *opt_percent_type(const struct opt *opt, const char *arg, bool unset __unused)
{
	static const char *const names[] = { "local-period", "global-period", "local-hits", "global-hits" };
	struct annotation *a = opt->value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(arg ? arg : "", names[i]))
			continue;
		a->global = i & 1;
		a->style.by_samples = i & 2;
		return NULL;
	}
	return error_create(EINVAL, "--percent-type: '%s' is not one of local-period, global-period, "
			    "local-hits, global-hits", arg ? arg : "");
}

/* Return: 0, or -1 after diag_error(). */
static int read_options(struct annotation *a, int argc, char **argv)
{
	struct symbol_config *sym = &a->cfg.symbols;
	bool demangle = true, source = true, samples = false, period = false;
	int operand;
	const struct opt opts[] = {
		{ OPT_GROUP, .help = "What to read" },
		{ OPT_STRING, 'i', "input", &a->cfg.input, "file", .help = "the recording (perf.data; - for a pipe)" },
		{ OPT_BOOL, 'f', "force", &a->cfg.force, .help = "do not insist that the file is ours" },
		{ OPT_STRING, 'k', "vmlinux", &sym->vmlinux, "file", .help = "kernel symbols from this vmlinux" },
		{ OPT_STRING, 0, "kallsyms", &sym->kallsyms, "file", .help = "kernel symbols from this kallsyms" },
		{ OPT_STRING, 0, "symfs", &sym->symfs, "dir", .help = "look for files with symbols under this directory" },
		MAX_MEMORY_OPT,
		{ OPT_BOOL, 0, "demangle", &demangle, .help = "show names of C++, Rust, OCaml and Java as in the source" },
		{ OPT_BOOL, 0, "demangle-kernel", &sym->demangle_kernel, .help = "kernel names, too" },
		{ OPT_BOOL, 0, "function-starts", &sym->function_starts, .help = "functions without symbols, too, by where they begin: "
		  "sort+0x8850 (default)" },
		{ OPT_STRING, 0, "objdump", &a->style.objdump, "path", .help = "the program that shows instructions (objdump)" },

		{ OPT_GROUP, .help = "Which samples" },
		{ OPT_STRING, 's', "symbol", &a->opt.symbol, "name", .help = "of this function; likewise as an operand" },
		FILTER_OPTIONS(a->filter, 'd'),
		{ OPT_CALLBACK, 0, "percent-limit", &a->limit, "percent",
		  "of functions with so much of the event (0.5; with a function: 0)", .call = opt_limit },

		{ OPT_GROUP, .help = "How to print it" },
		{ OPT_BOOL, 'n', "show-nr-samples", &samples, .help = "numbers of samples in place of percentages" },
		{ OPT_BOOL, 0, "show-total-period", &period, .help = "periods in place of percentages" },
		{ OPT_CALLBACK, 0, "percent-type", a, "type", "local-period (of the function), global-period (of the "
		  "event), local-hits, global-hits (samples)", .call = opt_percent_type },
		{ OPT_BOOL, 0, "source", &source, .help = "lines of source above the instructions" },
		{ OPT_STRING, 'M', "disassembler-style", &a->style.syntax, "style", .help = "for objdump: intel" },
		{ OPT_BOOL, 0, "asm-raw", &a->style.raw, .help = "with the bytes of instructions" },
		{ OPT_STRING, 0, "stdio-color", &a->colour, "when", .help = "always, never or auto",
		  .default_arg = "always", .takes_next = true },
		{ OPT_CALLBACK, 0, "stdio", .call = opt_no_effect, .help = "as text (always)" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "say more" },
		IGNORED('q', "quiet", NULL),
		IGNORED('m', "modules", NULL),
		IGNORED('l', "print-line", NULL),
		IGNORED('P', "full-paths", NULL),
		IGNORED(0, "skip-missing", NULL),
		IGNORED(0, "stdio2", NULL),
		IGNORED(0, "skip-empty", NULL),
		IGNORED(0, "ignore-vmlinux", NULL),
		IGNORED(0, "addr2line", "path"),
		TRACES_OPT("itrace", &a->cfg.traces, ""),
		{ OPT_CALLBACK, 0, "tui", .help = "in perf report the key a shows a function",
		  .call = opt_not_here, .hidden = true },
		{ .kind = OPT_END },
	};

	a->limit = -1;
	sym->function_starts = true;
	if (error_report(argparse(argc, argv, opts, "perf annotate [<options>] [<function>]", false, &operand)))
		return -1;
	if (samples && period)
		return diag_error("--show-nr-samples and --show-total-period use the same column: give one");
	a->style.column = samples ? ANNOTATE_SAMPLES : period ? ANNOTATE_PERIOD : ANNOTATE_PERCENT;
	if (operand < argc && (a->opt.symbol || operand + 1 < argc))
		return diag_error("'%s': perf annotate takes one function; -i FILE names the recording",
				  argv[argc - 1]);
	if (operand < argc)
		a->opt.symbol = argv[operand];
	if (a->limit < 0)
		a->limit = a->opt.symbol ? 0 : 0.5;
	sym->no_demangle = a->style.no_demangle = !demangle;
	a->style.no_source = !source;
	a->opt.filter = &a->filter;
	return 0;
}

/* Return: the exit status. */
static int print(const struct annotation *a, const struct annotate *got, struct outfile *o)
{
	u32 nr = 0, i;

	for (i = 0; i < got->nr_funcs && !interrupted(); i++) {
		struct annotate_func *f = &got->funcs[i];

		if (100.0 * f->period < a->limit * got->total[f->event->idx].period)
			continue;
		if (nr++)
			outbuf_puts(&o->text, "\n");
		annotate_print(f, &a->style, &o->text);
		outfile_drain(o);
	}
	if (nr || interrupted())
		return 0;
	if (error_report(session_only_counts(a->session)))
		return 1;
	if (a->opt.symbol)
		diag_error("%s: no sample is in a function '%s'", a->session->reader->path,
			   a->opt.symbol);
	else if (got->nr_funcs)
		diag_error("%s: no function has %g %% of the samples: --percent-limit 0",
			   a->session->reader->path, a->limit);
	else
		diag_error("%s: no sample is in a known function (%llu are elsewhere)",
			   a->session->reader->path, got->unknown);
	return 1;
}

static int run(struct annotation *a)
{
	struct annotate got;
	struct outfile o;
	bool paged = false, stopped;
	int status = 1, ret;

	if (error_report(filter_setup(&a->filter, a->session)))
		return 1;
	error_report(pager_start(&paged));
	if (error_report(colour_setup(a->colour, paged)))
		return 129;
	outfile_init(&o, STDOUT_FILENO);
	ret = annotate_collect(&got, a->session, &a->opt);
	stopped = interrupted();
	if (a->global)
		a->style.whole = &got;
	/* Print the result so far completely, unless ^C is pressed again. */
	interrupt_forget();
	interrupt_catch();
	if (ret >= 0 || stopped)
		status = print(a, &got, &o);
	annotate_deinit(&got);
	/* A failed write is reported at exit; a closed pipe is not an error. */
	if (outfile_deinit(&o))
		status = 0;
	if (stopped || interrupted()) {
		diag_warn("%s: interrupted: partial result", a->session->reader->path);
		status = 130;
	}
	pager_wait();
	return status ?: a->session->reader->damaged;
}

int cmd_annotate(int argc, char **argv)
{
	struct annotation a = { 0 };
	int status = 1;

	if (read_options(&a, argc, argv))
		return 129;
	interrupt_catch();
	if (!error_report(session_open(&a.cfg, &a.session))) {
		status = run(&a);
		session_close(a.session);
	}
	filter_deinit(&a.filter);
	return status;
}

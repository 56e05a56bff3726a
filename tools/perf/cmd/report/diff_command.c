// SPDX-License-Identifier: GPL-2.0
/*
 * perf diff: its command line becomes one of perf report --diff=, which reads the recordings' names
 * from the operands.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/argparse.h"
#include "base/error.h"
#include "base/outbuf.h"
#include "cmd/cmd.h"

/* A letter stands for the long option of perf report, whose letters are others. */
static const struct opt options[] = {
	{ OPT_GROUP, .help = "Options, beside those of perf report" },
	{ OPT_STRING, 'c', "compute", NULL, "how", .help = "order by delta-abs (default), delta or ratio" },
	{ OPT_INT, 'o', "order", NULL, "n", .help = "order by the differences of this recording (1)" },
	{ OPT_BOOL, 'b', "baseline-only", .help = "without functions that the first recording lacks" },
	{ OPT_BOOL, 'p', .help = "columns of the periods" },
	{ OPT_STRING, 'C', "comms", NULL, "name,...", .help = "of tasks with these names" },
	{ OPT_BOOL, 'g', .help = "call paths instead of functions" },
	{ OPT_BOOL, 0, "folded", .help = "one line a call path: a;b;c OLD NEW" },
	{ OPT_STRING, 0, "flamegraph", NULL, "file", .help = "a flame graph as SVG, coloured by what changed",
	  .default_arg = "flamegraph.svg" },
	{ OPT_STRING, 0, "before-time", NULL, "start,stop", .help = "--time of the first recording" },
	{ OPT_END },
};

static char *translate(const char *word)
{
	const struct opt *o = options;
	_cleanup_outbuf_ struct outbuf text = { 0 };

	while (o->kind != OPT_END && (word[0] != '-' || !o->short_name || word[1] != o->short_name))
		o++;
	if (o->kind == OPT_END)
		return xstrdup(word);
	if (o->short_name == 'p')
		return xstrdup("--show-total-period");
	/* -g takes no next word: that is a recording. */
	if (o->short_name == 'g')
		outbuf_printf(&text, "--call-graph=%s", word + 2);
	else
		outbuf_printf(&text, word[2] ? "--%s=%s" : "--%s%s", o->long_name, word + 2);
	return xstrdup(outbuf_text(&text));
}

int cmd_diff(int argc, char **argv)
{
	char *help[] = { argv[0], argc > 1 ? argv[1] : NULL };
	char **words = xcalloc(argc + 2, sizeof(*words)), **kept;
	int status, i;

	if (help[1] && (!strcmp(help[1], "-h") || !strcmp(help[1], "--help")))
		error_free(argparse(2, help, options, "perf diff [<options>] [<old> <new>...]", false,
				    &i));
	words[0] = xstrdup(argv[0]);
	words[1] = xstrdup("--diff=");
	for (i = 1; i < argc; i++)
		words[i + 1] = translate(argv[i]);
	kept = xcalloc(argc + 2, sizeof(*kept));
	memcpy(kept, words, (argc + 1) * sizeof(*kept));
	status = cmd_report(argc + 1, words);
	for (i = 0; i <= argc; i++)
		free(kept[i]);
	free(kept);
	free(words);
	return status;
}

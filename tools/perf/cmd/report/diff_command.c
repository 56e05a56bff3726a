// SPDX-License-Identifier: GPL-2.0
/*
 * perf diff: its command line becomes one of perf report --diff=, which reads the recordings' names
 * from the operands.
 */
#include "base/argparse.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
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

static void translate(const char *word, struct word_list *words)
{
	const struct opt *o = options;

	while (o->kind != OPT_END && (word[0] != '-' || !o->short_name || word[1] != o->short_name))
		o++;
	if (o->kind == OPT_END)
		words_add(words, "%s", word);
	else if (o->short_name == 'p')
		words_add(words, "--show-total-period");
	else if (o->short_name == 'g')	/* takes no next word: that is a recording */
		words_add(words, "--call-graph=%s", word + 2);
	else
		words_add(words, word[2] ? "--%s=%s" : "--%s%s", o->long_name, word + 2);
}

int cmd_diff(int argc, char **argv)
{
	char *help[] = { argv[0], argc > 1 ? argv[1] : NULL };
	_cleanup_words_ struct word_list words = { 0 };
	_cleanup_free_ char **reordered = NULL;
	int i;

	if (help[1] && (!strcmp(help[1], "-h") || !strcmp(help[1], "--help")))
		error_free(argparse(2, help, options, "perf diff [<options>] [<old> <new>...]",
				    false, &i));
	words_add(&words, "%s", argv[0]);
	words_add(&words, "--diff=");
	for (i = 1; i < argc; i++)
		translate(argv[i], &words);
	reordered = xcalloc(words.nr + 1, sizeof(*reordered));
	memcpy(reordered, words.v, words.nr * sizeof(*reordered));
	return cmd_report(words.nr, reordered);
}

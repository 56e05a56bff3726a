// SPDX-License-Identifier: GPL-2.0
/*
 * The program's entry: main() finds the command that the first word names, and its result is
 * the exit status.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/stdout.h"
#include "cmd/cmd.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "record", cmd_record, "Record what a command, processes or the system do, into perf.data" },
	{ "report", cmd_report, "Sum up a recording: histograms, call graphs, flame graphs" },
	{ "script", cmd_script, "Print the samples of a recording, a block of text each" },
	{ "inject", cmd_inject, "Make a recording with whole callchains, which any reader understands" },
	{ "list", cmd_list, "List the events that record can measure" },
	{ "unwind", cmd_unwind, "Show the unwind tables of programs, and check them" },
	{ "config", cmd_config, "Show and change settings" },
	{ "help", cmd_help, "Print this list, or a command's manual page" },
	{ "version", cmd_version, "Print the version" },
};

static void usage(FILE *f)
{
	size_t i;

	fprintf(f, "\n usage: perf [--version] [--help] COMMAND [ARGS]\n\n"
		" The perf commands are:\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "   %-12s %s\n", commands[i].name, commands[i].help);
	fprintf(f, "\n 'perf COMMAND -h' lists a command's options.\n\n");
}

int cmd_help(int argc __unused, char **argv __unused)
{
	usage(stdout);
	return 0;
}

int cmd_version(int argc __unused, char **argv __unused)
{
	printf("perf version %s\n", PERF_VERSION);
	return 0;
}

int main(int argc, char **argv)
{
	size_t i;

	diag_set_sink(diag_to_stderr);
	stdout_begin();
	if (argc < 2) {
		usage(stdout);
		return 1;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v"))
		return cmd_version(0, NULL);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cmd_help(0, NULL);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	diag_error("'%s' is not a perf command: 'perf help' lists them", argv[1]);
	return 1;
}

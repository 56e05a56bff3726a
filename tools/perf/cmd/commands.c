// SPDX-License-Identifier: GPL-2.0
/*
 * The table of commands, and functions for all of them: their list, including those of the other
 * perf, manual pages, and passing a command on to the other perf. Owns nothing.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/nearest.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "cmd/other_perf.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "record", cmd_record, "Record samples of a command, processes or the system, into perf.data" },
	{ "report", cmd_report, "Print the profile of a recording: histograms, call graphs, flame graphs" },
	{ "diff", cmd_diff, "Compare recordings: what takes more or less of the time" },
	{ "top", cmd_top, "Show what runs now: perf report of the last seconds, live" },
	{ "annotate", cmd_annotate, "Show the samples of functions beside their assembly and source" },
	{ "script", cmd_script, "Print the samples of a recording, a block of text each" },
	{ "inject", cmd_inject, "Copy a recording with complete callchains, for any reader" },
	{ "data", cmd_data, "Convert a recording for other profilers: pprof, speedscope, folded stacks, JSON" },
	{ "list", cmd_list, "List the events that record can measure" },
	{ "unwind", cmd_unwind, "Show, check and register the unwind tables of programs" },
	{ "archive", cmd_archive, "Pack the files that a recording needs, for another machine" },
	{ "buildid-cache", cmd_buildid_cache, "Add, remove and list files of perf's cache" },
	{ "buildid-list", cmd_buildid_list, "List the build-ids of a recording" },
	{ "config", cmd_config, "Show and change settings" },
	{ "help", cmd_help, "Print this list, or open a command's manual page" },
	{ "version", cmd_version, "Print the version and the libraries" },
};

int (*command_find(const char *name))(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run;
	return NULL;
}

/* The help line of a command of the other perf; "": unknown. */
static const char *other_help(const char *name)
{
	const char *n, *help;
	size_t i;

	for (i = 0; (n = other_known(i, &help)); i++)
		if (!strcmp(n, name))
			return help;
	return "";
}

static void list_others(void)
{
	struct other_perf o;
	u32 i;

	if (!other_init(&o)) {
		printf(other_disabled() ? " Other commands are not passed to another perf: PERF_NO_DELEGATE is set.\n\n" :
		       " perf stat, trace and others need another perf, and there is none in PATH\n"
		       " (Debian: linux-perf).\n\n");
		return;
	}
	printf(" Passed to %s:\n", o.path);
	if (!o.names.nr)
		printf("   every other command\n");
	for (i = 0; i < o.names.nr; i++)
		if (!command_find(o.names.v[i]))
			printf("   %-14s %s\n", o.names.v[i], other_help(o.names.v[i]));
	printf("\n");
	other_deinit(&o);
}

void command_list(void)
{
	size_t i;

	printf("\n usage: perf [--version] [--help] COMMAND [ARGS]\n\n"
	       " The perf commands are:\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("   %-12s %s\n", commands[i].name, commands[i].help);
	printf("\n 'perf COMMAND -h' lists a command's options, 'perf help COMMAND' opens its page.\n\n");
	list_others();
}

/* For completion of command lines. */
int command_list_names(void)
{
	struct other_perf o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("%s ", commands[i].name);
	if (other_init(&o)) {
		for (i = 0; i < o.names.nr; i++)
			if (!command_find(o.names.v[i]))
				printf("%s ", o.names.v[i]);
		other_deinit(&o);
	}
	printf("\n");
	return 0;
}

/*
 * Find the manual page that belongs to this program, so that another perf's is not shown: in
 * share/man of its prefix, by the program's name, or in its build tree.
 */
static bool own_page(const char *command, char *path, size_t size)
{
	static const char *const forms[] = {
		"%s../share/man/man1/%s%s%s.1", "%s../share/man/man1/%s%s%s.1.gz", "%sman/%s%s%s.1",
	};
	char exe[4096] = "", *base;
	size_t i;

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0 || !strrchr(exe, '/'))
		return false;
	base = xstrdup(strrchr(exe, '/') + 1);
	exe[strlen(exe) - strlen(base)] = 0;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		snprintf(path, size, forms[i], exe, base, *command ? "-" : "", command);
		if (!access(path, R_OK))
			break;
	}
	free(base);
	return i < ARRAY_SIZE(forms);
}

/* Execute man. Returns only on failure, after a message. */
static void open_page(const char *command)
{
	char page[4500];

	/* MANPATH is set by the user: let man search. */
	if (!own_page(command, page, sizeof(page))) {
		if (!getenv("MANPATH")) {
			diag_warn("no manual pages beside this perf (make docs, make install)");
			return;
		}
		snprintf(page, sizeof(page), "perf%s%s", *command ? "-" : "", command);
	}
	fflush(stdout);
	signals_default();
	execlp("man", "man", page, (char *)NULL);
	diag_warn("cannot run man: %s", strerror(errno));
}

/* Show a manual page or, if there is none, the command's options. */
int cmd_help(int argc, char **argv)
{
	char *options[] = { argc > 1 ? argv[1] : NULL, "-h", NULL };
	bool all = argc < 2;

	if (!all) {
		all = !strcmp(argv[1], "help") || !strcmp(argv[1], "version");
		open_page(all ? "" : argv[1]);
	}
	if (!all)
		return command_find(argv[1])(2, options);
	command_list();
	return 0;
}

static int not_a_command(const char *name, const struct other_perf *o)
{
	struct nearest near = { .wanted = name, .len = strlen(name) };
	const char *n, *help;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		nearest_offer(&near, commands[i].name);
	for (i = 0; (n = other_known(i, &help)); i++)
		if (!other_has(o, n))
			nearest_offer(&near, n);
	for (i = 0; i < o->names.nr; i++)
		if (!command_find(o->names.v[i]))
			nearest_offer(&near, o->names.v[i]);
	diag_error("'%s' is not a perf command%s%s%s%s; 'perf help' lists them", name,
		   near.nr ? "; nearest: " : "", near.nr ? near.best[0].name : "",
		   near.nr > 1 ? ", " : "", near.nr > 1 ? near.best[1].name : "");
	return 1;
}

int command_other(char **argv, const char *name)
{
	struct other_perf o = {};
	char what[64];
	int status;

	snprintf(what, sizeof(what), "'perf %s'", name);
	if (*other_help(name))
		return other_exec(argv, what);
	/*
	 * A mistyped command is not passed on: the other perf's suggestions would lack this perf's
	 * commands.
	 */
	if (other_init(&o) && (!o.names.nr || other_has(&o, name)))
		status = other_exec(argv, what);
	else
		status = not_a_command(name, &o);
	other_deinit(&o);
	return status;
}

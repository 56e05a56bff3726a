// SPDX-License-Identifier: GPL-2.0
/*
 * The program's entry: main() reads the options before the command, and runs the command or
 * passes the whole line to the other perf (cmd/other_perf.h). The command's return value is the
 * exit status.
 */
#include <stdio.h>

#include "base/diag.h"
#include "base/memory_limit.h"
#include "base/nearest.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "cmd/other_perf.h"

/* The options before the command, as in mainline. */
static const struct global {
	const char *name;
	char arg;		/* argument: '=': after '='; ' ': or the next word; 0: none */
	enum { PAGER, NO_PAGER, DEBUG, BUILDID_DIR, DEBUGFS_DIR, NOTHING } what;
} globals[] = {
	{ "-p", 0, PAGER },
	{ "--paginate", 0, PAGER },
	{ "--no-pager", 0, NO_PAGER },
	{ "--debug", ' ', DEBUG },
	{ "--buildid-dir", ' ', BUILDID_DIR },
	{ "--debugfs-dir", ' ', DEBUGFS_DIR },
	{ "--exec-path", '=', NOTHING },
};

static int print_options(void)
{
	printf("--help --version --exec-path --html-path --paginate --no-pager --debugfs-dir "
	       "--buildid-dir --list-cmds --list-opts --debug \n");
	return 0;
}

/* Apply an option before a command of this perf. */
static int apply(const struct global *g, const char *arg)
{
	switch (g->what) {
	case NO_PAGER:
		setenv("PERF_PAGER", "cat", 1);
		return 0;
	case DEBUG:
		if (strncmp(arg, "verbose", 7) || (arg[7] && arg[7] != '='))
			return diag_error("--debug %s is for commands of another perf; here there is "
					  "--debug verbose=N", arg);
		verbose = arg[7] ? atoi(arg + 8) : 1;
		return 0;
	case BUILDID_DIR:
		setenv("PERF_BUILDID_DIR", arg, 1);
		return 0;
	case DEBUGFS_DIR:
		return diag_error("--debugfs-dir is for commands of another perf: this one finds "
				  "tracefs where it is mounted");
	default:
		return 0;
	}
}

static const struct global *find_global(const char *word, const char **arg)
{
	size_t i, len = strcspn(word, "=");

	*arg = word[len] ? word + len + 1 : NULL;
	for (i = 0; i < ARRAY_SIZE(globals); i++)
		if (strlen(globals[i].name) == len && !strncmp(globals[i].name, word, len) &&
		    (!*arg || globals[i].arg))
			return &globals[i];
	return NULL;
}

static int unknown_option(const char *word)
{
	struct nearest near = { .wanted = word, .len = strlen(word) };
	size_t i;

	nearest_offer(&near, "--version");
	nearest_offer(&near, "--help");
	for (i = 0; i < ARRAY_SIZE(globals); i++)
		nearest_offer(&near, globals[i].name);
	diag_error("unknown option '%s' in front of the command%s%s", word,
		   near.nr ? "; nearest: " : "", near.nr ? near.best[0].name : "");
	return 129;
}

/*
 * Parse the options before the command. @ours: a command of this perf follows, so they take effect.
 * @at: set to the word after them.
 */
static int read_globals(char **argv, bool ours, int *at)
{
	const struct global *g;
	const char *arg;
	int i;

	for (i = 1; argv[i] && argv[i][0] == '-'; i++) {
		g = find_global(argv[i], &arg);
		if (!g || (g->arg == '=' && !arg))
			break;
		if (g->arg == ' ' && !arg) {
			arg = argv[++i];
			if (!arg) {
				diag_error("option %s needs a value", g->name);
				return 129;
			}
		}
		if (ours && apply(g, arg))
			return 129;
	}
	*at = i;
	return 0;
}

/* Is a word this option, by its long or short name? */
static bool is(const char *word, const char *name, const char *short_name)
{
	return !strcmp(word, name) || (short_name && !strcmp(word, short_name));
}

/* Handle an option without a command. */
static int option_alone(char **argv, const char *word)
{
	if (is(word, "--html-path", "--exec-path"))
		return other_exec(argv, word);
	stdout_begin();
	if (is(word, "--version", "-v"))
		return cmd_version(1, argv);
	if (is(word, "-vv", NULL))
		return cmd_version(2, (char *[]){ "version", "-v", NULL });
	if (is(word, "--list-cmds", NULL))
		return command_list_names();
	if (is(word, "--list-opts", NULL))
		return print_options();
	return unknown_option(word);
}

int main(int argc, char **argv)
{
	int (*run)(int argc, char **argv);
	int at, status;

	diag_set_sink(diag_to_stderr);
	status = argc ? read_globals(argv, false, &at) : 1;
	if (status)
		return status;
	if (!argv[at]) {
		stdout_begin();
		command_list();
		return 1;
	}
	/* "perf --help stat" is "perf help stat". */
	if (is(argv[at], "--help", "-h"))
		argv[at] = "help";
	if (argv[at][0] == '-')
		return option_alone(argv, argv[at]);
	run = command_find(argv[at]);
	if (!run)
		return command_other(argv, argv[at]);
	if (run == cmd_help && argv[at + 1] && !command_find(argv[at + 1]))
		return command_other(argv, argv[at + 1]);
	status = read_globals(argv, true, &at);
	if (status)
		return status;
	stdout_begin();
	/* "perf record --help" is "perf help record". */
	if (run != cmd_help && argv[at + 1] && is(argv[at + 1], "--help", NULL)) {
		argv[at + 1] = argv[at];
		return cmd_help(2, argv + at);
	}
	memory_limit_set(0);
	return run(argc - at, argv + at);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options from tables. Each command has one table; the parser accepts the forms of mainline's
 * perf: -x VALUE, -xVALUE, --name VALUE, --name=VALUE, --no-name for switches, clustered short
 * switches, unambiguous prefixes of long names, "--" and -h.
 */
#ifndef PERF_BASE_ARGPARSE_H
#define PERF_BASE_ARGPARSE_H

#include "base/types.h"

struct error;

enum opt_kind {
	OPT_END,
	OPT_GROUP,	/* a heading in the help; only .help is used */
	OPT_BOOL,	/* bool *: --x sets, --no-x clears */
	OPT_COUNT,	/* int *: -v adds one, -vv two; --no-x zeroes */
	OPT_INT,	/* int * */
	OPT_U64,	/* u64 *; 0x and 0 prefixes understood */
	OPT_STRING,	/* const char **; points into argv */
	OPT_CALLBACK,	/* .call(opt, arg, unset) */
};

struct opt {
	enum opt_kind kind;
	char short_name;		/* 0: none */
	const char *long_name;		/* NULL: none */
	void *value;
	const char *arg_name;		/* for the help, e.g. "file"; NULL: takes none */
	const char *help;
	/* OPT_STRING/INT/U64/CALLBACK: the argument may be left out, then this
	 * one is used ("" for a callback that wants to know).
	 */
	const char *default_arg;
	/**
	 * @call: for OPT_CALLBACK
	 * @opt: this entry
	 * @arg: the argument, NULL when the option takes none or is unset
	 * @unset: --no-NAME was given
	 *
	 * Return: NULL, or the error.
	 */
	struct error *(*call)(const struct opt *opt, const char *arg, bool unset);
	bool *set;			/* set to true when the option is given */
	bool hidden;			/* not shown in the help */
	/* With .default_arg: a next word that is no option is the argument, too
	 * (perf report -g caller).
	 */
	bool takes_next;
};

/**
 * opt_switch() - an OPT_CALLBACK: a switch whose default depends on other options
 * @opt: its entry; .value is an int *, which --x sets to 1 and --no-x to 0
 * @arg: not used
 * @unset: --no-NAME was given
 *
 * Return: NULL.
 */
struct error *opt_switch(const struct opt *opt, const char *arg, bool unset);

/**
 * argparse() - parse a command's options
 * @argv: words; [0] is the command's name; reordered so that the operands that
 *	are not options come last
 * @opts: table, ended by OPT_END
 * @usage: the first line of the help, e.g. "perf report [<options>]"
 * @stop_at_operand: the first operand ends the options (perf record's command)
 * @operand: set to the index in @argv of the first operand, @argc when there is none
 *
 * An option's own error is one line that names it, that of an unknown option has the nearest
 * ones; -h and --help print the
 * help and exit with status 0.
 *
 * Return: NULL, or the error (the caller exits with 129).
 */
struct error *argparse(int argc, char **argv, const struct opt *opts, const char *usage,
		       bool stop_at_operand, int *operand);

#endif /* PERF_BASE_ARGPARSE_H */

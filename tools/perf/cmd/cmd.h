/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands that main() knows.
 */
#ifndef PERF_CMD_CMD_H
#define PERF_CMD_CMD_H

#include "base/types.h"

/*
 * A command: argv[0] is its name.
 * Return: the exit status of the program.
 */
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_inject(int argc, char **argv);
int cmd_data(int argc, char **argv);
int cmd_unwind(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_buildid_list(int argc, char **argv);
int cmd_buildid_cache(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_help(int argc, char **argv);

/**
 * command_find() - one of our commands
 * @name: its name
 *
 * Return: the command's function, NULL when there is none of that name.
 */
int (*command_find(const char *name))(int argc, char **argv);

/* command_name - the name of our command number @i, NULL after the last */
const char *command_name(size_t i);

/* command_list - print our commands and those of the other perf (cmd/other_perf.h) */
void command_list(void);

/* command_list_names - print the names alone, in a line; returns 0 */
int command_list_names(void);

/**
 * command_other() - what becomes of a command that is not ours
 * @argv: the whole command line
 * @name: the command
 *
 * It is handed to the other perf if that has it. Call it before stdout_begin().
 *
 * Return: 1, after one line: there is no other perf, or neither has the command.
 */
int command_other(char **argv, const char *name);

/* PERF_VERSION comes from the Makefile. */

#endif /* PERF_CMD_CMD_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of this perf. */
#ifndef PERF_CMD_CMD_H
#define PERF_CMD_CMD_H

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
int cmd_diff(int argc, char **argv);
int cmd_unwind(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_buildid_list(int argc, char **argv);
int cmd_buildid_cache(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* command_find - look up a command of this perf. Return: the command's function, or NULL. */
int (*command_find(const char *name))(int argc, char **argv);

/* command_list - print the commands of this and of the other perf (cmd/other_perf.h) */
void command_list(void);

/* command_list_names - print only the names, in one line; returns 0 */
int command_list_names(void);

/*
 * command_other - run a command that this perf lacks; @argv: the whole command line. It is passed
 * to the other perf if that has it. Call this before stdout_begin(). Return: 1, after a message:
 * there is no other perf, or it lacks the command, too.
 */
int command_other(char **argv, const char *name);

/* PERF_VERSION comes from the Makefile. */

#endif /* PERF_CMD_CMD_H */

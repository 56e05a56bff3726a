/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands that main() knows.
 */
#ifndef PERF_CMD_CMD_H
#define PERF_CMD_CMD_H

/*
 * A command: argv[0] is its name.
 * Return: the exit status of the program.
 */
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_inject(int argc, char **argv);
int cmd_unwind(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* PERF_VERSION comes from the Makefile. */

#endif /* PERF_CMD_CMD_H */

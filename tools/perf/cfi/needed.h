/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_CFI_NEEDED_H
#define PERF_CFI_NEEDED_H

/**
 * needed_files() - predict the files that a command will map when it starts
 * @command: its name, looked up in PATH, or its path
 * @on_file: called with each file's path once, the command's own first, and with a descriptor, which it
 *	     owns, or -1 if the file may not be read
 * @arg: for @on_file
 *
 * The program, or the interpreter that its #! line names; the program's loader (PT_INTERP); the
 * libraries that it and they need (DT_NEEDED). The order in which the loader searches is
 * followed roughly: missed files are recorded when they are mapped.
 */
void needed_files(const char *command, void (*on_file)(void *arg, const char *path, int fd), void *arg);

#endif /* PERF_CFI_NEEDED_H */

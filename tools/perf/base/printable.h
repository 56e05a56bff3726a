/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings that somebody else wrote: names of tasks, files, symbols and events come out of
 * recordings, maps of JIT compilers and debug information, and go to a terminal. A control
 * character in one of them is shown as "?", so that no name can move the cursor, give the
 * terminal orders or begin a line of its own.
 */
#ifndef PERF_BASE_PRINTABLE_H
#define PERF_BASE_PRINTABLE_H

#include "base/types.h"

/**
 * printable() - is a string free of control characters?
 * @s: the string
 *
 * Return: false for C0, DEL, and C1: in UTF-8, or as a byte that belongs to no character of UTF-8.
 */
bool printable(const char *s);

/**
 * make_printable() - put "?" in the place of each byte of a control character
 * @s: bytes
 * @len: how many
 * @keep_lines: leave newlines and tabs: the text may have several lines
 */
void make_printable(char *s, size_t len, bool keep_lines);

#endif /* PERF_BASE_PRINTABLE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings of unknown origin: names of tasks, files, symbols and events come from recordings,
 * JIT maps and debug information, and go to a terminal. Control characters are printed as "?",
 * so that no name can move the cursor, send terminal commands or start a new line.
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal that output goes to.
 */
#ifndef PERF_BASE_TERMINAL_H
#define PERF_BASE_TERMINAL_H

#include "base/types.h"

/*
 * terminal_width - the width of a terminal. Return: its columns, from COLUMNS or else from the
 * terminal itself; 0: not known, or no terminal.
 */
u32 terminal_width(int fd);

/**
 * terminal_fit() - the part of a line that fits
 * @s: the line; may hold colours (ESC [ ... m), which take no room
 * @width: columns; 0: any number
 * @columns: set to its number of columns; may be NULL
 *
 * Return: bytes of @s in the first @width columns.
 */
size_t terminal_fit(const char *s, size_t len, u32 width, u32 *columns);

#endif /* PERF_BASE_TERMINAL_H */

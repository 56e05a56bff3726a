/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Colours of numbers on a terminal, by their size.
 */
#ifndef PERF_RENDER_COLOUR_H
#define PERF_RENDER_COLOUR_H

#include "base/types.h"

struct error;

extern bool ui_colour;

/* Minimum percentages of red and green numbers. */
#define COLOUR_HOT 5.0
#define COLOUR_WARM 0.5

/* The escape sequences before and after a percentage; "" without colours. */
const char *colour_begin(double percent);
const char *colour_end(double percent);

/*
 * colour_setup - decide on colours; @when: "always", "never", "auto" or NULL (auto), else an error;
 * @pager: stdout is a pager started by perf, which shows them
 */
struct error *colour_setup(const char *when, bool pager);

#endif /* PERF_RENDER_COLOUR_H */

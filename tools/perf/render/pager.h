/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_RENDER_PAGER_H
#define PERF_RENDER_PAGER_H

#include "base/types.h"

struct error;

/**
 * pager_start() - send stdout through a pager when it is a terminal
 * @runs: set to whether a pager runs
 *
 * PERF_PAGER names it, else PAGER, else "less -R" (one screenful ends it); "cat" or
 * an empty name is none. Nothing happens when the pager cannot be started.
 *
 * Return: NULL, or why it cannot be started.
 */
struct error *pager_start(bool *runs);

/* pager_wait - close stdout and wait for the pager, if one runs */
void pager_wait(void);

#endif /* PERF_RENDER_PAGER_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_UI_PAGER_H
#define PERF_UI_PAGER_H

#include "base/types.h"

/**
 * pager_start() - send stdout through a pager when it is a terminal
 *
 * PERF_PAGER names it, else PAGER, else "less -R" (one screenful ends it); "cat" or
 * an empty name is none. Nothing happens when the pager cannot be started.
 *
 * Return: whether a pager runs.
 */
bool pager_start(void);

/* pager_wait - close stdout and wait for the pager, if one runs */
void pager_wait(void);

#endif /* PERF_UI_PAGER_H */

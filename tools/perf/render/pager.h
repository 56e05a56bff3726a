/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_RENDER_PAGER_H
#define PERF_RENDER_PAGER_H

#include "base/types.h"

struct error;

/*
 * pager_start - send stdout through a pager if it is a terminal; @runs: set to true if a pager
 * runs. The pager is PERF_PAGER, else PAGER, else "less -R", which exits if the text fits on the
 * screen; "cat" or an empty value: no pager. Return: NULL, or the error if it cannot be started.
 */
struct error *pager_start(bool *runs);

/* pager_wait - close stdout and wait for the pager, if one runs */
void pager_wait(void);

#endif /* PERF_RENDER_PAGER_H */

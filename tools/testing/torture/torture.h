/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>

/* The parts: each runs in a process of its own until time_left() says no. */
void part_forks(void);
void part_threads(void);
void part_blocks(void);
void part_moves(void);
void part_signals(void);
void part_traced(void);
void part_uprobes(void);
void part_stacks(void);
void part_events(void);

bool time_left(void);
/* A number below @n, from the run's seed. */
unsigned int rnd(unsigned int n);
void some_calls(int n);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>

#include "../selftests/unwind/event.h"

/* Nanoseconds between two ticks of a clock event. */
extern u64 clock_period;

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
void part_tables(void);
void part_code(void);
/* What the last two need, before the parts are forked. */
void make_code(void);

bool time_left(void);
/* A number below @n, from the run's seed. */
unsigned int rnd(unsigned int n);
void some_calls(int n);

#endif

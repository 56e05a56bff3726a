/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdbool.h>

#include "../selftests/unwind/event.h"
#include "../selftests/unwind/table.h"

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
void part_abuse(void);
void part_faults(void);

/* A file of CODE_SIZE bytes with bare() at CODE_OFF, for the last four; before the parts are forked. */
void make_code(void);
extern int code_fd;
#define CODE_OFF	4096
#define CODE_SIZE	(4 * 4096)

/* A sound table of any rules, for @size bytes of a file. */
struct table any_table(u64 size);

bool time_left(void);
/* A number below @n, from the run's seed. */
unsigned int rnd(unsigned int n);
/* Begin another sequence of numbers. */
void rnd_seed(unsigned int value);
void some_calls(int n);

#endif

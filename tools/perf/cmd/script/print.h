/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script: samples and records as text.
 */
#ifndef PERF_CMD_SCRIPT_PRINT_H
#define PERF_CMD_SCRIPT_PRINT_H

#include "cmd/script/frames.h"

/**
 * print_sample() - print a sample
 * @p: the printer
 * @s: the sample
 * @cc: its callchain
 * @t: its task
 */
void print_sample(struct printer *p, const struct sample *s, const struct callchain *cc,
		  const struct thread *t);

/* print_record - print a record that an option shows, e.g. --show-task-events */
void print_record(struct printer *p, const struct record *rec, const struct event *ev, u64 time);

#endif /* PERF_CMD_SCRIPT_PRINT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: resolves options to CPUs, threads and events.
 */
#ifndef PERF_CMD_RECORD_SETTLE_H
#define PERF_CMD_RECORD_SETTLE_H

#include "cmd/record/record_options.h"
#include "measure/rings.h"

struct bpf_walk;

/**
 * settle() - resolve options to CPUs, threads and complete attributes
 * @o: the options; inapplicable ones are cleared with a warning
 * @r: its CPUs and threads are set
 * @walk: set to the BPF program that walks user stacks; NULL: none
 *
 * Return: 0, or -1 after diag_error().
 */
int settle(struct record_options *o, struct rings *r, struct bpf_walk **walk);

/* settle_per_task - true if tasks are measured, not CPUs */
bool settle_per_task(const struct record_options *o);

#endif /* PERF_CMD_RECORD_SETTLE_H */

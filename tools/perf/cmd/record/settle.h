/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: which CPUs and threads are measured, by which events.
 */
#ifndef PERF_CMD_RECORD_SETTLE_H
#define PERF_CMD_RECORD_SETTLE_H

#include "cmd/record/record_options.h"
#include "measure/rings.h"

struct bpf_walk;

/**
 * settle() - turn options into CPUs, threads and complete attributes
 * @o: the options; those that do not apply are cleared with a warning
 * @r: its CPUs and threads are filled
 * @walk: set to the BPF program that walks user stacks; NULL: none does
 *
 * Return: 0, or -1 after diag_error().
 */
int settle(struct record_options *o, struct rings *r, struct bpf_walk **walk);

/* settle_per_task - are tasks measured, not CPUs? */
bool settle_per_task(const struct record_options *o);

#endif /* PERF_CMD_RECORD_SETTLE_H */

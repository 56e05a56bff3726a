/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that are limited to a control group.
 */
#ifndef PERF_MEASURE_OPEN_H
#define PERF_MEASURE_OPEN_H

/**
 * cgroup_open() - open a cgroup's folder
 * @name: its path below the mount point of the perf_event controller
 * @fd: where the descriptor goes
 *
 * Return: NULL, or why not.
 */
struct error *cgroup_open(const char *name, int *fd);

/**
 * cgroup_explain() - why the kernel would not measure in a cgroup
 * @name: as cgroup_open() took it
 * @err: the error of perf_event_open()
 *
 * Return: the error; NULL when the cgroup does not explain it.
 */
struct error *cgroup_explain(const char *name, int err);

#endif /* PERF_MEASURE_OPEN_H */

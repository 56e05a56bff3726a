/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events limited to a cgroup.
 */
#ifndef PERF_MEASURE_OPEN_H
#define PERF_MEASURE_OPEN_H

/**
 * cgroup_open() - open a cgroup's directory
 * @name: its path below the mount point of the perf_event controller
 * @fd: set to the descriptor
 *
 * Return: NULL, or an error.
 */
struct error *cgroup_open(const char *name, int *fd);

/**
 * cgroup_explain() - explain why a cgroup cannot be measured
 * @name: as for cgroup_open()
 * @err: -errno of perf_event_open()
 *
 * Return: the error; NULL if the cgroup is not the cause.
 */
struct error *cgroup_explain(const char *name, int err);

#endif /* PERF_MEASURE_OPEN_H */

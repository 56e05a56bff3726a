/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that are limited to a control group.
 */
#ifndef PERF_RING_OPEN_H
#define PERF_RING_OPEN_H

/**
 * cgroup_open() - open a cgroup's folder
 * @name: its path below the mount point of the perf_event controller
 *
 * Return: a descriptor, or -1 after diag_error().
 */
int cgroup_open(const char *name);

/**
 * cgroup_explain() - say why the kernel would not measure in a cgroup
 * @name: as cgroup_open() took it
 * @err: what perf_event_open() returned
 *
 * Return: -1 after diag_error(), 0 when the cgroup does not explain it.
 */
int cgroup_explain(const char *name, int err);

#endif /* PERF_RING_OPEN_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints of this machine, from tracefs.
 */
#ifndef PERF_SPEC_TRACEPOINT_H
#define PERF_SPEC_TRACEPOINT_H

#include "base/types.h"

/**
 * tracepoint_each() - call a function for each tracepoint that matches two globs
 * @system: glob of the system, "sched"
 * @name: glob of the name, "sched_*"
 * @fn: called with system, name and id; a non-zero return value ends the search
 * @arg: passed to @fn
 *
 * In alphabetical order.
 * Return: the number of matches, -EACCES or -ENOENT if tracefs cannot be read, or the
 * value from @fn if negative.
 */
int tracepoint_each(const char *system, const char *name,
		    int (*fn)(const char *system, const char *name, u64 id, void *arg),
		    void *arg);

/**
 * tracepoint_system() - can a name be the system of a tracepoint?
 * @name: text, not terminated
 * @len: its length
 *
 * Return: true if tracefs has it or it is a glob.
 */
bool tracepoint_system(const char *name, size_t len);

#endif /* PERF_SPEC_TRACEPOINT_H */

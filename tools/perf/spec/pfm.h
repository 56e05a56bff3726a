/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events by the CPU vendor's names, from the tables of libpfm4: "mem_load_retired.l3_miss".
 */
#ifndef PERF_SPEC_PFM_H
#define PERF_SPEC_PFM_H

#include "event/abi.h"

/* pfm_built - was this perf built with libpfm4? */
bool pfm_built(void);

/**
 * pfm_event() - encode an event
 * @name: its name as libpfm4 or mainline write it, in upper or lower case, optionally with
 *	libpfm4's modifiers ("MEM_LOAD_RETIRED:L3_MISS:u:precise=1")
 * @attr: type, config, config1, config2, precise_ip and the exclude bits are set
 * @why: set to libpfm4's error message
 *
 * Not thread-safe.
 * Return: 0; -EINVAL if the event exists but its masks or modifiers are wrong, see @why; -ENOENT if
 * no table has it; -ENOSYS if libpfm4 is not available, see @why.
 */
int pfm_event(const char *name, struct perf_event_attr *attr, const char **why);

/**
 * pfm_event_each() - every event of this machine's CPUs that pfm_event() encodes
 * @fn: called with its name in lower case, the PMU's name, a description, and @arg
 * @arg: passed to @fn
 */
void pfm_event_each(void (*fn)(const char *name, const char *pmu, const char *what, void *arg), void *arg);

#endif /* PERF_SPEC_PFM_H */

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
 * @name: its name as libpfm4 or mainline write it, in upper or lower case, perhaps with modifiers of
 *	libpfm4's ("MEM_LOAD_RETIRED:L3_MISS:u:precise=1")
 * @attr: type, config, config1, config2, precise_ip and the exclude bits are set
 * @why: set to the reason, as libpfm4 says it
 *
 * Not for several threads at once.
 * Return: 0; -EINVAL when there is such an event, but not so, @why says why; -ENOENT when no table
 * has it; -ENOSYS when libpfm4 is not there, @why says why.
 */
int pfm_event(const char *name, struct perf_event_attr *attr, const char **why);

/**
 * pfm_event_each() - every event of this machine's CPUs that pfm_event() encodes
 * @fn: called with its name in lower case, the PMU's name, a description, and @arg
 * @arg: passed on
 */
void pfm_event_each(void (*fn)(const char *name, const char *pmu, const char *what, void *arg), void *arg);

#endif /* PERF_SPEC_PFM_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMUs of this machine, from /sys/bus/event_source/devices: values of attr.type besides
 * those of the interface.
 */
#ifndef PERF_EVENT_PMU_H
#define PERF_EVENT_PMU_H

#include "base/types.h"

/**
 * pmu_exists() - is there such a PMU
 * @name: text, not terminated
 * @len: its length
 * @type: where its number for attr.type goes; may be NULL
 *
 * Return: whether there is.
 */
bool pmu_exists(const char *name, size_t len, u32 *type);

/**
 * pmu_each() - every PMU
 * @fn: called with its name and number
 * @arg: passed on
 */
void pmu_each(void (*fn)(const char *name, u32 type, void *arg), void *arg);

/* The counters of one kind of CPU. */
struct core_pmu {
	char *name;
	u32 type;		/* for attr.type, and for the upper half of attr.config */
	char *cpus;		/* which CPUs are of that kind, "0-7" */
};

/**
 * core_pmus() - the kinds of CPU of a machine with several, as Intel's hybrid ones
 * @nr: where their number goes: 0 if all CPUs are of one kind, else 2 or more
 *
 * Such a PMU has a file "cpus" in sysfs.
 * Return: the PMUs by name; given back by core_pmus_free().
 */
struct core_pmu *core_pmus(u32 *nr);
void core_pmus_free(struct core_pmu *pmus, u32 nr);

#endif /* PERF_EVENT_PMU_H */

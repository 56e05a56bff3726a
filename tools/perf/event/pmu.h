/* SPDX-License-Identifier: GPL-2.0 */
/* The PMUs of this machine, in /sys/bus/event_source/devices: attr.type beyond PERF_TYPE_*. */
#ifndef PERF_EVENT_PMU_H
#define PERF_EVENT_PMU_H

#include "base/types.h"

/* pmu_exists - does a PMU exist? @type: set to its number for attr.type; may be NULL */
bool pmu_exists(const char *name, size_t len, u32 *type);

/* pmu_read - read a file of a PMU. Return: as read_text(). */
int pmu_read(const char *pmu, const char *file, char *text, size_t size);

/* pmu_each - call a function for each PMU; @fn: called with its name and number */
void pmu_each(void (*fn)(const char *name, u32 type, void *arg), void *arg);

/* The counters of one kind of CPU. */
struct core_pmu {
	char *name;
	u32 type;		/* for attr.type, and for the upper half of attr.config */
	char *cpus;		/* the CPUs of that kind, "0-7" */
};

/* core_pmus - of a hybrid machine, sorted, for core_pmus_free(); @nr: 0: one kind of CPU */
struct core_pmu *core_pmus(u32 *nr);

/* core_counters - true if the CPUs have counters: a PMU "cpu", or one with a file "cpus" */
bool core_counters(void);
void core_pmus_free(struct core_pmu *pmus, u32 nr);

#endif /* PERF_EVENT_PMU_H */

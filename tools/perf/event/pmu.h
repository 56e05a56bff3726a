/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMUs of this machine, from /sys/bus/event_source/devices: what attr.type may be
 * beside the numbers of the interface.
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

#endif /* PERF_EVENT_PMU_H */

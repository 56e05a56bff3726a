/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU's format terms and named events, from sysfs.
 */
#ifndef PERF_SPEC_PMU_H
#define PERF_SPEC_PMU_H

#include "spec/spec.h"

/**
 * pmu_event_each() - every event that a PMU names
 * @pmu: its name
 * @fn: called with the event's name and its terms ("event=0x3c,umask=1")
 * @arg: passed on
 */
void pmu_event_each(const char *pmu, void (*fn)(const char *pmu, const char *event,
						const char *terms, void *arg), void *arg);

/**
 * pmu_term() - put one format term into the attributes
 * @pmu: the PMU's name
 * @term: "event", "umask", "config1", ...
 * @value: its value
 * @attr: where to
 *
 * Return: 0, -ENOENT when the PMU has no such term, -ERANGE when the value has
 * more bits than the term.
 */
int pmu_term(const char *pmu, const char *term, u64 value, struct perf_event_attr *attr);

/**
 * pmu_event_terms() - the terms of a PMU's named event
 * @pmu: the PMU's name
 * @event: the event's name
 * @terms: where its terms go
 * @size: of @terms
 * @spec: unit and scale are set when the event has them
 *
 * Return: 0, or -ENOENT.
 */
int pmu_event_terms(const char *pmu, const char *event, char *terms, size_t size,
		    struct event_spec *spec);

/**
 * pmu_finish() - set the PMU's properties: cpumask, and whether it belongs to one type of CPU
 * @pmu: the PMU's name
 * @spec: the event
 */
void pmu_finish(const char *pmu, struct event_spec *spec);

/**
 * pmu_terms_text() - the names of a PMU's format terms, for messages
 * @pmu: its name
 * @buf: where to
 * @size: of @buf
 */
void pmu_terms_text(const char *pmu, char *buf, size_t size);

#endif /* PERF_SPEC_PMU_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU's format terms and named events, from sysfs.
 */
#ifndef PERF_SPEC_PMU_H
#define PERF_SPEC_PMU_H

#include "spec/spec.h"

/**
 * pmu_event_each() - call a function for each named event of a PMU
 * @pmu: its name
 * @fn: called with the event's name and its terms ("event=0x3c,umask=1")
 * @arg: passed to @fn
 */
void pmu_event_each(const char *pmu, void (*fn)(const char *pmu, const char *event,
						const char *terms, void *arg), void *arg);

/**
 * pmu_term() - set the bits of a format term in the attributes
 * @pmu: the PMU's name
 * @term: "event", "umask", "config1", ...
 * @value: its value
 * @attr: changed
 *
 * Return: 0, -ENOENT if the PMU has no such term, -ERANGE if the value has more bits than the term.
 */
int pmu_term(const char *pmu, const char *term, u64 value, struct perf_event_attr *attr);

/**
 * pmu_event_terms() - the terms of a PMU's named event
 * @pmu: the PMU's name
 * @event: the event's name
 * @terms: buffer for the terms
 * @size: of @terms, in bytes
 * @spec: unit and scale are set if the event has them
 *
 * Return: 0, or -ENOENT.
 */
int pmu_event_terms(const char *pmu, const char *event, char *terms, size_t size,
		    struct event_spec *spec);

/**
 * pmu_finish() - set an event's cpumask and, if the PMU is of one kind of CPU, its core
 * @pmu: the PMU's name
 * @spec: the event
 */
void pmu_finish(const char *pmu, struct event_spec *spec);

/**
 * pmu_terms_text() - the names of a PMU's format terms, for messages
 * @pmu: its name
 * @buf: set to the text
 * @size: of @buf, in bytes
 */
void pmu_terms_text(const char *pmu, char *buf, size_t size);

#endif /* PERF_SPEC_PMU_H */

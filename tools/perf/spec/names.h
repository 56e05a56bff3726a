/* SPDX-License-Identifier: GPL-2.0 */
/* Where names of events are looked up: the interface, PMUs in sysfs, tracepoints, libpfm4. */
#ifndef PERF_SPEC_NAMES_H
#define PERF_SPEC_NAMES_H

#include "base/types.h"
#include "event/event.h"
#include "spec/spec.h"

/* event_name_find - look up a software or hardware event; NULL: there is none */
const struct event_name *event_name_find(const char *name, size_t len);

/* cache_name_parse - the attr.config of "L1-dcache-load-misses"; false: no such event */
bool cache_name_parse(const char *name, size_t len, u64 *config);

/* cache_names_each - call @fn for every hardware cache event */
void cache_names_each(void (*fn)(const char *name, u64 config, void *arg), void *arg);

/* pmu_event_each - call @fn for each named event of a PMU; @terms: "event=0x3c,umask=1" */
void pmu_event_each(const char *pmu, void (*fn)(const char *pmu, const char *event,
						const char *terms, void *arg), void *arg);

/*
 * pmu_term - set the bits of a PMU's format term: "event", "config1"... Return: 0; -ENOENT: it has
 * no such term; -ERANGE: the value has more bits.
 */
int pmu_term(const char *pmu, const char *term, u64 value, struct perf_event_attr *attr);

/* pmu_event_terms - the terms, unit and scale of a PMU's named event. Return: 0, or -ENOENT. */
int pmu_event_terms(const char *pmu, const char *event, char *terms, size_t size,
		    struct event_spec *spec);

/* pmu_finish - set an event's cpumask and, if the PMU is of one kind of CPU, its core */
void pmu_finish(const char *pmu, struct event_spec *spec);

/* pmu_terms_text - set @buf to the names of a PMU's format terms, for messages */
void pmu_terms_text(const char *pmu, char *buf, size_t size);

/*
 * tracepoint_each - call @fn for each tracepoint that matches the globs, in alphabetical order,
 * while it returns 0. Return: how many; -EACCES or -ENOENT: tracefs cannot be read; or what @fn
 * returned, if negative.
 */
int tracepoint_each(const char *system, const char *name,
		    int (*fn)(const char *system, const char *name, u64 id, void *arg),
		    void *arg);

/* tracepoint_system - has tracefs this system, or is it a glob? */
bool tracepoint_system(const char *name, size_t len);

/* pfm_built - was this perf built with libpfm4? */
bool pfm_built(void);

/*
 * pfm_event - set type, config*, precise_ip and exclude bits of an event of libpfm4 or mainline,
 * maybe with libpfm4's modifiers ("MEM_LOAD_RETIRED:L3_MISS:u:precise=1"); @why: its error message.
 * Return: 0; -EINVAL: its masks or modifiers are wrong; -ENOENT: no table has it; -ENOSYS: there is
 * no libpfm4. Context: one thread.
 */
int pfm_event(const char *name, struct perf_event_attr *attr, const char **why);

/* pfm_event_each - call @fn for every event of this machine's CPUs that pfm_event() encodes */
void pfm_event_each(void (*fn)(const char *name, const char *pmu, const char *what, void *arg),
		    void *arg);

#endif /* PERF_SPEC_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the names of events are looked up: the events of the interface, PMUs in sysfs, tracepoints,
 * and libpfm4.
 */
#ifndef PERF_SPEC_NAMES_H
#define PERF_SPEC_NAMES_H

#include "base/types.h"
#include "event/abi.h"
#include "spec/spec.h"

struct event_name {
	const char *name;
	const char *alias;	/* a second name; NULL: none */
	u32 type;
	u64 config;
	const char *what;	/* a short description */
};

/* Software and hardware events; ended by a NULL name. */
extern const struct event_name event_names[];

/*
 * event_name_find - look up a software or hardware event; @name: text, not terminated. Return: the
 * entry, or NULL.
 */
const struct event_name *event_name_find(const char *name, size_t len);

/**
 * cache_name_parse() - look up a hardware cache event, "L1-dcache-load-misses"
 * @name: text, not terminated
 * @config: set to attr.config
 *
 * Return: true if it is one.
 */
bool cache_name_parse(const char *name, size_t len, u64 *config);

/**
 * cache_names_each() - every hardware cache event
 * @fn: called with the name and config of each event
 */
void cache_names_each(void (*fn)(const char *name, u64 config, void *arg), void *arg);

/**
 * pmu_event_each() - call a function for each named event of a PMU
 * @fn: called with the event's name and its terms ("event=0x3c,umask=1")
 */
void pmu_event_each(const char *pmu, void (*fn)(const char *pmu, const char *event,
						const char *terms, void *arg), void *arg);

/**
 * pmu_term() - set the bits of a format term in the attributes
 * @pmu: the PMU's name
 * @term: "event", "umask", "config1", ...
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

/*
 * pmu_finish - set an event's cpumask and, if the PMU is of one kind of CPU, its core; @pmu: the
 * PMU's name
 */
void pmu_finish(const char *pmu, struct event_spec *spec);

/**
 * pmu_terms_text() - the names of a PMU's format terms, for messages
 * @buf: set to the text
 * @size: of @buf, in bytes
 */
void pmu_terms_text(const char *pmu, char *buf, size_t size);

/**
 * tracepoint_each() - call a function for each tracepoint that matches two globs
 * @system: glob of the system, "sched"
 * @name: glob of the name, "sched_*"
 * @fn: called with system, name and id; a non-zero return value ends the search
 *
 * In alphabetical order.
 * Return: the number of matches, -EACCES or -ENOENT if tracefs cannot be read, or the
 * value from @fn if negative.
 */
int tracepoint_each(const char *system, const char *name,
		    int (*fn)(const char *system, const char *name, u64 id, void *arg),
		    void *arg);

/*
 * tracepoint_system - can a name be the system of a tracepoint? @name: text, not terminated.
 * Return: true if tracefs has it or it is a glob.
 */
bool tracepoint_system(const char *name, size_t len);

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
 */
void pfm_event_each(void (*fn)(const char *name, const char *pmu, const char *what, void *arg),
		    void *arg);

#endif /* PERF_SPEC_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of events: those of the interface itself, and those that sysfs and
 * tracefs list on the running system.
 */
#ifndef PERF_EVENT_NAMES_H
#define PERF_EVENT_NAMES_H

#include "event/spec.h"

struct event_name {
	const char *name;
	const char *alias;	/* a second name; NULL: none */
	u32 type;
	u64 config;
};

/* Software and hardware events; ended by a NULL name. */
extern const struct event_name event_names[];

/**
 * event_name_find() - look up a software or hardware event
 * @name: text, not terminated
 * @len: its length
 *
 * Return: the entry, or NULL.
 */
const struct event_name *event_name_find(const char *name, size_t len);

/**
 * cache_name_parse() - look up a hardware cache event, "L1-dcache-load-misses"
 * @name: text, not terminated
 * @len: its length
 * @config: where attr.config goes
 *
 * Return: whether it is one.
 */
bool cache_name_parse(const char *name, size_t len, u64 *config);

/**
 * cache_names_each() - every hardware cache event
 * @fn: called with its name and config
 * @arg: passed on
 */
void cache_names_each(void (*fn)(const char *name, u64 config, void *arg), void *arg);

/* The nearest names to a wrong one: at most three, best first. */
struct nearest {
	const char *wanted;
	size_t len;
	struct { char name[96]; u32 distance; } best[3];
	u32 nr;
};

/**
 * nearest_offer() - consider one real name
 * @n: the search; wanted and len are set by the caller
 * @name: the real name
 */
void nearest_offer(struct nearest *n, const char *name);

/**
 * sysfs_root(), tracefs_root() - where the two are mounted
 *
 * SYSFS_PATH and TRACEFS_PATH in the environment override them. The first
 * call of tracefs_root() looks for tracefs at /sys/kernel/tracing, then at the
 * mounts of tracefs and debugfs; when it is mounted nowhere, it is mounted at
 * /sys/kernel/tracing. Not for several threads at once.
 * Return: a path without a final slash; nothing need be there.
 */
const char *sysfs_root(void);
const char *tracefs_root(void);

/**
 * tracefs_why() - why tracefs can't be read, and what to type
 * @err: what tracepoint_each() returned, -EACCES or -ENOENT
 * @buf: where the text goes
 * @size: of @buf
 *
 * Return: @buf.
 */
const char *tracefs_why(int err, char *buf, size_t size);

/**
 * read_text() - read a small file of sysfs or procfs
 * @path: its path
 * @buf: where to; terminated, the final newline removed
 * @size: of @buf
 *
 * Return: number of bytes, or -errno.
 */
int read_text(const char *path, char *buf, size_t size);

/* PMUs: /sys/bus/event_source/devices */

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
 * pmu_event_terms() - what a PMU's named event stands for
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
 * pmu_finish() - what the PMU as a whole settles: cpumask, precision
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

/* Tracepoints: /sys/kernel/tracing/events */

/**
 * tracepoint_each() - every tracepoint that matches two globs
 * @system: glob of the system, "sched"
 * @name: glob of the name, "sched_*"
 * @fn: called with system, name and id; a non-zero answer ends the search
 * @arg: passed on
 *
 * In alphabetical order.
 * Return: how many matched, -EACCES or -ENOENT when tracefs can't be read, or
 * @fn's answer when it is negative.
 */
int tracepoint_each(const char *system, const char *name,
		    int (*fn)(const char *system, const char *name, u64 id, void *arg),
		    void *arg);

#endif /* PERF_EVENT_NAMES_H */

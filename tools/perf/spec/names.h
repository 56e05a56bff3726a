/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the interface's events: software, hardware and cache events.
 */
#ifndef PERF_SPEC_NAMES_H
#define PERF_SPEC_NAMES_H

#include "event/abi.h"

struct event_name {
	const char *name;
	const char *alias;	/* a second name; NULL: none */
	u32 type;
	u64 config;
	const char *what;	/* a short description */
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
 * @config: set to attr.config
 *
 * Return: true if it is one.
 */
bool cache_name_parse(const char *name, size_t len, u64 *config);

/**
 * cache_names_each() - every hardware cache event
 * @fn: called with the name and config of each event
 * @arg: passed to @fn
 */
void cache_names_each(void (*fn)(const char *name, u64 config, void *arg), void *arg);

#endif /* PERF_SPEC_NAMES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to the -e parser: its position, and functions shared by its files. */
#ifndef PERF_SPEC_PARSE_H
#define PERF_SPEC_PARSE_H

#include "base/error.h"
#include "base/nearest.h"
#include "spec/spec.h"

struct parse {
	const char *str;	/* the whole -e argument */
	const char *pos;	/* the next character */
	struct spec_list *list;
	struct error *error;	/* the first error; NULL: none */
};

/* parse_error - keep the first error and its position; @near: names to suggest. Return: -1. */
int parse_error(struct parse *p, const char *at, const struct nearest *near,
		const char *fmt, ...) __printf(4, 5);

/*
 * parse_terms - parse "a=1,b,name=x/", after the opening slash; @pmu: NULL: only the terms of every
 * event. Return: 0, or -1 after parse_error().
 */
int parse_terms(struct parse *p, const char *pmu, struct event_spec *spec);

/* parse_modifiers - "ukhGHpPDSWIe" for events from @first on; @members: of a group; or -1 */
int parse_modifiers(struct parse *p, u32 first, bool members);

#endif /* PERF_SPEC_PARSE_H */

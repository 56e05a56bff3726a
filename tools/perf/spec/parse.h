/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal to the -e parser: its position, and functions shared by its files.
 */
#ifndef PERF_SPEC_PARSE_H
#define PERF_SPEC_PARSE_H

#include "base/error.h"
#include "base/nearest.h"
#include "spec/spec.h"

struct parse {
	const char *str;	/* the whole -e argument */
	const char *pos;	/* the next character */
	struct spec_list *list;
	struct error *error;	/* the first one; NULL: none yet */
};

/**
 * parse_error() - record an error and its position; the first one counts
 * @p: the parser
 * @at: the place in @p->str for the caret
 * @near: real names to offer; NULL: none
 * @fmt: printf format
 *
 * Return: always -1.
 */
int parse_error(struct parse *p, const char *at, const struct nearest *near,
		const char *fmt, ...) __printf(4, 5);

/**
 * parse_terms() - parse "a=1,b,name=x/" up to and with the closing slash
 * @p: the parser, after the opening slash
 * @pmu: whose format terms and named events are meant; NULL: only the terms
 *       that every event takes
 * @spec: the event
 *
 * Return: 0, or -1 after parse_error().
 */
int parse_terms(struct parse *p, const char *pmu, struct event_spec *spec);

/**
 * parse_modifiers() - parse "ukhGHpPDSWIe"
 * @p: the parser, after the colon
 * @first: index of the first event that they are for
 * @members: they follow a whole group
 *
 * Return: 0, or -1 after parse_error().
 */
int parse_modifiers(struct parse *p, u32 first, bool members);

#endif /* PERF_SPEC_PARSE_H */

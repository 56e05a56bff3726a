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
	struct error *error;	/* the first error; NULL: none */
};

/**
 * parse_error() - record an error and its position; only the first error is kept
 * @at: the position in @p->str of the caret
 * @near: existing names to suggest; NULL: none
 *
 * Return: always -1.
 */
int parse_error(struct parse *p, const char *at, const struct nearest *near,
		const char *fmt, ...) __printf(4, 5);

/**
 * parse_terms() - parse "a=1,b,name=x/" up to and with the closing slash
 * @p: the parser, after the opening slash
 * @pmu: its format terms and named events are accepted; NULL: only the terms of every event
 *
 * Return: 0, or -1 after parse_error().
 */
int parse_terms(struct parse *p, const char *pmu, struct event_spec *spec);

/**
 * parse_modifiers() - parse "ukhGHpPDSWIe"
 * @p: the parser, after the colon
 * @first: index of the first event that they apply to
 * @members: true if they follow a group
 *
 * Return: 0, or -1 after parse_error().
 */
int parse_modifiers(struct parse *p, u32 first, bool members);

#endif /* PERF_SPEC_PARSE_H */

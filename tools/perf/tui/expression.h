/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regular expressions that are typed into the browser.
 */
#ifndef PERF_TUI_EXPRESSION_H
#define PERF_TUI_EXPRESSION_H

#include <regex.h>

#include "base/types.h"

/**
 * expression_compile() - an extended regular expression, if matching it takes a bounded time
 * @re: set to it; regfree() it
 * @text: the expression
 * @why: set to why it cannot be used
 * @size: room in @why
 *
 * Return: false: it cannot.
 */
bool expression_compile(regex_t *re, const char *text, char *why, size_t size);

/**
 * expression_literal() - a text that whatever an expression matches has in it
 * @text: the expression; expression_compile() took it
 * @literal: set to the longest such text that is found; "": none is
 * @size: room in @literal, more than zero
 */
void expression_literal(const char *text, char *literal, size_t size);

#endif /* PERF_TUI_EXPRESSION_H */

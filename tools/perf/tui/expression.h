/* SPDX-License-Identifier: GPL-2.0 */
/* Regular expressions typed by the user. */
#ifndef PERF_TUI_EXPRESSION_H
#define PERF_TUI_EXPRESSION_H

#include <regex.h>

#include "base/types.h"

/**
 * expression_compile() - compile an extended regular expression, if its matching time is bounded
 * @re: set to the compiled expression; regfree() it
 * @text: the expression
 * @why: set to the reason if it is refused
 * @size: room in @why
 *
 * Return: false if it is refused.
 */
bool expression_compile(regex_t *re, const char *text, char *why, size_t size);

/**
 * expression_literal() - a text that every match of an expression contains
 * @text: the expression, accepted by expression_compile()
 * @literal: set to the longest such text found; "": none
 * @size: size of @literal, at least 1
 */
void expression_literal(const char *text, char *literal, size_t size);

#endif /* PERF_TUI_EXPRESSION_H */

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

/* expression_is_text - does an expression match nothing but itself? */
bool expression_is_text(const char *text);

#endif /* PERF_TUI_EXPRESSION_H */

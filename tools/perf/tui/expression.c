// SPDX-License-Identifier: GPL-2.0
/*
 * expression.c - regular expressions with bounded cost
 *
 * It is given the user's text and owns nothing. The C library compiles a repeated part once for
 * each possible repetition, so that a few nested repeats take gigabytes, and a back reference
 * makes it try all ways to match. Invariant: a compiled expression has no back reference, and
 * its repeats that can be nested multiply to at most MOST. Matching then takes milliseconds a line,
 * and callers check the keys between lines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tui/expression.h"

#define MOST 1024

/* The product of the repeats that can be nested: bounds, and '+' after a group or another repeat. */
static u64 nested_repeats(const char *s)
{
	u64 product = 1, least, most;
	char before = 0;

	for (; *s && product <= MOST; before = *s++) {
		if (*s == '{') {
			least = strtoul(s + 1, NULL, 10);
			most = strtoul(s + 1 + strcspn(s, ",}"), NULL, 10);
			product *= min(max(least, most), (u64)MOST) + 1;
		} else if (*s == '+' && before && strchr(")}*+?", before)) {
			product *= 2;
		} else if (*s == '\\' && s[1]) {
			s++;
		}
	}
	return product;
}

static bool has_back_reference(const char *s)
{
	for (; (s = strchr(s, '\\')) && s[1]; s += 2)
		if (s[1] >= '1' && s[1] <= '9')
			return true;
	return false;
}

bool expression_compile(regex_t *re, const char *text, char *why, size_t size)
{
	int err;

	if (has_back_reference(text)) {
		snprintf(why, size, "a back reference would take too long to match");
		return false;
	}
	if (nested_repeats(text) > MOST) {
		snprintf(why, size, "its repeats would take too long to match");
		return false;
	}
	err = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	if (err)
		regerror(err, re, why, size);
	return !err;
}

bool expression_is_text(const char *text)
{
	return !strpbrk(text, ".[]()*+?{}|^$\\");
}

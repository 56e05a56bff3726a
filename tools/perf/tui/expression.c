// SPDX-License-Identifier: GPL-2.0
/*
 * expression.c - regular expressions with bounded cost
 *
 * It is given the user's text and owns nothing. The C library compiles a repeated part once for
 * each possible repetition, so that a few nested repeats take gigabytes, and a back reference
 * makes it try all ways to match. Invariant: a compiled expression has no back reference, and
 * at most MOST parts after expansion of its repeats. Matching then takes milliseconds a line,
 * and callers check the keys between lines.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/expression.h"

#define MOST 1024

struct expression {
	const char *s;		/* the unread rest */
	bool refers;		/* it has a back reference */
};

/* Skip a bracket expression; the position is after its '['. */
static void skip_bracket(struct expression *e)
{
	const char *end;
	char kind[3] = "?]";

	e->s += *e->s == '^';
	e->s += *e->s == ']';
	while (*e->s && *e->s != ']') {
		end = NULL;
		if (*e->s == '[' && e->s[1] && strchr(":=.", e->s[1])) {
			kind[0] = e->s[1];
			end = strstr(e->s + 2, kind);
		}
		e->s = end ? end + 2 : e->s + 1;
	}
	e->s += *e->s == ']';
}

/* Parse a bound after its '{'. Return: the number of copies. */
static u64 read_bound(struct expression *e)
{
	char *end;
	u64 least = strtoul(e->s, &end, 10), most = least;

	e->s = end;
	if (*e->s == ',') {
		e->s++;
		most = isdigit((u8)*e->s) ? strtoul(e->s, &end, 10) : least + 1;
		while (isdigit((u8)*e->s))
			e->s++;
	}
	e->s += *e->s == '}';
	return min(max(max(least, most), 1ULL), MOST + 1ULL);
}

/* Parse repetition operators. Return: the number of copies of the part before them. */
static u64 read_repeats(struct expression *e)
{
	u64 times = 1;

	for (; *e->s && strchr("*?+{", *e->s); times = min(times, MOST + 1ULL))
		switch (*e->s++) {
		case '+':
			times *= 2;
			break;
		case '{':
			times *= read_bound(e);
			break;
		}
	return times;
}

/* Count the parts up to the ')' of a group, or to the end. Recursive for each group. */
static u64 read_parts(struct expression *e)
{
	u64 sum = 0, part;

	while (*e->s && *e->s != ')') {
		part = 1;
		switch (*e->s++) {
		case '(':
			part += read_parts(e);
			e->s += *e->s == ')';
			break;
		case '[':
			skip_bracket(e);
			break;
		case '\\':
			e->refers |= *e->s >= '1' && *e->s <= '9';
			e->s += *e->s != 0;
			break;
		}
		sum = min(sum + part * read_repeats(e), MOST + 1ULL);
	}
	return sum;
}

bool expression_compile(regex_t *re, const char *text, char *why, size_t size)
{
	struct expression e = { .s = text };
	u64 parts = 0;
	int err;

	for (; *e.s; e.s += *e.s == ')')
		parts = min(parts + read_parts(&e), MOST + 1ULL);
	if (e.refers) {
		snprintf(why, size, "a back reference would take too long to match");
		return false;
	}
	if (parts > MOST) {
		snprintf(why, size, "its repeats would take too long to match");
		return false;
	}
	err = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	if (err)
		regerror(err, re, why, size);
	return !err;
}

/* Consecutive characters that every match contains, as read so far. */
struct run {
	char text[128];
	size_t len;
};

/* Skip a group; the position is after its '('. */
static void skip_group(struct expression *e)
{
	u32 depth = 1;

	while (*e->s && depth)
		switch (*e->s++) {
		case '(':
			depth++;
			break;
		case ')':
			depth--;
			break;
		case '[':
			skip_bracket(e);
			break;
		case '\\':
			e->s += *e->s != 0;
			break;
		}
}

/* End a run; store it if it is the longest. */
static void end_run(struct run *run, char *literal, size_t size)
{
	if (run->len > strlen(literal) && run->len < size) {
		memcpy(literal, run->text, run->len);
		literal[run->len] = 0;
	}
	run->len = 0;
}

/* Handle the operator @c, which ends a run, and skip its operand. */
static void end_part(struct expression *e, char c, struct run *run, char *literal, size_t size)
{
	/* The last character is optional, also in "a+?". */
	if (run->len && (strchr("*?{", c) || (c == '+' && *e->s && strchr("*?+{", *e->s))))
		run->len--;
	end_run(run, literal, size);
	switch (c) {
	case '(':
		skip_group(e);
		break;
	case '[':
		skip_bracket(e);
		break;
	case '{':
		read_bound(e);
		break;
	case '\\':
		e->s += *e->s != 0;
		break;
	}
}

void expression_literal(const char *text, char *literal, size_t size)
{
	struct expression e = { .s = text };
	struct run run = { .len = 0 };
	char c;

	*literal = 0;
	while ((c = *e.s++)) {
		if (c == '|') {
			*literal = 0;
			return;
		}
		if (c == '\\' && *e.s && strchr(".[]()*+?{}|^$\\/", *e.s))
			c = *e.s++;
		else if ((u8)c >= 0x80 || strchr(".[]()*+?{^$\\", c)) {
			end_part(&e, c, &run, literal, size);
			continue;
		}
		if (run.len == sizeof(run.text))
			end_run(&run, literal, size);
		run.text[run.len++] = c;
	}
	end_run(&run, literal, size);
}

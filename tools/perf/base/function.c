// SPDX-License-Identifier: GPL-2.0
/*
 * Names of functions in C++ and similar languages: their end in a list, and the name without
 * parameters. Counts brackets, except those in names of operators (operator<, operator()).
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/function.h"

static bool in_word(char c)
{
	return isalnum((u8)c) || c == '_' || c == '$';
}

/* The length of the operator name at @p that consists of punctuation; 0: none. */
static size_t operator_length(const char *start, const char *p)
{
	static const char word[] = "operator";
	static const char *const signs[] = {
		"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", ",",
	};
	size_t len = sizeof(word) - 1, i;

	if (*p != 'o' || strncmp(p, word, len) || (p > start && in_word(p[-1])))
		return 0;
	for (i = 0; i < ARRAY_SIZE(signs); i++)
		if (!strncmp(p + len, signs[i], strlen(signs[i])))
			return len + strlen(signs[i]);
	return 0;
}

static char closes(char open)
{
	switch (open) {
	case '(':
		return ')';
	case '<':
		return '>';
	case '[':
		return ']';
	case '{':
		return '}';
	}
	return 0;
}

/* More brackets than these in each other are not looked into. */
#define MAX_DEPTH 64

/* The bracket that closes the one at @p, or NULL. */
static const char *closing(const char *start, const char *p)
{
	char stack[MAX_DEPTH];
	u32 depth = 0;
	size_t len;

	for (; *p; p++) {
		len = operator_length(start, p);
		if (len) {
			p += len - 1;
		} else if (p[1] && (*p == '\\' || (*p == '-' && p[1] == '>'))) {
			p++;
		} else if (closes(*p)) {
			if (depth == MAX_DEPTH)
				return NULL;
			stack[depth++] = closes(*p);
		} else if (strchr(")]}>", *p)) {
			/* "(a < b)" */
			while (*p != '>' && depth && stack[depth - 1] == '>')
				depth--;
			if (depth && *p == stack[depth - 1] && !--depth)
				return p;
		}
	}
	return NULL;
}

char *list_entry(const char *list, const char **rest)
{
	const char *p = list, *within = NULL;
	char *name = xmalloc(strlen(list) + 1), *to = name;
	size_t len;

	for (; *p && (*p != ',' || within); p++) {
		len = operator_length(list, p);
		if (len) {
			memcpy(to, p, len);
			to += len;
			p += len - 1;
			continue;
		}
		if (p == within)
			within = NULL;
		else if (!within && closes(*p))
			within = closing(list, p);
		if (*p == '\\' && (p[1] == ',' || p[1] == '\\'))
			p++;
		*to++ = *p;
	}
	*to = 0;
	*rest = *p ? p + 1 : NULL;
	return name;
}

char *list_entry_quote(const char *name)
{
	char *quoted = xmalloc(2 * strlen(name) + 1), *to = quoted;

	for (; *name; name++) {
		if (*name == ',' || *name == '\\')
			*to++ = '\\';
		*to++ = *name;
	}
	*to = 0;
	return quoted;
}

/* Nothing but " const", " &&", " [clone .cold]" and the like, which follow parameters. */
static bool is_behind_parameters(const char *p)
{
	const char *end;

	for (; *p; p++) {
		if (*p == '[' || (*p == '(' && p[1] == '.')) {
			end = closing(p, p);
			if (!end)
				return false;
			p = end;
		} else if (!isalpha((u8)*p) && *p != ' ' && *p != '&') {
			return false;
		}
	}
	return true;
}

bool function_base(const char *shown, struct function_base *b)
{
	const char *p, *close, *start = shown, *tail = NULL, *tail_end = NULL;
	bool converts = false;		/* operator new, operator int */
	size_t len;

	for (p = shown; *p; p++) {
		len = operator_length(shown, p);
		if (len) {
			p += len - 1;
			continue;
		}
		if (!strncmp(p, "operator ", 9) && (p == shown || !in_word(p[-1])))
			converts = true;
		/* "operator<< <char>" */
		if (*p == ' ' && !converts && p[1] != '<')
			start = p + 1;
		close = closes(*p) ? closing(shown, p) : NULL;
		if (!close)
			continue;
		if (*p == '(' && p > start && is_behind_parameters(close + 1)) {
			*b = (struct function_base){ start, p, tail_end == p ? tail : p };
			return true;
		}
		if (tail_end != p || !tail)
			tail = p > start && p[-1] == ' ' ? p - 1 : p;
		if (*p != '<' && *p != '[')
			tail = NULL;
		p = close;
		tail_end = p + 1;
	}
	return false;
}

bool function_is(const char *shown, const char *name)
{
	struct function_base b;
	size_t len = strlen(name);

	return !strcmp(shown, name) ||
	       (function_base(shown, &b) && !strncmp(b.start, name, len) &&
		(b.start + len == b.end || b.start + len == b.end_plain));
}

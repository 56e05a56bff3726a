/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Demangled names of functions, which contain parameters and so commas and blanks.
 */
#ifndef PERF_BASE_FUNCTION_H
#define PERF_BASE_FUNCTION_H

#include "base/types.h"

/**
 * list_entry() - take the first name from a list "a,b"
 * @rest: set to the text after the comma; NULL: end of the list
 *
 * A comma within (), <>, [] or {} is part of the name: "add(int, int),sub". A backslash quotes a comma or a
 * backslash. An unmatched bracket is an ordinary character.
 *
 * Return: the name without these backslashes; free() it.
 */
char *list_entry(const char *list, const char **rest);

/* list_entry_quote - the list entry that list_entry() reads as @name; free() it */
char *list_entry_quote(const char *name);

/* What "void ns::f<int>(int, long) const" is called: "ns::f<int>", or without parameters of a template "ns::f". */
struct function_base {
	const char *start, *end;
	const char *end_plain;		/* without parameters of a template at its end, or ABI tags; maybe == end */
};

/**
 * function_base() - find the plain name of a function in its demangled name
 * @shown: the function, as reports show it
 * @b: set to its position in @shown
 *
 * Return: false if it has no parameters: the plain name is the demangled name.
 */
bool function_base(const char *shown, struct function_base *b);

/* function_is - is @name the demangled name of a function, or one of its plain names (struct function_base)? */
bool function_is(const char *shown, const char *name);

#endif /* PERF_BASE_FUNCTION_H */

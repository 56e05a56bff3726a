// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles names of OCaml functions and JVM methods. It is given a name from a symbol table or
 * JIT map and returns a new string, or NULL for any other name. Owns nothing.
 *
 * OCaml: "caml", the module, "__" or "." between modules and before the name, "$hh" for other
 * characters. The number after a name is kept, since several functions may have one name.
 *
 * JVM: the class "Lcom/example/Foo;", the method, and its signature "(I[J)V" (JVM
 * Specification, 4.3.3). As in mainline, the return type is omitted, and <init> follows the
 * class directly.
 */
#include "base/outbuf.h"
#include "symbol/symbol_private.h"

/* Names are short; longer ones are shown as they are. */
#define NAME_MAX_VM 8192

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode "$2b" to '+'. Return: the character; 0: not an escape. */
static char ocaml_escape(const char *s)
{
	int high = *s == '$' ? hex_digit(s[1]) : -1, low = high < 0 ? -1 : hex_digit(s[2]);

	return low < 0 ? 0 : high << 4 | low;
}

char *demangle_ocaml(const char *name)
{
	const char *s = name + 4;
	char *out, *o;

	if (strncmp(name, "caml", 4) || *s < 'A' || *s > 'Z')
		return NULL;
	for (out = o = xmalloc(strlen(s) + 1); *s; o++) {
		if (s[0] == '_' && s[1] == '_') {
			*o = '.';
			s += 2;
		} else if (ocaml_escape(s)) {
			*o = ocaml_escape(s);
			s += 3;
		} else {
			*o = *s++;
		}
	}
	*o = 0;
	return out;
}

/* Append a type's name. Return: the position after it; NULL: not a type. */
static const char *java_type(const char *s, struct outbuf *o)
{
	static const struct { char c; const char *name; } types[] = {
		{ 'B', "byte" }, { 'C', "char" }, { 'D', "double" }, { 'F', "float" }, { 'I', "int" },
		{ 'J', "long" }, { 'S', "short" }, { 'V', "void" }, { 'Z', "boolean" },
	};
	u32 i, dimensions;

	for (dimensions = 0; *s == '['; s++)
		dimensions++;
	if (*s == 'L') {
		for (s++; *s && *s != ';'; s++)
			outbuf_putc(o, *s == '/' ? '.' : *s);
		if (*s++ != ';')
			return NULL;
	} else {
		for (i = 0; i < ARRAY_SIZE(types) && types[i].c != *s; i++)
			;
		if (i == ARRAY_SIZE(types))
			return NULL;
		outbuf_puts(o, types[i].name);
		s++;
	}
	while (dimensions--)
		outbuf_puts(o, "[]");
	return s;
}

/* Append class, method and parameter types. Return: true if the name is a method's. */
static bool java_method(const char *s, struct outbuf *o)
{
	const char *open = strchr(s, '(');
	size_t end;
	bool first = true;

	s = *s == 'L' && open ? java_type(s, o) : NULL;
	if (!s || s > open || memchr(s, ';', open - s))
		return false;
	if (!strchr("<(:", *s))
		outbuf_putc(o, '.');
	outbuf_write(o, s, open + 1 - s);
	for (s = open + 1; s && *s != ')'; first = false) {
		if (!first)
			outbuf_puts(o, ", ");
		s = java_type(s, o);
	}
	if (!s)
		return false;
	outbuf_putc(o, ')');
	end = outbuf_len(o);
	s++;
	if (*s)
		s = java_type(s, o);
	o->pos = o->base + end;		/* the return type is not shown */
	return s && !*s;
}

char *demangle_java(const char *name)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };
	char *plain = NULL;

	if (*name != 'L' || strnlen(name, NAME_MAX_VM + 1) > NAME_MAX_VM)
		return NULL;
	if (java_method(name, &o))
		plain = xstrdup(outbuf_text(&o));
	return plain;
}

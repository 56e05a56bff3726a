// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles names. It is given a name from a symbol table and returns a new string, or NULL for
 * a name that no compiler of these languages makes: a C function called "rd" is not decoded as a
 * type. Owns nothing.
 *
 * libiberty handles names of C++ and D and Rust's newer ones (_R...). The older Rust names
 * (_ZN...17h<hash>E) are decoded here, since libiberty leaves "$uf6$", a letter outside ASCII, and
 * the rest of the identifier unchanged; so are names of OCaml functions and JVM methods.
 */
#include <libiberty/demangle.h>
#undef ARRAY_SIZE	/* ours is the same */
#include <ctype.h>
#include <setjmp.h>

#include "base/cleanup.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "base/types.h"
#include "symbol/symbol_private.h"

/* A longer name is not demangled, as that can take quadratic time or more. */
#define NAME_MAX_DEMANGLE 8192
/* Substitutions can double a demangled name with each part of the mangled one. */
#define NAME_MAX_PLAIN 65536

/* limits of a name of D: back references, bytes */
#define D_REFERENCES 28
#define D_NAME 1024

#define RUST_HASH 20	/* "17h0123456789abcdefE" */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Is this the hash that ends each old Rust name (before a suffix of the back end)? */
static bool rust_hash_at(const char *s)
{
	u32 i;

	if (strncmp(s, "17h", 3))
		return false;
	for (i = 3; i < RUST_HASH - 1; i++)
		if (!is_hex(s[i]))
			return false;
	return s[i] == 'E' && (!s[i + 1] || s[i + 1] == '.');
}

/* Parse the length before an identifier; 0: none. */
static size_t rust_length(const char **s)
{
	size_t n = 0;

	while (**s >= '0' && **s <= '9' && n < NAME_MAX_DEMANGLE)
		n = 10 * n + *(*s)++ - '0';
	return n <= strlen(*s) ? n : 0;
}

/* The hash in an old Rust name; NULL: it is not such a name. */
static const char *rust_legacy_hash(const char *name)
{
	const char *s = name + 3;
	size_t n;

	if (strncmp(name, "_ZN", 3))
		return NULL;
	while (!rust_hash_at(s)) {
		n = rust_length(&s);
		if (!n)
			return NULL;
		s += n;
	}
	return s > name + 3 ? s : NULL;
}

static char *put_utf8(char *o, u32 c)
{
	if (c < 0x80) {
		*o++ = c;
		return o;
	}
	if (c < 0x800) {
		*o++ = 0xc0 | c >> 6;
	} else {
		if (c < 0x10000) {
			*o++ = 0xe0 | c >> 12;
		} else {
			*o++ = 0xf0 | c >> 18;
			*o++ = 0x80 | (c >> 12 & 0x3f);
		}
		*o++ = 0x80 | (c >> 6 & 0x3f);
	}
	*o++ = 0x80 | (c & 0x3f);
	return o;
}

/* Decode "u" and digits, a character's code point; 0 if invalid or a control character. */
static u32 rust_codepoint(const char *s, size_t len)
{
	u32 c = 0;
	size_t i;

	if (len < 2 || len > 7 || s[0] != 'u')
		return 0;
	for (i = 1; i < len; i++) {
		if (!is_hex(s[i]))
			return 0;
		c = 16 * c + (s[i] <= '9' ? s[i] - '0' : s[i] - 'a' + 10);
	}
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	return c;
}

/* Decode the text between two '$'. */
static u32 rust_escape(const char *s, size_t len)
{
	static const struct { const char *code; char c; } escapes[] = {
		{ "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' }, { "GT", '>' },
		{ "LP", '(' }, { "RP", ')' }, { "C", ',' },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(escapes); i++)
		if (strlen(escapes[i].code) == len && !memcmp(s, escapes[i].code, len))
			return escapes[i].c;
	return rust_codepoint(s, len);
}

/* Decode an identifier. From the first invalid escape on it is copied unchanged. */
static char *rust_identifier(char *o, const char *s, const char *end)
{
	const char *stop;
	u32 c;

	/* The '_' in "_$LT$" only makes the identifier begin with a letter. */
	if (end - s > 1 && s[0] == '_' && s[1] == '$')
		s++;
	for (; s < end; s++) {
		if (*s == '$') {
			stop = memchr(s + 1, '$', end - s - 1);
			c = stop ? rust_escape(s + 1, stop - s - 1) : 0;
			if (!c)
				return mempcpy(o, s, end - s);
			o = put_utf8(o, c);
			s = stop;
		} else if (*s == '.' && end - s > 1 && s[1] == '.') {
			o = mempcpy(o, "::", 2);
			s++;
		} else {
			*o++ = *s;
		}
	}
	return o;
}

static char *append(char *name, const char *suffix)
{
	size_t len = strlen(name);

	name = xrealloc(name, len + strlen(suffix) + 1);
	strcpy(name + len, suffix);
	return name;
}

/* Remove the back end's suffix ".llvm.<number>"; other suffixes remain. */
static void cut_llvm(char *name)
{
	char *llvm = strstr(name, ".llvm.");

	if (llvm && !llvm[6 + strspn(llvm + 6, "0123456789ABCDEF")])
		*llvm = 0;
}

/* @hash: from rust_legacy_hash(@name) */
static char *rust_legacy(const char *name, const char *hash)
{
	/* An identifier of n bytes takes n + 1 bytes or more, and n + 2 of the output at most. */
	char *out = xmalloc(2 * (hash - name)), *o = out;
	const char *s = name + 3;
	size_t n;

	while (s < hash) {
		n = rust_length(&s);
		if (o > out)
			o = mempcpy(o, "::", 2);
		o = rust_identifier(o, s, s + n);
		s += n;
	}
	*o = 0;
	return append(out, hash + RUST_HASH);
}

struct spelling {
	struct outbuf text;
	jmp_buf too_long;
};

/* Called by libiberty for each piece, which may be empty and NULL. It cannot stop libiberty. */
static void spell(const char *piece, size_t len, void *ctx)
{
	struct spelling *s = ctx;

	if (!len)
		return;
	if (len > NAME_MAX_PLAIN - outbuf_len(&s->text))
		longjmp(s->too_long, 1);
	outbuf_write(&s->text, piece, len);
}

static bool spell_name(struct spelling *s, const char *name, bool rust)
{
	if (setjmp(s->too_long))
		return false;
	return rust ? rust_demangle_callback(name, DMGL_RUST, spell, s) :
		      cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, spell, s);
}

/* Demangle a name by libiberty; NULL: not mangled. */
static char *spelled(const char *name, bool rust)
{
	struct spelling s = { .text = { 0 } };
	char *plain = NULL;

	if (spell_name(&s, name, rust))
		plain = xstrdup(outbuf_text(&s.text));
	outbuf_deinit(&s.text);
	return plain;
}

static char *rust_v0(char *name)
{
	char *dot = strchrnul(name, '.'), *plain;
	_cleanup_free_ char *suffix = xstrdup(dot);

	*dot = 0;
	plain = spelled(name, true);
	return plain ? append(plain, suffix) : NULL;
}

/* Back references ("Q") nest: the length can be exponential, and libiberty has no limit. */
static char *dlang(const char *name)
{
	const char *q = name;
	u32 nr = 0;

	while ((q = strchr(q, 'Q')) && nr++ < D_REFERENCES)
		q++;
	return q || strlen(name) > D_NAME ? NULL : dlang_demangle(name, 0);
}

static bool is_mangled(const char *name)
{
	/* Names of C++ and Rust; those of C, Ada and Java do not start like this. */
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
	       !strncmp(name, "_GLOBAL__I_", 11) || !strncmp(name, "_GLOBAL__D_", 11));
}

/*
 * OCaml: "caml", the module, "__" or "." between modules and before the name, "$hh" for other
 * characters. The number after a name is kept, since several functions may have one name:
 * "camlStdlib__List__map_570".
 *
 * JVM: the class "Lcom/example/Foo;", the method, and its signature "(I[J)V" (JVM Specification,
 * 4.3.3). As in mainline, the return type is omitted, and <init> follows the class directly.
 */

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

static char *demangle_ocaml(const char *name)
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

static char *demangle_java(const char *name)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };
	char *plain = NULL;

	if (*name != 'L' || strnlen(name, NAME_MAX_DEMANGLE + 1) > NAME_MAX_DEMANGLE)
		return NULL;
	if (java_method(name, &o))
		plain = xstrdup(outbuf_text(&o));
	return plain;
}

char *demangle(const char *name)
{
	_cleanup_free_ char *bare = NULL;
	const char *version, *hash;
	char *plain;

	if (name[0] == '_' && name[1] == 'D' && (isdigit((u8)name[2]) || !strcmp(name, "_Dmain")))
		return dlang(name);
	if (!is_mangled(name))
		return demangle_ocaml(name) ?: demangle_java(name);
	if (strnlen(name, NAME_MAX_DEMANGLE + 1) > NAME_MAX_DEMANGLE)
		return NULL;
	/* "@plt" and versions ("@@GLIBCXX_3.4") are not part of the name. */
	version = strchrnul(name, '@');
	bare = xstrdup(name);
	bare[strlen(name) - strlen(version)] = 0;
	hash = rust_legacy_hash(bare);
	if (hash || name[1] == 'R')
		cut_llvm(bare);
	if (hash)
		plain = rust_legacy(bare, hash);
	else if (name[1] == 'R')
		plain = rust_v0(bare);
	else
		plain = spelled(bare, false);
	return plain ? append(plain, version) : NULL;
}

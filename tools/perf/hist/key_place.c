// SPDX-License-Identifier: GPL-2.0
/*
 * key_place.c - keys of a frame: file, function, line
 */
#include <stdio.h>

#include "base/diag.h"
#include "hist/hist_private.h"

int sort_string_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	if (a == b)
		return 0;
	return strcmp((const char *)(uintptr_t)a, (const char *)(uintptr_t)b);
}

void sort_string_text(const struct hist_cell *c, struct outbuf *o)
{
	outbuf_puts(o, (const char *)(uintptr_t)c->value);
}

/* Addresses outside any file ("[unknown]") come last. */
int sort_dso_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	const char *sa = (const char *)(uintptr_t)a, *sb = (const char *)(uintptr_t)b;
	bool ua = !strcmp(sa, "[unknown]"), ub = !strcmp(sb, "[unknown]");

	return ua != ub ? ua - ub : sort_string_cmp(env, k, a, b);
}

u64 sort_dso_value(struct hist_env *env, const struct sort_key *k,
		   const struct hist_point *p)
{
	const struct dso *d = p->frame->dso;

	return (uintptr_t)hist_string(env, !d ? "[unknown]" : verbose > 0 ? d->name : d->short_name);
}

/* The symbols of an inlined function differ by place but have the same name. */
static const struct symbol *symbol_of(const struct hist_point *p)
{
	return p->inl ? p->inl->sym : p->frame->sym;
}

KEY_VALUE(sym, hist_sym(env, p))

const struct symbol *sort_symbol(const struct hist_env *env, u64 nr)
{
	const u64 *row = tuple_row(&env->syms, nr);

	return row[1] == (u64)-1 ? (const struct symbol *)(uintptr_t)row[0] : NULL;
}

int sort_addr_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	return (s64)a < (s64)b ? -1 : (s64)a > (s64)b;
}

int sort_descending(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	return a > b ? -1 : a < b;
}

static int cmp_shown(const struct hist_env *env, u64 a, u64 b)
{
	return sort_addr_cmp(env, NULL, hist_shown_address(env, a), hist_shown_address(env, b));
}

int sort_sym_cmp(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	const struct symbol *sa = sort_symbol(env, a), *sb = sort_symbol(env, b);

	if (a == b)
		return 0;
	if (!sa && !sb)
		return cmp_shown(env, a, b);
	if (!sa || !sb)
		return sa ? -1 : 1;
	return strcmp(sa->name, sb->name);
}

static int place_sym(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	const struct symbol *sa = sort_symbol(env, a), *sb = sort_symbol(env, b);

	if (a == b)
		return 0;
	if (!sa != !sb)
		return sa ? -1 : 1;
	if (sa && sa->start != sb->start)
		return sa->start < sb->start ? -1 : 1;
	return sa ? 0 : cmp_shown(env, a, b);
}

#define INLINED " (inlined)"

static char cpumode_char(u8 cpumode)
{
	static const char chars[] = "?k.Hgu";	/* by PERF_RECORD_MISC_* */

	return cpumode < sizeof(chars) - 1 ? chars[cpumode] : '?';
}

void sort_sym_text(const struct hist_env *env, u8 cpumode, u64 v, struct outbuf *o)
{
	const struct symbol *sym = sort_symbol(env, v);

	outbuf_putc(o, '[');
	outbuf_putc(o, cpumode_char(cpumode));
	outbuf_puts(o, "] ");
	if (!sym) {
		u64 address = hist_shown_address(env, v);

		/* as mainline: 0 is shown without "0x" */
		outbuf_puts(o, address ? "0x" : "");
		outbuf_hex(o, address, 16, '0');
	} else {
		short_name_put(o, sym->name, env->cfg.full_names);
	}
	if (sym && sym->inlined)
		outbuf_puts(o, INLINED);
}

KEY_TEXT(sym, sort_sym_text(c->env, c->cpumode, c->value, o))

/* As mainline: only the name counts for the width. */
static u32 extent_sym(const struct hist_cell *c, const struct outbuf *text)
{
	const struct symbol *sym = sort_symbol(c->env, c->value);

	return outbuf_len(text) - (sym && sym->inlined ? strlen(INLINED) : 0);
}

static u64 value_symbol_size(struct hist_env *env, const struct sort_key *k,
			     const struct hist_point *p)
{
	const struct symbol *sym = symbol_of(p);

	return sym ? sym->end - sym->start : 0;
}

static void text_size(const struct hist_cell *c, struct outbuf *o)
{
	if (c->value)
		outbuf_dec(o, c->value, 0, ' ');
	else
		outbuf_puts(o, "unknown");
}

KEY_VALUE(dso_size, p->frame->map ? p->frame->map->end - p->frame->map->start : 0)

static const char *line_of(struct hist_env *env, const struct hist_point *p)
{
	if (p->inl)
		return dso_inline_line(p->frame->dso, p->frame->code, p->inl - p->frame->inlines);
	return hist_srcline(env, p->frame);
}

u64 sort_srcline_value(struct hist_env *env, const struct sort_key *k,
		       const struct hist_point *p)
{
	const char *line = line_of(env, p);
	const struct symbol *sym = symbol_of(p);
	char s[512];

	if (line)
		return (uintptr_t)hist_string(env, line);
	if (sym)
		snprintf(s, sizeof(s), "%s+%llu", sym->name, p->frame->addr - sym->start);
	else if (p->frame->dso)
		snprintf(s, sizeof(s), "%s[%llx]", p->frame->dso->short_name,
			 p->own && !p->frame->dso->memory ? p->frame->addr : p->frame->ip);
	else
		return (uintptr_t)hist_string(env, "??:0");
	return (uintptr_t)hist_string(env, s);
}

static u64 value_srcfile(struct hist_env *env, const struct sort_key *k,
			 const struct hist_point *p)
{
	const char *line = line_of(env, p), *colon;
	char s[4096];

	if (!line)
		return (uintptr_t)hist_string(env, "");
	colon = strrchr(line, ':');
	snprintf(s, sizeof(s), "%.*s", colon ? (int)(colon - line) : (int)strlen(line), line);
	return (uintptr_t)hist_string(env, s);
}

KEY_VALUE(addr, p->frame->ip)
KEY_TEXT(hex, outbuf_printf(o, "0x%llx", c->value))

/* As of "sym", with the offset in the function in the upper half. */
static u64 value_symoff(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	const struct symbol *sym = symbol_of(p);

	return hist_sym(env, p) | (sym ? (p->frame->addr - sym->start) << 32 : 0);
}

/* As mainline: by name, then addresses from high to low. */
static int cmp_symoff(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	const struct symbol *sa = sort_symbol(env, (u32)a), *sb = sort_symbol(env, (u32)b);
	int c = sort_sym_cmp(env, k, (u32)a, (u32)b);

	if (!sa && !sb)
		return -c;
	return c ? c : sort_addr_cmp(env, k, sb->start + (b >> 32), sa->start + (a >> 32));
}

static void text_symoff(const struct hist_cell *c, struct outbuf *o)
{
	const struct symbol *sym = sort_symbol(c->env, (u32)c->value);

	outbuf_printf(o, "[%c] ", cpumode_char(c->cpumode));
	if (sym)
		outbuf_printf(o, "%s+0x%llx", sym->name, c->value >> 32);
	else
		outbuf_printf(o, "%#.9llx", hist_shown_address(c->env, (u32)c->value));
}

const struct sort_key sort_keys_place[] = {
	SORT_KEY(dso, "Shared Object", sort_dso_value, sort_string_text, .half = KEY_OF_FRAME,
		 .cmp = sort_dso_cmp),
	SORT_KEY(symbol, "Symbol", value_sym, text_sym, .half = KEY_OF_FRAME, .alias = "sym",
		 .is_sym = true, .ragged = true, .cmp = sort_sym_cmp, .place = place_sym,
		 .extent = extent_sym),
	SORT_KEY(symoff, "Symbol Offset", value_symoff, text_symoff, .half = KEY_OF_FRAME,
		 .is_sym = true, .ragged = true, .cmp = cmp_symoff),
	SORT_KEY(symbol_size, "Symbol size", value_symbol_size, text_size, .half = KEY_OF_FRAME,
		 .right = true),
	SORT_KEY(dso_size, "DSO size", value_dso_size, text_size, .half = KEY_OF_FRAME,
		 .by_ip = true, .right = true),
	SORT_KEY(srcline, "Source:Line", sort_srcline_value, sort_string_text,
		 .half = KEY_OF_FRAME, .by_ip = true, .ragged = true, .cmp = sort_string_cmp),
	SORT_KEY(srcfile, "Source File", value_srcfile, sort_string_text, .half = KEY_OF_FRAME,
		 .ragged = true, .cmp = sort_string_cmp),
	SORT_KEY(addr, "Address", value_addr, text_hex, .half = KEY_OF_FRAME, .by_ip = true,
		 .min_width = 18, .cmp = sort_addr_cmp),
	{ .name = NULL },
};

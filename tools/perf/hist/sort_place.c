// SPDX-License-Identifier: GPL-2.0
/*
 * sort_place.c - keys that belong to a frame: which file, which function, which line
 */
#include <stdio.h>

#include "base/diag.h"
#include "hist/sort.h"

#define VALUE(name)								\
	static u64 name(struct hist_env *env __unused,				\
			const struct sort_key *k __unused, const struct hist_point *p)
#define TEXT(name)								\
	static void name(struct hist_env *env __unused,				\
			 const struct sort_key *k __unused, u64 v __unused,	\
			 const struct hist_entry *e __unused, struct outbuf *o)

static int cmp_string(const struct hist_env *env __unused, const struct sort_key *k __unused,
		      u64 a, u64 b)
{
	if (a == b)
		return 0;
	return strcmp((const char *)(uintptr_t)a, (const char *)(uintptr_t)b);
}

TEXT(text_string)
{
	outbuf_puts(o, (const char *)(uintptr_t)v);
}

/* What is in no file comes last. */
static int cmp_dso(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	const char *sa = (const char *)(uintptr_t)a, *sb = (const char *)(uintptr_t)b;
	bool ua = !strcmp(sa, "[unknown]"), ub = !strcmp(sb, "[unknown]");

	return ua != ub ? ua - ub : cmp_string(env, k, a, b);
}

VALUE(value_dso)
{
	const struct dso *d = p->frame->dso;

	return (uintptr_t)hist_string(env, !d ? "[unknown]" : verbose > 0 ? d->name : d->short_name);
}

/* Inlined functions have a symbol per place: their name is what they share. */
static const struct symbol *symbol_of(const struct hist_point *p)
{
	return p->inl ? p->inl->sym : p->frame->sym;
}

VALUE(value_sym)
{
	return hist_sym(env, p);
}

static const struct symbol *symbol_nr(const struct hist_env *env, u64 nr)
{
	const u64 *row = tuple_row(&env->syms, nr);

	return row[1] == (u64)-1 ? (const struct symbol *)(uintptr_t)row[0] : NULL;
}

static int cmp_address(const struct hist_env *env, u64 a, u64 b)
{
	u64 va = hist_shown_address(env, a), vb = hist_shown_address(env, b);

	return va < vb ? -1 : va > vb;
}

static int cmp_sym(const struct hist_env *env, const struct sort_key *k __unused, u64 a, u64 b)
{
	const struct symbol *sa = symbol_nr(env, a), *sb = symbol_nr(env, b);

	if (a == b)
		return 0;
	if (!sa && !sb)
		return cmp_address(env, a, b);
	if (!sa || !sb)
		return sa ? -1 : 1;
	return strcmp(sa->name, sb->name);
}

static int place_sym(const struct hist_env *env, const struct sort_key *k __unused, u64 a, u64 b)
{
	const struct symbol *sa = symbol_nr(env, a), *sb = symbol_nr(env, b);

	if (a == b)
		return 0;
	if (!sa != !sb)
		return sa ? -1 : 1;
	if (sa && sa->start != sb->start)
		return sa->start < sb->start ? -1 : 1;
	return sa ? 0 : cmp_address(env, a, b);
}

static char level_char(u8 level)
{
	switch (level) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_USER:
		return '.';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	case PERF_RECORD_MISC_HYPERVISOR:
		return 'H';
	}
	return '?';
}

TEXT(text_sym)
{
	const struct symbol *sym = symbol_nr(env, v);

	outbuf_printf(o, "[%c] ", level_char(e->level));
	/* printf's '#': no 0x before zeroes, as mainline shows it. */
	if (!sym)
		outbuf_printf(o, "%#.16llx", hist_shown_address(env, v));
	else
		outbuf_puts(o, sym->name);
	if (sym && sym->inlined)
		outbuf_puts(o, " (inlined)");
}

VALUE(value_symbol_size)
{
	const struct symbol *sym = symbol_of(p);

	return sym ? sym->end - sym->start : 0;
}


TEXT(text_symbol_size)
{
	if (v)
		outbuf_dec(o, v, 0, ' ');
	else
		outbuf_puts(o, "unknown");
}

VALUE(value_dso_size)
{
	return p->frame->map ? p->frame->map->end - p->frame->map->start : 0;
}

TEXT(text_dso_size)
{
	if (v)
		outbuf_dec(o, v, 0, ' ');
	else
		outbuf_puts(o, "unknown");
}

static const char *line_of(struct hist_env *env, const struct hist_point *p)
{
	if (p->inl)
		return p->inl->srcline;
	return hist_srcline(env, p->frame);
}

VALUE(value_srcline)
{
	const char *line = line_of(env, p);
	const struct symbol *sym = symbol_of(p);
	char s[512];

	if (line)
		return (uintptr_t)hist_string(env, line);
	if (sym)
		snprintf(s, sizeof(s), "%s+%llu", sym->name, p->frame->addr - sym->start);
	else
		snprintf(s, sizeof(s), "%s[%llx]", p->frame->dso ? p->frame->dso->short_name :
			 "[unknown]", p->frame->ip);
	return (uintptr_t)hist_string(env, s);
}

VALUE(value_srcfile)
{
	const char *line = line_of(env, p), *colon;
	char s[4096];

	if (!line)
		return (uintptr_t)hist_string(env, "");
	colon = strrchr(line, ':');
	snprintf(s, sizeof(s), "%.*s", colon ? (int)(colon - line) : (int)strlen(line), line);
	return (uintptr_t)hist_string(env, s);
}

VALUE(value_addr)
{
	return p->frame->ip;
}

TEXT(text_hex)
{
	outbuf_printf(o, "0x%llx", v);
}

VALUE(value_symoff)
{
	const struct symbol *sym = symbol_of(p);
	char s[512];

	if (!sym)
		snprintf(s, sizeof(s), "0x%016llx", p->frame->ip);
	else
		snprintf(s, sizeof(s), "%s+0x%llx", sym->name, p->frame->addr - sym->start);
	return (uintptr_t)hist_string(env, s);
}

TEXT(text_symoff)
{
	outbuf_printf(o, "[%c] %s", level_char(e->level), (const char *)(uintptr_t)v);
}

const struct sort_key sort_keys_place[] = {
	{ .name = "dso", .header = "Shared Object", .half = KEY_OF_FRAME, .value = value_dso,
	  .cmp = cmp_dso, .text = text_string },
	{ .name = "symbol", .is_sym = true, .alias = "sym", .header = "Symbol", .half = KEY_OF_FRAME, .ragged = true,
	  .value = value_sym, .cmp = cmp_sym, .place = place_sym, .text = text_sym },
	{ .name = "symoff", .ragged = true, .header = "Symbol Offset", .half = KEY_OF_FRAME,
	  .value = value_symoff, .cmp = cmp_string, .text = text_symoff },
	{ .name = "symbol_size", .header = "Symbol size", .half = KEY_OF_FRAME, .right = true,
	  .value = value_symbol_size, .text = text_symbol_size },
	{ .name = "dso_size", .header = "DSO size", .half = KEY_OF_FRAME, .right = true,
	  .value = value_dso_size, .text = text_dso_size },
	{ .name = "srcline", .ragged = true, .header = "Source:Line", .half = KEY_OF_FRAME,
	  .value = value_srcline, .cmp = cmp_string, .text = text_string },
	{ .name = "srcfile", .ragged = true, .header = "Source File", .half = KEY_OF_FRAME,
	  .value = value_srcfile, .cmp = cmp_string, .text = text_string },
	{ .name = "addr", .header = "Address", .half = KEY_OF_FRAME, .min_width = 18,
	  .value = value_addr, .text = text_hex },
	{ .name = NULL },
};

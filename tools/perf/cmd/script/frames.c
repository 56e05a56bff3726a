// SPDX-License-Identifier: GPL-2.0
/*
 * Frames as perf script prints them. The text of a frame is made once and stored in the printer's
 * arena while the frame is cached; for events with other fields than the printer's it is made each
 * time. Nothing here calls printf().
 */

#include <endian.h>

#include "cmd/script/script.h"

/* Eight digits at once: a nibble in each byte, then '0' or 'a' - 10 added to it. */
static void put_hex8(char *p, u32 v)
{
	u64 x = v;

	x = (x | x << 16) & 0x0000ffff0000ffffULL;
	x = (x | x << 8) & 0x00ff00ff00ff00ffULL;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fULL;
	x += 0x3030303030303030ULL + ((x + 0x0606060606060606ULL) >> 4 & 0x0101010101010101ULL) * ('a' - '0' - 10);
	x = htobe64(x);
	memcpy(p, &x, sizeof(x));
}

/* "%16lx" */
static char *put_hex16(char *p, u64 v)
{
	u32 blanks = __builtin_clzll(v | 1) / 4;

	put_hex8(p, v >> 32);
	put_hex8(p + 8, v);
	memset(p, ' ', blanks);
	return p + 16;
}

/* As put_hex16(). Most ips have the upper half of the one before. */
static inline void put_ip(struct printer *p, char *to, u64 ip)
{
	if (unlikely(!(ip >> 32) || ip >> 32 != p->upper)) {
		put_hex16(to, ip);
		p->upper = ip >> 32;
		memcpy(p->upper_text, to, 8);
		return;
	}
	memcpy(to, p->upper_text, 8);
	put_hex8(to + 8, ip);
}

/*
 * Append a blank and the name of @sym (the frame's own, or one inlined in it), with the frame's
 * offset in its own symbol if @fields include it.
 */
static void put_symbol(struct outbuf *o, u64 fields, const struct frame *f,
		       const struct symbol *sym)
{
	outbuf_putc(o, ' ');
	outbuf_puts(o, sym ? sym->name : "[unknown]");
	if (f->sym && fields & FIELD(SYMOFF)) {
		outbuf_puts(o, "+0x");
		outbuf_hex(o, f->addr - f->sym->start, 0, ' ');
	}
}

/* The file of the kernel's or a module's symbols, if known. */
static const char *kernel_path(struct dso *d)
{
	const char *path = d->kind == DSO_KERNEL ? dso_debug_path(d) : NULL;

	return path ?: d->name;
}

static void put_dso_name(struct printer *p, struct outbuf *o, const struct frame *f)
{
	const struct dso *d = f->dso;

	if (!d)
		outbuf_puts(o, "[unknown]");
	else if (d->kind == DSO_USER || d->kind == DSO_VDSO || d->kind == DSO_ANON ||
		 (d->kind == DSO_MODULE && d->listed))
		outbuf_puts(o, d->name);
	else
		outbuf_puts(o, p->opts->kernel_path ? kernel_path(f->dso) : d->short_name);
}

void print_place(struct printer *p, struct outbuf *o, u64 fields, const struct frame *f)
{
	if (fields & FIELD(SYM))
		put_symbol(o, fields, f, f->sym);
	if (!(fields & FIELD(DSO)))
		return;
	outbuf_puts(o, " (");
	put_dso_name(p, o, f);
	/* kallsyms is not a file with code. */
	if (fields & FIELD(DSOFF) && f->dso && f->dso->kind != DSO_KERNEL &&
	    f->dso->kind != DSO_GUEST_KERNEL) {
		outbuf_puts(o, "+0x");
		outbuf_hex(o, f->dso->memory ? f->ip : f->ip - f->map->start + f->map->pgoff,
			   0, ' ');
	}
	outbuf_putc(o, ')');
}

/* Append a frame's line without its prefix. @inlines: inlined functions have lines of their own. */
static void format_frame(struct printer *p, u64 fields, const struct frame *f, bool inlines,
			 struct outbuf *o)
{
	const char *line;

	if (fields & FIELD(IP))
		o->pos = put_hex16(outbuf_reserve(o, 16), f->ip);
	print_place(p, o, fields, f);
	if (fields & FIELD(SRCLINE) && f->dso) {
		/* Inlined functions have their own lines; this line is that of the call. */
		line = inlines && f->nr_inlines ?
			       dso_inline_line(f->dso, f->code, f->nr_inlines) :
			       dso_srcline(f->dso, f->code, p->opts->full_srcline);
		outbuf_puts(o, "\n  ");
		if (line) {
			outbuf_puts(o, line);
		} else {
			outbuf_puts(o, f->dso->short_name);
			outbuf_putc(o, '[');
			outbuf_hex(o, f->dso->memory ? f->ip : f->addr, 0, ' ');
			outbuf_putc(o, ']');
		}
	}
	outbuf_putc(o, '\n');
}

/* Longer texts are rare and not cached: many symbols may have the same long name. */
#define TEXT_KEPT 4096

/* The text of a frame, with an ip, after the tab of a callchain's lines. */
struct frame_text {
	u64 ip;
	char s[];
};

static void make_text(struct printer *p, u64 fields, struct frame *f)
{
	struct outbuf *o = &p->scratch;
	struct frame_text *text;

	o->pos = o->base;
	outbuf_putc(o, '\t');
	format_frame(p, fields, f, true, o);
	f->user_len = o->pos - o->base;
	if (f->user_len > TEXT_KEPT)
		return;
	text = arena_alloc(&p->arena, sizeof(*text) + f->user_len);
	text->ip = f->ip;
	memcpy(text->s, o->base, f->user_len);
	f->user = text;
}

/* @tab: 1: in a callchain, after a tab; 0: without */
static inline void put_frame(struct printer *p, u64 fields, struct frame *f, u32 tab)
{
	struct frame_text *text;
	char *line;
	u32 len;

	/* Events may have different fields: texts are cached for one set of fields. */
	if (unlikely((fields & SCRIPT_FRAME) != p->frame_fields)) {
		if (tab)
			outbuf_putc(p->out, '\t');
		format_frame(p, fields, f, true, p->out);
		return;
	}
	if (unlikely(!f->user))
		make_text(p, fields, f);
	text = f->user;
	len = f->user_len - 1 + tab;
	if (unlikely(!text)) {
		outbuf_write(p->out, p->scratch.base + 1 - tab, len);
		return;
	}
	line = memcpy(outbuf_reserve(p->out, len), text->s + 1 - tab, len);
	/* The file may be mapped at another address. */
	if (text->ip != f->ip && fields & FIELD(IP))
		put_ip(p, line + tab, f->ip);
	p->out->pos = line + len;
}

static void put_inlines(struct printer *p, u64 fields, const struct frame *f)
{
	struct outbuf *o = p->out;
	const char *line;
	u32 i;

	for (i = 0; i < f->nr_inlines; i++) {
		outbuf_putc(o, '\t');
		if (fields & FIELD(IP))
			o->pos = put_hex16(outbuf_reserve(o, 16), f->ip);
		if (fields & FIELD(SYM))
			put_symbol(o, fields, f, f->inlines[i].sym);
		line = fields & FIELD(SRCLINE) ? dso_inline_line(f->dso, f->code, i) : NULL;
		if (line) {
			outbuf_puts(o, "\n  ");
			outbuf_puts(o, line);
		}
		outbuf_puts(o, " (inlined)\n");
	}
}

static void put_cookie(struct printer *p, u64 fields, u64 cookie)
{
	struct outbuf *o = p->out;

	outbuf_putc(o, '\t');
	if (fields & FIELD(IP))
		o->pos = put_hex16(outbuf_reserve(o, 16), cookie);
	if (fields & FIELD(SYM))
		outbuf_puts(o, " (cookie)");
	if (fields & FIELD(DSO))
		outbuf_puts(o, " ([unknown])");
	outbuf_putc(o, '\n');
}

struct frame *frame_at(const struct printer *p, const struct visit *v, u64 addr, u8 cpumode)
{
	return frame_of(p->frames, v->thread, addr, cpumode, v->chain->time);
}

void print_callchain(struct printer *p, u64 fields, const struct callchain *cc,
		     const struct thread *t)
{
	u32 left = p->opts->max_stack, i, j;

	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *space;
		struct frame *f = NULL;

		space = timeline_space(p->s->timeline, t, span->cpumode, span->time);
		if (span_is_unwound(cc, i))
			left = p->opts->max_stack;
		for (j = 0; j < span->nr; j++, left--) {
			if (!left)
				break;
			f = span_frame(p->frames, space, span, j, f);
			if (unlikely(f->nr_inlines))
				put_inlines(p, fields, f);
			put_frame(p, fields, f, 1);
			if (unlikely(p->opts->stop_bt.arg) && f->sym &&
			    name_list_has_function(&p->opts->stop_bt, f->sym->name))
				return;
		}
	}
	if (cc->deferred && !cc->joined && left)
		put_cookie(p, fields, cc->cookie);
}

void print_frame(struct printer *p, u64 fields, struct frame *f)
{
	/* A frame without callchain has the sample's own line, not that of a call. */
	if (unlikely(f->nr_inlines && fields & FIELD(SRCLINE)))
		format_frame(p, fields, f, false, p->out);
	else
		put_frame(p, fields, f, 0);
}

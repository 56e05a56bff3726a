// SPDX-License-Identifier: GPL-2.0
/*
 * key_memory.c - keys of memory accesses: page sizes, the data address with its variable, and
 * the source of the data (perf_mem_data_src)
 */
#include <stdio.h>

#include "event/value_text.h"
#include "hist/hist_private.h"

KEY_VALUE(code_page, p->sample->code_page_size)
KEY_VALUE(data_page, p->sample->data_page_size)

static void text_page(const struct hist_cell *c, struct outbuf *o)
{
	u64 v = c->value;
	static const char units[] = "BKMGTP";
	int u = 0;

	if (!v) {
		outbuf_puts(o, "N/A");
		return;
	}
	for (; v >= 1024 && !(v & 1023) && units[u + 1]; u++)
		v >>= 10;
	outbuf_printf(o, "%llu%c", v, units[u]);
}

KEY_VALUE(data_addr, p->sample->addr)
KEY_VALUE(phys_daddr, p->sample->phys_addr)
KEY_TEXT(hex16, outbuf_printf(o, "0x%016llx", c->value))

/* As for other addresses without a name, 0 is shown without "0x". */
static void text_phys(const struct hist_cell *c, struct outbuf *o)
{
	outbuf_puts(o, c->value ? "[.] 0x" : "[.] ");
	outbuf_hex(o, c->value, 16, '0');
}

/* The frame of a data address, which is a user address if the kernel accessed user memory. */
static struct frame *data_frame(struct hist_env *env, const struct hist_point *p, u64 addr)
{
	u8 mode = p->sample->cpumode;

	if (mode == PERF_RECORD_MISC_KERNEL && (s64)addr >= 0)
		mode = PERF_RECORD_MISC_USER;
	return frame_of(env->frames_cache, p->thread, addr, mode, p->time);
}

/* "[.] name+0x10", or the address. What follows a newline distinguishes equal names, unseen. */
static u64 data_name(struct hist_env *env, const struct frame *f, char level, u32 pid)
{
	char s[1024];
	int len;

	if (f->sym)
		len = snprintf(s, sizeof(s), "[%c] %.900s+0x%llx", level, f->sym->name, f->addr - f->sym->start);
	else
		len = snprintf(s, sizeof(s), f->ip ? "[%c] 0x%016llx" : "[%c] %016llx", level, f->ip);
	if (pid)
		snprintf(s + len, sizeof(s) - len, "\n%u", pid);
	return (uintptr_t)hist_string(env, s);
}

static u64 value_symbol_daddr(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	const struct frame *f = data_frame(env, p, p->sample->addr);

	return data_name(env, f, f->cpumode == PERF_RECORD_MISC_KERNEL ? 'k' : '.', 0);
}

static u64 value_dso_daddr(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	const struct hist_point data = { .frame = data_frame(env, p, p->sample->addr) };

	return sort_dso_value(env, k, &data);
}

#define LINE_BYTES 64

/* The cache line, by the frame at its start, and by process in anonymous memory. */
static u64 value_dcacheline(struct hist_env *env, const struct sort_key *k,
			    const struct hist_point *p)
{
	const struct frame *f = data_frame(env, p, p->sample->addr & -LINE_BYTES);

	return data_name(env, f, f->map ? '.' : 'X', f->dso && f->dso->memory ? p->sample->pid : 0);
}

static void text_data(const struct hist_cell *c, struct outbuf *o)
{
	const char *s = (const char *)(uintptr_t)c->value;

	outbuf_write(o, s, strchrnul(s, '\n') - s);
}

/* As mainline: the width of a name includes room for an address. */
static u32 extent_data(const struct hist_cell *c, const struct outbuf *text)
{
	const char *s = (const char *)(uintptr_t)c->value, *offset = strrchr(s, '+');

	return 22 + (offset ? offset - s - 4 : 0);
}

static u32 extent_object(const struct hist_cell *c, const struct outbuf *text)
{
	/* The width that a file's column has for a row without symbol. */
	return outbuf_len(text) == 9 && !strcmp((const char *)(uintptr_t)c->value, "[unknown]") ? 16 : outbuf_len(text);
}

/* The value is one field of data_src, so rows differ only by the shown field. */
#define DATA_SRC_KEY(name, part)				\
KEY_VALUE(name, p->sample->data_src & data_src_fields[part].mask)	\
KEY_TEXT(name, data_src_fields[part].put(c->value, o))

DATA_SRC_KEY(mem, DATA_SRC_LEVEL)
DATA_SRC_KEY(snoop, DATA_SRC_SNOOP)
DATA_SRC_KEY(tlb, DATA_SRC_TLB)
DATA_SRC_KEY(locked, DATA_SRC_LOCK)
DATA_SRC_KEY(blocked, DATA_SRC_BLOCKED)

#define MEMORY_KEY(key, title, show, ...)						\
	SORT_KEY(key, title, value_##key, show, .need = NEED_MEM, __VA_ARGS__)

const struct sort_key sort_keys_memory[] = {
	SORT_KEY(code_page_size, "Code Page Size", value_code_page, text_page),
	SORT_KEY(data_page_size, "Data Page Size", value_data_page, text_page, .min_width = 22),
	MEMORY_KEY(data_addr, "Data Address", text_hex16, .min_width = 18),
	MEMORY_KEY(phys_daddr, "Data Physical Address", text_phys, .min_width = 22),
	MEMORY_KEY(symbol_daddr, "Data Symbol", text_data, .cmp = sort_string_cmp,
		   .extent = extent_data),
	MEMORY_KEY(dso_daddr, "Data Object", sort_string_text, .cmp = sort_dso_cmp,
		   .extent = extent_object),
	MEMORY_KEY(dcacheline, "Data Cacheline", text_data, .cmp = sort_string_cmp,
		   .extent = extent_data),
	MEMORY_KEY(mem, "Memory access", text_mem, .min_width = 39),
	MEMORY_KEY(tlb, "TLB access", text_tlb, .min_width = 22),
	MEMORY_KEY(snoop, "Snoop", text_snoop, .min_width = 12),
	MEMORY_KEY(locked, "Locked", text_locked),
	MEMORY_KEY(blocked, "Blocked", text_blocked, .min_width = 10),
	{ .name = NULL },
};

// SPDX-License-Identifier: GPL-2.0
/*
 * key_memory.c - keys of what the sample says of memory: page sizes, the data
 * address and where the data came from (perf_mem_data_src)
 */
#include "hist/key.h"

static u64 value_code_page(struct hist_env *env, const struct sort_key *k,
			   const struct hist_point *p)
{
	return p->sample->code_page_size;
}

static u64 value_data_page(struct hist_env *env, const struct sort_key *k,
			   const struct hist_point *p)
{
	return p->sample->data_page_size;
}

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

static u64 value_data_addr(struct hist_env *env, const struct sort_key *k,
			   const struct hist_point *p)
{
	return p->sample->addr;
}

static u64 value_phys_addr(struct hist_env *env, const struct sort_key *k,
			   const struct hist_point *p)
{
	return p->sample->phys_addr;
}

static u64 value_cacheline(struct hist_env *env, const struct sort_key *k,
			   const struct hist_point *p)
{
	return p->sample->addr & ~63ULL;
}

static void text_hex16(const struct hist_cell *c, struct outbuf *o)
{
	outbuf_printf(o, "0x%016llx", c->value);
}


/* One field of data_src is the value: rows differ in what the column shows. */
static u64 value_locked(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	return (p->sample->data_src >> PERF_MEM_LOCK_SHIFT) & 3;
}

static void text_locked(const struct hist_cell *c, struct outbuf *o)
{
	u64 v = c->value;

	outbuf_puts(o, v & PERF_MEM_LOCK_NA || !v ? "N/A" : v & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

static u64 value_tlb(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	return (p->sample->data_src >> PERF_MEM_TLB_SHIFT) & 0x7f;
}

static void text_bits(struct outbuf *o, u64 v, const char *const *names, size_t nr)
{
	bool any = false;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!(v & 1ULL << i) || !names[i])
			continue;
		if (any)
			outbuf_puts(o, " or ");
		outbuf_puts(o, names[i]);
		any = true;
	}
	if (!any)
		outbuf_puts(o, "N/A");
}

static void text_tlb(const struct hist_cell *c, struct outbuf *o)
{
	u64 v = c->value;
	static const char *const names[] = {
		NULL, NULL, NULL, "L1", "L2", "Walker", "Fault",
	};

	text_bits(o, v, names, ARRAY_SIZE(names));
	if (v & PERF_MEM_TLB_HIT)
		outbuf_puts(o, " hit");
	if (v & PERF_MEM_TLB_MISS)
		outbuf_puts(o, " miss");
}

static u64 value_snoop(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	return (p->sample->data_src >> PERF_MEM_SNOOP_SHIFT) & 0x1f;
}

static void text_snoop(const struct hist_cell *c, struct outbuf *o)
{
	static const char *const names[] = { NULL, "None", "Hit", "Miss", "HitM" };

	text_bits(o, c->value, names, ARRAY_SIZE(names));
}

static void text_mem(const struct hist_cell *c, struct outbuf *o)
{
	static const char *const levels[] = {
		NULL, NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM",
		"Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
		"Remote Cache (2 hops)", "I/O", "Uncached",
	};
	u64 lvl = (c->value >> PERF_MEM_LVL_SHIFT) & 0x3fff;

	text_bits(o, lvl, levels, ARRAY_SIZE(levels));
	if (lvl & PERF_MEM_LVL_HIT)
		outbuf_puts(o, " hit");
	if (lvl & PERF_MEM_LVL_MISS)
		outbuf_puts(o, " miss");
}

static u64 value_mem(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	return p->sample->data_src & (0x3fffULL << PERF_MEM_LVL_SHIFT);
}

const struct sort_key sort_keys_memory[] = {
	{ .name = "code_page_size", .header = "Code Page Size", .value = value_code_page,
	  .text = text_page },
	{ .name = "data_page_size", .header = "Data Page Size", .value = value_data_page,
	  .text = text_page },
	{ .name = "data_addr", .header = "Data Address", .min_width = 18, .need = NEED_MEM,
	  .value = value_data_addr, .text = text_hex16 },
	{ .name = "phys_daddr", .header = "Data Physical Address", .need = NEED_MEM,
	  .value = value_phys_addr, .text = text_hex16 },
	{ .name = "dcacheline", .header = "Data Cacheline", .min_width = 18, .need = NEED_MEM,
	  .value = value_cacheline, .text = text_hex16 },
	{ .name = "mem", .header = "Memory access", .need = NEED_MEM, .value = value_mem,
	  .text = text_mem },
	{ .name = "tlb", .header = "TLB access", .need = NEED_MEM, .value = value_tlb,
	  .text = text_tlb },
	{ .name = "snoop", .header = "Snoop", .need = NEED_MEM, .value = value_snoop,
	  .text = text_snoop },
	{ .name = "locked", .header = "Locked", .need = NEED_MEM, .value = value_locked,
	  .text = text_locked },
	{ .name = NULL },
};

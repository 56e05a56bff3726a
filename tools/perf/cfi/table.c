// SPDX-License-Identifier: GPL-2.0
/*
 * Checks an unwind table (linux/unwind_table.h) and looks up rows in it. Owns nothing: struct
 * unwind_table points into the caller's memory. After unwind_table_check() every offset in the
 * table is valid, so that unwind_table_find() needs no checks.
 */
#include <elf.h>
#include <stdio.h>

#include "base/sort.h"
#include "cfi/table.h"

static const struct unwind_table_rule unknown;

static bool arm64_rule_sound(const struct unwind_table_rule *r)
{
	switch (r->kind) {
	case UNWIND_TABLE_UNKNOWN:
	case UNWIND_TABLE_OUTERMOST:
		return !memcmp(&r->reg, &unknown.reg, sizeof(*r) - offsetof(struct unwind_table_rule, reg));
	case UNWIND_TABLE_SIGNAL:
		return r->reg == ARM64_SP && !r->fp && !r->ra && !r->fp_off && !r->arg;
	case UNWIND_TABLE_CFA:
		break;
	default:
		return false;
	}
	if (r->reg > ARM64_SP || r->ra > UNWIND_TABLE_RA_REG || (r->ra && (r->arg < 0 || r->arg > ARM64_LR)))
		return false;
	return r->fp == UNWIND_TABLE_FP_CFA ||
	       (!r->fp_off && (r->fp == UNWIND_TABLE_FP_SAME || r->fp == UNWIND_TABLE_FP_LOST));
}

static bool rule_sound(const struct unwind_table_rule *r)
{
	switch (r->kind) {
	case UNWIND_TABLE_UNKNOWN:
	case UNWIND_TABLE_OUTERMOST:
		return !memcmp(&r->reg, &unknown.reg, sizeof(*r) - offsetof(struct unwind_table_rule, reg));
	case UNWIND_TABLE_SIGNAL:
		return r->reg == REG_SP && !r->fp && !r->ra && !r->fp_off && !r->arg;
	case UNWIND_TABLE_PLT:
		if (r->reg != REG_SP || r->ra || r->arg < 0 || r->arg > 15)
			return false;
		break;
	case UNWIND_TABLE_CFA:
		if (r->ra > UNWIND_TABLE_RA_REG || (r->ra ? r->arg < 0 || r->arg > 15 : r->arg))
			return false;
		break;
	case UNWIND_TABLE_DEREF:
		if (r->ra)
			return false;
		break;
	default:
		return false;
	}
	if (r->reg > 15 || r->fp > UNWIND_TABLE_FP_LOST)
		return false;
	return !r->fp_off || (r->fp != UNWIND_TABLE_FP_SAME && r->fp != UNWIND_TABLE_FP_LOST);
}

const char *unwind_table_check(const void *data, size_t size, struct unwind_table *t)
{
	const struct unwind_table_head *h = data;
	u32 page, row = 0;
	s32 last;

	if (size < sizeof(*h))
		return "it is shorter than its head";
	if (h->magic != UNWIND_TABLE_MAGIC)
		return "it does not begin as a table does";
	if (h->version != UNWIND_TABLE_VERSION || h->head_size != sizeof(*h))
		return "its version is unknown";
	if (h->arch != EM_X86_64 && h->arch != EM_AARCH64)
		return "its architecture is unknown";
	if (h->reserved || h->reserved2[0] || h->reserved2[1] || h->reserved2[2])
		return "a reserved field is not 0";
	if (h->page_shift < UNWIND_TABLE_MIN_SHIFT || h->page_shift > UNWIND_TABLE_MAX_SHIFT)
		return "its page size is out of range";
	if (!h->nr_pages || !h->nr_rows || !h->nr_rules || h->nr_rules > UNWIND_TABLE_MAX_RULES)
		return "a count is out of range";
	if (h->size != size || size != sizeof(*h) + (u64)h->nr_rules * sizeof(*t->rules) +
	    ((u64)h->nr_pages + 1) * sizeof(*t->pages) + (u64)h->nr_rows * sizeof(*t->rows))
		return "its size is not that of its parts";
	if (h->first & ((1ULL << h->page_shift) - 1) ||
	    h->first >> 63 || (h->first + ((u64)h->nr_pages << h->page_shift)) >> 63)
		return "the file offset of its first page is out of range";
	t->head = h;
	t->rules = (const void *)(h + 1);
	t->pages = (const void *)(t->rules + h->nr_rules);
	t->rows = (const void *)(t->pages + h->nr_pages + 1);
	if (t->pages[0] || t->pages[h->nr_pages] != h->nr_rows)
		return "the pages do not hold all rows";
	for (page = 0; page < h->nr_pages; page++) {
		if (t->pages[page + 1] < t->pages[page] || t->pages[page + 1] > h->nr_rows)
			return "the pages are not in order";
		for (last = -1; row < t->pages[page + 1]; row++) {
			if (t->rows[row].off <= last || t->rows[row].off >> h->page_shift)
				return "the rows of a page are not in order";
			if (t->rows[row].rule >= h->nr_rules)
				return "a row has a rule that is not there";
			last = t->rows[row].off;
		}
	}
	if (!t->pages[1] || t->rows[0].off)
		return "its first row is not where its first page begins";
	for (row = 0; row < h->nr_rules; row++)
		if (!(h->arch == EM_X86_64 ? rule_sound : arm64_rule_sound)(&t->rules[row]))
			return "a rule has an unknown kind";
	return NULL;
}

const struct unwind_table_rule *unwind_table_find(const struct unwind_table *t, u64 off)
{
	const struct unwind_table_head *h = t->head;
	u32 page, behind, in;

	if (off < h->first || (off - h->first) >> h->page_shift >= h->nr_pages)
		return &unknown;
	page = (off - h->first) >> h->page_shift;
	in = off & ((1u << h->page_shift) - 1);
	/* The first row after @off; the one before it may stand in an earlier page. */
	behind = LOWER_BOUND(t->pages[page], t->pages[page + 1], i, t->rows[i].off <= in);
	return &t->rules[t->rows[behind - 1].rule];
}

static const char *dwarf_reg_name(u32 reg, u16 arch)
{
	static const char *const x86[16] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};
	static const char *const arm64[32] = {
		"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
		"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29",
		"x30", "sp",
	};

	return arch == EM_AARCH64 ? arm64[reg & 31] : x86[reg & 15];
}

char *unwind_rule_text(const struct unwind_table_rule *r, u16 arch, char *buf, size_t size)
{
	const char *reg = dwarf_reg_name(r->reg, arch);
	int n = 0;

	switch (r->kind) {
	case UNWIND_TABLE_UNKNOWN:
		snprintf(buf, size, "unknown");
		return buf;
	case UNWIND_TABLE_OUTERMOST:
		snprintf(buf, size, "outermost");
		return buf;
	case UNWIND_TABLE_SIGNAL:
		snprintf(buf, size, "signal %s%+d", reg, r->off);
		return buf;
	case UNWIND_TABLE_CFA:
		n = snprintf(buf, size, "cfa=%s%+d", reg, r->off);
		break;
	case UNWIND_TABLE_DEREF:
		n = snprintf(buf, size, "cfa=(%s%+d)%+d", reg, r->off, r->arg);
		break;
	case UNWIND_TABLE_PLT:
		n = snprintf(buf, size, "cfa=%s%+d/plt%d", reg, r->off, r->arg);
		break;
	}
	if (r->fp == UNWIND_TABLE_FP_LOST)
		n += snprintf(buf + n, size - n, " fp=?");
	else if (r->fp != UNWIND_TABLE_FP_SAME)
		n += snprintf(buf + n, size - n, " fp=(%s%+d)", r->fp == UNWIND_TABLE_FP_CFA ? "cfa" :
			      r->fp == UNWIND_TABLE_FP_FP ? "rbp" : "rsp", r->fp_off);
	if (r->ra)
		snprintf(buf + n, size - n, " ra=%s", dwarf_reg_name(r->arg, arch));
	else if (arch == EM_AARCH64)
		snprintf(buf + n, size - n, " ra=(cfa%+d)", r->arg);
	return buf;
}

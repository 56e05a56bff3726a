// SPDX-License-Identifier: GPL-2.0
/*
 * Checks an unwind table that came from user space, once, and looks up rules in it. A look-up
 * reads no row but those of the offset's page and the one in front of them. The rows' contents
 * are not checked: a look-up takes any.
 *
 * The layout: include/uapi/linux/unwind_table.h. Each kind of defect has an
 * errno of its own, listed in Documentation/perf-event-abi.rst.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/unwind_user.h>

#include "table.h"

#define DWARF_REGS	ARCH_UNWIND_USER_REGS
#define DWARF_SP	ARCH_UNWIND_USER_SP
/* With a link register there are fewer kinds, and a return address anywhere in the frame. */
#define LINK_REGISTER	ARCH_UNWIND_USER_LINK_REGISTER

/* Fields that have a value only with certain kinds of fp rules. */
static bool fp_is_sound(const struct unwind_table_rule *r)
{
	switch (r->fp) {
	case UNWIND_TABLE_FP_CFA:
		return true;
	case UNWIND_TABLE_FP_FP:
	case UNWIND_TABLE_FP_SP:
		return !LINK_REGISTER;
	case UNWIND_TABLE_FP_SAME:
	case UNWIND_TABLE_FP_LOST:
		return !r->fp_off;
	}
	return false;
}

static bool rule_is_sound(const struct unwind_table_rule *r)
{
	switch (r->kind) {
	case UNWIND_TABLE_UNKNOWN:
	case UNWIND_TABLE_OUTERMOST:
		return !r->reg && !r->fp && !r->ra && !r->off && !r->fp_off && !r->arg;
	case UNWIND_TABLE_SIGNAL:
		return r->reg == DWARF_SP && !r->fp && !r->ra && !r->fp_off && !r->arg;
	case UNWIND_TABLE_PLT:
		return !LINK_REGISTER && r->reg == DWARF_SP && !r->ra &&
		       r->arg >= 0 && r->arg <= 15 && fp_is_sound(r);
	case UNWIND_TABLE_DEREF:
		return !LINK_REGISTER && r->reg < DWARF_REGS && !r->ra && fp_is_sound(r);
	case UNWIND_TABLE_CFA:
		if (r->reg >= DWARF_REGS || !fp_is_sound(r))
			return false;
		if (r->ra == UNWIND_TABLE_RA_REG)
			return r->arg >= 0 && r->arg < DWARF_REGS;
		return r->ra == UNWIND_TABLE_RA_CFA && (LINK_REGISTER || !r->arg);
	}
	return false;
}

static int check_head(const struct unwind_table_head *h, size_t size)
{
	u64 end;

	if (h->magic != UNWIND_TABLE_MAGIC)
		return -ENOEXEC;
	if (h->version != UNWIND_TABLE_VERSION || h->head_size != sizeof(*h) ||
	    h->arch != ARCH_UNWIND_USER_EM || h->reserved ||
	    memchr_inv(h->reserved2, 0, sizeof(h->reserved2)))
		return -EPROTONOSUPPORT;
	if (h->page_shift < UNWIND_TABLE_MIN_SHIFT || h->page_shift > UNWIND_TABLE_MAX_SHIFT ||
	    !h->nr_pages || !h->nr_rows || !h->nr_rules || h->nr_rules > UNWIND_TABLE_MAX_RULES)
		return -ERANGE;
	/* None of these can overflow: a count has 32 bits. */
	if (h->size != size ||
	    size != sizeof(*h) + (u64)h->nr_rules * sizeof(struct unwind_table_rule) +
		    ((u64)h->nr_pages + 1) * sizeof(u32) +
		    (u64)h->nr_rows * sizeof(struct unwind_table_row))
		return -EMSGSIZE;
	if (h->first & ((1ULL << h->page_shift) - 1) || h->first >> 63 ||
	    check_add_overflow(h->first, (u64)h->nr_pages << h->page_shift, &end) || end >> 63)
		return -ERANGE;
	return 0;
}

/* Number of the first row of each page, and of all rows. The rows are behind it. */
static const u32 *pages_of(const struct unwind_table *table)
{
	return (const void *)(unwind_table_rules(table) + table->head.nr_rules);
}

static int check_pages(const u32 *pages, const struct unwind_table_head *h)
{
	u32 page;

	if (pages[0] || pages[h->nr_pages] != h->nr_rows)
		return -EBADSLT;
	for (page = 0; page < h->nr_pages; page++) {
		/* A row for each byte is enough: it bounds a look-up. */
		if (pages[page + 1] < pages[page] || pages[page + 1] > h->nr_rows ||
		    pages[page + 1] - pages[page] > 1U << h->page_shift)
			return -EBADSLT;
		if (!(page & 0xffff))
			cond_resched();
	}
	return 0;
}

/**
 * unwind_table_check - check a table
 * @table:	@head and what follows it is the kernel's copy of the table; @bytes is set
 * @size:	bytes that the copy has
 *
 * Context: process context, may sleep.
 * Return: 0; -EMSGSIZE if the parts do not add up to @size, -ENOEXEC if it does
 * not begin as a table does, -EPROTONOSUPPORT for another version or
 * architecture or a reserved field that is not 0, -ERANGE if a count, an offset
 * or the size of a page is out of range, -EBADSLT if the array of pages is not
 * in order, -EBADRQC if a rule is none.
 */
int unwind_table_check(struct unwind_table *table, size_t size)
{
	const struct unwind_table_head *h = &table->head;
	u32 rule;
	int err;

	if (size < sizeof(*h))
		return -EMSGSIZE;
	err = check_head(h, size);
	if (err)
		return err;

	table->bytes = (u64)h->nr_pages << h->page_shift;
	err = check_pages(pages_of(table), h);
	if (err)
		return err;
	for (rule = 0; rule < h->nr_rules; rule++) {
		if (!rule_is_sound(&unwind_table_rules(table)[rule]))
			return -EBADRQC;
	}
	return 0;
}

/**
 * unwind_table_search - the number of the rule for an offset
 * @table:	a table that was checked
 * @in:		the offset, from the first page's begin
 *
 * Rows are not checked: whatever they say, only rows of this page and the one in front of
 * them are read, and the number is that of a rule. The same holds for a processor that guesses
 * the outcome of a comparison: the offset comes from the stack and the rule from the row, both
 * of which user space chooses, and what is read by them leads to more loads.
 *
 * Not inline: most rules were found a moment ago, and the loops that look keep more in registers.
 *
 * Context: any, NMI included.
 * Return: the number.
 */
noinline u16 unwind_table_search(const struct unwind_table *table, u64 in)
{
	const u32 *pages = pages_of(table);
	const struct unwind_table_row *row, *rows;
	u32 nr, half, page;

	in = array_index_nospec(in, table->bytes);
	page = in >> table->head.page_shift;
	in &= (1U << table->head.page_shift) - 1;
	rows = (const void *)(pages + table->head.nr_pages + 1);
	/* The row in front of the page's first one may be of an earlier page. */
	row = rows + pages[page] - 1;
	nr = pages[page + 1] - pages[page] + 1;
	while (nr > 1) {
		half = nr / 2;
		row = row[half].off <= in ? row + half : row;
		nr -= half;
	}
	if (unlikely(row < rows))
		return 0;
	/* 0 in place of one that is too large. */
	return array_index_nospec(row->rule, table->head.nr_rules);
}

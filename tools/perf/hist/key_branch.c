// SPDX-License-Identifier: GPL-2.0
/*
 * key_branch.c - keys of a branch entry: source, target, and the hardware's flags (struct
 * perf_branch_entry)
 *
 * The frame of such a row is the branch target, so that dso, symbol and similar keys refer to
 * the target.
 */
#include <stdio.h>

#include "hist/hist_private.h"

/* Added to a symbol's number for a kernel address. */
#define KERNEL_SIDE (1ULL << 32)

static struct hist_point end_of(const struct frame *f)
{
	return (struct hist_point){ .frame = f, .own = true };
}

static u64 symbol_value(struct hist_env *env, const struct frame *f)
{
	struct hist_point p = end_of(f);

	return hist_sym(env, &p) | (f->cpumode == PERF_RECORD_MISC_KERNEL ? KERNEL_SIDE : 0);
}

static u64 dso_value(struct hist_env *env, const struct sort_key *k, const struct frame *f)
{
	struct hist_point p = end_of(f);

	return sort_dso_value(env, k, &p);
}

KEY_VALUE(dso_from, dso_value(env, k, p->branch->from))
KEY_VALUE(dso_to, dso_value(env, k, p->branch->to))

KEY_VALUE(symbol_from, symbol_value(env, p->branch->from))
KEY_VALUE(symbol_to, symbol_value(env, p->branch->to))

/* As mainline: files from the last name to the first. */
static int cmp_dso(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	return sort_dso_cmp(env, k, b, a);
}

/* As mainline: by address, not by name. */
static int cmp_symbol(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	const struct symbol *sa = sort_symbol(env, (u32)a), *sb = sort_symbol(env, (u32)b);

	return sa && sb ? sort_addr_cmp(env, k, sa->start, sb->start) :
			  sort_sym_cmp(env, k, (u32)a, (u32)b);
}

static void text_symbol(const struct hist_cell *c, struct outbuf *o)
{
	sort_sym_text(c->env, c->value & KERNEL_SIDE ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		      (u32)c->value, o);
}

/* "0000000000401136 [.] symbol+0x8": in the order of addresses, which are not shown */
#define ADDR_DIGITS 16

static u64 addr_value(struct hist_env *env, const struct frame *f)
{
	char s[1024];
	int n = snprintf(s, sizeof(s), "%0*llx [%c] ", ADDR_DIGITS, f->ip,
			 f->cpumode == PERF_RECORD_MISC_KERNEL ? 'k' : '.');

	if (!f->sym)
		snprintf(s + n, sizeof(s) - n, "%#.16llx", f->ip);
	else if (f->addr == f->sym->start)
		snprintf(s + n, sizeof(s) - n, "%s", f->sym->name);
	else
		snprintf(s + n, sizeof(s) - n, "%s+0x%llx", f->sym->name, f->addr - f->sym->start);
	return (uintptr_t)hist_string(env, s);
}

KEY_VALUE(addr_from, addr_value(env, p->branch->from))
KEY_VALUE(addr_to, addr_value(env, p->branch->to))
KEY_TEXT(addr, outbuf_puts(o, (const char *)(uintptr_t)c->value + ADDR_DIGITS + 1))

static u64 srcline_value(struct hist_env *env, const struct sort_key *k, const struct frame *f)
{
	struct hist_point p = end_of(f);

	return f->dso ? sort_srcline_value(env, k, &p) : (uintptr_t)hist_string(env, "??:0");
}

KEY_VALUE(srcline_from, srcline_value(env, k, p->branch->from))
KEY_VALUE(srcline_to, srcline_value(env, k, p->branch->to))

/* 2: unknown; some hardware sets neither flag. */
KEY_VALUE(mispredict,
	  p->branch->flags & BRANCH_PREDICTED ? 0 : p->branch->flags & BRANCH_MISPREDICTED ? 1 : 2)

KEY_TEXT(mispredict, outbuf_puts(o, c->value == 0 ? "N" : c->value == 1 ? "Y" : "N/A"))
KEY_VALUE(in_tx, !!(p->branch->flags & BRANCH_IN_TX))
KEY_TEXT(in_tx, outbuf_puts(o, c->value ? "T" : "."))
KEY_VALUE(abort, !!(p->branch->flags & BRANCH_ABORT))
KEY_TEXT(abort, outbuf_puts(o, c->value ? "A" : "."))
KEY_VALUE(cycles, branch_cycles(p->branch->flags))

static void text_cycles(const struct hist_cell *c, struct outbuf *o)
{
	outbuf_printf(o, c->value ? "%llu" : "-", c->value);
}

/*
 * The number of branch ends in a row's stacks (--branch-history). As in perf 7.2.13, predictions
 * and cycles are divided by it. A branch has two ends, so "50.0%" means that all were predicted.
 */
static u64 ends(const struct step_branches *b)
{
	return b->targets + b->sources;
}

static void text_history_predicted(const struct step_branches *b, struct outbuf *o)
{
	outbuf_printf(o, "%.1f%%", ends(b) ? 100.0 * b->predicted / ends(b) : 0);
}

static void text_history_abort(const struct step_branches *b, struct outbuf *o)
{
	outbuf_dec(o, b->aborts, 0, ' ');
}

static void text_history_cycles(const struct step_branches *b, struct outbuf *o)
{
	outbuf_dec(o, ends(b) ? b->cycles / ends(b) : 0, 0, ' ');
}

#define BRANCH_KEY(key, title, show, ...)						\
	SORT_KEY(key, title, value_##key, show, .half = KEY_OF_FRAME, .need = NEED_BRANCH,	\
		 __VA_ARGS__)
#define HISTORY_KEY(key, title, text)							\
	{ .name = #key, .header = title, .half = KEY_OF_ROW, .ragged = true,		\
	  .need = NEED_BRANCH_HISTORY, .branches = text }

const struct sort_key sort_keys_branch[] = {
	BRANCH_KEY(dso_from, "Source Shared Object", sort_string_text, .cmp = cmp_dso),
	BRANCH_KEY(dso_to, "Target Shared Object", sort_string_text, .cmp = cmp_dso),
	BRANCH_KEY(symbol_from, "Source Symbol", text_symbol, .is_sym = true, .ragged = true,
		   .cmp = cmp_symbol),
	BRANCH_KEY(symbol_to, "Target Symbol", text_symbol, .is_sym = true, .ragged = true,
		   .cmp = cmp_symbol),
	BRANCH_KEY(addr_from, "Source Address", text_addr, .min_width = 22, .ragged = true,
		   .cmp = sort_string_cmp),
	BRANCH_KEY(addr_to, "Target Address", text_addr, .min_width = 22, .ragged = true,
		   .cmp = sort_string_cmp),
	BRANCH_KEY(srcline_from, "From Source:Line", sort_string_text, .cmp = sort_string_cmp),
	BRANCH_KEY(srcline_to, "To Source:Line", sort_string_text, .cmp = sort_string_cmp),
	BRANCH_KEY(mispredict, "Branch Mispredicted", text_mispredict),
	BRANCH_KEY(in_tx, "Branch in transaction", text_in_tx),
	BRANCH_KEY(abort, "Transaction abort", text_abort),
	BRANCH_KEY(cycles, "Basic Block Cycles", text_cycles, .cmp = sort_descending),
	HISTORY_KEY(callchain_branch_predicted, "Predicted", text_history_predicted),
	HISTORY_KEY(callchain_branch_abort, "Abort", text_history_abort),
	HISTORY_KEY(callchain_branch_cycles, "Cycles", text_history_cycles),
	{ .name = NULL },
};

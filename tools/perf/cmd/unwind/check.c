// SPDX-License-Identifier: GPL-2.0
/*
 * perf unwind --check: compares a table with libdw, which reads the same file by its own code.
 * A rule and libdw's answer are both applied to made-up registers and memory, as in a walk; the
 * resulting registers of the caller are compared.
 */
#include <dwarf.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/hash.h"
#include "cmd/unwind/unwind.h"
#include "elf/gopclntab.h"
#include "elf/open.h"
#include "elf/unpack.h"
#include "unwind/dwarf_expr.h"

#define REG_RA 16
#define NR_REGS 32

/* Made-up registers are different in each of so many rounds. */
#define ROUNDS 2

/* The place of a register that is not the word at CFA + n. */
#define NOT_AT_CFA LLONG_MIN

struct check {
	u16 arch;
	u64 entry;			/* address of the entry point */
	bool is_go;			/* its table has what .debug_frame leaves out */
	Elf *elf;
	struct elf_images images;
	Dwarf *dwarf;
	Dwarf_CFI *eh, *debug;
	struct unwind_table t;
	struct unwind_compared *cmp;
};

/* A register of the caller. */
struct value {
	bool known;
	u64 v;
};

/* The caller's registers as one side finds them. */
struct caller {
	bool described;		/* there is a rule */
	bool outermost, signal;
	bool simple;		/* a rule can say it in any case */
	struct value cfa, sp, fp, ra;
};

static u64 memory(u64 addr)
{
	return hash_mix(addr, 0x6d656d);
}

static bool read_memory(void *ctx __unused, u64 addr, u32 size, u64 *v)
{
	*v = memory(addr);
	if (size < 8)
		*v &= (1ULL << (8 * size)) - 1;
	return true;
}

static void make_up(const struct check *c, u64 *regs, u64 ip, u32 round)
{
	u32 i;

	for (i = 0; i < NR_REGS; i++)
		regs[i] = hash_mix(i, round) & ~7ULL;
	if (c->arch == EM_X86_64)
		regs[REG_RA] = ip;
}

/* A register as dwarf_frame_register() describes it. */
static struct value reg_value(Dwarf_Frame *frame, int reg, struct dwarf_expr_context *x, s64 *at_cfa)
{
	struct value v = { false, 0 };
	Dwarf_Op mem[3], *ops;
	struct cfi_expr e;
	size_t nr;

	if (dwarf_frame_register(frame, reg, mem, &ops, &nr))
		return v;
	if (!nr)
		return (struct value){ ops != mem, x->regs[reg] };
	if (nr && nr <= 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[nr - 1].atom != DW_OP_stack_value)
		*at_cfa = nr == 1 ? 0 : (s64)ops[1].number;
	if (nr == 1 && ops[0].atom == DW_OP_regx && ops[0].number < NR_REGS)
		return (struct value){ true, x->regs[ops[0].number] };
	if (nr == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom < DW_OP_reg0 + NR_REGS)
		return (struct value){ true, x->regs[ops[0].atom - DW_OP_reg0] };
	e = (struct cfi_expr){ ops, nr };
	if (ops[nr - 1].atom == DW_OP_stack_value) {
		e.nr--;
		v.known = dwarf_expr_eval(&e, x, &v.v);
	} else if (dwarf_expr_eval(&e, x, &v.v)) {
		v = (struct value){ true, memory(v.v) };
	}
	return v;
}

/*
 * libdw before 0.192 takes AArch64's change of the return address's signature for SPARC's window save (the
 * same number): registers 16 to 31 are then at CFA + 8 * (number - 16) if no later instruction sets them.
 * No function saves register 16.
 */
static void undo_window_save(Dwarf_Frame *frame, const u64 *regs, struct dwarf_expr_context *x, s64 fp_at, s64 ra_at,
			     struct caller *c)
{
	s64 at = NOT_AT_CFA;

	reg_value(frame, 16, x, &at);
	if (at != 0)
		return;
	c->sp = c->cfa;
	if (fp_at == 8 * (ARM64_FP - 16))
		c->fp.v = regs[ARM64_FP];
	if (ra_at == 8 * (ARM64_LR - 16))
		c->ra.v = regs[ARM64_LR];
}

static void theirs(const struct check *chk, Dwarf_Frame *frame, const u64 *regs, struct caller *c)
{
	bool x86 = chk->arch == EM_X86_64;
	u32 nr_regs = x86 ? REG_RA : NR_REGS;
	struct dwarf_expr_context x = { .regs = regs, .known = x86 ? (1 << (REG_RA + 1)) - 1 : -1U, .word = 8,
				  .read = read_memory };
	s64 fp_at = NOT_AT_CFA, ra_at = NOT_AT_CFA, ignored;
	struct cfi_expr e;
	Dwarf_Op *ops;
	size_t nr;

	memset(c, 0, sizeof(*c));
	dwarf_frame_info(frame, NULL, NULL, &c->signal);
	if (!dwarf_frame_cfa(frame, &ops, &nr) && nr) {
		e = (struct cfi_expr){ ops, nr };
		c->cfa.known = x.has_cfa = dwarf_expr_eval(&e, &x, &x.cfa);
		c->cfa.v = x.cfa;
		c->simple = nr == 1 && (ops[0].atom == DW_OP_bregx ? ops[0].number < nr_regs :
			    ops[0].atom >= DW_OP_breg0 && ops[0].atom < DW_OP_breg0 + nr_regs);
	}
	/* libdw finds some functions and no CFA in them. */
	c->described = c->cfa.known;
	c->sp = reg_value(frame, x86 ? REG_SP : ARM64_SP, &x, &ignored);
	c->fp = reg_value(frame, x86 ? REG_FP : ARM64_FP, &x, &fp_at);
	c->ra = reg_value(frame, x86 ? REG_RA : ARM64_LR, &x, &ra_at);
	c->outermost = !c->ra.known;
	if (!x86 && c->cfa.known) {
		undo_window_save(frame, regs, &x, fp_at, ra_at, c);
		/* Above the CFA: arm64_rule() says why. */
		if (ra_at == 8) {
			c->cfa.v += 16;
			c->sp = c->cfa;
			if (c->cfa.v == regs[ARM64_SP])
				c->ra.v = regs[ARM64_LR];
		}
	}
	c->simple = c->outermost ||
		    (c->simple && (x86 ? ra_at == -8 : ra_at != NOT_AT_CFA) && c->sp.known &&
		     c->sp.v == c->cfa.v && !c->signal);
}

static void ours(const struct check *chk, const struct unwind_table_rule *r, const u64 *regs, struct caller *c)
{
	u64 base = regs[r->reg] + r->off;
	bool x86 = chk->arch == EM_X86_64;

	memset(c, 0, sizeof(*c));
	c->described = r->kind != UNWIND_TABLE_UNKNOWN;
	c->outermost = r->kind == UNWIND_TABLE_OUTERMOST;
	if (!c->described || c->outermost)
		return;
	c->cfa = c->fp = c->ra = (struct value){ true, 0 };
	switch (r->kind) {
	case UNWIND_TABLE_SIGNAL:
		c->signal = true;
		c->cfa.v = memory(base + 160);
		c->fp.v = memory(base + 120);
		c->ra.v = memory(base + 168);
		c->sp = c->cfa;
		return;
	case UNWIND_TABLE_CFA:
		c->cfa.v = base;
		break;
	case UNWIND_TABLE_DEREF:
		c->cfa.v = memory(base) + r->arg;
		break;
	case UNWIND_TABLE_PLT:
		c->cfa.v = base + ((regs[REG_RA] & 15) >= (u32)r->arg ? 8 : 0);
		break;
	}
	c->sp = c->cfa;
	c->ra.v = r->ra ? regs[r->arg] : memory(c->cfa.v + (x86 ? -8 : r->arg));
	switch (r->fp) {
	case UNWIND_TABLE_FP_SAME:
		c->fp.v = regs[x86 ? REG_FP : ARM64_FP];
		break;
	case UNWIND_TABLE_FP_CFA:
		c->fp.v = memory(c->cfa.v + r->fp_off);
		break;
	case UNWIND_TABLE_FP_FP:
		/* Where rbp is not described, made-up ones are in no frame. */
		c->fp.v = chk->is_go && r->reg == REG_SP ? regs[REG_FP] :
							   memory(regs[REG_FP] + r->fp_off);
		break;
	case UNWIND_TABLE_FP_SP:
		c->fp.v = memory(regs[REG_SP] + r->fp_off);
		break;
	case UNWIND_TABLE_FP_LOST:
		c->fp.known = false;
		break;
	}
}

enum verdict {
	IS_EQUAL, IS_WRONG, IS_ABSENT, IS_UNKNOWN, IS_FP_LOST, IS_NOTHING, IS_ONLY_OURS,
};

static bool same(struct value a, struct value b)
{
	return a.known == b.known && (!a.known || a.v == b.v);
}

/*
 * @is_start: the first instruction of the program, or Go's code on another stack:
 * unwind_rows_start() and go_stack.h say why there is no caller, or another
 */
static enum verdict judge(const struct caller *a, const struct caller *b, bool is_start)
{
	if (!b->described)
		return a->described ? IS_ONLY_OURS : IS_NOTHING;
	if (!a->described)
		return b->simple ? IS_ABSENT : IS_UNKNOWN;
	if (a->outermost != b->outermost)
		return is_start ? IS_ONLY_OURS : IS_WRONG;
	if (a->outermost)
		return IS_EQUAL;
	if (is_start && !same(a->cfa, b->cfa))
		return IS_ONLY_OURS;
	if (a->signal != b->signal || !same(a->cfa, b->cfa) || !same(a->sp, b->sp) ||
	    !same(a->ra, b->ra))
		return IS_WRONG;
	if (same(a->fp, b->fp))
		return IS_EQUAL;
	return a->fp.known ? IS_WRONG : IS_FP_LOST;
}

static void note_wrong(struct check *c, u64 off, const struct unwind_table_rule *r, const struct caller *b,
		 const u64 *regs)
{
	struct unwind_compared *cmp = c->cmp;
	char text[96];

	if (cmp->what[0])
		return;
	cmp->first_wrong = off;
	snprintf(cmp->what, sizeof(cmp->what), "%s; libdw: %s CFA sp%+lld", unwind_rule_text(r, c->arch, text,
		 sizeof(text)), b->outermost ? "outermost," : b->signal ? "signal," : "",
		 b->cfa.v - regs[c->arch == EM_X86_64 ? REG_SP : ARM64_SP]);
}

static void account(struct check *c, enum verdict v, u64 bytes)
{
	u64 *const sums[] = {
		[IS_EQUAL] = &c->cmp->equal, [IS_WRONG] = &c->cmp->wrong, [IS_ABSENT] = &c->cmp->absent,
		[IS_UNKNOWN] = &c->cmp->unknown, [IS_FP_LOST] = &c->cmp->fp_lost,
		[IS_NOTHING] = &c->cmp->nothing, [IS_ONLY_OURS] = &c->cmp->only_ours,
	};

	*sums[v] += bytes;
}

static Dwarf_Frame *find_frame(const struct check *c, u64 addr)
{
	Dwarf_Frame *frame = NULL;

	if (c->eh && !dwarf_cfi_addrframe(c->eh, addr, &frame))
		return frame;
	if (c->debug && !dwarf_cfi_addrframe(c->debug, addr, &frame))
		return frame;
	return NULL;
}

/* Is this a rule for a function of Go's that calls on another stack, behind the switch? */
static bool is_go_stack(const struct check *c, const struct unwind_table_rule *r)
{
	return c->is_go && (r->kind == UNWIND_TABLE_OUTERMOST ||
			    (r->reg == REG_FP && r->fp == UNWIND_TABLE_FP_FP));
}

/* One run of bytes of which both say the same; @most: no more than so many. Return: its size. */
static u64 compare_run(struct check *c, u64 addr, u64 off, u64 most)
{
	const struct unwind_table_rule *r = unwind_table_find(&c->t, off);
	Dwarf_Frame *frame = find_frame(c, addr);
	enum verdict v = IS_EQUAL, verdict = IS_EQUAL;
	Dwarf_Addr start, end = addr + 1;
	struct caller a, b = { 0 };
	u64 regs[NR_REGS], n = 1;
	u32 round;

	if (!frame && r->kind == UNWIND_TABLE_UNKNOWN) {
		/* Without any section of its kinds libdw has nothing anywhere. */
		while (!c->eh && !c->debug && n < most && unwind_table_find(&c->t, off + n) == r)
			n++;
		account(c, IS_NOTHING, n);
		return n;
	}
	for (round = 0; round < ROUNDS; round++) {
		make_up(c, regs, addr, round);
		ours(c, r, regs, &a);
		if (frame)
			theirs(c, frame, regs, &b);
		v = judge(&a, &b, c->arch == EM_AARCH64 ? addr == c->entry : is_go_stack(c, r));
		if (v == IS_WRONG || v == IS_ABSENT || verdict == IS_EQUAL)
			verdict = v;
		if (v == IS_WRONG || v == IS_ABSENT)
			note_wrong(c, off, r, &b, regs);
	}
	if (frame && dwarf_frame_info(frame, &start, &end, NULL) >= 0 && end > addr)
		most = min(most, end - addr);
	else
		most = 1;
	/* A rule or an expression that looks at the ip may say something else at each byte. */
	if (r->kind != UNWIND_TABLE_PLT && verdict != IS_UNKNOWN)
		while (n < most && unwind_table_find(&c->t, off + n) == r)
			n++;
	account(c, verdict, n);
	free(frame);
	return n;
}

static int open_file(const char *path, struct check *c)
{
	struct stat st;
	GElf_Ehdr eh;
	int fd = elf_file_open(path, &c->elf, &st);

	if (fd < 0)
		return diag_error("%s: libdw can't read it: %s", path, strerror(-fd));
	elf_file_done(c->elf, fd);
	elf_unpack_zstd(c->elf, &c->images);
	c->entry = gelf_getehdr(c->elf, &eh) ? eh.e_entry : 0;
	c->is_go = elf_has_section(c->elf, &GO_SECTION[1]);
	c->eh = dwarf_getcfi_elf(c->elf);
	c->dwarf = dwarf_begin_elf(c->elf, DWARF_C_READ, NULL);
	c->debug = c->dwarf ? dwarf_getcfi(c->dwarf) : NULL;
	return 0;
}

int unwind_compare(const char *path, const struct unwind_made *made, struct unwind_compared *cmp)
{
	struct check c = { .cmp = cmp };
	size_t i, nr = 0;
	GElf_Phdr ph;
	u64 at;
	int err;

	memset(cmp, 0, sizeof(*cmp));
	unwind_table_check(made->data, made->size, &c.t);
	c.arch = c.t.head->arch;
	err = open_file(path, &c);
	if (!err && elf_getphdrnum(c.elf, &nr))
		nr = 0;
	for (i = 0; !err && i < nr && gelf_getphdr(c.elf, i, &ph); i++) {
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		for (at = 0; at < ph.p_filesz; )
			at += compare_run(&c, ph.p_vaddr + at, ph.p_offset + at, ph.p_filesz - at);
	}
	if (c.eh)
		dwarf_cfi_end(c.eh);
	dwarf_end(c.dwarf);
	elf_end(c.elf);
	elf_images_free(&c.images);
	return err;
}

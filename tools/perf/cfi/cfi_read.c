// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter of call frame instructions. It follows the four registers of a table (on AArch64
 * three: the link register is the return address) and skips the operands of all others.
 */
#include <dwarf.h>
#include <elf.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/sort.h"
#include "cfi/bytes.h"
#include "cfi/cfi_read.h"

#define REG_RA 16

/* The state of the return address's signature, which walks do not need. */
#define OP_AARCH64_negate_ra_state_with_pc	0x2c
#define OP_AARCH64_negate_ra_state		0x2d
#define OP_MIPS_advance_loc8		0x1d
#define OP_GNU_args_size		0x2e
#define OP_GNU_negative_offset_extended	0x2f

/* The deepest DW_CFA_remember_state that is followed; compilers nest one. */
#define MAX_REMEMBERED 32

enum reg_kind {
	REG_UNSET,
	REG_SAME,
	REG_UNDEFINED,
	REG_AT_CFA,		/* saved at CFA + .off */
	REG_AT_REG,		/* saved at register .reg + .off */
	REG_IN_REG,		/* in register .reg */
	REG_OTHER,
};

struct reg {
	u8 kind, reg;
	s64 off;
};

struct state {
	struct unwind_expr cfa;		/* EXPR_REG, EXPR_DEREF, EXPR_PLT, EXPR_OTHER; EXPR_CONST: unset */
	s64 cfa_off;			/* that was set last, also while an expression holds */
	struct reg fp, sp, ra;
};

struct cie {
	u64 code_align;
	s64 data_align;
	u8 fde_encoding;
	bool sized, signal;		/* 'z', 'S' */
	bool bad;			/* cannot be used */
	struct state initial;
};

/* Instructions as they are run: one CIE's, or those of an FDE. */
struct cfi_program {
	const struct cie *cie;
	struct state now, saved[MAX_REMEMBERED];
	u32 nr_saved;
	u64 loc, size;		/* bytes after the function's start */
	u64 start;		/* the function's address */
	u32 fp, sp, ra;		/* numbers of these registers */
	bool is_fde;
};

struct cfi {
	struct unwind_section s;
	bool is_eh;
	struct unwind_rows *rows;
	struct cie *cies;
	u32 nr_cies, cap_cies;
	struct hash by_offset;		/* of CIEs: number */
	u64 budget;			/* bytes of CIEs that may still be read */
	u64 last_offset;		/* + 1: the CIE that was used last */
	u32 last;
	struct cfi_program run;
};

static bool fits(s64 v)
{
	return v == (s32)v;
}

/* The rule for a register that is saved where the frame's registers say. */
static void fp_rule(const struct unwind_rows *rows, const struct state *s,
		    struct unwind_table_rule *r)
{
	struct reg fp = s->fp;

	/* Counted from the CFA where both are known from one register. */
	if (fp.kind == REG_AT_REG && s->cfa.kind == EXPR_REG && fp.reg == s->cfa.reg)
		fp = (struct reg){ REG_AT_CFA, 0, fp.off - s->cfa.off };
	r->fp = UNWIND_TABLE_FP_LOST;
	if (fp.kind == REG_UNSET && rows->keeps_fp && r->reg == REG_SP && r->off >= 16) {
		r->fp = UNWIND_TABLE_FP_FP;
	} else if (fp.kind == REG_UNSET || fp.kind == REG_SAME ||
	    (fp.kind == REG_IN_REG && fp.reg == REG_FP)) {
		r->fp = UNWIND_TABLE_FP_SAME;
	} else if (!fits(fp.off)) {
		return;
	} else if (fp.kind == REG_AT_CFA) {
		r->fp = UNWIND_TABLE_FP_CFA;
		r->fp_off = fp.off;
	} else if (fp.kind == REG_AT_REG && (fp.reg == REG_FP || fp.reg == REG_SP)) {
		r->fp = fp.reg == REG_FP ? UNWIND_TABLE_FP_FP : UNWIND_TABLE_FP_SP;
		r->fp_off = fp.off;
	}
}

/* Of the kernel's struct ucontext: sp at 160, fp at 120, ip at 168 (asm/sigcontext.h). */
static bool is_signal_frame(const struct state *s)
{
	return s->cfa.kind == EXPR_DEREF && s->cfa.reg == REG_SP && !s->cfa.add &&
	       s->fp.kind == REG_AT_REG && s->fp.reg == REG_SP && s->fp.off == s->cfa.off - 40 &&
	       s->ra.kind == REG_AT_REG && s->ra.reg == REG_SP && s->ra.off == s->cfa.off + 8 &&
	       (s->sp.kind == REG_UNSET || (s->sp.kind == REG_AT_REG && s->sp.reg == REG_SP &&
					    s->sp.off == s->cfa.off));
}

static u32 arm64_rule(struct unwind_rows *rows, const struct state *s, bool signal)
{
	struct unwind_table_rule r = { .kind = UNWIND_TABLE_CFA, .reg = s->cfa.reg, .off = s->cfa.off };
	struct reg ra = s->ra, fp = s->fp;

	if (ra.kind == REG_UNDEFINED) {
		r = (struct unwind_table_rule){ .kind = UNWIND_TABLE_OUTERMOST };
		return unwind_rule(rows, &r);
	}
	/* Kernels before 5.8 described the trampoline, and by it the interrupted ip was lost. */
	if (signal)
		return unwind_rule_unknown(rows, UNWIND_WHY_SIGNAL);
	if (s->cfa.kind != EXPR_REG || s->cfa.reg > ARM64_SP)
		return unwind_rule_unknown(rows, UNWIND_WHY_CFA);
	if (s->sp.kind != REG_UNSET)
		return unwind_rule_unknown(rows, UNWIND_WHY_SP);
	if (!fits(s->cfa.off))
		return unwind_rule_unknown(rows, UNWIND_WHY_RANGE);
	if (ra.kind == REG_UNSET || ra.kind == REG_SAME)
		ra = (struct reg){ REG_IN_REG, ARM64_LR, 0 };
	if (ra.kind == REG_AT_REG && ra.reg == r.reg)
		ra = (struct reg){ REG_AT_CFA, 0, ra.off - r.off };
	if (ra.kind == REG_IN_REG && ra.reg <= ARM64_LR) {
		r.ra = UNWIND_TABLE_RA_REG;
		r.arg = ra.reg;
	} else if (ra.kind == REG_AT_CFA && fits(ra.off)) {
		r.arg = ra.off;
	} else {
		return unwind_rule_unknown(rows, UNWIND_WHY_RA);
	}
	if (fp.kind == REG_AT_REG && fp.reg == r.reg)
		fp = (struct reg){ REG_AT_CFA, 0, fp.off - r.off };
	/*
	 * No return address is above the CFA: glibc 2.36 describes _dl_runtime_resolve() without the two words that
	 * the procedure linkage table pushed.
	 */
	if (!r.ra && r.arg == 8 && fits(r.off + 16LL)) {
		r.off += 16;
		r.arg -= 16;
		fp.off -= 16;
		/* They were popped. */
		if (r.reg == ARM64_SP && r.off + r.arg < 0) {
			r.ra = UNWIND_TABLE_RA_REG;
			r.arg = ARM64_LR;
		}
	}
	r.fp = UNWIND_TABLE_FP_LOST;
	if (fp.kind == REG_UNSET || fp.kind == REG_SAME || (fp.kind == REG_IN_REG && fp.reg == ARM64_FP)) {
		r.fp = UNWIND_TABLE_FP_SAME;
	} else if (fp.kind == REG_AT_CFA && fits(fp.off)) {
		r.fp = UNWIND_TABLE_FP_CFA;
		r.fp_off = fp.off;
	}
	return unwind_rule(rows, &r);
}

static u32 x86_rule(struct unwind_rows *rows, const struct state *s, bool signal)
{
	struct unwind_table_rule r = { .reg = s->cfa.reg };
	struct reg ra = s->ra;

	if (ra.kind == REG_UNDEFINED) {
		r = (struct unwind_table_rule){ .kind = UNWIND_TABLE_OUTERMOST };
		return unwind_rule(rows, &r);
	}
	if (signal) {
		if (!is_signal_frame(s))
			return unwind_rule_unknown(rows, UNWIND_WHY_SIGNAL);
		if (!fits(s->cfa.off - 160))
			return unwind_rule_unknown(rows, UNWIND_WHY_RANGE);
		r.kind = UNWIND_TABLE_SIGNAL;
		r.off = s->cfa.off - 160;
		return unwind_rule(rows, &r);
	}
	if (s->cfa.kind == EXPR_REG)
		r.kind = UNWIND_TABLE_CFA;
	else if (s->cfa.kind == EXPR_DEREF)
		r.kind = UNWIND_TABLE_DEREF;
	else if (s->cfa.kind == EXPR_PLT)
		r.kind = UNWIND_TABLE_PLT;
	else
		return unwind_rule_unknown(rows, UNWIND_WHY_CFA);
	if (s->cfa.reg > 15)
		return unwind_rule_unknown(rows, UNWIND_WHY_CFA);
	if (s->sp.kind != REG_UNSET)
		return unwind_rule_unknown(rows, UNWIND_WHY_SP);
	if (!fits(s->cfa.off) || !fits(s->cfa.add))
		return unwind_rule_unknown(rows, UNWIND_WHY_RANGE);
	r.off = s->cfa.off;
	r.arg = s->cfa.add;
	if (ra.kind == REG_AT_REG && r.kind == UNWIND_TABLE_CFA && ra.reg == r.reg)
		ra = (struct reg){ REG_AT_CFA, 0, ra.off - r.off };
	if (ra.kind == REG_IN_REG && r.kind == UNWIND_TABLE_CFA && ra.reg < 16) {
		r.ra = UNWIND_TABLE_RA_REG;
		r.arg = ra.reg;
	} else if (ra.kind != REG_AT_CFA || ra.off != -8) {
		return unwind_rule_unknown(rows, UNWIND_WHY_RA);
	}
	fp_rule(rows, s, &r);
	return unwind_rule(rows, &r);
}

static u32 rule_of(struct unwind_rows *rows, const struct state *s, bool signal)
{
	return rows->arch == EM_AARCH64 ? arm64_rule(rows, s, signal) : x86_rule(rows, s, signal);
}

static struct reg *reg_of(struct cfi_program *r, struct state *s, u64 reg)
{
	return reg == r->fp ? &s->fp : reg == r->ra ? &s->ra : reg == r->sp ? &s->sp : NULL;
}

static void set(struct cfi_program *r, u64 reg, enum reg_kind kind, u64 in, s64 off)
{
	struct reg *to = reg_of(r, &r->now, reg);

	if (to)
		*to = (struct reg){ kind, in, off };
}

/* "The value is CFA + off": of the stack pointer that is nothing new. */
static void set_value(struct cfi_program *r, u64 reg, s64 off)
{
	set(r, reg, reg == r->sp && !off ? REG_UNSET : REG_OTHER, 0, 0);
}

static void set_expr(struct cfi_program *r, u64 reg, struct bytes b, bool is_value)
{
	struct unwind_expr e;

	if (!reg_of(r, &r->now, reg))
		return;
	e = unwind_expr_read(b.p, bytes_left(&b), true);
	if (is_value && e.kind == EXPR_CFA)
		set_value(r, reg, e.off);
	else if (is_value || (e.kind != EXPR_CFA && e.kind != EXPR_REG))
		set(r, reg, REG_OTHER, 0, 0);
	else
		set(r, reg, e.kind == EXPR_CFA ? REG_AT_CFA : REG_AT_REG, e.reg, e.off);
}

static void restore(struct cfi_program *r, u64 reg)
{
	struct reg *to = reg_of(r, &r->now, reg);

	if (to)
		*to = *reg_of(r, (struct state *)&r->cie->initial, reg);
}

static void set_cfa(struct cfi_program *r, u64 reg, s64 off)
{
	/* Registers from 16 on make no difference here. */
	r->now.cfa = (struct unwind_expr){ EXPR_REG, reg < 255 ? reg : 255, off, 0 };
	r->now.cfa_off = off;
}

/*
 * After an expression the offset before it is valid again: so do the unwinders of gcc and
 * gdb, and assembler code counts on it, though the standard allows it not.
 */
static void set_cfa_reg(struct cfi_program *r, u64 reg)
{
	set_cfa(r, reg, r->now.cfa_off);
}

static void set_cfa_off(struct cfi_program *r, s64 off)
{
	r->now.cfa_off = off;
	if (r->now.cfa.kind == EXPR_REG)
		r->now.cfa.off = off;
}

static s64 scaled(const struct cfi_program *r, u64 off)
{
	return off * (u64)r->cie->data_align;
}

/*
 * The instructions whose opcode is a byte of its own, but those that advance.
 * Return: whether it was understood.
 */
static bool extended(struct cfi_program *r, u8 op, struct bytes *b)
{
	struct state *s = &r->now;
	struct bytes expr;
	u64 reg, in;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_offset_extended:
		reg = bytes_uleb(b);
		set(r, reg, REG_AT_CFA, 0, scaled(r, bytes_uleb(b)));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = bytes_uleb(b);
		set(r, reg, REG_AT_CFA, 0, scaled(r, bytes_sleb(b)));
		return true;
	case OP_GNU_negative_offset_extended:
		reg = bytes_uleb(b);
		set(r, reg, REG_AT_CFA, 0, -(u64)scaled(r, bytes_uleb(b)));
		return true;
	case DW_CFA_val_offset:
		reg = bytes_uleb(b);
		set_value(r, reg, scaled(r, bytes_uleb(b)));
		return true;
	case DW_CFA_val_offset_sf:
		reg = bytes_uleb(b);
		set_value(r, reg, scaled(r, bytes_sleb(b)));
		return true;
	case DW_CFA_restore_extended:
		restore(r, bytes_uleb(b));
		return r->is_fde;
	case DW_CFA_undefined:
		set(r, bytes_uleb(b), REG_UNDEFINED, 0, 0);
		return true;
	case DW_CFA_same_value:
		set(r, bytes_uleb(b), REG_SAME, 0, 0);
		return true;
	case DW_CFA_register:
		reg = bytes_uleb(b);
		in = bytes_uleb(b);
		set(r, reg, REG_IN_REG, min(in, 255ULL), 0);
		return true;
	case DW_CFA_remember_state:
		if (r->nr_saved == MAX_REMEMBERED)
			return false;
		r->saved[r->nr_saved++] = *s;
		return true;
	case DW_CFA_restore_state:
		if (!r->nr_saved)
			return false;
		*s = r->saved[--r->nr_saved];
		return true;
	case DW_CFA_def_cfa:
		reg = bytes_uleb(b);
		set_cfa(r, reg, bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = bytes_uleb(b);
		set_cfa(r, reg, scaled(r, bytes_sleb(b)));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa_reg(r, bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa_off(r, bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa_off(r, scaled(r, bytes_sleb(b)));
		return true;
	case DW_CFA_def_cfa_expression:
		expr = bytes_take(b, bytes_uleb(b));
		s->cfa = unwind_expr_read(expr.p, bytes_left(&expr), false);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = bytes_uleb(b);
		expr = bytes_take(b, bytes_uleb(b));
		set_expr(r, reg, expr, op == DW_CFA_val_expression);
		return true;
	case OP_AARCH64_negate_ra_state_with_pc:
	case OP_AARCH64_negate_ra_state:
		/* On other architectures these are other instructions. */
		return r->ra == ARM64_LR;
	case OP_GNU_args_size:
		bytes_uleb(b);
		return true;
	}
	return false;
}

/* A pointer in one of the encodings of .eh_frame. Return: whether it is one that is known. */
static bool encoded(const struct cfi *c, struct bytes *b, u8 encoding, u64 *v)
{
	u64 here = c->s.vaddr + (b->p - c->s.data);

	if (encoding == DW_EH_PE_aligned) {
		bytes_skip(b, -here & 7);
		*v = bytes_u64(b);
		return true;
	}
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*v = bytes_u64(b);
		break;
	case DW_EH_PE_uleb128:
		*v = bytes_uleb(b);
		break;
	case DW_EH_PE_sleb128:
		*v = bytes_sleb(b);
		break;
	case DW_EH_PE_udata2:
		*v = bytes_u16(b);
		break;
	case DW_EH_PE_sdata2:
		*v = (int16_t)bytes_u16(b);
		break;
	case DW_EH_PE_udata4:
		*v = bytes_u32(b);
		break;
	case DW_EH_PE_sdata4:
		*v = (s32)bytes_u32(b);
		break;
	default:
		return false;
	}
	if ((encoding & 0xf0) == DW_EH_PE_pcrel)
		*v += here;
	/* Others are relative to what is not known, or in memory. */
	return (encoding & 0xf0) == DW_EH_PE_pcrel || (encoding & 0xf0) == DW_EH_PE_absptr;
}

/*
 * Run instructions to their end. Of an FDE each state that holds at some address
 * becomes a row. Return: whether all of them were understood.
 */
static bool run(struct cfi *c, struct cfi_program *r, struct bytes *b)
{
	struct unwind_rows *rows = c->rows;
	const struct cie *cie = r->cie;
	bool changed = r->is_fde;
	u64 step;
	u8 op;

	while (bytes_left(b)) {
		op = *b->p++;
		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			step = (op & 0x3f) * cie->code_align;
			break;
		case DW_CFA_offset:
			set(r, op & 0x3f, REG_AT_CFA, 0, scaled(r, bytes_uleb(b)));
			changed = r->is_fde;
			continue;
		case DW_CFA_restore:
			if (!r->is_fde)
				return false;
			restore(r, op & 0x3f);
			changed = true;
			continue;
		default:
			switch (op) {
			case DW_CFA_advance_loc1:
				step = bytes_u8(b) * cie->code_align;
				break;
			case DW_CFA_advance_loc2:
				step = bytes_u16(b) * cie->code_align;
				break;
			case DW_CFA_advance_loc4:
				step = bytes_u32(b) * cie->code_align;
				break;
			case OP_MIPS_advance_loc8:
				step = bytes_u64(b) * cie->code_align;
				break;
			case DW_CFA_set_loc:
				if (!encoded(c, b, cie->fde_encoding, &step))
					return false;
				step -= r->start + r->loc;
				if ((s64)step < 0)
					return false;
				break;
			default:
				if (!extended(r, op, b) || b->bad)
					return false;
				changed = r->is_fde;
				continue;
			}
		}
		/* Rows of a CIE's instructions would have no place. */
		if (!r->is_fde || b->bad)
			return false;
		if (changed && step)
			unwind_func_row(rows, r->loc, rule_of(rows, &r->now, cie->signal));
		changed = changed && !step;
		/* What follows holds after the function's end. */
		if (step >= r->size - r->loc)
			return true;
		r->loc += step;
	}
	if (b->bad)
		return false;
	if (changed)
		unwind_func_row(rows, r->loc, rule_of(rows, &r->now, cie->signal));
	return true;
}

static void read_cie(struct cfi *c, u64 offset, struct cie *cie)
{
	struct bytes b = { c->s.data + offset, c->s.data + c->s.size, false }, data;
	struct cfi_program *r = &c->run;
	const char *letters;
	u64 length, id, ra, ignored;
	bool is64, ok = true;
	u8 version;

	memset(cie, 0, sizeof(*cie));
	cie->initial.cfa.kind = EXPR_CONST;
	length = bytes_u32(&b);
	is64 = length == 0xffffffff;
	if (is64)
		length = bytes_u64(&b);
	b = bytes_take(&b, length);
	/* Linux Standard Base: 4 bytes in .eh_frame always. */
	id = is64 && !c->is_eh ? bytes_u64(&b) : bytes_u32(&b);
	version = bytes_u8(&b);
	letters = (const char *)b.p;
	cie->bad = true;
	/* Made-up ones may lie across each other; all real ones together are less than the section. */
	if (length > c->budget)
		return;
	c->budget -= length;
	if (id != (c->is_eh ? 0 : is64 ? -1ULL : 0xffffffffULL) || !memchr(b.p, 0, bytes_left(&b)))
		return;
	if (version != 1 && version != 3 && (version != 4 || c->is_eh))
		return;
	bytes_skip(&b, strlen(letters) + 1);
	/* Bytes of an address and of a segment. */
	if (version == 4 && (bytes_u8(&b) != 8 || bytes_u8(&b) != 0))
		return;
	if (!strcmp(letters, "eh"))
		bytes_u64(&b);
	else if (*letters && *letters != 'z')
		return;
	cie->sized = *letters == 'z';
	cie->code_align = bytes_uleb(&b);
	cie->data_align = bytes_sleb(&b);
	ra = version == 1 ? bytes_u8(&b) : bytes_uleb(&b);
	if (cie->sized) {
		data = bytes_take(&b, bytes_uleb(&b));
		while (*++letters && ok) {
			if (*letters == 'L')
				bytes_u8(&data);
			else if (*letters == 'P')
				ok = encoded(c, &data, bytes_u8(&data) & 0x0f, &ignored);
			else if (*letters == 'R')
				cie->fde_encoding = bytes_u8(&data);
			else if (*letters == 'S')
				cie->signal = true;
			else if (r->ra != ARM64_LR || (*letters != 'B' && *letters != 'G'))
				/* It may change what follows. */
				ok = false;
		}
		ok = ok && !data.bad;
	}
	if (!ok || b.bad || ra != r->ra)
		return;
	r->cie = cie;
	r->now = cie->initial;
	r->nr_saved = 0;
	r->is_fde = false;
	if (!run(c, r, &b))
		return;
	cie->initial = r->now;
	cie->bad = false;
}

/* Return: the CIE at an offset of the section; NULL: there is none. */
static const struct cie *find_cie(struct cfi *c, u64 offset)
{
	bool added;
	u64 *nr;

	if (offset + 1 == c->last_offset)
		return &c->cies[c->last];
	if (offset >= c->s.size)
		return NULL;
	nr = hash_insert(&c->by_offset, offset, 0, &added);
	if (added) {
		*nr = c->nr_cies;
		GROW(c->cies, c->nr_cies, c->cap_cies);
		read_cie(c, offset, &c->cies[c->nr_cies++]);
	}
	c->last_offset = offset + 1;
	c->last = *nr;
	return &c->cies[c->last];
}

/* One FDE. @b: what is after its field that names the CIE. */
static void read_fde(struct cfi *c, const struct cie *cie, struct bytes *b)
{
	struct cfi_program *r = &c->run;
	u64 start, size;

	if (!cie || cie->bad || !encoded(c, b, cie->fde_encoding, &start) ||
	    !encoded(c, b, cie->fde_encoding & 0x0f, &size) || b->bad) {
		c->rows->counts.damaged++;
		return;
	}
	if (cie->sized)
		bytes_skip(b, bytes_uleb(b));
	if (!unwind_func_begin(c->rows, start, size))
		return;
	r->cie = cie;
	r->now = cie->initial;
	r->nr_saved = 0;
	r->is_fde = true;
	r->start = start;
	r->loc = 0;
	r->size = size;
	if (b->bad || !run(c, r, b)) {
		unwind_func_row(c->rows, r->loc, unwind_rule_unknown(c->rows, UNWIND_WHY_DAMAGED));
		c->rows->counts.damaged++;
	}
	unwind_func_end(c->rows);
}

static struct cfi *cfi_create(const struct unwind_section *s, bool is_eh, struct unwind_rows *rows)
{
	struct cfi *c = xcalloc(1, sizeof(*c));

	c->s = *s;
	c->is_eh = is_eh;
	c->rows = rows;
	c->budget = s->size;
	if (rows->arch == EM_AARCH64) {
		c->run.fp = ARM64_FP;
		c->run.sp = ARM64_SP;
		c->run.ra = ARM64_LR;
	} else {
		c->run.fp = REG_FP;
		c->run.sp = REG_SP;
		c->run.ra = REG_RA;
	}
	return c;
}

static void cfi_destroy(struct cfi *c)
{
	hash_deinit(&c->by_offset);
	free(c->cies);
	free(c);
}

/* One entry, unless it is a CIE. Return: whether its size can be followed. */
static bool read_entry(struct cfi *c, struct bytes *all)
{
	u64 length = bytes_u32(all), id, at;
	bool is64 = length == 0xffffffff;
	struct bytes b;

	if (is64)
		length = bytes_u64(all);
	/* The end of one object's entries, where others follow. */
	if (!length)
		return true;
	if (length > bytes_left(all))
		return false;
	b = bytes_take(all, length);
	at = b.p - c->s.data;
	id = is64 && !c->is_eh ? bytes_u64(&b) : bytes_u32(&b);
	if (id != (c->is_eh ? 0 : is64 ? -1ULL : 0xffffffffULL))
		read_fde(c, find_cie(c, c->is_eh ? at - id : id), &b);
	return true;
}

const char *unwind_cfi_read(const struct unwind_section *s, bool is_eh, struct unwind_rows *rows)
{
	struct bytes all = { s->data, s->data + s->size, false };
	struct cfi *c = cfi_create(s, is_eh, rows);
	const char *why = NULL;

	while (bytes_left(&all) >= 4 && !why) {
		if (!read_entry(c, &all))
			why = "an entry extends beyond the section";
	}
	cfi_destroy(c);
	return why;
}

/* What linkers write: version 1, a count of 4 bytes, pairs of 4 bytes relative to the section. */
struct eh_frame_hdr {
	u8 version, eh_frame_encoding, count_encoding, table_encoding;
	s32 eh_frame;
	u32 count;
	struct eh_frame_pair {
		s32 start, fde;
	} __attribute__((packed)) table[];
} __attribute__((packed));

#define ENCODING_UDATA4		0x03
#define ENCODING_DATAREL_SDATA4	0x3b

/* Is it of the only form that linkers write? */
static bool is_table(const struct unwind_section *hdr)
{
	const struct eh_frame_hdr *h = (const void *)hdr->data;

	return hdr->size >= sizeof(*h) && h->version == 1 && h->count_encoding == ENCODING_UDATA4 &&
	       h->table_encoding == ENCODING_DATAREL_SDATA4 && h->count <= (hdr->size - sizeof(*h)) / sizeof(h->table[0]);
}

u64 unwind_cfi_next(const struct unwind_section *hdr, u64 addr)
{
	const struct eh_frame_hdr *h = (const void *)hdr->data;
	u32 behind = is_table(hdr) ? LOWER_BOUND(0, h->count, i, hdr->vaddr + h->table[i].start <= addr) : 0;

	return is_table(hdr) && behind < h->count ? hdr->vaddr + h->table[behind].start : (u64)-1;
}

bool unwind_cfi_read_at(const struct unwind_section *s, const struct unwind_section *hdr, u64 addr,
			struct unwind_rows *rows)
{
	const struct eh_frame_hdr *h = (const void *)hdr->data;
	u32 behind, funcs = rows->nr_funcs;
	struct bytes entry;
	struct cfi *c;
	u64 at;

	if (!is_table(hdr))
		return false;
	behind = LOWER_BOUND(0, h->count, i, hdr->vaddr + h->table[i].start <= addr);
	if (!behind)
		return false;
	at = hdr->vaddr + h->table[behind - 1].fde - s->vaddr;
	if (at >= s->size)
		return false;
	entry = (struct bytes){ s->data + at, s->data + s->size, false };
	c = cfi_create(s, true, rows);
	read_entry(c, &entry);
	cfi_destroy(c);
	return rows->nr_funcs > funcs;
}

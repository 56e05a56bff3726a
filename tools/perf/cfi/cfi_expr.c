// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluates a DWARF expression of call frame information on symbolic values: a stack of at most
 * DEPTH values of the forms in enum unwind_expr_kind. Other forms, and damaged expressions, are
 * EXPR_OTHER.
 */
#include <dwarf.h>

#include "cfi/bytes.h"
#include "cfi/cfi_read.h"

#define DEPTH 8

/*
 * What a linker writes for a lazy procedure linkage table (16 bytes an entry: a jump,
 * then from byte K on one word more is on the stack):
 * breg7 N, breg16 0, lit15, and, litK, ge, lit3, shl, plus.
 */
static bool is_plt(struct bytes b, struct unwind_expr *e)
{
	static const u8 middle[] = { DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and },
		end[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	u8 op = bytes_u8(&b), lit;
	s64 off = bytes_sleb(&b);

	if (op != DW_OP_breg7 || bytes_left(&b) != sizeof(middle) + 1 + sizeof(end) ||
	    memcmp(b.p, middle, sizeof(middle)) ||
	    memcmp(b.p + sizeof(middle) + 1, end, sizeof(end)))
		return false;
	lit = b.p[sizeof(middle)] - DW_OP_lit0;
	if (lit > 15)
		return false;
	*e = (struct unwind_expr){ EXPR_PLT, 7, off, lit };
	return true;
}

/* The sum of two values, one of which is a constant; @sign: of the second. */
static struct unwind_expr add(struct unwind_expr a, struct unwind_expr b, int sign)
{
	struct unwind_expr sum = a;
	u64 n;

	if (b.kind != EXPR_CONST && a.kind == EXPR_CONST && sign > 0) {
		sum = b;
		b = a;
	}
	if (b.kind != EXPR_CONST || sum.kind == EXPR_OTHER)
		return (struct unwind_expr){ .kind = EXPR_OTHER };
	n = sign > 0 ? (u64)b.off : -(u64)b.off;
	if (sum.kind == EXPR_DEREF)
		sum.add += n;
	else
		sum.off += n;
	return sum;
}

static bool constant(u8 op, struct bytes *b, s64 *v)
{
	switch (op) {
	case DW_OP_const1u:
		*v = bytes_u8(b);
		return true;
	case DW_OP_const1s:
		*v = (s8)bytes_u8(b);
		return true;
	case DW_OP_const2u:
		*v = bytes_u16(b);
		return true;
	case DW_OP_const2s:
		*v = (int16_t)bytes_u16(b);
		return true;
	case DW_OP_const4u:
		*v = bytes_u32(b);
		return true;
	case DW_OP_const4s:
		*v = (s32)bytes_u32(b);
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		*v = bytes_u64(b);
		return true;
	case DW_OP_constu:
		*v = bytes_uleb(b);
		return true;
	case DW_OP_consts:
		*v = bytes_sleb(b);
		return true;
	}
	*v = op - DW_OP_lit0;
	return op >= DW_OP_lit0 && op <= DW_OP_lit31;
}

/* A value that an operation pushes. */
static bool pushes(u8 op, struct bytes *b, struct unwind_expr *e)
{
	s64 v;

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		*e = (struct unwind_expr){ EXPR_REG, op - DW_OP_breg0, bytes_sleb(b), 0 };
		return true;
	}
	if (op == DW_OP_bregx) {
		u64 reg = bytes_uleb(b);

		*e = (struct unwind_expr){ EXPR_REG, reg, bytes_sleb(b), 0 };
		if (reg > 31)
			e->kind = EXPR_OTHER;
		return true;
	}
	if (!constant(op, b, &v))
		return false;
	*e = (struct unwind_expr){ EXPR_CONST, 0, v, 0 };
	return true;
}

struct unwind_expr unwind_expr_read(const u8 *p, size_t size, bool has_cfa)
{
	const struct unwind_expr other = { .kind = EXPR_OTHER };
	struct unwind_expr stack[DEPTH] = { { .kind = EXPR_CFA } }, e;
	struct bytes b = { p, p + size, false };
	u32 nr = has_cfa;

	if (!has_cfa && is_plt(b, &e))
		return e;
	while (bytes_left(&b)) {
		u8 op = bytes_u8(&b);

		if (pushes(op, &b, &e)) {
			if (nr == DEPTH)
				return other;
			stack[nr++] = e;
		} else if (op == DW_OP_deref && nr && stack[nr - 1].kind == EXPR_REG) {
			stack[nr - 1].kind = EXPR_DEREF;
		} else if (op == DW_OP_plus_uconst && nr) {
			e = (struct unwind_expr){ EXPR_CONST, 0, bytes_uleb(&b), 0 };
			stack[nr - 1] = add(stack[nr - 1], e, 1);
		} else if ((op == DW_OP_plus || op == DW_OP_minus) && nr > 1) {
			nr--;
			stack[nr - 1] = add(stack[nr - 1], stack[nr], op == DW_OP_plus ? 1 : -1);
		} else if (op == DW_OP_drop && nr) {
			nr--;
		} else if (op != DW_OP_nop) {
			return other;
		}
	}
	return b.bad || !nr ? other : stack[nr - 1];
}

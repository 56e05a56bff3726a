// SPDX-License-Identifier: GPL-2.0
/* DWARF expressions of call frame information: the PLT's, signal frames', of realigned stacks. */
#include <dwarf.h>

#include "unwind/dwarf_expr.h"

#define DEPTH 64
#define STEPS 1000

struct machine {
	u64 stack[DEPTH];
	u32 nr;
	bool bad;
};

static void push(struct machine *m, u64 v)
{
	if (m->nr == DEPTH)
		m->bad = true;
	else
		m->stack[m->nr++] = v;
}

static u64 pop(struct machine *m)
{
	if (!m->nr) {
		m->bad = true;
		return 0;
	}
	return m->stack[--m->nr];
}

static void push_reg(struct machine *m, const struct dwarf_expr_context *x, u64 reg, u64 off)
{
	if (reg >= 32 || !(x->known >> reg & 1))
		m->bad = true;
	else
		push(m, x->regs[reg] + off);
}

static void deref(struct machine *m, const struct dwarf_expr_context *x, u32 size)
{
	u64 v = 0;

	if (size > 8 || !x->read(x->ctx, pop(m), size, &v))
		m->bad = true;
	push(m, v);
}

static void pick(struct machine *m, u64 depth)
{
	if (depth >= m->nr)
		m->bad = true;
	else
		push(m, m->stack[m->nr - 1 - depth]);
}

static u64 divide(struct machine *m, u64 a, u64 b)
{
	if (!b)
		m->bad = true;
	else if (b == (u64)-1)
		return -a;		/* the smallest number by -1 traps */
	return b ? (u64)((s64)a / (s64)b) : 0;
}

static u64 shift(u64 v, u64 by, u8 op)
{
	if (op == DW_OP_shra)
		return (s64)v >> min(by, (u64)63);
	if (by >= 64)
		return 0;
	return op == DW_OP_shl ? v << by : v >> by;
}

static u64 compute(struct machine *m, u64 a, u64 b, u8 op)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
		return divide(m, a, b);
	case DW_OP_mod:
		m->bad |= !b;
		return b ? a % b : 0;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return (s64)a < (s64)b;
	case DW_OP_le:
		return (s64)a <= (s64)b;
	case DW_OP_gt:
		return (s64)a > (s64)b;
	case DW_OP_ge:
		return (s64)a >= (s64)b;
	default:
		return shift(a, b, op);
	}
}

static void binary(struct machine *m, u8 op)
{
	u64 b = pop(m), a = pop(m);

	push(m, compute(m, a, b, op));
}

/* The operation that starts at a byte offset; @e->nr: none. */
static size_t find_op(const struct cfi_expr *e, u64 offset)
{
	size_t i;

	for (i = 0; i < e->nr; i++)
		if (e->ops[i].offset == offset)
			break;
	return i;
}

static void swap(struct machine *m)
{
	u64 a = pop(m), b = pop(m);

	push(m, a);
	push(m, b);
}

static void step(struct machine *m, const struct dwarf_expr_context *x, const Dwarf_Op *op)
{
	u8 a = op->atom;

	if (a >= DW_OP_lit0 && a <= DW_OP_lit31) {
		push(m, a - DW_OP_lit0);
		return;
	}
	if (a >= DW_OP_breg0 && a <= DW_OP_breg31) {
		push_reg(m, x, a - DW_OP_breg0, op->number);
		return;
	}
	switch (a) {
	case DW_OP_nop:
		break;
	case DW_OP_addr:
	case DW_OP_const1u: case DW_OP_const2u: case DW_OP_const4u: case DW_OP_const8u:
	case DW_OP_const1s: case DW_OP_const2s: case DW_OP_const4s: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		push(m, op->number);
		break;
	case DW_OP_bregx:
		push_reg(m, x, op->number, op->number2);
		break;
	case DW_OP_call_frame_cfa:
		m->bad |= !x->has_cfa;
		push(m, x->cfa);
		break;
	case DW_OP_plus_uconst:
		push(m, pop(m) + op->number);
		break;
	case DW_OP_dup:
		pick(m, 0);
		break;
	case DW_OP_over:
		pick(m, 1);
		break;
	case DW_OP_pick:
		pick(m, op->number);
		break;
	case DW_OP_drop:
		pop(m);
		break;
	case DW_OP_swap:
		swap(m);
		break;
	case DW_OP_deref:
		deref(m, x, x->word);
		break;
	case DW_OP_deref_size:
		deref(m, x, op->number);
		break;
	case DW_OP_not:
		push(m, ~pop(m));
		break;
	case DW_OP_neg:
		push(m, -pop(m));
		break;
	case DW_OP_abs: {
		s64 v = pop(m);

		push(m, v < 0 ? -(u64)v : (u64)v);
		break;
	}
	case DW_OP_and: case DW_OP_or: case DW_OP_xor: case DW_OP_plus: case DW_OP_minus:
	case DW_OP_mul: case DW_OP_div: case DW_OP_mod: case DW_OP_shl: case DW_OP_shr:
	case DW_OP_shra: case DW_OP_eq: case DW_OP_ne: case DW_OP_lt: case DW_OP_le:
	case DW_OP_gt: case DW_OP_ge:
		binary(m, a);
		break;
	default:
		m->bad = true;
	}
}

bool dwarf_expr_eval(const struct cfi_expr *e, const struct dwarf_expr_context *x, u64 *v)
{
	struct machine m = { .nr = 0 };
	u32 steps = 0;
	size_t i = 0;

	while (i < e->nr && !m.bad) {
		const Dwarf_Op *op = &e->ops[i++];

		if (++steps > STEPS)
			return false;
		if (op->atom == DW_OP_skip || (op->atom == DW_OP_bra && pop(&m))) {
			/* Relative to the end of this operation, which has three bytes. */
			u64 to = op->offset + 3 + op->number;

			i = find_op(e, to);
			if (i == e->nr && i && to <= e->ops[i - 1].offset)
				return false;
		} else if (op->atom != DW_OP_bra) {
			step(&m, x, op);
		}
	}
	if (m.bad || !m.nr)
		return false;
	*v = pop(&m);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables from made-up sections: each rule, each instruction, functions in any
 * order, malformed input; the checker and the look-up.
 */
#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "cfi/cfi_read.h"
#include "cfi/go_stack.h"
#include "cmd/unwind/unwind.h"
#include "unit.h"

#define TEXT		0x401000ULL	/* code: virtual address and file offset */
#define TEXT_OFF	0x1000ULL
#define TEXT_SIZE	0x10000ULL
#define EH_ADDR		0x500000ULL

static u16 arch = EM_X86_64;	/* of the sections and tables */

/* A section that is being written. */
struct made {
	u8 buf[65536];
	size_t n;
};

static void put(struct made *m, u64 v, u32 bytes)
{
	assert_true(m->n + bytes <= sizeof(m->buf));
	memcpy(m->buf + m->n, &v, bytes);
	m->n += bytes;
}

static void put_bytes(struct made *m, const void *p, size_t n)
{
	assert_true(m->n + n <= sizeof(m->buf));
	memcpy(m->buf + m->n, p, n);
	m->n += n;
}

/* How entries are written. */
struct style {
	bool eh, dwarf64, v4;
	u8 encoding;		/* of addresses; 'R' */
	const char *letters;	/* NULL: "zR" in .eh_frame, "" in .debug_frame */
};

static const struct style plain_eh = { .eh = true };
static const struct style plain_debug = { .eh = false };

static size_t begin_entry(struct made *m, const struct style *s)
{
	if (s->dwarf64) {
		put(m, 0xffffffff, 4);
		put(m, 0, 8);
	} else {
		put(m, 0, 4);
	}
	return m->n;
}

static void end_entry(struct made *m, const struct style *s, size_t begin)
{
	u64 size;

	while ((m->n - begin) % 8)
		put(m, DW_CFA_nop, 1);
	size = m->n - begin;
	memcpy(m->buf + begin - (s->dwarf64 ? 8 : 4), &size, s->dwarf64 ? 8 : 4);
}

/* Return: where the CIE is. */
static size_t cie(struct made *m, const struct style *s, const void *code, size_t n)
{
	const char *letters = s->letters ? s->letters : s->eh ? "zR" : "";
	size_t at = m->n, begin = begin_entry(m, s);
	const char *p;

	put(m, s->eh ? 0 : -1ULL, s->dwarf64 && !s->eh ? 8 : 4);
	put(m, s->v4 ? 4 : s->eh ? 1 : 3, 1);
	put_bytes(m, letters, strlen(letters) + 1);
	if (s->v4)
		put(m, 8, 2);			/* size of an address, of a segment */
	put(m, 1, 1);				/* code alignment */
	put(m, 0x78, 1);			/* data alignment: -8 */
	put(m, arch == EM_AARCH64 ? 30 : 16, 1);	/* return address */
	if (*letters == 'z') {
		put(m, strlen(letters) - 1 + (strchr(letters, 'P') ? 4 : 0) - !!strpbrk(letters, "SBG"), 1);
		for (p = letters + 1; *p; p++) {
			if (*p == 'R') {
				put(m, s->encoding, 1);
			} else if (*p == 'P') {
				put(m, DW_EH_PE_udata4, 1);
				put(m, 0x1234, 4);
			} else if (*p == 'L') {
				put(m, DW_EH_PE_absptr, 1);
			}
		}
	}
	put_bytes(m, code, n);
	end_entry(m, s, begin);
	return at;
}

static void fde(struct made *m, const struct style *s, size_t cie_at, u64 start, u64 size,
		const void *code, size_t n)
{
	const char *letters = s->letters ? s->letters : s->eh ? "zR" : "";
	size_t begin = begin_entry(m, s);

	put(m, s->eh ? m->n - cie_at : cie_at, s->dwarf64 && !s->eh ? 8 : 4);
	if ((s->encoding & 0x0f) == DW_EH_PE_sdata4) {
		put(m, s->encoding & DW_EH_PE_pcrel ? start - (EH_ADDR + m->n) : start, 4);
		put(m, size, 4);
	} else {
		put(m, start, 8);
		put(m, size, 8);
	}
	if (*letters == 'z')
		put(m, 0, 1);
	put_bytes(m, code, n);
	end_entry(m, s, begin);
}

#define CODE(...) (const u8 []){ __VA_ARGS__ }, sizeof((const u8 []){ __VA_ARGS__ })
/* At a function's first instruction: CFA is rsp + 8, the return address is at CFA - 8. */
#define ENTRY DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1
#define ARM64_ENTRY DW_CFA_def_cfa, 31, 0
#define STEP(n) (DW_CFA_advance_loc | (n))

/* The last table that was made of sections. */
static struct {
	struct unwind_made made;
	struct unwind_table t;
	const char *why;
} res;

static const struct unwind_segment text_segment = { TEXT, TEXT_OFF, TEXT_SIZE };

static u64 entry_at;	/* the file's entry point; 0: none */

static void read_all(const struct made *eh, const struct made *debug, const struct made *sframe)
{
	struct unwind_section s = { .vaddr = EH_ADDR };
	struct unwind_rows rows;
	const char *none;

	memset(&res, 0, sizeof(res));
	unwind_rows_init(&rows, arch, &text_segment, 1);
	if (eh) {
		s.data = eh->buf;
		s.size = eh->n;
		res.why = unwind_cfi_read(&s, true, &rows);
		unwind_rows_rank(&rows);
	}
	if (debug) {
		s.data = debug->buf;
		s.size = debug->n;
		res.why = unwind_cfi_read(&s, false, &rows);
		unwind_rows_rank(&rows);
	}
	if (sframe) {
		s.data = sframe->buf;
		s.size = sframe->n;
		res.why = unwind_sframe_read(&s, &rows);
		unwind_rows_rank(&rows);
	}
	if (entry_at)
		unwind_rows_entry(&rows, entry_at);
	res.made.text = TEXT_SIZE;
	none = unwind_rows_make(&rows, &res.made);
	unwind_rows_deinit(&rows);
	if (none)
		res.why = none;
	else
		assert_null(unwind_table_check(res.made.data, res.made.size, &res.t));
}

struct rule {
	u64 at;
	const char *text;
};

static void expect(const struct rule *rules, size_t nr)
{
	const struct unwind_table_rule *r;
	char text[96];

	for (; nr--; rules++) {
		r = unwind_table_find(&res.t, TEXT_OFF + rules->at);
		assert_string_equal(unwind_rule_text(r, arch, text, sizeof(text)), rules->text);
	}
}

/* The rules at places in the code: { 0, "cfa=rsp+8" }, ... */
#define EXPECT(...) expect((const struct rule []){ __VA_ARGS__ }, \
			   sizeof((const struct rule []){ __VA_ARGS__ }) / sizeof(struct rule))

/* One function at the begin of the code. */
static void one(const struct style *s, const void *code, size_t n)
{
	static struct made m;
	size_t at;

	m.n = 0;
	at = arch == EM_AARCH64 ? cie(&m, s, CODE(ARM64_ENTRY)) : cie(&m, s, CODE(ENTRY));
	fde(&m, s, at, TEXT, 0x40, code, n);
	read_all(s->eh ? &m : NULL, s->eh ? NULL : &m, NULL);
	assert_null(res.why);
}

TEST(frame_pointer)
{
	one(&plain_eh, CODE(STEP(1), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
			    STEP(3), DW_CFA_def_cfa_register, 6,
			    STEP(0x30), DW_CFA_def_cfa, 7, 8, DW_CFA_restore | 6));
	EXPECT({ 0, "cfa=rsp+8" }, { 1, "cfa=rsp+16 fp=(cfa-16)" }, { 3, "cfa=rsp+16 fp=(cfa-16)" },
	       { 4, "cfa=rbp+16 fp=(cfa-16)" }, { 0x33, "cfa=rbp+16 fp=(cfa-16)" },
	       { 0x34, "cfa=rsp+8" }, { 0x3f, "cfa=rsp+8" }, { 0x40, "unknown" },
	       { 0xffffff, "unknown" });
	assert_int_equal(res.made.nr_rows, 5);
	assert_int_equal(res.made.nr_rules, 4);
	assert_int_equal(res.made.known, 0x40);
	assert_string_equal(unwind_rule_text(unwind_table_find(&res.t, TEXT_OFF - 1), arch, (char[96]){ 0 }, 96),
			    "unknown");
}

/* Each rule that one function can say at its begin. */
static void expect_rule(const char *text, const void *code, size_t n)
{
	one(&plain_eh, code, n);
	EXPECT({ 0, text }, { 0x3f, text });
	one(&plain_debug, code, n);
	EXPECT({ 0, text });
}

#define BREG(n) (DW_OP_breg0 + (n))
#define MINUS(n) (0x80 - (n))		/* -1 to -64 in one byte of SLEB128 */

TEST(rules)
{
	/* A realigned stack, as gcc and as clang say it. */
	expect_rule("cfa=(rbp-8)+0 fp=(rbp+0)",
		    CODE(DW_CFA_def_cfa_expression, 3, BREG(6), MINUS(8), DW_OP_deref,
			 DW_CFA_expression, 6, 2, BREG(6), 0));
	expect_rule("cfa=(rsp+8)+8",
		    CODE(DW_CFA_def_cfa_expression, 5, BREG(7), 8, DW_OP_deref, DW_OP_plus_uconst, 8));
	expect_rule("cfa=(rsp+24)-16",
		    CODE(DW_CFA_def_cfa_expression, 8, BREG(7), 16, DW_OP_lit8, DW_OP_plus, DW_OP_deref,
			 DW_OP_const1u, 16, DW_OP_minus));
	expect_rule("cfa=rsp+40", CODE(DW_CFA_def_cfa_expression, 4, BREG(7), 32, DW_OP_plus_uconst, 8));
	expect_rule("cfa=rsp+8 fp=(rbp-8)", CODE(DW_CFA_expression, 6, 2, BREG(6), MINUS(8)));
	expect_rule("cfa=rsp+8 fp=(cfa+16)", CODE(DW_CFA_expression, 6, 2, BREG(7), 24));
	expect_rule("cfa=rbp+16 fp=(rsp+24)",
		    CODE(DW_CFA_def_cfa, 6, 16, DW_CFA_expression, 6, 4, DW_OP_drop, BREG(7), 24,
			 DW_OP_nop));
	expect_rule("cfa=rsp+8 fp=(cfa-32)",
		    CODE(DW_CFA_expression, 6, 3, DW_OP_const1u, 32, DW_OP_minus));
	/* The procedure linkage table, without and with IBT. */
	expect_rule("cfa=rsp+8/plt11",
		    CODE(DW_CFA_def_cfa_expression, 11, BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and,
			 DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
	expect_rule("cfa=rsp+8/plt5",
		    CODE(DW_CFA_def_cfa_expression, 11, BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and,
			 DW_OP_lit5, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
	expect_rule("outermost", CODE(DW_CFA_undefined, 16));
	expect_rule("cfa=r10+0", CODE(DW_CFA_def_cfa, 10, 0));
	expect_rule("cfa=rsp+0 ra=rdi", CODE(DW_CFA_def_cfa_offset, 0, DW_CFA_register, 16, 5));
	expect_rule("cfa=rsp+8 fp=?", CODE(DW_CFA_register, 6, 9));
	expect_rule("cfa=rsp+8 fp=?", CODE(DW_CFA_undefined, 6));
	expect_rule("cfa=rsp+8 fp=?", CODE(DW_CFA_val_offset, 6, 2));
	expect_rule("cfa=rsp+8", CODE(DW_CFA_same_value, 6));
	/* What none of them says. */
	expect_rule("unknown", CODE(DW_CFA_def_cfa_expression, 5, BREG(7), 8, BREG(3), 0, DW_OP_plus));
	expect_rule("unknown", CODE(DW_CFA_def_cfa_expression, 3, BREG(7), 8, DW_OP_dup, DW_CFA_nop));
	expect_rule("unknown", CODE(DW_CFA_def_cfa, 17, 8));
	expect_rule("unknown", CODE(DW_CFA_register, 7, 8));
	expect_rule("unknown", CODE(DW_CFA_offset | 16, 2));
	expect_rule("unknown", CODE(DW_CFA_def_cfa, 7, 0x80, 0x80, 0x80, 0x80, 0x08));
	expect_rule("unknown", CODE(DW_CFA_def_cfa_expression, 2, DW_OP_deref, DW_OP_deref));
	expect_rule("unknown", CODE(DW_CFA_def_cfa_expression, 0));
}

TEST(kinds_of_unknown_are_counted)
{
	one(&plain_eh, CODE(DW_CFA_def_cfa, 17, 8, STEP(8), DW_CFA_def_cfa, 7, 8,
			    DW_CFA_register, 7, 8, STEP(4), DW_CFA_same_value, 7,
			    DW_CFA_val_offset, 7, 0, DW_CFA_offset | 16, 3, STEP(2),
			    DW_CFA_offset | 16, 1, DW_CFA_def_cfa, 3, 8, STEP(1),
			    DW_CFA_def_cfa, 7, 8, DW_CFA_undefined, 6));
	assert_int_equal(res.made.why[UNWIND_WHY_CFA], 8);
	assert_int_equal(res.made.why[UNWIND_WHY_SP], 4);
	assert_int_equal(res.made.why[UNWIND_WHY_RA], 2);
	assert_int_equal(res.made.innermost, 1);
	assert_int_equal(res.made.fp_lost, 0x40 - 15);
	assert_int_equal(res.made.known, 0x40 - 14);
}

TEST(signal_frame)
{
	const struct style s = { .eh = true, .letters = "zRS" };

	one(&s, CODE(DW_CFA_def_cfa_expression, 4, BREG(7), 0xa0, 1, DW_OP_deref,
		     DW_CFA_expression, 6, 3, BREG(7), 0xf8, 0,
		     DW_CFA_expression, 7, 3, BREG(7), 0xa0, 1,
		     DW_CFA_expression, 16, 3, BREG(7), 0xa8, 1));
	EXPECT({ 0, "signal rsp+0" });
	/* Another place of the frame pointer: not the kernel's. */
	one(&s, CODE(DW_CFA_def_cfa_expression, 4, BREG(7), 0xa0, 1, DW_OP_deref,
		     DW_CFA_expression, 6, 3, BREG(7), 0xf0, 0,
		     DW_CFA_expression, 16, 3, BREG(7), 0xa8, 1));
	EXPECT({ 0, "unknown" });
	assert_int_equal(res.made.why[UNWIND_WHY_SIGNAL], 0x40);
}

#define NEGATE_RA_STATE		0x2d
#define NEGATE_RA_STATE_WITH_PC	0x2c

static int use_arm64(void **state __unused)
{
	arch = EM_AARCH64;
	return 0;
}

static int use_x86(void **state __unused)
{
	arch = EM_X86_64;
	return 0;
}

/* A function with a signed return address, as gcc describes it; 'B': signed by the other key. */
TEST_WITH(arm64_function, use_arm64, use_x86)
{
	const struct style s = { .eh = true, .letters = "zRB" };

	one(&s, CODE(STEP(4), NEGATE_RA_STATE,
		     STEP(4), DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4,
		     DW_CFA_offset | 30, 3, STEP(4), DW_CFA_def_cfa_register, 29,
		     STEP(16), DW_CFA_remember_state, DW_CFA_restore | 30, DW_CFA_restore | 29,
		     DW_CFA_def_cfa, 31, 0, STEP(4), NEGATE_RA_STATE, STEP(4),
		     DW_CFA_restore_state));
	EXPECT({ 0, "cfa=sp+0 ra=x30" }, { 4, "cfa=sp+0 ra=x30" },
	       { 8, "cfa=sp+32 fp=(cfa-32) ra=(cfa-24)" },
	       { 12, "cfa=x29+32 fp=(cfa-32) ra=(cfa-24)" }, { 28, "cfa=sp+0 ra=x30" },
	       { 32, "cfa=sp+0 ra=x30" }, { 36, "cfa=x29+32 fp=(cfa-32) ra=(cfa-24)" },
	       { 64, "unknown" });
	assert_int_equal(res.t.head->arch, EM_AARCH64);
	assert_int_equal(res.made.nr_rules, 4);
	assert_int_equal(res.made.innermost, 0);
}

TEST_WITH(arm64_rules, use_arm64, use_x86)
{
	expect_rule("outermost", CODE(DW_CFA_undefined, 30));
	expect_rule("cfa=sp+16 ra=(cfa-16)", CODE(DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 30, 2));
	expect_rule("cfa=sp+0 ra=x16", CODE(DW_CFA_register, 30, 16));
	expect_rule("cfa=x19+8 ra=x30", CODE(DW_CFA_def_cfa, 19, 8));
	expect_rule("cfa=sp+0 ra=x30", CODE(NEGATE_RA_STATE_WITH_PC));
	expect_rule("cfa=sp+0 fp=? ra=x30", CODE(DW_CFA_register, 29, 9));
	expect_rule("cfa=sp+0 fp=? ra=x30", CODE(DW_CFA_undefined, 29));
	expect_rule("cfa=sp+0 fp=? ra=x30", CODE(DW_CFA_expression, 29, 2, BREG(19), 8));
	expect_rule("cfa=sp+0 ra=x30", CODE(DW_CFA_same_value, 29, DW_CFA_same_value, 30));
	expect_rule("cfa=sp+48 fp=(cfa-40) ra=(cfa-32)",
		    CODE(DW_CFA_def_cfa_expression, 2, BREG(31), 48, DW_CFA_expression, 29, 2, BREG(31), 8,
			 DW_CFA_expression, 30, 2, BREG(31), 16));
	/* glibc's _dl_runtime_resolve: a return address above the CFA; after it was popped. */
	expect_rule("cfa=sp+224 ra=(cfa-8)", CODE(DW_CFA_def_cfa_offset, 0xd0, 1, DW_CFA_offset_extended_sf, 30, 0x7f));
	expect_rule("cfa=sp+224 fp=(cfa-24) ra=(cfa-8)",
		    CODE(DW_CFA_def_cfa_offset, 0xd0, 1, DW_CFA_offset_extended_sf, 30, 0x7f, DW_CFA_offset | 29, 1));
	expect_rule("cfa=sp+0 ra=x30", CODE(DW_CFA_def_cfa_sf, 31, 2, DW_CFA_offset_extended_sf, 30, 0x7f));
	/* What none of them says. */
	expect_rule("unknown", CODE(DW_CFA_def_cfa_expression, 3, BREG(31), 8, DW_OP_deref));
	expect_rule("unknown", CODE(DW_CFA_def_cfa, 32, 8));
	expect_rule("unknown", CODE(DW_CFA_register, 31, 8));
	expect_rule("unknown", CODE(DW_CFA_expression, 30, 2, BREG(19), 8));
	expect_rule("unknown", CODE(DW_CFA_val_offset, 30, 2));
	expect_rule("unknown", CODE(DW_CFA_def_cfa, 31, 0x80, 0x80, 0x80, 0x80, 0x08));
	/* What a linker of x86 writes for its procedure linkage table. */
	expect_rule("unknown",
		    CODE(DW_CFA_def_cfa_expression, 11, BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and,
			 DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
}

/* On x86 these are no instructions. */
TEST(arm64_instructions_on_x86)
{
	one(&plain_eh, CODE(STEP(4), NEGATE_RA_STATE, STEP(4)));
	EXPECT({ 0, "cfa=rsp+8" }, { 4, "unknown" });
	assert_int_equal(res.made.counts.damaged, 1);
}

TEST(instructions)
{
	one(&plain_eh,
	    CODE(DW_CFA_advance_loc1, 2, DW_CFA_def_cfa_offset, 16,
		 DW_CFA_advance_loc2, 2, 0, DW_CFA_def_cfa_offset_sf, MINUS(3),
		 DW_CFA_advance_loc4, 2, 0, 0, 0, DW_CFA_offset_extended, 6, 3,
		 DW_CFA_MIPS_advance_loc8, 2, 0, 0, 0, 0, 0, 0, 0, DW_CFA_offset_extended_sf, 6, 4,
		 DW_CFA_set_loc, 0x0a, 0x10, 0x40, 0, 0, 0, 0, 0, 0x2f, 6, 5,
		 STEP(2), DW_CFA_restore_extended, 6,
		 STEP(2), DW_CFA_def_cfa_sf, 6, MINUS(6),
		 STEP(2), DW_CFA_GNU_args_size, 0x80, 1, DW_CFA_remember_state,
			  DW_CFA_def_cfa, 7, 64, DW_CFA_offset | 6, 2,
		 STEP(2), DW_CFA_restore_state,
		 STEP(2), DW_CFA_remember_state, DW_CFA_def_cfa_offset, 8,
		 /* Nothing lies between these: no row. */
		 STEP(0), DW_CFA_restore_state,
		 /* Other registers make no rows. */
		 STEP(2), DW_CFA_offset | 3, 4, DW_CFA_expression, 12, 2, BREG(7), 8,
			  DW_CFA_undefined, 0x81, 1, DW_CFA_same_value, 3, DW_CFA_register, 3, 4,
			  DW_CFA_val_expression, 3, 1, DW_OP_lit0, DW_CFA_val_offset_sf, 3, 1));
	EXPECT({ 1, "cfa=rsp+8" }, { 2, "cfa=rsp+16" }, { 4, "cfa=rsp+24" },
	       { 6, "cfa=rsp+24 fp=(cfa-24)" }, { 8, "cfa=rsp+24 fp=(cfa-32)" },
	       { 10, "cfa=rsp+24 fp=(cfa+40)" }, { 12, "cfa=rsp+24" }, { 14, "cfa=rbp+48" },
	       { 16, "cfa=rsp+64 fp=(cfa-16)" }, { 18, "cfa=rbp+48" }, { 0x3f, "cfa=rbp+48" });
	assert_int_equal(res.made.nr_rows, 11);
}

/* As libgcrypt has it, and as the unwinders of gcc and gdb read it. */
TEST(register_behind_an_expression)
{
	one(&plain_eh, CODE(DW_CFA_def_cfa_offset, 56, STEP(2), DW_CFA_def_cfa_expression,
			    5, BREG(7), 16, DW_OP_deref, DW_OP_plus_uconst, 56,
			    STEP(2), DW_CFA_def_cfa_register, 7, STEP(2),
			    DW_CFA_def_cfa_offset, 48));
	EXPECT({ 0, "cfa=rsp+56" }, { 2, "cfa=(rsp+16)+56" }, { 4, "cfa=rsp+56" },
	       { 6, "cfa=rsp+48" });
}

TEST(styles)
{
	static const struct style all[] = {
		{ .eh = true, .encoding = DW_EH_PE_pcrel | DW_EH_PE_sdata4 },
		{ .eh = true, .encoding = DW_EH_PE_sdata4 },
		{ .eh = true, .letters = "" },
		{ .eh = true, .letters = "zPLR", .encoding = DW_EH_PE_pcrel | DW_EH_PE_sdata4 },
		{ .eh = true, .dwarf64 = true },
		{ .v4 = true },
		{ .dwarf64 = true },
		{ .dwarf64 = true, .v4 = true },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		one(&all[i], CODE(STEP(4), DW_CFA_def_cfa_offset, 32));
		EXPECT({ 3, "cfa=rsp+8" }, { 4, "cfa=rsp+32" }, { 0x40, "unknown" });
	}
}

/* What an unknown instruction leaves: what stands before it. */
TEST(damaged_functions)
{
	const struct {
		const u8 *code;
		size_t n;
	} bad[] = {
		{ CODE(STEP(4), 0x3e) },
		{ CODE(STEP(4), DW_CFA_restore_state) },
		{ CODE(STEP(4), DW_CFA_def_cfa_expression, 0x7f, BREG(7)) },
		{ CODE(STEP(4), DW_CFA_set_loc, 0, 0x10, 0x40, 0, 0, 0, 0, 0) },
	};
	u8 deep[64];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		one(&plain_eh, bad[i].code, bad[i].n);
		EXPECT({ 0, "cfa=rsp+8" }, { 3, "cfa=rsp+8" }, { 4, "unknown" });
		assert_int_equal(res.made.counts.damaged, 1);
		assert_int_equal(res.made.why[UNWIND_WHY_DAMAGED], 0x3c);
	}
	memset(deep, DW_CFA_remember_state, sizeof(deep));
	one(&plain_eh, deep, sizeof(deep));
	EXPECT({ 0, "unknown" });
}

TEST(functions_in_any_order)
{
	static struct made m;
	size_t at;

	m.n = 0;
	at = cie(&m, &plain_eh, CODE(ENTRY));
	fde(&m, &plain_eh, at, TEXT + 0x200, 0x10, CODE(DW_CFA_def_cfa_offset, 32));
	fde(&m, &plain_eh, at, TEXT + 0x100, 0x10, CODE(DW_CFA_def_cfa_offset, 16));
	put(&m, 0, 4);				/* the end of one object's */
	fde(&m, &plain_eh, at, TEXT + 0x110, 0x10, CODE(DW_CFA_def_cfa_offset, 24));
	/* Of no size, outside, out of the segment's end, in front of its begin. */
	fde(&m, &plain_eh, at, TEXT + 0x180, 0, CODE(DW_CFA_def_cfa_offset, 40));
	fde(&m, &plain_eh, at, TEXT + TEXT_SIZE, 0x10, CODE(DW_CFA_def_cfa_offset, 40));
	fde(&m, &plain_eh, at, TEXT + TEXT_SIZE - 8, 0x10, CODE(DW_CFA_def_cfa_offset, 40));
	fde(&m, &plain_eh, at, TEXT - 8, 0x10, CODE(STEP(4), DW_CFA_def_cfa_offset, 48,
						    STEP(8), DW_CFA_def_cfa_offset, 56));
	read_all(&m, NULL, NULL);
	EXPECT({ 0, "cfa=rsp+48" }, { 4, "cfa=rsp+56" }, { 8, "unknown" }, { 0xff, "unknown" },
	       { 0x100, "cfa=rsp+16" }, { 0x110, "cfa=rsp+24" }, { 0x120, "unknown" },
	       { 0x200, "cfa=rsp+32" }, { 0x210, "unknown" }, { TEXT_SIZE - 8, "cfa=rsp+40" },
	       { TEXT_SIZE, "unknown" });
	assert_int_equal(res.made.counts.funcs, 5);
	assert_int_equal(res.made.counts.empty, 1);
	assert_int_equal(res.made.counts.outside, 1);
}

TEST(overlapping_functions)
{
	static struct made m;
	size_t at;

	m.n = 0;
	at = cie(&m, &plain_eh, CODE(ENTRY));
	fde(&m, &plain_eh, at, TEXT, 0x40, CODE(STEP(0x30), DW_CFA_def_cfa_offset, 16));
	fde(&m, &plain_eh, at, TEXT + 0x10, 0x10, CODE(DW_CFA_def_cfa_offset, 24));
	fde(&m, &plain_eh, at, TEXT + 0x10, 0x20, CODE(DW_CFA_def_cfa_offset, 32));
	read_all(&m, NULL, NULL);
	EXPECT({ 0xf, "cfa=rsp+8" }, { 0x10, "cfa=rsp+24" }, { 0x20, "unknown" },
	       { 0x30, "unknown" });
	assert_int_equal(res.made.counts.overlapping, 2);
}

TEST(debug_frame_fills_gaps)
{
	static struct made eh, debug;
	size_t at;

	eh.n = debug.n = 0;
	at = cie(&eh, &plain_eh, CODE(ENTRY));
	fde(&eh, &plain_eh, at, TEXT + 0x10, 0x10, NULL, 0);
	fde(&eh, &plain_eh, at, TEXT + 0x40, 0x10, NULL, 0);
	at = cie(&debug, &plain_debug, CODE(ENTRY));
	fde(&debug, &plain_debug, at, TEXT + 0x30, 0x10, CODE(DW_CFA_def_cfa_offset, 16));
	fde(&debug, &plain_debug, at, TEXT + 0x18, 0x10, CODE(DW_CFA_def_cfa_offset, 24));
	fde(&debug, &plain_debug, at, TEXT, 0x10, CODE(DW_CFA_def_cfa_offset, 32));
	fde(&debug, &plain_debug, at, TEXT + 0x38, 0x40, CODE(DW_CFA_def_cfa_offset, 24));
	read_all(&eh, &debug, NULL);
	EXPECT({ 0, "cfa=rsp+32" }, { 0x10, "cfa=rsp+8" }, { 0x20, "unknown" },
	       { 0x30, "cfa=rsp+16" }, { 0x38, "unknown" }, { 0x40, "cfa=rsp+8" },
	       { 0x50, "unknown" });
	assert_int_equal(res.made.counts.overlapping + res.made.counts.doubled, 3);
}

/* The rule at an entry point @at, and 4 bytes later, beside functions at 0x40 and 0x200. */
static void expect_entry(u64 at, const char *text, const char *behind)
{
	static struct made m;
	size_t c;

	m.n = 0;
	c = cie(&m, &plain_eh, CODE(ENTRY));
	fde(&m, &plain_eh, c, TEXT + 0x200, 0x10, NULL, 0);
	fde(&m, &plain_eh, c, TEXT + 0x40, 0x10, NULL, 0);
	entry_at = TEXT + at;
	read_all(&m, NULL, NULL);
	entry_at = 0;
	EXPECT({ at, text }, { at + 4, behind }, { 0x40, "cfa=rsp+8" }, { 0x50, "unknown" },
	       { 0x200, "cfa=rsp+8" });
}

TEST(entry_points)
{
	expect_entry(0, "outermost", "outermost");
	expect_entry(0x3c, "outermost", "cfa=rsp+8");
	/* Described: what is said of it holds. */
	expect_entry(0x40, "cfa=rsp+8", "cfa=rsp+8");
	expect_entry(0x44, "cfa=rsp+8", "cfa=rsp+8");
	/* Other functions may lie between. */
	expect_entry(0x60, "unknown", "unknown");
	expect_entry(0x180, "outermost", "outermost");
	expect_entry(0x17f, "unknown", "unknown");
	/* Nothing behind it. */
	expect_entry(0x240, "unknown", "unknown");
}

TEST(bad_entries)
{
	static struct made m;
	const struct style odd = { .eh = true, .letters = "zQ" };
	size_t at, at2;

	m.n = 0;
	at = cie(&m, &plain_eh, CODE(ENTRY));
	at2 = cie(&m, &odd, CODE(ENTRY));
	fde(&m, &plain_eh, at, TEXT, 0x10, NULL, 0);
	fde(&m, &odd, at2, TEXT + 0x10, 0x10, NULL, 0);	/* an augmentation that is not known */
	fde(&m, &plain_eh, at + 4, TEXT + 0x20, 0x10, NULL, 0);	/* no CIE there */
	fde(&m, &plain_eh, at, TEXT + 0x30, 0x10, NULL, 0);
	put(&m, 0x1000, 4);					/* longer than the section */
	put(&m, 0, 4);
	read_all(&m, NULL, NULL);
	EXPECT({ 0, "cfa=rsp+8" }, { 0x10, "unknown" }, { 0x20, "unknown" }, { 0x30, "cfa=rsp+8" });
	assert_int_equal(res.made.counts.damaged, 2);
	assert_string_equal(res.why, "an entry extends beyond the section");
	m.n = 0;
	read_all(&m, NULL, NULL);
	assert_string_equal(res.why, "nothing in it describes its code");
}

/* Version 3: index, rows. */
static void sframe3(struct made *m)
{
	static const u8 fres[] = {
		2, 0, 0, 0, 0,				/* at 0: two rows */
			0, 0x03, 8, 4, 0x05, 16, 0xf0,
		3, 0, 1, 1, 0,				/* at 12: flexible, u16 starts */
			0, 0, 0x04, 0x51, 0,
			5, 0, 0x0a, 0x33, 0xf8, 0, 0x33, 0,
			9, 0, 0x0c, 0x39, 8, 0x29, 0, 0x02, 0xf0,
		1, 0, 0, 0, 0, 0, 0,			/* at 39: outermost */
		2, 0, 0x10, 0, 16,			/* at 46: blocks */
			0, 0x03, 8, 11, 0x03, 16,
		1, 0, 0x80, 0, 0, 0, 0x03, 8,		/* at 57: a signal frame */
		1, 0, 2, 0, 0,				/* at 65: u32 starts and words */
			0, 0, 0, 0, 0x43, 0x00, 0x00, 0x01, 0,
	};
	static const struct {
		u32 at, size, fres;
	} funcs[] = {
		{ 0, 0x10, 0 }, { 0x10, 0x10, 12 }, { 0x20, 0x10, 39 }, { 0x40, 0x40, 46 },
		{ 0x90, 0x10, 57 }, { 0xa0, 0x10, 65 },
	};
	u32 i;

	m->n = 0;
	put(m, 0xdee2, 2);
	put(m, 3, 1);
	put(m, 5, 1);			/* sorted, starts count from their own place */
	put(m, 3, 1);
	put(m, 0xf800, 2);
	put(m, 0, 1);
	put(m, ARRAY_SIZE(funcs), 4);
	put(m, 10, 4);
	put(m, sizeof(fres), 4);
	put(m, 0, 4);
	put(m, 16 * ARRAY_SIZE(funcs), 4);
	for (i = 0; i < ARRAY_SIZE(funcs); i++) {
		put(m, TEXT + funcs[i].at - (EH_ADDR + m->n), 8);
		put(m, funcs[i].size, 4);
		put(m, funcs[i].fres, 4);
	}
	put_bytes(m, fres, sizeof(fres));
}

TEST(sframe_version_3)
{
	static struct made m;

	sframe3(&m);
	read_all(NULL, NULL, &m);
	assert_null(res.why);
	EXPECT({ 0, "cfa=rsp+8" }, { 4, "cfa=rsp+16 fp=(cfa-16)" }, { 0x10, "cfa=r10+0" },
	       { 0x15, "cfa=(rbp-8)+0 fp=(rbp+0)" }, { 0x19, "cfa=rsp+8 fp=(cfa-16) ra=rdi" },
	       { 0x20, "outermost" }, { 0x30, "unknown" }, { 0x40, "cfa=rsp+8/plt11" },
	       { 0x7f, "cfa=rsp+8/plt11" }, { 0x90, "unknown" }, { 0xa0, "cfa=rsp+65536" },
	       { 0xb0, "unknown" });
	assert_int_equal(res.made.why[UNWIND_WHY_SIGNAL], 0x10);
	assert_int_equal(res.made.counts.damaged, 0);
}

TEST(sframe_version_2)
{
	static const u8 fres[] = { 0, 0x03, 8, 1, 0x05, 16, 0xf0, 4, 0x04, 16, 0xf0 };
	static struct made m;

	m.n = 0;
	put(&m, 0xdee2, 2);
	put(&m, 2, 1);
	put(&m, 1, 1);			/* starts count from the section's begin */
	put(&m, 3, 1);
	put(&m, 0xf800, 2);
	put(&m, 4, 1);			/* bytes of an auxiliary head */
	put(&m, 1, 4);
	put(&m, 3, 4);
	put(&m, sizeof(fres), 4);
	put(&m, 0, 4);
	put(&m, 20, 4);
	put(&m, 0, 4);
	put(&m, TEXT + 0x20 - EH_ADDR, 4);
	put(&m, 0x10, 4);
	put(&m, 0, 4);
	put(&m, 3, 4);
	put(&m, 0, 4);
	put_bytes(&m, fres, sizeof(fres));
	read_all(NULL, NULL, &m);
	assert_null(res.why);
	EXPECT({ 0x1f, "unknown" }, { 0x20, "cfa=rsp+8" }, { 0x21, "cfa=rsp+16 fp=(cfa-16)" },
	       { 0x24, "cfa=rbp+16 fp=(cfa-16)" }, { 0x30, "unknown" });
	m.buf[2] = 1;
	read_all(NULL, NULL, &m);
	assert_string_equal(res.why, "nothing in it describes its code");
}

/* Cut anywhere, any byte changed: a sound table or none. The sanitizers see more (fuzz-unwind). */
TEST(anything)
{
	static struct made m, bad;
	size_t at, i;
	u32 kind;

	for (kind = 0; kind < 3; kind++) {
		const struct style *s = kind ? &plain_debug : &plain_eh;

		m.n = 0;
		at = cie(&m, s, CODE(ENTRY));
		fde(&m, s, at, TEXT, 0x40, CODE(STEP(1), DW_CFA_def_cfa_offset, 16, DW_CFA_remember_state,
						STEP(8), DW_CFA_def_cfa_expression, 3, BREG(6), 0,
						DW_OP_deref, STEP(1), DW_CFA_restore_state));
		fde(&m, s, at, TEXT + 0x80, 0x40, CODE(DW_CFA_expression, 6, 2, BREG(6), 0));
		if (kind == 2)
			sframe3(&m);
		for (i = 0; i < 9 * m.n; i++) {
			bad = m;
			if (i < m.n)
				bad.n = i;
			else
				bad.buf[(i - m.n) / 8] ^= 1 << (i - m.n) % 8;
			read_all(kind == 0 ? &bad : NULL, kind == 1 ? &bad : NULL,
				 kind == 2 ? &bad : NULL);
		}
	}
}

/* A table of rows at random places, beside a plain list of them. */
TEST(look_up)
{
	static u8 model[TEXT_SIZE];
	static struct made m;
	u64 seed = 1, at = 0, size;
	char text[32];
	size_t first;
	u32 i;

	m.n = 0;
	memset(model, 0, sizeof(model));
	first = cie(&m, &plain_eh, CODE(ENTRY));
	for (i = 0; i < 1500; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		at += i % 50 ? (seed >> 33) % 3 : 700;	/* with pages without rows */
		size = 1 + (seed >> 40) % 40;
		if (at + size >= TEXT_SIZE)
			break;
		fde(&m, &plain_eh, first, TEXT + at, size, CODE(DW_CFA_def_cfa_offset, 8 + i % 100));
		memset(model + at, 8 + i % 100, size);
		at += size;
	}
	read_all(&m, NULL, NULL);
	assert_int_equal(res.t.head->page_shift, 9);
	for (at = 0; at < TEXT_SIZE; at++) {
		snprintf(text, sizeof(text), model[at] ? "cfa=rsp+%u" : "unknown", model[at]);
		EXPECT({ at, text });
	}
}

/* Code that begins and ends where a page does, and in between. */
TEST(edges)
{
	static const u64 starts[] = { 0, 1, 0x100, 0xf00 }, ends[] = { 0x1001, 0x1100, 0x2000, 0x10000 };
	static struct made m;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (j = 0; j < ARRAY_SIZE(ends); j++) {
			m.n = 0;
			fde(&m, &plain_eh, cie(&m, &plain_eh, CODE(ENTRY)), TEXT + starts[i],
			    ends[j] - starts[i], NULL, 0);
			read_all(&m, NULL, NULL);
			if (starts[i])
				EXPECT({ starts[i] - 1, "unknown" });
			EXPECT({ starts[i], "cfa=rsp+8" }, { ends[j] - 1, "cfa=rsp+8" },
			       { ends[j], "unknown" });
		}
	}
}

struct small {
	struct unwind_table_head head;
	struct unwind_table_rule rules[2];
	u32 pages[3];
	struct unwind_table_row rows[4];
	u32 pad;
};

#define SMALL_SIZE offsetof(struct small, pad)

static const struct small sound = {
	.head = {
		.magic = UNWIND_TABLE_MAGIC, .version = 1, .arch = 62, .size = SMALL_SIZE,
		.first = 0x1000, .nr_pages = 2, .nr_rows = 4, .nr_rules = 2, .head_size = 64,
		.page_shift = 8,
	},
	.rules = { { 0 }, { .kind = UNWIND_TABLE_CFA, .reg = 7, .off = 8 } },
	.pages = { 0, 3, 4 },
	.rows = { { 0, 0 }, { 16, 1 }, { 32, 0 }, { 255, 1 } },
};

/* A sound table with another value in one field. */
struct change {
	const char *field;
	size_t off, size;
	u64 value;
};

#define TO(name, v) { #name, offsetof(struct small, name), sizeof(sound.name), v }

static void check_changes(const struct change *c, size_t nr, bool refused)
{
	struct unwind_table parts;
	struct small changed;

	for (; nr--; c++) {
		changed = sound;
		memcpy((u8 *)&changed + c->off, &c->value, c->size);
		if (refused != !!unwind_table_check(&changed, SMALL_SIZE, &parts))
			fail_msg("%s: %#llx", c->field, c->value);
	}
}

static void check_rules(const struct unwind_table_rule *r, size_t nr, u16 machine, bool refused)
{
	struct unwind_table parts;
	struct small changed = sound;
	size_t i;

	changed.head.arch = machine;
	for (i = 0; i < nr; i++) {
		changed.rules[1] = r[i];
		if (refused != !!unwind_table_check(&changed, SMALL_SIZE, &parts))
			fail_msg("rule %zu", i);
	}
}

TEST(checker)
{
	static const struct change bad[] = {
		TO(head.magic, 0), TO(head.version, 2), TO(head.version, 0), TO(head.arch, 40),
		TO(head.size, SMALL_SIZE + 4), TO(head.first, 0x1001), TO(head.first, -0x100ULL),
		TO(head.first, (1ULL << 63) - 0x100), TO(head.nr_pages, 0), TO(head.nr_pages, 3),
		TO(head.nr_pages, 0xffffffff), TO(head.nr_rows, 0), TO(head.nr_rows, 3),
		TO(head.nr_rules, 0), TO(head.nr_rules, 65537), TO(head.head_size, 72),
		TO(head.page_shift, 7), TO(head.page_shift, 17), TO(head.reserved, 1),
		TO(head.reserved2[0], 1), TO(head.reserved2[2], 1), TO(pages[0], 1),
		TO(pages[1], 5), TO(pages[1], 0xffffffff), TO(pages[1], 0), TO(pages[2], 3),
		TO(rows[0].off, 1), TO(rows[1].off, 0), TO(rows[2].off, 16), TO(rows[3].off, 256),
		TO(rows[3].rule, 2),
	}, good[] = { TO(pages[1], 4), TO(pages[1], 1), TO(rows[1].off, 31) };
	struct unwind_table t;
	size_t i;

	assert_null(unwind_table_check(&sound, SMALL_SIZE, &t));
	for (i = 0; i < SMALL_SIZE; i++)
		assert_non_null(unwind_table_check(&sound, i, &t));
	assert_non_null(unwind_table_check(&sound, SMALL_SIZE + 4, &t));
	check_changes(bad, ARRAY_SIZE(bad), true);
	check_changes(good, ARRAY_SIZE(good), false);
}

TEST(checker_of_rules)
{
	static const struct change bad[] = {
		TO(rules[0].off, 8), TO(rules[0].reg, 7), TO(rules[0].arg, 1), TO(rules[1].kind, 6),
		TO(rules[1].reg, 16), TO(rules[1].fp, 5), TO(rules[1].fp_off, 8),
		TO(rules[1].ra, 2), TO(rules[1].arg, 1), TO(rules[1].kind, UNWIND_TABLE_OUTERMOST),
	};
	static const struct unwind_table_rule bad_rules[] = {
		{ .kind = 2, .reg = 7, .fp = 4, .fp_off = 1 },
		{ .kind = 2, .reg = 7, .ra = 1, .arg = 16 },
		{ .kind = 2, .reg = 7, .ra = 1, .arg = -1 }, { .kind = 3, .reg = 7, .ra = 1 },
		{ .kind = 4, .reg = 6, .arg = 11 }, { .kind = 4, .reg = 7, .arg = 16 },
		{ .kind = 4, .reg = 7, .arg = -1 }, { .kind = 5, .reg = 6 },
		{ .kind = 5, .reg = 7, .fp = 1 }, { .kind = 5, .reg = 7, .arg = 1 },
	}, good[] = {
		{ .kind = 1 }, { .kind = 2, .reg = 5, .ra = 1, .arg = 2, .off = -8 },
		{ .kind = 3, .reg = 6, .off = -8, .fp = 2, .fp_off = 8, .arg = -9 },
		{ .kind = 4, .reg = 7, .off = 8, .arg = 11 }, { .kind = 5, .reg = 7, .off = 8 },
	};

	check_changes(bad, ARRAY_SIZE(bad), true);
	check_rules(bad_rules, ARRAY_SIZE(bad_rules), EM_X86_64, true);
	check_rules(good, ARRAY_SIZE(good), EM_X86_64, false);
}

TEST(checker_of_arm64_rules)
{
	static const struct unwind_table_rule good[] = {
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .off = 32, .fp = UNWIND_TABLE_FP_CFA,
		  .fp_off = -32, .arg = -24 },
		{ .kind = UNWIND_TABLE_CFA, .reg = 19, .ra = UNWIND_TABLE_RA_REG, .arg = 30 },
		{ .kind = UNWIND_TABLE_SIGNAL, .reg = 31, .off = 128 },
	}, bad[] = {
		{ .kind = UNWIND_TABLE_CFA, .reg = 32 },
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .fp = UNWIND_TABLE_FP_FP },
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .fp = UNWIND_TABLE_FP_SP },
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .fp_off = 8 },
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .fp = UNWIND_TABLE_FP_LOST, .fp_off = 8 },
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .ra = UNWIND_TABLE_RA_REG, .arg = 31 },
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .ra = UNWIND_TABLE_RA_REG, .arg = -1 },
		{ .kind = UNWIND_TABLE_CFA, .reg = 31, .ra = 2 },
		{ .kind = UNWIND_TABLE_DEREF, .reg = 29 },
		{ .kind = UNWIND_TABLE_PLT, .reg = 31, .arg = 11 },
		{ .kind = UNWIND_TABLE_SIGNAL, .reg = 7 },
		{ .kind = UNWIND_TABLE_SIGNAL, .reg = 31, .arg = 1 },
		{ .kind = UNWIND_TABLE_OUTERMOST, .reg = 31 },
	};

	check_rules(good, ARRAY_SIZE(good), EM_AARCH64, false);
	check_rules(bad, ARRAY_SIZE(bad), EM_AARCH64, true);
}

/*
 * A program with tables of x86: this one, or, where that is of another machine, the one that
 * X86_PROGRAM in the environment names; without it the test is skipped.
 */
static const char *x86_program(void)
{
#if !defined(__x86_64__)
	const char *path = getenv("X86_PROGRAM");

	if (path)
		return path;
	print_message("# skipped: this program is not of x86, and X86_PROGRAM names none\n");
	skip();
#endif
	return "/proc/self/exe";
}

/* The rule at a place alone is the table's, at the first, a middle and the last byte of each row. */
TEST(single_rules)
{
	const char *program = x86_program();
	struct unwind_table_rule rule;
	struct unwind_made made;
	struct unwind_table t;
	const char *why;
	u32 page, row;
	u64 off;

	assert_int_equal(unwind_file(program, &made, &why), 0);
	assert_null(unwind_table_check(made.data, made.size, &t));
	for (page = 0; page < t.head->nr_pages; page += 1 + t.head->nr_pages / 40) {
		for (row = t.pages[page]; row < t.pages[page + 1]; row++) {
			off = t.head->first + ((u64)page << t.head->page_shift) + t.rows[row].off;
			for (; off < t.head->first + ((u64)(page + 1) << t.head->page_shift); off += 7) {
				assert_int_equal(unwind_file_rule(program, off, &rule), 0);
				assert_memory_equal(&rule, unwind_table_find(&t, off), sizeof(rule));
				if (row + 1 < t.pages[page + 1] && off >= t.rows[row + 1].off)
					break;
			}
		}
	}
	free(made.data);
	assert_int_equal(unwind_file_rule("/proc/self/maps", 0, &rule), -ENOEXEC);
}

/* A rule of a program's table, in two of its fields changed: --check must find it. */
TEST(comparison)
{
	const char *program = x86_program();
	struct unwind_table_rule *rules, keep;
	struct unwind_compared c;
	struct unwind_made made;
	struct unwind_table t;
	const char *why;
	u32 i, tried = 0;

	assert_int_equal(unwind_file(program, &made, &why), 0);
	assert_null(unwind_table_check(made.data, made.size, &t));
	assert_int_equal(unwind_compare(program, &made, &c), 0);
	assert_true(c.equal > 10000);
	assert_int_equal(c.wrong + c.absent, 0);
	rules = (struct unwind_table_rule *)t.rules;
	for (i = 0; i < made.nr_rules; i++) {
		struct unwind_table_rule *r = &rules[i];

		keep = *r;
		if (r->kind != UNWIND_TABLE_CFA)
			continue;
		r->off += 8;
		unwind_compare(program, &made, &c);
		assert_true(c.wrong > 0);
		*r = keep;
		r->fp = r->fp == UNWIND_TABLE_FP_SAME ? UNWIND_TABLE_FP_FP : UNWIND_TABLE_FP_SAME;
		unwind_compare(program, &made, &c);
		assert_true(c.wrong > 0);
		assert_true(c.what[0]);
		*r = (struct unwind_table_rule){ 0 };
		unwind_compare(program, &made, &c);
		assert_true(c.absent > 0);
		*r = (struct unwind_table_rule){ .kind = UNWIND_TABLE_OUTERMOST };
		unwind_compare(program, &made, &c);
		assert_true(c.wrong > 0);
		*r = keep;
		r->fp = UNWIND_TABLE_FP_LOST;
		unwind_compare(program, &made, &c);
		assert_true(c.fp_lost > 0 && !c.wrong);
		*r = keep;
		tried++;
	}
	assert_true(tried > 5);
	free(made.data);
}

/* Go 1.19's runtime.systemstack(), from "mov (g),%rdx" on, with its two ways to the other stack. */
TEST(go_stacks)
{
	static const u8 code[] = {
		0xe8, 0xd2, 0xf1, 0xff, 0xff,	/* call gosave_systemstack_switch */
		0x48, 0x8b, 0x5a, 0x38,		/* 5: mov 0x38(%rdx),%rbx */
		0x48, 0x89, 0xdc,		/* 9: mov %rbx,%rsp */
		0x48, 0x89, 0xfa,		/* 12: mov %rdi,%rdx */
		0xff, 0xd7,			/* 15: call *%rdi */
		0x48, 0x8b, 0x60, 0x38,		/* 17: mov 0x38(%rax),%rsp */
		0x48, 0xc7, 0x40, 0x38, 0, 0, 0, 0,
		0xc3,				/* 29: ret */
		0x48, 0x89, 0xfa,		/* 30 */
		0xff, 0xe7, 0xcd, 0x03, 0xcd, 0x03,
	};
	static const u8 mcall[] = {
		0x49, 0x8b, 0x66, 0x38, 0x50, 0x4c, 0x8b, 0x22, 0x41, 0xff, 0xd4, 0x58, 0xe9, 0x37,
		0x45, 0, 0, 0xc3,
	};
	static const u64 own[] = { 0, 5, 9, 11, 21, 29 }, other[] = { 12, 15, 16, 17, 30 };
	u32 i;

	assert_true(go_stack_switches("runtime.systemstack.abi0"));
	assert_true(go_stack_switches("runtime.mcall"));
	assert_false(go_stack_switches("runtime.systemstack_switch"));
	for (i = 0; i < ARRAY_SIZE(own); i++)
		assert_int_equal(go_stack_at("runtime.systemstack.abi0", code, sizeof(code), own[i]), GO_STACK_OWN);
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		assert_int_equal(go_stack_at("runtime.systemstack", code, sizeof(code), other[i]), GO_STACK_WAITS);
		assert_int_equal(go_stack_at("runtime.mcall", code, sizeof(code), other[i]), GO_STACK_LEFT);
	}
	assert_int_equal(go_stack_at("runtime.systemstack", code, 11, 11), GO_STACK_OWN);
	/* mcall(): mov 0x38(%r14),%rsp; push %rax; mov (%rdx),%r12, which is no load of rsp */
	assert_int_equal(go_stack_at("runtime.mcall", mcall, sizeof(mcall), 8), GO_STACK_LEFT);
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables: the checker, with a table for each defect; look-ups; each rule,
 * on a made-up stack; and registration. The tables are the vDSO's, as no file is
 * needed then: the test's mm says that its code is there.
 */
#include <kunit/test.h>
#include <linux/elf.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/unwind_table.h>
#include <linux/unwind_user.h>

#include <asm/unwind_user.h>
#include <asm/vdso.h>

#include "kunit_compat.h"
#include "table.h"

#define NR_RULES	12
#define NR_PAGES	3
#define NR_ROWS		14
#define RBX		3
#define RBP		6
#define RSP		7
#define R10		10

/* A table as it is in memory; the rows of the second page are none. */
struct small_table {
	struct unwind_table_head	head;
	struct unwind_table_rule	rules[NR_RULES];
	__u32				pages[NR_PAGES + 1];
	struct unwind_table_row		rows[NR_ROWS];
};

enum {
	UNKNOWN, OUTERMOST, SP8, SP24_FP16, FP16, DEREF_R10, PLT, SIGNAL, RA_IN_RBX,
	FP_BY_FP, FP_BY_SP, FP_LOST,
};

static const struct small_table sound = {
	.head = {
		.magic		= UNWIND_TABLE_MAGIC,
		.version	= UNWIND_TABLE_VERSION,
		.arch		= EM_X86_64,
		.size		= sizeof(struct small_table),
		.nr_pages	= NR_PAGES,
		.nr_rows	= NR_ROWS,
		.nr_rules	= NR_RULES,
		.head_size	= sizeof(struct unwind_table_head),
		.page_shift	= 8,
	},
	.rules = {
		[OUTERMOST]	= { .kind = UNWIND_TABLE_OUTERMOST },
		[SP8]		= { .kind = UNWIND_TABLE_CFA, .reg = RSP, .off = 8 },
		[SP24_FP16]	= { .kind = UNWIND_TABLE_CFA, .reg = RSP, .off = 24,
				    .fp = UNWIND_TABLE_FP_CFA, .fp_off = -16 },
		[FP16]		= { .kind = UNWIND_TABLE_CFA, .reg = RBP, .off = 16,
				    .fp = UNWIND_TABLE_FP_CFA, .fp_off = -16 },
		[DEREF_R10]	= { .kind = UNWIND_TABLE_DEREF, .reg = R10, .off = -8, .arg = 16 },
		[PLT]		= { .kind = UNWIND_TABLE_PLT, .reg = RSP, .off = 8, .arg = 11 },
		[SIGNAL]	= { .kind = UNWIND_TABLE_SIGNAL, .reg = RSP, .off = 8 },
		[RA_IN_RBX]	= { .kind = UNWIND_TABLE_CFA, .reg = RSP, .off = 16,
				    .ra = UNWIND_TABLE_RA_REG, .arg = RBX },
		[FP_BY_FP]	= { .kind = UNWIND_TABLE_CFA, .reg = R10,
				    .fp = UNWIND_TABLE_FP_FP, .fp_off = -8 },
		[FP_BY_SP]	= { .kind = UNWIND_TABLE_CFA, .reg = RSP, .off = 24,
				    .fp = UNWIND_TABLE_FP_SP, .fp_off = 8 },
		[FP_LOST]	= { .kind = UNWIND_TABLE_CFA, .reg = RSP, .off = 8,
				    .fp = UNWIND_TABLE_FP_LOST },
	},
	.pages = { 0, 12, 12, 14 },
	/* 16 bytes of code for each rule, and the last page's rows. */
	.rows = {
		{ 0x00, UNKNOWN }, { 0x10, OUTERMOST }, { 0x20, SP8 }, { 0x30, SP24_FP16 },
		{ 0x40, FP16 }, { 0x50, DEREF_R10 }, { 0x60, PLT }, { 0x70, SIGNAL },
		{ 0x80, RA_IN_RBX }, { 0x90, FP_BY_FP }, { 0xa0, FP_BY_SP }, { 0xb0, FP_LOST },
		{ 0x40, OUTERMOST }, { 0x80, UNKNOWN },
	},
};

/* Offset of the code that has a rule. */
#define CODE(rule)	((rule) * 0x10UL + 8)

static struct small_table *new_table(struct kunit *test)
{
	struct small_table *t = kunit_kmalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	*t = sound;
	return t;
}

/* A kernel's copy of @size bytes, with nothing behind it: KASAN notices more. */
static struct unwind_table *copy(struct kunit *test, const void *t, size_t size)
{
	struct unwind_table *table = kunit_kzalloc(test, offsetof(struct unwind_table, head) + size,
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	memcpy((char *)table + offsetof(struct unwind_table, head), t, size);
	return table;
}

static int check(struct kunit *test, const struct small_table *t, struct unwind_table **table)
{
	*table = copy(test, t, sizeof(*t));
	return unwind_table_check(*table, sizeof(*t));
}

/* A defect: what is written where, and the errno that it must give. */
static const struct defect {
	const char *name;
	size_t at, bytes;
	u64 value;
	int err;
} defects[] = {
#define DEFECT(field, val, errno)						\
	{ #field " = " #val, offsetof(struct small_table, field),		\
	  sizeof_field(struct small_table, field), val, errno }
	DEFECT(head.magic, 0, -ENOEXEC),
	DEFECT(head.version, 2, -EPROTONOSUPPORT),
	DEFECT(head.arch, EM_386, -EPROTONOSUPPORT),
	DEFECT(head.head_size, 56, -EPROTONOSUPPORT),
	DEFECT(head.reserved, 1, -EPROTONOSUPPORT),
	DEFECT(head.reserved2[0], 1, -EPROTONOSUPPORT),
	DEFECT(head.reserved2[2], 1, -EPROTONOSUPPORT),
	DEFECT(head.page_shift, 7, -ERANGE),
	DEFECT(head.page_shift, 17, -ERANGE),
	DEFECT(head.nr_pages, 0, -ERANGE),
	DEFECT(head.nr_rows, 0, -ERANGE),
	DEFECT(head.nr_rules, 0, -ERANGE),
	DEFECT(head.nr_rules, 65537, -ERANGE),
	DEFECT(head.size, sizeof(struct small_table) - 4, -EMSGSIZE),
	DEFECT(head.nr_pages, NR_PAGES + 1, -EMSGSIZE),
	DEFECT(head.nr_pages, U32_MAX, -EMSGSIZE),
	DEFECT(head.nr_rows, NR_ROWS - 1, -EMSGSIZE),
	DEFECT(head.nr_rows, U32_MAX, -EMSGSIZE),
	DEFECT(head.nr_rules, NR_RULES + 1, -EMSGSIZE),
	DEFECT(head.first, 128, -ERANGE),
	DEFECT(head.first, 1ULL << 63, -ERANGE),
	DEFECT(head.first, (1ULL << 63) - 512, -ERANGE),
	DEFECT(pages[0], 1, -EBADSLT),
	DEFECT(pages[1], 15, -EBADSLT),
	DEFECT(pages[2], 11, -EBADSLT),
	DEFECT(pages[NR_PAGES], NR_ROWS - 1, -EBADSLT),
	DEFECT(pages[NR_PAGES], NR_ROWS + 1, -EBADSLT),
	DEFECT(rules[UNKNOWN].kind, UNWIND_TABLE_SIGNAL + 1, -EBADRQC),
	DEFECT(rules[UNKNOWN].off, 8, -EBADRQC),
	DEFECT(rules[OUTERMOST].reg, 7, -EBADRQC),
	DEFECT(rules[OUTERMOST].fp_off, 8, -EBADRQC),
	DEFECT(rules[SP8].reg, 16, -EBADRQC),
	DEFECT(rules[SP8].fp, UNWIND_TABLE_FP_LOST + 1, -EBADRQC),
	DEFECT(rules[SP8].fp_off, 8, -EBADRQC),
	DEFECT(rules[SP8].ra, UNWIND_TABLE_RA_REG + 1, -EBADRQC),
	DEFECT(rules[SP8].arg, 1, -EBADRQC),
	DEFECT(rules[DEREF_R10].ra, UNWIND_TABLE_RA_REG, -EBADRQC),
	DEFECT(rules[PLT].reg, RBP, -EBADRQC),
	DEFECT(rules[PLT].arg, 16, -EBADRQC),
	DEFECT(rules[PLT].arg, -1, -EBADRQC),
	DEFECT(rules[SIGNAL].reg, RBP, -EBADRQC),
	DEFECT(rules[SIGNAL].fp, UNWIND_TABLE_FP_CFA, -EBADRQC),
	DEFECT(rules[RA_IN_RBX].arg, 16, -EBADRQC),
	DEFECT(rules[RA_IN_RBX].arg, -1, -EBADRQC),
	DEFECT(rules[FP_LOST].fp_off, -8, -EBADRQC),
#undef DEFECT
};

static void defect_name(const struct defect *d, char *name)
{
	strscpy(name, d->name, KUNIT_PARAM_DESC_SIZE);
}
KUNIT_ARRAY_PARAM(defect, defects, defect_name);

/* Each defect alone is found, and has its errno. */
static void check_defect(struct kunit *test)
{
	const struct defect *d = test->param_value;
	struct small_table *t = new_table(test);
	struct unwind_table *table;

	KUNIT_ASSERT_EQ(test, check(test, t, &table), 0);
	memcpy((char *)t + d->at, &d->value, d->bytes);
	KUNIT_EXPECT_EQ_MSG(test, check(test, t, &table), d->err, "%s", d->name);
}

static void check_short(struct kunit *test)
{
	struct unwind_table *table = copy(test, &sound, sizeof(sound));

	KUNIT_EXPECT_EQ(test, unwind_table_check(table, sizeof(table->head) - 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, unwind_table_check(table, sizeof(sound) - 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, unwind_table_check(table, 0), -EMSGSIZE);
}

/*
 * At the first, at the last and between rows; in a page without rows. Then again, when
 * the table has the rules found last; some of these offsets have the same place there.
 */
static void look_up(struct kunit *test)
{
	static const struct { u64 off; int rule; } want[] = {
		{ 0, UNKNOWN }, { 0xf, UNKNOWN }, { 0x10, OUTERMOST }, { 0x1f, OUTERMOST },
		{ 0x20, SP8 }, { 0xaf, FP_BY_SP }, { 0xb0, FP_LOST }, { 0xff, FP_LOST },
		{ 0x100, FP_LOST }, { 0x1ff, FP_LOST }, { 0x200, FP_LOST }, { 0x23f, FP_LOST },
		{ 0x240, OUTERMOST }, { 0x27f, OUTERMOST }, { 0x280, UNKNOWN }, { 0x2ff, UNKNOWN },
	};
	struct small_table *t = new_table(test);
	struct unwind_table *table;
	int i;

	t->head.first = 0x1000;
	KUNIT_ASSERT_EQ(test, check(test, t, &table), 0);
	table->recent_mask = 63;
	table->recent = kunit_kcalloc(test, table->recent_mask + 1, sizeof(u64), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, table->recent);
	for (i = 0; i < 4 * ARRAY_SIZE(want); i++) {
		/* Each twice in turn, then all of them again. */
		int at = i / 2 % ARRAY_SIZE(want);

		KUNIT_EXPECT_PTR_EQ_MSG(test, unwind_table_rule(table, 0x1000 + want[at].off),
					&unwind_table_rules(table)[want[at].rule],
					"at %#llx", want[at].off);
	}
	KUNIT_EXPECT_NULL(test, unwind_table_rule(table, 0xfff));
	KUNIT_EXPECT_NULL(test, unwind_table_rule(table, 0x1300));
	KUNIT_EXPECT_NULL(test, unwind_table_rule(table, 0));
	KUNIT_EXPECT_NULL(test, unwind_table_rule(table, U64_MAX));
}

/* Rows are not checked: each look-up ends, inside of them, and has a rule of the table. */
static void rows_of_any_content(struct kunit *test)
{
	static const u8 fill[] = { 0x00, 0x01, 0x40, 0x7f, 0x80, 0xff };
	struct small_table *t = new_table(test);
	struct unwind_table *table;
	unsigned int i, nr;
	u64 off;

	for (i = 0; i < 4 * ARRAY_SIZE(fill); i++) {
		memset(t->rows, fill[i % ARRAY_SIZE(fill)], sizeof(t->rows));
		/* And with rules that are there. */
		for (nr = 0; i / ARRAY_SIZE(fill) % 2 && nr < NR_ROWS; nr++)
			t->rows[nr].rule = nr % NR_RULES;
		/* The first page may have no rows. */
		t->pages[1] = i < 2 * ARRAY_SIZE(fill) ? 12 : 0;
		KUNIT_ASSERT_EQ(test, check(test, t, &table), 0);
		for (off = 0; off < NR_PAGES << 8; off++)
			KUNIT_EXPECT_LT(test, unwind_table_search(table, off), NR_RULES);
	}
}

#define STACK_SIZE	SZ_64K

/* A stack, code that the test's mm takes for the vDSO, and a table of it. */
struct walk {
	unsigned long		base;
	unsigned long		code;
	unsigned long		sp;	/* where the innermost frame begins */
	struct hlist_head	owned;
	struct pt_regs		regs;
	unsigned long		entries[16];
	struct unwind_stacktrace trace;
};

static int add_table(struct walk *w, const struct small_table *t, struct hlist_head *owned)
{
	unsigned long at = w->base + SZ_8K;
	struct unwind_table_add add = {
		.size	= sizeof(add),
		.flags	= UNWIND_TABLE_ADD_VDSO,
		.fd	= -1,
		.addr	= at,
		.bytes	= sizeof(*t),
	};

	if (copy_to_user((void __user *)at, t, sizeof(*t)) ||
	    copy_to_user((void __user *)w->base, &add, sizeof(add)))
		return -EIO;
	return unwind_table_add_user(owned, (void __user *)w->base);
}

static void walk_free(void *data)
{
	struct walk *w = data;

	unwind_table_release(&w->owned);
}

static struct walk *walk_new(struct kunit *test)
{
	struct walk *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->base = kunit_vm_mmap(test, NULL, SZ_256M, STACK_SIZE, PROT_READ | PROT_WRITE,
				MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
	KUNIT_ASSERT_EQ_MSG(test, w->base, SZ_256M, "no user memory");
	KUNIT_ASSERT_EQ(test, clear_user((void __user *)w->base, STACK_SIZE), 0);
	w->code = w->base + STACK_SIZE - vdso_image_64.size;
	w->sp = w->base + SZ_16K;
	current->mm->context.vdso = (void __user *)w->code;
	current->mm->context.vdso_image = &vdso_image_64;

	KUNIT_ASSERT_EQ(test, add_table(w, &sound, &w->owned), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, walk_free, w), 0);

	w->regs.cs = __USER_CS;
	w->regs.ss = __USER_DS;
	w->regs.orig_ax = 0;
	w->regs.sp = w->sp;
	return w;
}

static void poke(struct kunit *test, unsigned long at, unsigned long val)
{
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)at, &val, sizeof(val)), 0);
}

/* A return address behind a call in code that has this rule. */
static unsigned long in(const struct walk *w, int rule)
{
	return w->code + CODE(rule);
}

/* Walk from code with @rule, both ways: these callers must come out. */
static void expect(struct kunit *test, struct walk *w, int rule, unsigned int nr,
		   const unsigned long *callers)
{
	unsigned int faultable, i;
	int err;

	w->regs.ip = in(w, rule);
	for (faultable = 0; faultable < 2; faultable++) {
		w->trace.entries = w->entries;
		memset(w->entries, 0xff, sizeof(w->entries));
		err = unwind_user_walk(&w->trace, ARRAY_SIZE(w->entries), &w->regs,
				       faultable ? UNWIND_WALK_FAULTABLE : UNWIND_WALK_ATOMIC);
		KUNIT_EXPECT_EQ(test, w->entries[0], w->regs.ip);
		KUNIT_EXPECT_EQ(test, err, 0);
		KUNIT_ASSERT_EQ(test, w->trace.nr, nr + 1);
		for (i = 0; i < nr; i++)
			KUNIT_EXPECT_EQ(test, w->entries[i + 1], callers[i]);
	}
}
#define EXPECT(test, w, rule, ...) ({						\
	const unsigned long callers[] = { __VA_ARGS__ };			\
										\
	expect(test, w, rule, ARRAY_SIZE(callers), callers);			\
})

static void rule_outermost(struct kunit *test)
{
	struct walk *w = walk_new(test);

	/* What the frame pointer says is of no matter. */
	w->regs.bp = w->sp;
	poke(test, w->sp + 8, 0x401000);
	expect(test, w, OUTERMOST, 0, NULL);
}

static void rule_sp(struct kunit *test)
{
	struct walk *w = walk_new(test);

	poke(test, w->sp, in(w, SP24_FP16));
	poke(test, w->sp + 8 + 16, in(w, SP8));
	poke(test, w->sp + 8 + 24, in(w, OUTERMOST));
	EXPECT(test, w, SP8, in(w, SP24_FP16), in(w, SP8), in(w, OUTERMOST));
}

/* The caller of a function without a frame pointer has one. */
static void rule_fp(struct kunit *test)
{
	struct walk *w = walk_new(test);
	unsigned long fp = w->sp + 0x100;

	w->regs.bp = fp;
	poke(test, w->sp, in(w, FP16));
	poke(test, fp, fp + 0x100);
	poke(test, fp + 8, in(w, FP16));
	poke(test, fp + 0x108, in(w, OUTERMOST));
	EXPECT(test, w, SP8, in(w, FP16), in(w, FP16), in(w, OUTERMOST));
}

/* A function that saved the frame pointer and uses the register for data. */
static void rule_fp_saved(struct kunit *test)
{
	struct walk *w = walk_new(test);
	unsigned long fp = w->sp + 0x100;

	w->regs.bp = 0xdead;
	poke(test, w->sp + 8, fp);
	poke(test, w->sp + 16, in(w, FP16));
	poke(test, fp + 8, in(w, OUTERMOST));
	EXPECT(test, w, SP24_FP16, in(w, FP16), in(w, OUTERMOST));

	w->regs.r10 = w->sp + 0x80;
	w->regs.bp = w->sp + 0x40;
	poke(test, w->sp + 0x38, fp);
	poke(test, w->sp + 0x78, in(w, FP16));
	EXPECT(test, w, FP_BY_FP, in(w, FP16), in(w, OUTERMOST));

	/* Behind "leave" the register is the caller's again, a frame pointer or data. */
	w->regs.bp = fp;
	poke(test, fp - 8, 0xdead);
	EXPECT(test, w, FP_BY_FP, in(w, FP16), in(w, OUTERMOST));
	w->regs.bp = 0xdead;
	poke(test, w->sp + 0x78, in(w, OUTERMOST));
	EXPECT(test, w, FP_BY_FP, in(w, OUTERMOST));

	poke(test, w->sp + 8, fp);
	poke(test, w->sp + 16, in(w, FP16));
	EXPECT(test, w, FP_BY_SP, in(w, FP16), in(w, OUTERMOST));

	/* Where it is lost no later frame is found by it. */
	w->regs.bp = fp;
	poke(test, w->sp, in(w, FP16));
	EXPECT(test, w, FP_LOST, in(w, FP16));
}

static void rule_other_register(struct kunit *test)
{
	struct walk *w = walk_new(test);
	unsigned long cfa = w->sp + 0x200;

	/* (r10 - 8) + 16 */
	w->regs.r10 = w->sp + 0x80;
	poke(test, w->sp + 0x78, cfa - 16);
	poke(test, cfa - 8, in(w, OUTERMOST));
	EXPECT(test, w, DEREF_R10, in(w, OUTERMOST));

	w->regs.bx = in(w, SP8);
	poke(test, w->sp + 16, in(w, OUTERMOST));
	EXPECT(test, w, RA_IN_RBX, in(w, SP8), in(w, OUTERMOST));

	/* In a caller r10 is not known, and the frame pointer is that of a frame further out. */
	w->regs.bp = w->sp + 0x100;
	poke(test, w->regs.bp, w->sp + 0x180);
	poke(test, w->regs.bp + 8, in(w, OUTERMOST));
	poke(test, w->sp, in(w, DEREF_R10));
	EXPECT(test, w, SP8, in(w, DEREF_R10));
	poke(test, w->sp, in(w, RA_IN_RBX));
	EXPECT(test, w, SP8, in(w, RA_IN_RBX));
}

static void rule_plt(struct kunit *test)
{
	struct walk *w = walk_new(test);

	/* CODE() is 8 bytes behind a multiple of 16: nothing is pushed yet. */
	poke(test, w->sp, in(w, OUTERMOST));
	EXPECT(test, w, PLT, in(w, OUTERMOST));
	poke(test, w->sp + 8, in(w, SP8));
	w->regs.ip = in(w, PLT) + 3;
	w->trace.entries = w->entries;
	KUNIT_EXPECT_EQ(test, unwind_user_walk(&w->trace, 2, &w->regs,
					      UNWIND_WALK_FAULTABLE), 0);
	KUNIT_EXPECT_EQ(test, w->entries[1], in(w, SP8));
}

/* An interrupted frame has all its registers, and its ip is not behind a call. */
static void rule_signal(struct kunit *test)
{
	struct walk *w = walk_new(test);
	unsigned long ucontext = w->sp + 8 + 8, below = w->base + SZ_8K + SZ_4K;

	poke(test, w->sp, w->code + CODE(SIGNAL));
	/* On an alternate stack the interrupted frame may be below. */
	poke(test, ucontext + arch_unwind_user_saved(16), w->code + SP8 * 0x10);
	poke(test, ucontext + arch_unwind_user_saved(RSP), below);
	poke(test, below, in(w, OUTERMOST));
	EXPECT(test, w, SP8, in(w, SIGNAL), w->code + SP8 * 0x10, in(w, OUTERMOST));

	poke(test, ucontext + arch_unwind_user_saved(16), in(w, DEREF_R10));
	poke(test, ucontext + arch_unwind_user_saved(R10), below + 16);
	poke(test, below + 8, below + 0x40);
	poke(test, below + 0x48, in(w, OUTERMOST));
	EXPECT(test, w, SP8, in(w, SIGNAL), in(w, DEREF_R10), in(w, OUTERMOST));

	/* A wrong rule finds no word that is not the address of code. */
	poke(test, ucontext + arch_unwind_user_saved(16), w->sp);
	EXPECT(test, w, SP8, in(w, SIGNAL));
}

/* Hostile stacks: the walk ends, and reads nothing beyond user space. */
static void rule_hostile(struct kunit *test)
{
	struct walk *w = walk_new(test);
	unsigned int i;

	/* A loop is no loop: each frame is above the one before. */
	w->regs.bp = w->sp - 0x100;
	expect(test, w, FP16, 0, NULL);
	/* Misaligned. */
	w->regs.bp = w->sp + 0x101;
	expect(test, w, FP16, 0, NULL);
	/* Beyond user space. */
	w->regs.bp = TASK_SIZE_MAX - 8;
	expect(test, w, FP16, 0, NULL);
	w->regs.bp = (unsigned long)w & ~7UL;
	expect(test, w, FP16, 0, NULL);
	w->regs.r10 = (unsigned long)w & ~7UL;
	expect(test, w, DEREF_R10, 0, NULL);
	/* A return address that is none. */
	poke(test, w->sp, (unsigned long)w);
	expect(test, w, SP8, 0, NULL);
	/* As deep as there is room. */
	for (i = 0; i < 64; i++)
		poke(test, w->sp + 8 * i, in(w, SP8));
	w->regs.ip = in(w, SP8);
	w->trace.entries = w->entries;
	KUNIT_EXPECT_EQ(test, unwind_user_walk(&w->trace, 7, &w->regs,
					      UNWIND_WALK_FAULTABLE), 0);
	KUNIT_EXPECT_EQ(test, w->trace.nr, 7);
}

/*
 * Without a rule the frame pointer leads on, also from the middle of a walk, to where there is
 * code.
 */
static void rule_unknown(struct kunit *test)
{
	struct walk *w = walk_new(test);
	unsigned long fp = w->sp + 0x100, beyond = w->code + SZ_4K;

	w->regs.bp = fp;
	poke(test, w->sp, in(w, UNKNOWN));
	poke(test, fp, fp + 0x100);
	poke(test, fp + 8, beyond);
	poke(test, fp + 0x108, in(w, OUTERMOST));
	EXPECT(test, w, SP8, in(w, UNKNOWN), beyond, in(w, OUTERMOST));

	/* The stack is no code, and there is nothing at 0x401000. */
	poke(test, fp + 0x108, fp);
	EXPECT(test, w, SP8, in(w, UNKNOWN), beyond);
	poke(test, fp + 8, 0x401000);
	EXPECT(test, w, SP8, in(w, UNKNOWN));
}

static void registration(struct kunit *test)
{
	struct walk *w = walk_new(test);
	struct hlist_head other = {};
	struct small_table *t = new_table(test);

	/* One table for a file and an owner. */
	KUNIT_EXPECT_EQ(test, add_table(w, &sound, &w->owned), -EEXIST);
	/* Another owner's is used as long as there is one. */
	poke(test, w->sp, in(w, OUTERMOST));
	t->rules[SP8] = (struct unwind_table_rule){ .kind = UNWIND_TABLE_OUTERMOST };
	KUNIT_EXPECT_EQ(test, add_table(w, t, &other), 0);
	expect(test, w, SP8, 0, NULL);
	KUNIT_EXPECT_EQ(test, add_table(w, &sound, &w->owned), -EEXIST);
	unwind_table_release(&other);
	EXPECT(test, w, SP8, in(w, OUTERMOST));
	unwind_table_release(&w->owned);
	KUNIT_EXPECT_EQ(test, add_table(w, &sound, &w->owned), 0);
	EXPECT(test, w, SP8, in(w, OUTERMOST));
	/* A defect goes through. */
	*t = sound;
	t->head.magic = 0;
	KUNIT_EXPECT_EQ(test, add_table(w, t, &other), -ENOEXEC);
	KUNIT_EXPECT_TRUE(test, hlist_empty(&other));
}

/* A page has no more rows than bytes: a look-up in an NMI is bounded. */
static void rows_of_a_page(struct kunit *test)
{
	const unsigned int nr = 258;
	struct {
		struct unwind_table_head head;
		struct unwind_table_rule rule;
		__u32 pages[2];
		struct unwind_table_row rows[258];
	} *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->head = sound.head;
	t->head.nr_pages = 1;
	t->head.nr_rules = 1;
	t->head.nr_rows = nr - 2;
	t->pages[1] = nr - 2;
	t->head.size = sizeof(*t) - 2 * sizeof(t->rows[0]);
	KUNIT_EXPECT_EQ(test, unwind_table_check(copy(test, t, t->head.size), t->head.size), 0);
	t->head.nr_rows = nr;
	t->pages[1] = nr;
	t->head.size = sizeof(*t);
	KUNIT_EXPECT_EQ(test, unwind_table_check(copy(test, t, t->head.size), t->head.size),
			-EBADSLT);
}

/* What the argument may not be. */
static void arguments(struct kunit *test)
{
	struct walk *w = walk_new(test);
	const struct unwind_table_add good = {
		.size	= sizeof(good),
		.flags	= UNWIND_TABLE_ADD_VDSO,
		.fd	= -1,
		.addr	= w->base + SZ_8K,
		.bytes	= sizeof(sound),
	};
	struct hlist_head owned = {};
	struct { struct unwind_table_add add; u64 more; } arg;
	void __user *at = (void __user *)w->base;

#define REFUSED(err, change) do {							\
	arg.add = good;									\
	arg.more = 0;									\
	change;										\
	KUNIT_ASSERT_EQ(test, copy_to_user(at, &arg, sizeof(arg)), 0);			\
	KUNIT_EXPECT_EQ_MSG(test, unwind_table_add_user(&owned, at), err,	\
			    #change);							\
} while (0)
	REFUSED(-EINVAL, arg.add.size = sizeof(good) - 8);
	REFUSED(-EINVAL, arg.add.size = 0);
	REFUSED(-E2BIG, (arg.add.size = sizeof(arg), arg.more = 1));
	REFUSED(-E2BIG, arg.add.size = PAGE_SIZE + 8);
	REFUSED(-EINVAL, arg.add.flags = 2);
	REFUSED(-EINVAL, arg.add.flags = 4);
	REFUSED(-EINVAL, arg.add.reserved = 1);
	REFUSED(-EINVAL, arg.add.fd = 0);
	REFUSED(-EBADF, (arg.add.flags = 0, arg.add.fd = 1000000));
	REFUSED(-EMSGSIZE, arg.add.bytes = 0);
	REFUSED(-EFBIG, arg.add.bytes = SZ_1G);
	REFUSED(-EFAULT, arg.add.addr = w->base + STACK_SIZE);
	REFUSED(0, (arg.add.size = sizeof(arg), arg.more = 0));
#undef REFUSED
	at = (void __user *)(w->base + STACK_SIZE);
	KUNIT_EXPECT_EQ(test, unwind_table_add_user(&owned, at), -EFAULT);
	unwind_table_release(&owned);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_PARAM(check_defect, defect_gen_params),
	KUNIT_CASE(check_short),
	KUNIT_CASE(look_up),
	KUNIT_CASE(rows_of_any_content),
	KUNIT_CASE(rule_outermost),
	KUNIT_CASE(rule_sp),
	KUNIT_CASE(rule_fp),
	KUNIT_CASE(rule_fp_saved),
	KUNIT_CASE(rule_other_register),
	KUNIT_CASE(rule_plt),
	KUNIT_CASE(rule_signal),
	KUNIT_CASE(rule_hostile),
	KUNIT_CASE(rule_unknown),
	KUNIT_CASE(registration),
	KUNIT_CASE(rows_of_a_page),
	KUNIT_CASE(arguments),
	{}
};

static struct kunit_suite table_suite = {
	.name = "unwind_table",
	.test_cases = table_cases,
};
kunit_test_suite(table_suite);

MODULE_DESCRIPTION("KUnit tests for unwind tables");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Walks of made-up user stacks: user memory that the test writes, registers
 * that the test makes up, for 64- and 32-bit tasks, with and without faults.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/unwind_user.h>

#include <asm/desc.h>
#include <asm/unwind_user.h>

#include "kunit_compat.h"

#define STACK_SIZE	SZ_64K
#define MAX_ENTRIES	32
#define IP		0x401000UL

struct stack {
	unsigned long	base;		/* of a 32-bit address, too */
	unsigned long	code;
	unsigned int	word;
	unsigned long	entries[MAX_ENTRIES];
	struct unwind_stacktrace trace;
	struct pt_regs	regs;
};

static void poke(struct kunit *test, struct stack *s, unsigned long addr,
		 unsigned long val)
{
	u32 val32 = val;

	if (s->word == sizeof(u32))
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)addr, &val32, 4), 0);
	else
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)addr, &val, 8), 0);
}

static void frame(struct kunit *test, struct stack *s, unsigned long at,
		  unsigned long next, unsigned long ret)
{
	poke(test, s, at, next);
	poke(test, s, at + s->word, ret);
}

static struct stack *stack_new(struct kunit *test)
{
	struct stack *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	const unsigned int *word = test->param_value;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->word = word ? *word : sizeof(u64);
	/* Low enough for a 32-bit task. */
	s->base = kunit_vm_mmap(test, NULL, SZ_256M, STACK_SIZE,
				PROT_READ | PROT_WRITE,
				MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
	KUNIT_ASSERT_EQ_MSG(test, s->base, SZ_256M, "no user memory");
	/* All of it is there, unless a test takes some away. */
	KUNIT_ASSERT_EQ(test, clear_user((void __user *)s->base, STACK_SIZE), 0);
	s->code = s->base + STACK_SIZE - SZ_4K;

	s->regs.cs = s->word == sizeof(u32) ? __USER32_CS : __USER_CS;
	s->regs.ss = __USER_DS;
	s->regs.ip = IP;
	s->regs.sp = s->base;
	s->regs.orig_ax = 0;	/* a system call: nothing to look for in its code */
	return s;
}

static int walk_max(struct stack *s, unsigned long fp, unsigned int max, bool faultable)
{
	s->regs.bp = fp;
	s->trace.entries = s->entries;
	memset(s->entries, 0xff, sizeof(s->entries));
	return unwind_user_walk(&s->trace, max, &s->regs,
				faultable ? UNWIND_WALK_FAULTABLE : UNWIND_WALK_ATOMIC);
}

/* Both walks, which must agree. */
static int walk(struct kunit *test, struct stack *s, unsigned long fp)
{
	unsigned long first[MAX_ENTRIES];
	unsigned int nr;
	int err;

	err = walk_max(s, fp, MAX_ENTRIES, false);
	nr = s->trace.nr;
	memcpy(first, s->entries, sizeof(first));
	KUNIT_EXPECT_EQ(test, walk_max(s, fp, MAX_ENTRIES, true), err);
	KUNIT_EXPECT_EQ(test, s->trace.nr, nr);
	/* Nothing is written behind the last entry either. */
	KUNIT_EXPECT_MEMEQ(test, s->entries, first, sizeof(first));
	return err;
}

static void expect(struct kunit *test, struct stack *s, unsigned int nr,
		   const unsigned long *want)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, s->trace.nr, nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, s->entries[i], want[i]);
}

#define EXPECT(test, s, ...) do {					\
	unsigned long want[] = { __VA_ARGS__ };				\
	expect(test, s, ARRAY_SIZE(want), want);			\
} while (0)

static void good(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base;

	frame(test, s, b + 0x10, b + 0x40, 0x1001);
	frame(test, s, b + 0x40, b + 0x48 + 2 * s->word, 0x1002);
	frame(test, s, b + 0x48 + 2 * s->word, 0, 0x1003);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
	EXPECT(test, s, IP, 0x1001, 0x1002, 0x1003);

	/* An outermost frame without a return address. */
	frame(test, s, b + 0x40, 0, 0);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
	EXPECT(test, s, IP, 0x1001);

	KUNIT_EXPECT_EQ(test, walk(test, s, 0), 0);
	EXPECT(test, s, IP);
}

static void depth(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base;
	unsigned int i;

	for (i = 0; i < 100; i++)
		frame(test, s, b + i * 0x20, b + (i + 1) * 0x20, 0x1000 + i);
	for (i = 1; i < MAX_ENTRIES; i++) {
		KUNIT_EXPECT_EQ(test, walk_max(s, b, i, false), 0);
		KUNIT_EXPECT_EQ(test, s->trace.nr, i);
		KUNIT_EXPECT_EQ(test, s->entries[i], ~0UL);
	}
	KUNIT_EXPECT_EQ(test, walk_max(s, b, 0, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, s->trace.nr, 0);
}

static void misaligned(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base;
	unsigned int i;

	for (i = 1; i < s->word; i++) {
		KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10 + i), 0);
		EXPECT(test, s, IP);
		frame(test, s, b + 0x10, b + 0x40 + i, 0x1001);
		KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
		EXPECT(test, s, IP, 0x1001);
	}
}

static void looping(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base;

	frame(test, s, b + 0x10, b + 0x10, 0x1001);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
	EXPECT(test, s, IP, 0x1001);

	frame(test, s, b + 0x10, b + 0x40, 0x1001);
	frame(test, s, b + 0x40, b + 0x10, 0x1002);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
	EXPECT(test, s, IP, 0x1001, 0x1002);

	/* A frame that overlaps the one before. */
	frame(test, s, b + 0x10, b + 0x10 + s->word, 0x1001);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
	EXPECT(test, s, IP, 0x1001);
}

static void downward(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base;

	frame(test, s, b + 0x80, b + 0x40, 0x1001);
	frame(test, s, b + 0x40, b + 0x90, 0x1002);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x80), 0);
	EXPECT(test, s, IP, 0x1001);
}

/* Whatever lies below the stack pointer is no frame, and is not read. */
static void below_sp(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base, sp = b + 0x100;
	const unsigned long below[] = {
		PAGE_SIZE, 0x20000, b + 0x10, b + 0x40, sp - s->word,
	};
	const u8 push[] = { 0x55, 0x89, 0xe5, 0x90 };
	const u8 push64[] = { 0x55, 0x48, 0x89, 0xe5 };
	unsigned int i;

	/* What looks like frames: another stack, or calls that have returned. */
	frame(test, s, b + 0x10, b + 0x40, 0x2001);
	frame(test, s, b + 0x40, b + 0x140, 0x2002);
	frame(test, s, sp - s->word, b + 0x140, 0x2003);
	frame(test, s, b + 0x140, 0, 0x1002);
	s->regs.sp = sp;
	for (i = 0; i < ARRAY_SIZE(below); i++) {
		KUNIT_EXPECT_EQ(test, walk(test, s, below[i]), 0);
		EXPECT(test, s, IP);
	}

	/* A frame at the stack pointer, and one above it. */
	frame(test, s, sp, b + 0x140, 0x1001);
	KUNIT_EXPECT_EQ(test, walk(test, s, sp), 0);
	EXPECT(test, s, IP, 0x1001, 0x1002);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x140), 0);
	EXPECT(test, s, IP, 0x1002);

	/*
	 * At a function's entry the return address is at the stack pointer:
	 * the caller's frame cannot have it, too. This is also what the first
	 * instructions of a signal handler look like if the interrupted stack
	 * lies below the alternate one.
	 */
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)s->code,
					   s->word == 4 ? push : push64, 4), 0);
	s->regs.orig_ax = -1;
	s->regs.ip = s->code;
	poke(test, s, sp, 0x1001);
	for (i = 0; i < ARRAY_SIZE(below); i++) {
		KUNIT_EXPECT_EQ(test, walk(test, s, below[i]), 0);
		EXPECT(test, s, s->code, 0x1001);
	}
	KUNIT_EXPECT_EQ(test, walk(test, s, sp), 0);
	EXPECT(test, s, s->code, 0x1001);
	frame(test, s, sp + s->word, 0, 0x1002);
	KUNIT_EXPECT_EQ(test, walk(test, s, sp + s->word), 0);
	EXPECT(test, s, s->code, 0x1001, 0x1002);
}

static void unreadable(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base, end = b + STACK_SIZE;

	/* Beyond the mapping, half beyond it, and nothing there at all. */
	frame(test, s, b + 0x10, end, 0x1001);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), -EFAULT);
	EXPECT(test, s, IP, 0x1001);
	KUNIT_EXPECT_EQ(test, walk(test, s, end - s->word), -EFAULT);
	EXPECT(test, s, IP);
	KUNIT_EXPECT_EQ(test, walk(test, s, end + 0x20000), -EFAULT);
	EXPECT(test, s, IP);

	/* A pointer into the first page is no pointer. */
	KUNIT_EXPECT_EQ(test, walk(test, s, 0x10), 0);
	EXPECT(test, s, IP);
}

static void not_present(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base, addr;

	/* Fresh memory: a walk without faults must not see it. */
	addr = kunit_vm_mmap(test, NULL, SZ_512M, SZ_64K, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0);
	KUNIT_ASSERT_EQ(test, addr, SZ_512M);
	frame(test, s, b + 0x10, addr + 0x100, 0x1001);
	KUNIT_EXPECT_EQ(test, walk_max(s, b + 0x10, MAX_ENTRIES, false), -EFAULT);
	EXPECT(test, s, IP, 0x1001);
	/* Zeroes are a frame without a return address: the end. */
	KUNIT_EXPECT_EQ(test, walk_max(s, b + 0x10, MAX_ENTRIES, true), 0);
	EXPECT(test, s, IP, 0x1001);
	KUNIT_EXPECT_EQ(test, walk_max(s, b + 0x10, MAX_ENTRIES, false), 0);
	EXPECT(test, s, IP, 0x1001);
}

static void kernel_addresses(struct kunit *test)
{
	const unsigned long bad[] = {
		TASK_SIZE_MAX + PAGE_SIZE, 1UL << 63, -4096UL, -512UL, -640UL, -8UL,
	};
	struct stack *s = stack_new(test);
	unsigned long b = s->base;
	unsigned int i;

	if (s->word == sizeof(u32))
		kunit_skip(test, "no such address in 32 bits");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ(test, walk(test, s, bad[i]), 0);
		EXPECT(test, s, IP);
		frame(test, s, b + 0x10, bad[i], 0x1001);
		KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
		EXPECT(test, s, IP, 0x1001);
		frame(test, s, b + 0x10, b + 0x40, bad[i]);
		KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
		EXPECT(test, s, IP);
	}
}

/*
 * A task can jump anywhere, and ptrace() and sigreturn set any ip: one that is
 * no user address is no entry. The frames are still there.
 */
static void kernel_ip(struct kunit *test)
{
	const unsigned long bad[] = {
		TASK_SIZE_MAX, TASK_SIZE_MAX + PAGE_SIZE, 1UL << 63, -4095UL, -640UL,
		-512UL, -128UL, -1UL,
	};
	struct stack *s = stack_new(test);
	unsigned long b = s->base;
	int syscall;
	unsigned int i;

	frame(test, s, b + 0x10, 0, 0x1001);
	for (syscall = 0; syscall < 2; syscall++) {
		s->regs.orig_ax = syscall ? 0 : -1;
		for (i = 0; i < ARRAY_SIZE(bad); i++) {
			s->regs.ip = bad[i];
			KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
			/* Of 32-bit code, the lower half is the ip. */
			if (s->word == sizeof(u32))
				EXPECT(test, s, (u32)bad[i], 0x1001);
			else
				EXPECT(test, s, 0x1001);
		}
		s->regs.ip = 0;
		KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x10), 0);
		EXPECT(test, s, 0, 0x1001);
	}
}

/* 32-bit code has 32-bit registers, whatever was left in the upper halves. */
static void upper_halves(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base, high = 0xdeadUL << 32;

	if (s->word != sizeof(u32))
		kunit_skip(test, "there is no more than 64 bits");
	frame(test, s, b + 0x10, b + 0x40, 0x1001);
	frame(test, s, b + 0x40, 0, 0x1002);
	s->regs.ip = high | IP;
	s->regs.sp = high | b;
	KUNIT_EXPECT_EQ(test, walk(test, s, high << 1 | (b + 0x10)), 0);
	EXPECT(test, s, IP, 0x1001, 0x1002);
	KUNIT_EXPECT_EQ(test, walk(test, s, high), 0);
	EXPECT(test, s, IP);
}

/* A segment of the running thread, as set_thread_area() makes it. */
static u16 tls_segment(unsigned int nr, u32 base, bool code)
{
	struct desc_struct desc = {
		.limit0 = 0xffff, .limit1 = 0xf, .base0 = base, .base1 = base >> 16,
		.base2 = base >> 24, .type = code ? 0xb : 0x3, .s = 1, .dpl = 3, .p = 1,
		.d = 1, .g = 1,
	};

	guard(preempt)();
	current->thread.tls_array[nr] = desc;
	load_TLS(&current->thread, smp_processor_id());
	return (GDT_ENTRY_TLS_MIN + nr) << 3 | 3;
}

static void segments(struct kunit *test)
{
	static const u32 bases[][2] = {
		{ 0, 0x5000 }, { 0x7000, 0 }, { 0x7000, 0x5000 },
		/* Below 0, as it were: the processor adds modulo 2^32. */
		{ 0xfffff000, 0xffffe000 }, { 0x100000, 0xfff00000 },
	};
	static const u8 ret[] = { 0xc9, 0xc3 };
	struct stack *s = stack_new(test);
	unsigned long b = s->base;
	unsigned int i;
	u32 cs, ss, ip, f1, f2;

	if (s->word != sizeof(u32))
		kunit_skip(test, "no segment has a base in 64-bit mode");
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)s->code, ret, 2), 0);
	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		cs = bases[i][0];
		ss = bases[i][1];
		s->regs.cs = tls_segment(0, cs, true);
		s->regs.ss = tls_segment(1, ss, false);

		/* All that the task has is offsets; what is reported, addresses. */
		ip = 0x401000 - cs;
		f1 = b + 0x110 - ss;
		f2 = b + 0x140 - ss;
		frame(test, s, b + 0x110, f2, (u32)(0x1001000 - cs));
		frame(test, s, b + 0x140, 0, (u32)(0x1002000 - cs));
		s->regs.ip = ip;
		s->regs.sp = (u32)(b + 0x100 - ss);
		s->regs.orig_ax = 0;
		KUNIT_EXPECT_EQ(test, walk(test, s, f1), 0);
		EXPECT(test, s, 0x401000, 0x1001000, 0x1002000);

		/* Below the stack pointer. */
		s->regs.sp = (u32)(b + 0x114 - ss);
		KUNIT_EXPECT_EQ(test, walk(test, s, f1), 0);
		EXPECT(test, s, 0x401000);

		/* The code at the ip, and the word at the stack pointer. */
		s->regs.orig_ax = -1;
		s->regs.ip = (u32)(s->code + 1 - cs);
		s->regs.sp = (u32)(b + 0x100 - ss);
		poke(test, s, b + 0x100, (u32)(0x1000000 - cs));
		KUNIT_EXPECT_EQ(test, walk(test, s, f1), 0);
		EXPECT(test, s, s->code + 1, 0x1000000, 0x1001000, 0x1002000);

		/* The outermost frame pointer is offset 0. */
		KUNIT_EXPECT_EQ(test, walk(test, s, 0), 0);
		EXPECT(test, s, s->code + 1, 0x1000000);
	}
}

/* Code bytes at the ip, the ip's offset in them, and where the caller is. */
struct edge {
	const char	*name;
	u8		code[12];
	unsigned int	ip;
	int		slot;		/* words above sp, -1: the frame is set up */
};

static const struct edge edges64[] = {
	{ "push", { 0x55, 0x48, 0x89, 0xe5 }, 0, 0 },
	{ "push, other mov", { 0x55, 0x48, 0x8b, 0xec }, 0, 0 },
	{ "push, probed", { 0xcc, 0x48, 0x89, 0xe5 }, 0, 0 },
	{ "endbr64", { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5 }, 0, 0 },
	{ "push behind endbr64", { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5 }, 4, 0 },
	{ "mov", { 0x55, 0x48, 0x89, 0xe5 }, 1, 1 },
	{ "behind the mov", { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10 }, 4, -1 },
	{ "leave", { 0x90, 0xc9, 0xc3 }, 1, -1 },
	{ "ret behind leave", { 0x90, 0xc9, 0xc3 }, 2, 0 },
	{ "ret behind pop", { 0x90, 0x5d, 0xc3 }, 2, 0 },
	{ "repz ret behind pop", { 0x5d, 0xf3, 0xc3 }, 1, 0 },
	{ "ret imm16 behind pop", { 0x5d, 0xc2, 0x08, 0x00 }, 1, 0 },
	{ "ret behind pop, probed", { 0x90, 0x5d, 0xcc }, 2, 0 },
	{ "ret behind something else", { 0x90, 0x90, 0xc3 }, 2, 0 },
	{ "ret behind add to the stack pointer", { 0x48, 0x83, 0xc4, 0x08, 0xc3 }, 4, 0 },
	{ "ret behind a system call", { 0x0f, 0x05, 0xc3 }, 2, 0 },
	{ "ret behind a probe", { 0x90, 0xcc, 0xc3 }, 2, 0 },
	{ "repz ret behind something else", { 0x90, 0xf3, 0xc3 }, 1, 0 },
	{ "bnd ret behind something else", { 0x90, 0xf2, 0xc3 }, 1, 0 },
	{ "ret imm16 behind something else", { 0x90, 0xc2, 0x08, 0x00 }, 1, 0 },
	{ "a far ret", { 0x90, 0xcb }, 1, -1 },
	{ "repz stos", { 0x90, 0xf3, 0xaa, 0xc3 }, 1, -1 },
	{ "a ret behind the ip", { 0x90, 0x90, 0xc3 }, 1, -1 },
	{ "a breakpoint behind something else", { 0x90, 0x90, 0xcc }, 2, -1 },
	{ "push of something else", { 0x90, 0x53, 0x48, 0x89, 0xe5 }, 1, -1 },
	{ "push, then no mov", { 0x90, 0x55, 0x48, 0x89, 0xfd }, 1, -1 },
	{ "endbr32 in 64-bit code", { 0xf3, 0x0f, 0x1e, 0xfb, 0x55, 0x48, 0x89, 0xe5 }, 0, -1 },
};

static const struct edge edges32[] = {
	{ "push", { 0x55, 0x89, 0xe5 }, 0, 0 },
	{ "push, other mov", { 0x55, 0x8b, 0xec }, 0, 0 },
	{ "endbr32", { 0xf3, 0x0f, 0x1e, 0xfb, 0x55, 0x89, 0xe5 }, 0, 0 },
	{ "mov", { 0x55, 0x89, 0xe5 }, 1, 1 },
	{ "behind the mov", { 0x55, 0x89, 0xe5, 0x83, 0xec, 0x10 }, 3, -1 },
	{ "leave", { 0x90, 0xc9, 0xc3 }, 1, -1 },
	{ "ret behind leave", { 0x90, 0xc9, 0xc3 }, 2, 0 },
	{ "ret behind pop", { 0x90, 0x5d, 0xc3 }, 2, 0 },
	{ "ret behind add to the stack pointer", { 0x83, 0xc4, 0x08, 0xc3 }, 3, 0 },
	{ "ret behind a system call", { 0xcd, 0x80, 0xc3 }, 2, 0 },
	{ "repz ret behind something else", { 0x90, 0xf3, 0xc3 }, 1, 0 },
	{ "ret imm16 behind something else", { 0x90, 0xc2, 0x08, 0x00 }, 1, 0 },
	{ "a far ret", { 0x90, 0xcb }, 1, -1 },
	{ "a breakpoint behind something else", { 0x90, 0x90, 0xcc }, 2, -1 },
};

static void edges(struct kunit *test)
{
	struct stack *s = stack_new(test);
	bool bits32 = s->word == sizeof(u32);
	const struct edge *e = bits32 ? edges32 : edges64;
	const struct edge *end = e + (bits32 ? ARRAY_SIZE(edges32) : ARRAY_SIZE(edges64));
	static const u8 rets[][4] = {
		{ 0xc3, 0x90 }, { 0xf3, 0xc3 }, { 0xc2, 0x08, 0x00 },
	};
	unsigned long b = s->base, ip;
	unsigned int i;

	/* The caller's frame; below it the stack of the function at its edge. */
	frame(test, s, b + 0x80, 0, 0x1002);
	s->regs.orig_ax = -1;
	for (; e < end; e++) {
		/* Not kunit_info(): 6.1 keeps 512 bytes of a case, its result included. */
		pr_info("prologue or epilogue: %s\n", e->name);
		KUNIT_ASSERT_EQ(test, clear_user((void __user *)b, 0x40), 0);
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)s->code, e->code,
						   sizeof(e->code)), 0);
		ip = s->code + e->ip;
		s->regs.ip = ip;
		if (e->slot == 1)
			poke(test, s, b, b + 0x80);
		if (e->slot >= 0)
			poke(test, s, b + e->slot * s->word, 0x1001);
		KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x80), 0);
		if (e->slot >= 0)
			EXPECT(test, s, ip, 0x1001, 0x1002);
		else
			EXPECT(test, s, ip, 0x1002);
	}

	/* Something else was pushed: this mov is not a prologue's. */
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)s->code,
					   bits32 ? edges32[3].code : edges64[5].code, 12), 0);
	s->regs.ip = s->code + 1;
	poke(test, s, b, b + 0x90);
	poke(test, s, b + s->word, 0x1001);
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x80), 0);
	EXPECT(test, s, s->code + 1, 0x1002);

	/* A signal's handler has one on the way out of a system call. */
	s->regs.ip = s->code;
	poke(test, s, b, 0x1001);
	s->regs.orig_ax = 0;
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x80), 0);
	EXPECT(test, s, s->code, 0x1001, 0x1002);

	/* Behind the system call instruction there is none, but there may be a ret. */
	poke(test, s, s->code - s->word, 0x05UL << (8 * s->word - 8));
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x80), 0);
	EXPECT(test, s, s->code, 0x1002);
	for (i = 0; i < ARRAY_SIZE(rets); i++) {
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)s->code, rets[i], 4), 0);
		KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x80), 0);
		EXPECT(test, s, s->code, 0x1001, 0x1002);
	}
}

/* The code bytes begin or end where a mapping does. */
static void edge_of_mapping(struct kunit *test)
{
	struct stack *s = stack_new(test);
	unsigned long b = s->base, end = b + STACK_SIZE;
	static const u8 ret[] = { 0xc9, 0xc3 };
	static const u8 push[] = { 0x55, 0x89, 0xe5, 0x90 };
	static const u8 push64[] = { 0x55, 0x48, 0x89, 0xe5 };

	s->regs.orig_ax = -1;
	s->regs.sp = b + 0x1000;
	poke(test, s, b + 0x1000, 0x1001);
	frame(test, s, b + 0x1080, 0, 0x1002);

	/* The last byte of the mapping, whose code would go on behind it. */
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)(end - 2), ret, 2), 0);
	s->regs.ip = end - 1;
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x1080), 0);
	EXPECT(test, s, end - 1, 0x1001, 0x1002);

	/* Its first one: there is no byte before it. */
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)b,
					   s->word == 4 ? push : push64, 4), 0);
	s->regs.ip = b;
	KUNIT_EXPECT_EQ(test, walk(test, s, b + 0x1080), 0);
	EXPECT(test, s, b, 0x1001, 0x1002);
}

/* Where an NMI must not take what the task's stack has for the registers of this entry. */
static void unsaved_registers(struct kunit *test)
{
	struct pt_regs regs = { .sp = (unsigned long)&regs };

	regs.ip = (unsigned long)__entry_text_start;
	KUNIT_EXPECT_TRUE(test, arch_unwind_user_regs_unsaved(&regs));
	regs.ip = (unsigned long)unsaved_registers;
	KUNIT_EXPECT_FALSE(test, arch_unwind_user_regs_unsaved(&regs));
	preempt_disable();
	regs.sp = __this_cpu_ist_top_va(DB) - sizeof(regs);
	KUNIT_EXPECT_TRUE(test, arch_unwind_user_regs_unsaved(&regs));
	regs.sp = __this_cpu_ist_top_va(MCE) - sizeof(regs);
	KUNIT_EXPECT_TRUE(test, arch_unwind_user_regs_unsaved(&regs));
	/* A tracepoint in an NMI. */
	regs.sp = __this_cpu_ist_top_va(NMI) - sizeof(regs);
	KUNIT_EXPECT_FALSE(test, arch_unwind_user_regs_unsaved(&regs));
	preempt_enable();
	regs.sp = (unsigned long)&regs;
#ifdef CONFIG_X86_FRED
	regs.ip = (unsigned long)asm_fred_entrypoint_user + 8;
	KUNIT_EXPECT_TRUE(test, arch_unwind_user_regs_unsaved(&regs));
	regs.ip = (unsigned long)asm_fred_entrypoint_kernel;
	KUNIT_EXPECT_FALSE(test, arch_unwind_user_regs_unsaved(&regs));
#endif
}

static const unsigned int words[] = { sizeof(u64), sizeof(u32) };

static void word_desc(const unsigned int *word, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u-bit", *word * 8);
}

KUNIT_ARRAY_PARAM(word, words, word_desc);

static struct kunit_case user_cases[] = {
	KUNIT_CASE_PARAM(good, word_gen_params),
	KUNIT_CASE_PARAM(depth, word_gen_params),
	KUNIT_CASE_PARAM(misaligned, word_gen_params),
	KUNIT_CASE_PARAM(looping, word_gen_params),
	KUNIT_CASE_PARAM(downward, word_gen_params),
	KUNIT_CASE_PARAM(below_sp, word_gen_params),
	KUNIT_CASE_PARAM(unreadable, word_gen_params),
	KUNIT_CASE_PARAM(not_present, word_gen_params),
	KUNIT_CASE_PARAM(kernel_addresses, word_gen_params),
	KUNIT_CASE_PARAM(kernel_ip, word_gen_params),
	KUNIT_CASE_PARAM(upper_halves, word_gen_params),
	KUNIT_CASE_PARAM(segments, word_gen_params),
	KUNIT_CASE_PARAM(edges, word_gen_params),
	KUNIT_CASE_PARAM(edge_of_mapping, word_gen_params),
	KUNIT_CASE(unsaved_registers),
	{}
};

static struct kunit_suite user_suite = {
	.name = "unwind_user",
	.test_cases = user_cases,
};

kunit_test_suite(user_suite);

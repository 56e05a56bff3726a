// SPDX-License-Identifier: GPL-2.0
/*
 * Functions as compilers lay them out when they need no frame pointer: each way of
 * using the stack that their call frame information has to describe. VARIANT and
 * VARIANT_NAME are of the command line. Nothing here has a result that matters;
 * each function keeps what would be optimised away.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "frames.h"

static volatile long sink;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A leaf: at most the red zone. */
static noinline_ long leaf(long a, long b)
{
	volatile long local = a;

	return local * b + 1;
}

/* More values across calls than there are registers that calls preserve. */
static noinline_ long saved(long a, long b, long c)
{
	long d = leaf(a, b), e = leaf(b, c), f = leaf(c, d), g = leaf(d, e), h = leaf(e, f);
	long i = leaf(f, g), j = leaf(g, h);

	sink += a + b + c + d + e + f + g + h + i + j;
	return leaf(a, j) + leaf(b, i) + leaf(c, h) + leaf(d, g) + leaf(e, f);
}

static void calls(void *arg)
{
	(void)arg;
	sink += saved(1, 2, 3);
	sink += saved(4, 5, 6);
}

/* The stack pointer moves by what only the run knows. */
static noinline_ long dynamic(long n)
{
	char *a = alloca(n), *b;
	long i;

	for (i = 0; i < n; i += 16)
		a[i] = (char)i;
	{
		volatile char vla[n + 3];

		vla[n] = 1;
		b = alloca(leaf(n, 1) & 0xff);
		b[0] = vla[n];
		sink += leaf((long)b[0], (long)a[0]);
	}
	return leaf(n, 2);
}

static void allocas(void *arg)
{
	(void)arg;
	sink += dynamic(40) + dynamic(1);
}

/* The stack is realigned: the CFA is found by another register, then by memory. */
static noinline_ long realigned(long n)
{
	volatile char big[64] __attribute__((aligned(64)));
	long a = leaf(n, 1), b = leaf(n, 2), c = leaf(a, b);

	big[n & 63] = (char)c;
	return leaf(a + b + c, big[1]);
}

static noinline_ long realigned_dynamic(long n, long a, long b, long c, long d, long e, long on_stack)
{
	volatile char big[32] __attribute__((aligned(32)));
	char *p = alloca(n);

	p[0] = big[0] = (char)(a + b + c + d + e + on_stack);
	return leaf(p[0], big[n & 31]);
}

static void aligned(void *arg)
{
	(void)arg;
	sink += realigned(5) + realigned_dynamic(100, 1, 2, 3, 4, 5, 6);
}

/* Calls that become jumps, where the level has them. */
static noinline_ long tail3(long a, long b)
{
	sink++;
	return leaf(a + b, b);
}

static noinline_ long tail2(long a, long b)
{
	long c = leaf(a, b) + leaf(b, a);

	return tail3(c, a);
}

static noinline_ long tail1(long a)
{
	return tail2(a, a + 1);
}

static void tails(void *arg)
{
	(void)arg;
	sink += tail1(3);
}

/* Arguments that are pushed, or passed in memory. */
struct large {
	long field[9];
};

static noinline_ struct large by_value(struct large in, long a, long b, long c, long d, long e,
				       long f, long g, long h)
{
	in.field[3] += leaf(a + b + c, d + e) + f * g * h;
	return in;
}

static noinline_ long variadic(const char *format, ...)
{
	long sum = 0;
	va_list ap;

	va_start(ap, format);
	for (; *format; format++)
		sum += *format == 'd' ? (long)va_arg(ap, double) : va_arg(ap, long);
	va_end(ap);
	return leaf(sum, 1);
}

static void arguments(void *arg)
{
	struct large in = { { 1, 2, 3 } }, out;

	(void)arg;
	out = by_value(in, 1, 2, 3, 4, 5, 6, 7, 8);
	sink += out.field[3] + variadic("lldldlllll", 1L, 2L, 3.0, 4L, 5.0, 6L, 7L, 8L, 9L, 10L);
}

/* Several ways out, some before anything is saved, some in another section. */
static __attribute__((noinline, cold)) long rare(long a)
{
	sink += a;
	return leaf(a, 3);
}

static noinline_ long ways(long a, long b)
{
	long c;

	if (!a)
		return 0;
	c = leaf(a, b);
	if (__builtin_expect(c < 0, 0))
		return rare(c) + rare(a);
	switch (a) {
	case 1: return leaf(c, 1);
	case 2: return tail1(c);
	case 3: return leaf(c, 7) - leaf(b, c);
	case 4: sink = c; return c;
	case 5: return saved(a, b, c);
	}
	return c;
}

static void exits(void *arg)
{
	long i;

	(void)arg;
	for (i = 0; i < 7; i++)
		sink += ways(i, 2);
	sink += ways(9, -1);
}

/* More than a page of locals: compilers may probe it in a loop. */
static noinline_ long huge(long n)
{
	volatile char big[10000];

	big[n] = 1;
	return leaf(big[n], n);
}

static noinline_ long recursive(long n)
{
	volatile char pad[24];

	pad[n & 15] = 1;
	if (n > 0)
		return recursive(n - 1) + leaf(n, pad[2]);
	return huge(5);
}

static void depths(void *arg)
{
	(void)arg;
	sink += recursive(6);
}

/* A call that does not return is the last instruction: what follows is another function. */
static jmp_buf away;

static noinline_ __attribute__((noreturn)) void leave_for_good(long n)
{
	sink = n;
	longjmp(away, 1);
}

static noinline_ void ends_in_call(long n)
{
	sink += n;
	leave_for_good(leaf(n, 2));
}

static void noreturns(void *arg)
{
	(void)arg;
	if (!setjmp(away))
		ends_in_call(4);
	sink += leaf(1, 1);
}

/* Called from the C library. */
static noinline_ int compare(const void *a, const void *b)
{
	return (int)leaf(*(const int *)a, 1) - (int)leaf(*(const int *)b, 1);
}

static void library(void *arg)
{
	int numbers[6] = { 5, 3, 9, 1, 8, 2 };
	char text[64];

	(void)arg;
	qsort(numbers, ARRAY_SIZE(numbers), sizeof(numbers[0]), compare);
	snprintf(text, sizeof(text), "%d %s", numbers[2], "text");
	sink += strlen(text) + (long)getuid();
}

static void vdso(void *arg)
{
	(void)arg;
	/* Not clock_gettime(): it begins anew whenever the clock has ticked. */
	sink += time(NULL) + sched_getcpu();
}

/* A frame of each kind above what @t->at_end does. */
static noinline_ void descend_alloca(struct trail *t, int depth);

static noinline_ void descend(struct trail *t, int depth)
{
	long a = depth, b = sink, c = a * b;

	trail_enter(t);
	if (depth)
		descend_alloca(t, depth - 1);
	else
		t->at_end(t);
	sink += a + b + c;
	keep_frame();
	trail_leave(t);
}

static noinline_ void descend_aligned(struct trail *t, int depth)
{
	volatile char big[64] __attribute__((aligned(64)));

	trail_enter(t);
	big[depth & 63] = 1;
	descend(t, depth);
	sink += big[0];
	keep_frame();
	trail_leave(t);
}

static noinline_ void descend_alloca(struct trail *t, int depth)
{
	volatile char *p = alloca(depth * 24 + 1);

	trail_enter(t);
	p[0] = 1;
	descend_aligned(t, depth);
	sink += p[0];
	keep_frame();
	trail_leave(t);
}

#define SCENE(text, fn, ...)	{ .name = text, .run = fn, __VA_ARGS__ }

static const struct scene scenes[] = {
	SCENE("calls", calls),
	SCENE("alloca", allocas),
	SCENE("realigned stacks", aligned),
	SCENE("tail calls", tails),
	SCENE("arguments", arguments),
	SCENE("early and rare exits", exits),
	SCENE("recursion and large frames", depths),
	SCENE("a call as the last instruction", noreturns),
	SCENE("the C library and its callbacks", library, .once = true),
	SCENE("the vDSO", vdso),
};

static struct variant variant = {
	.name = VARIANT_NAME,
	.scene = scenes,
	.nr_scenes = ARRAY_SIZE(scenes),
	.descend = descend,
};

static __attribute__((constructor)) void init(void)
{
	variant_register(&variant);
}

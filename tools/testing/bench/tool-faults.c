// SPDX-License-Identifier: GPL-2.0
/*
 * tool-faults N: N page faults under stacks of 4 to 15 frames, in eight functions
 * that call each other in changing order.
 */
#include <stdlib.h>
#include <sys/mman.h>

#define PAGES 1024
#define PAGE 4096UL

static char *mem;
static volatile int sink;

static void touch(int depth, unsigned int seed);

/* What stands behind the call keeps it from being a jump. */
#define STEP(x) static void __attribute__((noinline)) step##x(int d, unsigned int s)	\
{											\
	touch(d - 1, s * 5 + x);							\
	sink++;										\
}
STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

static void (*const steps[])(int, unsigned int) = {
	step0, step1, step2, step3, step4, step5, step6, step7,
};

static void __attribute__((noinline)) touch(int depth, unsigned int seed)
{
	static unsigned long next;
	int i;

	if (depth > 0)
		steps[seed >> depth & 7](depth, seed);
	else
		for (i = 0; i < 16; i++)
			mem[PAGE * (next++ % PAGES)]++;
	sink++;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100000, i;

	mem = mmap(NULL, PAGE * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return 1;
	madvise(mem, PAGE * PAGES, MADV_NOHUGEPAGE);
	for (i = 0; i < n / 16; i++) {
		/* All pages are there after this many rounds: take them away again. */
		if (i % (PAGES / 16) == 0)
			madvise(mem, PAGE * PAGES, MADV_DONTNEED);
		touch(4 + i % 12, i);
	}
	return 0;
}

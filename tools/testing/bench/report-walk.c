// SPDX-License-Identifier: GPL-2.0
/*
 * report-walk FAULTS DEPTH - random walks over 64 functions, a page fault at the end of
 * each: as many different stacks as the depth allows. The walks are the same every time.
 */
#include <stdlib.h>
#include <sys/mman.h>

#define PAGES 1024L

typedef void walk_fn(int depth);
extern walk_fn *const functions[64];

static unsigned long seed = 1;
static char *pages;
static long left;

static unsigned int next_random(void)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return seed >> 33;
}

static void fault(void)
{
	pages[left % PAGES * 4096] = 1;
	if (!(--left % PAGES))
		madvise(pages, PAGES * 4096, MADV_DONTNEED);
}

#define F(n)									\
__attribute__((noinline)) static void f##n(int depth)				\
{										\
	if (depth <= 0)								\
		fault();							\
	else									\
		functions[(next_random() % 3 + n * 7 + depth) % 64](		\
			depth - 1 - !(next_random() % 4));			\
	__asm__ volatile("");							\
}
#define F8(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)
F8(1) F8(2) F8(3) F8(4) F8(5) F8(6) F8(7) F8(8)

#define T8(n) f##n##0, f##n##1, f##n##2, f##n##3, f##n##4, f##n##5, f##n##6, f##n##7,
walk_fn *const functions[64] = { T8(1) T8(2) T8(3) T8(4) T8(5) T8(6) T8(7) T8(8) };

int main(int argc, char **argv)
{
	int depth = argc > 2 ? atoi(argv[2]) : 24;

	left = argc > 1 ? atol(argv[1]) : 200000;
	pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE);
	while (left > 0)
		functions[next_random() % 64](depth);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * chain32 N: N turns of a loop, in a chain of calls that is known. Built for i386 without frame pointers.
 */
#include <stdlib.h>

#define FRAME __attribute__((noipa))

FRAME int leaf(int n)
{
	volatile int x = 0;
	int i;

	for (i = 0; i < n; i++)
		x += i;
	return x;
}

FRAME int middle(int n)
{
	return leaf(n) + 1;
}

/* A frame whose size only its frame pointer tells */
FRAME int top(int n)
{
	volatile char room[n % 64 + 1];

	room[0] = 1;
	return middle(n) + room[0];
}

int main(int argc, char **argv)
{
	return top(argc > 1 ? atoi(argv[1]) : 1000) == 1;
}

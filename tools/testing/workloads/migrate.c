/* SPDX-License-Identifier: GPL-2.0 */
/* migrate [TURNS]: reads, and moves between CPU 0 and 1 by itself, from inside a few frames. */
#include "../golden/c/src/tiny.h"

static char *buf;
static l fd;

NI void move_to(l cpu)
{
	ul mask = 1UL << cpu;

	SC3(203, 0, sizeof(mask), &mask);	/* sched_setaffinity */
	KEEP;
}

NI void turn(l i)
{
	for (l n = 0; n < 20; n++)
		SC3(0, fd, buf, 1 << 18);
	move_to(i & 1);
	KEEP;
}

int tiny_main(int c, char **v)
{
	l n = c > 1 ? num(v[1]) : 100;

	buf = tiny_map(1 << 18);
	fd = SC3(2, "/dev/zero", 0, 0);
	for (l i = 0; i < n; i++)
		turn(i);
	return 0;
}

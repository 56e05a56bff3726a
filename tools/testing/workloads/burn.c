/* SPDX-License-Identifier: GPL-2.0 */
/*
 * burn [MILLIONS [READS [NAP]]]: user code in burn_user(), then read() in burn_kernel(); exits with
 * 3. With NAP it sleeps so many ms after each million: what runs for as long as a test waits
 * leaves the CPUs to others.
 */
#include "../golden/c/src/tiny.h"

static volatile l sink = 1;
static char *buf;

NI void burn_user(l n)
{
	l x = sink;

	/*
	 * Two multiplications that wait for each other take 7 to 8 cycles on every processor: a million
	 * is 2 to 3 ms. (Additions in memory take 1 to 6.)
	 */
	for (l i = 0; i < n * 1000000; i++) {
		x = (x + i) * 0x5851f42d4c957f2d;
		asm volatile("" : "+r" (x));
		x = (x ^ i) * 0x5851f42d4c957f2d;
		asm volatile("" : "+r" (x));
	}
	sink = x;
	KEEP;
}

NI void burn_kernel(l n)
{
	l fd = SC3(2, "/dev/zero", 0, 0);

	for (l i = 0; i < n; i++)
		SC3(0, fd, buf, 65536);
	SC1(3, fd);
	KEEP;
}

int tiny_main(int c, char **v)
{
	l n = c > 1 ? num(v[1]) : 200;

	buf = tiny_map(65536);
	for (; c > 3 && n > 1; n--) {
		burn_user(1);
		nap(num(v[3]) * 1000000);
	}
	burn_user(n);
	burn_kernel(c > 2 ? num(v[2]) : 2000);
	return 3;
}

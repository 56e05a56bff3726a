/* SPDX-License-Identifier: GPL-2.0 */
/* burn [MILLIONS [READS]]: user code in burn_user(), then read() in burn_kernel(); exits with 3. */
#include "../golden/c/src/tiny.h"

static volatile l sink = 1;
static char *buf;

NI void burn_user(l n)
{
	for (l i = 0; i < n * 1000000; i++)
		sink += i;
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
	buf = tiny_map(65536);
	burn_user(c > 1 ? num(v[1]) : 200);
	burn_kernel(c > 2 ? num(v[2]) : 2000);
	return 3;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * shares MS [THREADS [NAP]]: threads that compute until they have had so many ms of CPU time together: in
 * heavy() three times as many turns of a loop as in light(). They are made one by one, every NAP ms.
 * Prints the CPU time of the process in ns.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long most;

static long long used(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static unsigned long turns(unsigned long x, int n)
{
	while (n--) {
		x = x * 0x5851f42d4c957f2d + 1;
		asm volatile("" : "+r" (x));
	}
	return x;
}

static __attribute__((noinline)) unsigned long heavy(unsigned long x)
{
	x = turns(x, 30000);
	asm volatile("" : "+r" (x));
	return x;
}

static __attribute__((noinline)) unsigned long light(unsigned long x)
{
	x = turns(x, 10000);
	asm volatile("" : "+r" (x));
	return x;
}

static void *compute(void *arg)
{
	unsigned long x = 1;

	while (used(CLOCK_THREAD_CPUTIME_ID) < most)
		x = light(heavy(x));
	return (void *)(x & 0);
}

int main(int argc, char **argv)
{
	int i, n = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t *t = calloc(n, sizeof(*t));

	most = atoi(argv[1]) * 1000000LL / n;
	for (i = 1; i < n; i++) {
		if (pthread_create(&t[i], NULL, compute, NULL))
			return 1;
		usleep(argc > 3 ? 1000 * atoi(argv[3]) : 0);
	}
	compute(NULL);
	for (i = 1; i < n; i++)
		pthread_join(t[i], NULL);
	printf("%lld\n", used(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * sleeps THREADS [only]: threads that wait in three functions, each by another call, and compute in
 * one; "only": wait in the first two.
 * Prints sums of all threads in ns: of the time from begin to end, and of that in long_wait(),
 * short_wait(), polls() and computes().
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long sums[5];
static int only;
static unsigned int word;
static volatile unsigned long sink;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static __attribute__((noinline)) long long long_wait(long long begin)
{
	const struct timespec t = { 0, 900000000 };

	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
	return now() - begin;
}

static __attribute__((noinline)) long long short_wait(long long begin)
{
	const struct timespec t = { 0, 300000000 };

	nanosleep(&t, NULL);
	return now() - begin;
}

static __attribute__((noinline)) long long polls(long long begin)
{
	struct epoll_event e;
	int fd = epoll_create1(0);

	while (now() - begin < 600000000)
		epoll_wait(fd, &e, 1, 50);
	close(fd);
	return now() - begin;
}

static __attribute__((noinline)) long long computes(long long begin)
{
	while (now() - begin < 200000000)
		sink++;
	return now() - begin;
}

static void *all(void *arg)
{
	long long begin = now();

	__atomic_add_fetch(&sums[1], long_wait(now()), __ATOMIC_RELAXED);
	__atomic_add_fetch(&sums[2], short_wait(now()), __ATOMIC_RELAXED);
	if (!only) {
		__atomic_add_fetch(&sums[3], polls(now()), __ATOMIC_RELAXED);
		__atomic_add_fetch(&sums[4], computes(now()), __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&sums[0], now() - begin, __ATOMIC_RELAXED);
	return arg;
}

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *t = calloc(n, sizeof(*t));
	long long begin = now();

	only = argc > 2;
	for (i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, all, NULL))
			return 1;
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("%lld %lld %lld %lld %lld\n", sums[0] + now() - begin, sums[1], sums[2], sums[3], sums[4]);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * deepread - a database server's day in small: deep below main() one thread
 * reads a block that takes the kernel milliseconds to fill, again and again,
 * while others wait for work.
 *
 *	deepread [READS [WAITERS]]
 *
 * Each path below is the program's own, with a frame pointer in every frame,
 * down to the system call, which is made here and not in the C library: what a
 * profile shows can be checked against this file. The reader's path is
 * main, run_server, serve_client, handle_request, execute_query, run_plan,
 * scan_table, scan_partition, DESCENTS times visit_node, load_page, read_page;
 * a waiter's is waiter_main, wait_for_work, wait_on_queue, sleep_a_while.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DESCENTS	6
#define BLOCK		(4UL << 20)

/* A frame of its own: not inlined, copied or merged, and no call of it a jump. */
#define FRAME	__attribute__((noipa))

static char *block;
static int fd;
static volatile int work_done;

static inline long raw_syscall(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

FRAME long read_page(unsigned long size)
{
	/* gcc gives a leaf without locals no frame without an attribute. */
	void *frame = __builtin_frame_address(0);

	__asm__ volatile("" : : "r"(frame));
	return raw_syscall(SYS_read, fd, (long)block, size);
}

#define CALLS(name, callee)				\
FRAME long name(unsigned long size)			\
{							\
	long n = callee;				\
							\
	__asm__ volatile("");				\
	return n;					\
}

CALLS(load_page, read_page(size))

FRAME long visit_node(int depth, unsigned long size)
{
	long n = depth > 1 ? visit_node(depth - 1, size) : load_page(size);

	__asm__ volatile("");
	return n;
}

CALLS(scan_partition, visit_node(DESCENTS, size))
CALLS(scan_table, scan_partition(size))
CALLS(run_plan, scan_table(size))
CALLS(execute_query, run_plan(size))
CALLS(handle_request, execute_query(size))
CALLS(serve_client, handle_request(size))

FRAME long run_server(long reads)
{
	long i, n = 0;

	for (i = 0; i < reads; i++)
		n += serve_client(BLOCK);
	return n;
}

FRAME void sleep_a_while(void)
{
	struct timespec t = { .tv_nsec = 20000000 };

	raw_syscall(SYS_nanosleep, (long)&t, 0, 0);
	__asm__ volatile("");
}

FRAME void wait_on_queue(void)
{
	sleep_a_while();
	__asm__ volatile("");
}

FRAME void wait_for_work(void)
{
	while (!work_done)
		wait_on_queue();
}

/*
 * What the C library keeps in %rbp is no frame: the path ends with the caller
 * of who uses this, and not in whatever that value points at.
 */
static void *end_path(void **frame)
{
	void *saved = *frame;

	*(void *volatile *)frame = NULL;
	return saved;
}

static void *waiter_main(void *arg)
{
	void **frame = __builtin_frame_address(0);
	void *saved = end_path(frame);

	wait_for_work();
	*(void *volatile *)frame = saved;
	return arg;
}

int main(int argc, char **argv)
{
	long reads = argc > 1 ? atol(argv[1]) : 100;
	long i, n, nr_waiters = argc > 2 ? atol(argv[2]) : 16;
	void **frame = __builtin_frame_address(0), *saved;
	pthread_t waiters[64];

	if (nr_waiters < 0 || nr_waiters > 64 || reads < 0) {
		fprintf(stderr, "usage: deepread [READS [WAITERS]], at most 64 waiters\n");
		return 2;
	}
	fd = open("/dev/urandom", O_RDONLY);
	block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || block == MAP_FAILED) {
		perror("deepread");
		return 1;
	}
	for (i = 0; i < nr_waiters; i++)
		if (pthread_create(&waiters[i], NULL, waiter_main, NULL)) {
			fprintf(stderr, "deepread: cannot start thread %ld\n", i);
			return 1;
		}
	saved = end_path(frame);
	n = run_server(reads);
	*(void *volatile *)frame = saved;
	work_done = 1;
	while (i-- > 0)
		pthread_join(waiters[i], NULL);
	if (n != reads * (long)BLOCK) {
		fprintf(stderr, "deepread: %ld bytes came, %ld were requested\n", n,
			reads * (long)BLOCK);
		return 1;
	}
	return 0;
}

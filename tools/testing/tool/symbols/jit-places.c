// SPDX-License-Identifier: GPL-2.0
/*
 * Writes code at run time, lists it in /tmp/perf-PID.map and runs it: in memfds, removed files, a
 * file that is no ELF file, its own data, named memory; then in a forked process, in memory that is
 * the parent's.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE	65536
#define ROUNDS	60000000

#ifndef PR_SET_VMA
#define PR_SET_VMA		0x53564d41
#define PR_SET_VMA_ANON_NAME	0
#endif

typedef void code_fn(unsigned long n, volatile unsigned long *sum);

/* push %rbp; mov %rsp, %rbp; 1: incq (%rsi); dec %rdi; jne 1b; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0x06, 0x48, 0xff, 0xcf, 0x75, 0xf8, 0x5d, 0xc3
};

static unsigned char in_data[2 * SIZE] __attribute__((aligned(4096))) = { 1 };
static volatile unsigned long sum;

/* @to: where to write; NULL: it is there already */
static void run(unsigned char *to, const unsigned char *at, const char *name)
{
	code_fn *fn = (code_fn *)at;
	char path[64];
	FILE *map;

	if (to)
		memcpy(to, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "a");
	fprintf(map, "%lx %zx jit_%s\n", (long)at, sizeof(code), name);
	fclose(map);
	fn(ROUNDS, &sum);
}

/* Write through one mapping, run in another. */
static void dual(int fd, const char *name)
{
	unsigned char *w, *x;

	if (fd < 0 || ftruncate(fd, SIZE))
		exit(1);
	w = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	x = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	run(w + 256, x + 256, name);
	close(fd);
}

static int temporary(const char *folder, bool keep)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/jit-placesXXXXXX", folder);
	fd = mkstemp(path);
	if (!keep)
		unlink(path);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned char *m;

	if (argc < 2)
		return 1;
	dual(memfd_create("vmem", 0), "memfd");
	dual(temporary("/tmp", false), "removed");
	dual(temporary("/dev/shm", false), "removed_shm");
	dual(temporary(argv[1], true), "file");
	mprotect(in_data, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	run(in_data, in_data, "in_data");
	memcpy(in_data + SIZE, code, sizeof(code));
	mprotect(in_data + SIZE, SIZE, PROT_READ | PROT_EXEC);
	run(NULL, in_data + SIZE, "read_only");
	m = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, m, SIZE, "code");
	run(m, m, "before_fork");
	if (!fork()) {
		run(m + 4096, m + 4096, "after_fork");
		((code_fn *)m)(ROUNDS, &sum);
		_exit(0);
	}
	wait(NULL);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Calls a function through code that it makes, without call frame information and frame pointers,
 * in several shapes of frames. The names are in /tmp/perf-PID.map. With an argument the code is in
 * a jit-PID.dump of that folder.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef long call_fn(long (*fn)(void));

static const struct {
	const char *name;
	unsigned char size, code[40];
} shapes[] = {
	/* CPython's: sub $8, %rsp; call *%rdi or %rcx; add $8, %rsp; ret */
	{ "py::trampoline", 11, { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 } },
	/* push %rbx; push %rbp; push %r14; mov $0, %ebp; call *%rdi; pop...; ret */
	{ "pops", 17, {
		0x53, 0x55, 0x41, 0x56, 0xbd, 0, 0, 0,
		0, 0xff, 0xd7, 0x41, 0x5e, 0x5d, 0x5b, 0x90, 0xc3
	} },
	{ "pops_only", 16, {
		0x53, 0x55, 0x41, 0x56, 0xbd, 0, 0, 0,
		0, 0xff, 0xd7, 0x41, 0x5e, 0x5d, 0x5b, 0xc3
	} },
	/* push %rbx; sub $0x200, %rsp; call *%rdi; add $0x200, %rsp; pop %rbx; ret */
	{ "large", 19, {
		0x53, 0x48, 0x81, 0xec, 0, 2, 0, 0, 0xff,
		0xd7, 0x48, 0x81, 0xc4, 0, 2, 0, 0, 0x5b, 0xc3
	} },
	/* a second call behind the first */
	{ "twice", 17, {
		0x57, 0xff, 0xd7, 0x5f, 0x48, 0x83, 0xec,
		8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3
	} },
	/* sub $8, %rsp; call *%rdi; test %rax, %rax; je; add; ret; add; ret: not known here */
	{ "branch", 19, {
		0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x85,
		0xc0, 0x74, 0, 0x48, 0x83, 0xc4, 8, 0xc3
	} },
};

static volatile unsigned long sum;

__attribute__((noinline)) static long leaf(void)
{
	unsigned long i;

	for (i = 0; i < 60000000; i++)
		sum += i;
	return sum;
}

__attribute__((noinline)) static void caller(call_fn *fn)
{
	sum += fn(leaf);
}

static void dump_code(FILE *f, const char *name, const unsigned char *at, unsigned int size)
{
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, len, index;
	} r = {
		.size = sizeof(r) + strlen(name) + 1 + size, .time = 1,
		.pid = getpid(), .tid = getpid(), .vma = (uintptr_t)at,
		.addr = (uintptr_t)at, .len = size, .index = 1,
	};

	fwrite(&r, sizeof(r), 1, f);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(at, size, 1, f);
}

static FILE *open_dump(const char *folder)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} h = { 0x4a695444, 1, sizeof(h), 0, 0, getpid(), 1, 0 };	/* as CPython: no machine */
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, getpid());
	f = fopen(path, "w+");
	fwrite(&h, sizeof(h), 1, f);
	fflush(f);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
	return f;
}

int main(int argc, char **argv)
{
	const int prot = PROT_READ | PROT_WRITE | PROT_EXEC;
	unsigned char *m = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map, *dump = argc > 1 ? open_dump(argv[1]) : NULL;
	char path[64];
	unsigned int i;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = dump ? NULL : fopen(path, "w");
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++, m += 64) {
		memcpy(m, shapes[i].code, sizeof(shapes[i].code));
		if (dump)
			dump_code(dump, shapes[i].name, m, shapes[i].size);
		else
			fprintf(map, "%lx %x %s\n", (long)m, shapes[i].size, shapes[i].name);
		fflush(dump ?: map);
		caller((call_fn *)m);
	}
	/* Code of a task that has ended cannot be read: the last samples are walked meanwhile. */
	usleep(500000);
	return 0;
}

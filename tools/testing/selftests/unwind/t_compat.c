// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit task of arm64, whose stack is not walked: the samples of an event with
 * attr.defer_callchain have the callchains of a plain event. The program is made here, of ARM
 * instructions.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"
#include "test.h"

#define BASE	0x10000
#define CALLS	50
/* The system call's number on ARM. */
#define GETPPID	64

struct image {
	Elf32_Ehdr head;
	Elf32_Phdr load;
	u32 code[14];
};

/* CALLS system calls in an outermost function, whose frame has three words: fp, sp, lr. */
static const struct image image = {
	.head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_ARM,
		.e_version = EV_CURRENT, .e_flags = EF_ARM_EABI_VER5,
		.e_entry = BASE + offsetof(struct image, code),
		.e_phoff = offsetof(struct image, load),
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1,
	},
	.load = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
		.p_vaddr = BASE, .p_align = 4096,
		.p_filesz = sizeof(image), .p_memsz = sizeof(image),
	},
	.code = {
		0xe1a0b00d,		/* mov	fp, sp */
		0xe28fe000,		/* add	lr, pc, #0 */
		0xe50be004,		/* str	lr, [fp, #-4] */
		0xe3a00000,		/* mov	r0, #0 */
		0xe50b000c,		/* str	r0, [fp, #-12] */
		0xe3a04000 | CALLS,	/* mov	r4, #CALLS */
		0xe3a07000 | GETPPID,	/* mov	r7, #GETPPID */
		0xef000000,		/* svc	0 */
		0xe2544001,		/* subs	r4, r4, #1 */
		0x1afffffb,		/* bne	the mov of r7 */
		0xe3a00000,		/* mov	r0, #0 */
		0xe3a07001,		/* mov	r7, #1: exit */
		0xef000000,		/* svc	0 */
		0xe7f000f0,		/* udf	0 */
	},
};

TEST(compat, "a 32-bit task: samples have the callchain that plain ones have")
{
	/* The ip behind the system call, and lr. */
	const u64 want[] = { image.head.e_entry + 8 * 4, image.head.e_entry + 3 * 4 };
	int go[2], exe = memfd_create("arm", MFD_CLOEXEC), i, j, status;
	int plain = 0, deferrable = 0, wrong = 0;
	static char *argv[] = { "arm", NULL };
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	pid_t pid;
	char c;

	if (exe < 0 || write(exe, &image, sizeof(image)) != sizeof(image) || pipe(go))
		die("a program");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) == 1)
			fexecve(exe, argv, argv + 1);
		_exit(9);
	}
	for (i = 0; i < 2; i++) {
		attr_syscall(&attr, false);
		if (i)
			attr_defer(&attr);
		recorder_add(&r, &attr, pid, -1, i ? -1 : 6);
	}
	recorder_filter_syscall(&r, GETPPID);
	recorder_enable(&r);
	if (write(go[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid)
		die("the program");
	ok(status == 0, "the program ran (status %#x)", status);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		struct chain chain = recorder_chain(&r, i);

		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		*(r.rec[i].id == r.id[0] ? &plain : &deferrable) += 1;
		if (chain.state == CHAIN_INLINE && chain.nr == 2 &&
		    !memcmp(chain.ip, want, sizeof(want)))
			continue;
		for (j = 0; !wrong && j < chain.nr; j++)
			diag("%#llx", (unsigned long long)chain.ip[j]);
		wrong++;
	}
	ok(plain == CALLS && deferrable == CALLS && !wrong,
	   "%d plain samples, %d deferrable ones, %d with another callchain", plain, deferrable, wrong);
	recorder_close(&r);
	close(exe);
}

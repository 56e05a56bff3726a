// SPDX-License-Identifier: GPL-2.0
/*
 * stops PID N: stops a process at N random times, and prints of each stop what perf would copy of
 * it, and its callchain as libunwind walks the process itself, for beside-libunwind.py:
 *
 *	regs: in the order of PERF_REG_X86_*
 *	maps: a line of /proc/PID/maps, for each mapping with code
 *	stack: hexadecimal
 *	frames: innermost first, callers as return addresses
 *
 * Ends when the process does.
 */
#include <errno.h>
#include <fcntl.h>
#include <libunwind-ptrace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define COPY	32768
#define FRAMES	120

static void print_maps(int pid)
{
	char path[64], line[4096];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		const char *prot = strchr(line, ' ');

		if (prot && prot[3] == 'x')
			printf("maps: %s", line);
	}
	if (f)
		fclose(f);
}

static void print_stack(int pid, unsigned long sp)
{
	static unsigned char copy[COPY];
	char path[64];
	ssize_t n, i;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY);
	n = pread(fd, copy, sizeof(copy), sp);
	close(fd);
	printf("stack: ");
	for (i = 0; i < n; i++)
		printf("%02x", copy[i]);
	printf("\n");
}

static void print_frames(void *upt)
{
	/* Nothing is cached: libraries come and go. */
	unw_addr_space_t as = unw_create_addr_space(&_UPT_accessors, 0);
	int nr = 0;
	unw_cursor_t c;
	unw_word_t ip;

	printf("frames:");
	if (as && !unw_init_remote(&c, as, upt)) {
		do {
			if (unw_get_reg(&c, UNW_REG_IP, &ip) || !ip)
				break;
			printf(" %lx", (long)ip);
		} while (++nr < FRAMES && unw_step(&c) > 0);
	}
	printf("\n\n");
	unw_destroy_addr_space(as);
}

int main(int argc, char **argv)
{
	int pid = argc > 2 ? atoi(argv[1]) : 0, n = argc > 2 ? atoi(argv[2]) : 0, status;
	struct user_regs_struct r;
	void *upt;

	if (!pid || ptrace(PTRACE_SEIZE, pid, 0, 0)) {
		fprintf(stderr, "stops PID N: %s\n", pid ? strerror(errno) : "usage");
		return 1;
	}
	upt = _UPT_create(pid);
	srand(n);
	while (n > 0) {
		usleep(1000 + rand() % 5000);
		ptrace(PTRACE_INTERRUPT, pid, 0, 0);
		if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
			return 0;
		if (status >> 16 != PTRACE_EVENT_STOP) {	/* a signal of its own */
			ptrace(PTRACE_CONT, pid, 0, WSTOPSIG(status));
			continue;
		}
		if (ptrace(PTRACE_GETREGS, pid, 0, &r))
			return 0;
		printf("regs: %llx %llx %llx %llx", r.rax, r.rbx, r.rcx, r.rdx);
		printf(" %llx %llx", r.rsi, r.rdi);
		printf(" %llx %llx %llx %llx %llx %llx", r.rbp, r.rsp, r.rip, r.eflags, r.cs, r.ss);
		printf(" %llx %llx %llx %llx", r.r8, r.r9, r.r10, r.r11);
		printf(" %llx %llx %llx %llx\n", r.r12, r.r13, r.r14, r.r15);
		print_maps(pid);
		print_stack(pid, r.rsp);
		print_frames(upt);
		ptrace(PTRACE_CONT, pid, 0, 0);
		n--;
	}
	return 0;
}

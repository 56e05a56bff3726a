// SPDX-License-Identifier: GPL-2.0
/*
 * Signals replace the user registers inside one entry to the kernel: sigreturn
 * enters with the handler's stack and leaves with the interrupted one.
 */
#define _GNU_SOURCE
#include <asm/perf_regs.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "test.h"
#include "worker.h"

enum { ROUNDS = 20, EVENTS = 3 };

static int handled;
static u64 returns_to;

static void handler(int sig)
{
	(void)sig;
	returns_to = (unsigned long)__builtin_return_address(0);
	handled++;
}

#ifdef __LP64__
#define SIGRETURN	SYS_rt_sigreturn
#else
#define SIGRETURN	SYS_sigreturn
#endif

TEST(sigreturn, "samples at either end of sigreturn have the stack of their own side")
{
	struct sigaction sa = { .sa_handler = handler };
	int i, enters = 0, exits = 0, wrong = 0, none = 0, shared = 0;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	u64 last_enter = 0;

	/* The kernel's frame for this one ends in sigreturn, not rt_sigreturn, in 32 bits. */
	if (sigaction(SIGUSR1, &sa, NULL))
		die("sigaction");
	for (i = 0; i < 2 * EVENTS; i++) {
		attr_syscall(&attr, i >= EVENTS);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 8);
		/* The registers that it leaves with are of no system call. */
		event_filter_syscall(r.fd[i], i < EVENTS ? SIGRETURN : -1);
	}
	recorder_enable(&r);
	for (i = 0; i < ROUNDS; i++)
		path_syscall_at(&p, 12 + i, SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1, 0);
	recorder_disable(&r);
	recorder_read(&r);
	ok(handled == ROUNDS, "%d signals handled", handled);

	recorder_sort(&r);
	for (i = 0; i < r.nr; i++) {
		const struct rec *rec = &r.rec[i];
		struct chain chain;
		bool exit;
		int j;

		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		for (j = 0; j < r.nr_events && r.id[j] != rec->id; j++)
			;
		exit = j >= EVENTS;
		chain = recorder_chain(&r, i);
		if (chain.state == CHAIN_NONE || chain.state == CHAIN_ORPHAN) {
			none++;
			continue;
		}
		if (!exit) {
			enters++;
			last_enter = rec->cookie;
			continue;
		}
		/* The interrupted system call's path: each round is one frame deeper. */
		path_want_syscall(&p, 12 + exits / EVENTS);
		exits++;
		if (!path_matches(&p, &chain))
			wrong++;
		shared += rec->cookie && rec->cookie == last_enter;
	}
	ok(enters == ROUNDS * EVENTS && exits == ROUNDS * EVENTS, "%d and %d samples", enters, exits);
	ok(!none, "%d without a stack", none);
	ok(!wrong, "%d behind the registers' change do not have the interrupted stack", wrong);
	ok(!shared, "%d share a cookie with a sample of the handler's stack", shared);
	recorder_close(&r);
}

/* Drop all of the stack but the page in use right here, then send this thread a signal. */
static noinline void drop_and_signal(struct path *p, void *data)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *here = (char *)((unsigned long)__builtin_frame_address(0) & -page);

	(void)data;
	path_enter(p);
	if (madvise(p->stack, here - p->stack, MADV_DONTNEED) ||
	    madvise(here + page, p->stack + p->stack_size - here - page, MADV_DONTNEED))
		die("MADV_DONTNEED");
	p->nr = SYS_tgkill;
	p->arg[0] = getpid();
	p->arg[1] = syscall(SYS_gettid);
	p->arg[2] = SIGUSR1;
	path_syscall(p);
	path_leave(p);
}

/*
 * The kernel writes the handler's frame to a page that is not mapped: a sample of that
 * fault belongs to the system call that the signal interrupted, whose stack is not
 * mapped either. Only some frames reach into the page below.
 */
TEST(sigframe, "samples while a signal's frame is written have the whole interrupted stack")
{
	struct sigaction sa = { .sa_handler = handler };
	size_t size = 256 << 10;
	int fd = syscall(SYS_memfd_create, "stack", 0);
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct path p = {
		.leaf = PATH_CALL, .fn = drop_and_signal, .stack = stack, .stack_size = size,
	};
	int i, samples = 0, wrong = 0;
	struct perf_event_attr attr;
	struct recorder r = { 0 };

	/* Pages of the page cache: dropped from the page table, not lost. */
	if (fd < 0 || ftruncate(fd, size) || stack == MAP_FAILED)
		die("memfd");
	if (sigaction(SIGUSR1, &sa, NULL))
		die("sigaction");
#ifdef __aarch64__
	attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	attr.sample_period = 1;
	attr.exclude_user = 1;
#else
	attr_tracepoint(&attr, "exceptions/page_fault_kernel");
#endif
	attr_defer(&attr);
	attr_user_ip(&attr);
	recorder_add(&r, &attr, 0, -1, 7);
	handled = 0;
	recorder_enable(&r);
	for (i = 0; i < ROUNDS; i++) {
		p.pad = 600 + 64 * i;
		path_run(&p, 30);
	}
	recorder_disable(&r);
	recorder_read(&r);
	ok(handled == ROUNDS, "%d signals handled", handled);

	recorder_sort(&r);
	for (i = 0; i < r.nr; i++) {
		const struct rec *rec = &r.rec[i];
		struct chain chain;

		if (rec->type != PERF_RECORD_SAMPLE || !path_syscalls_at(rec->user_ip))
			continue;
		samples++;
		chain = recorder_chain(&r, i);
		if (!(wrong ? path_matches(&p, &chain) : path_is(&p, &chain)) && !wrong++)
			diag("state %d, %d entries in place of %d", chain.state, chain.nr, p.nr_want);
	}
	ok(samples >= ROUNDS / 4, "%d samples of the frame's faults", samples);
	ok(!wrong, "%d without the whole stack", wrong);
	recorder_close(&r);
}

#ifdef __aarch64__
#define REG_SP	PERF_REG_ARM64_SP
/* Below the top of the task's kernel stack: pc, x29, x30. */
static const int words[] = { 80, 104, 96 };
#else
#define REG_SP	PERF_REG_X86_SP
/* ip, sp; where the stack begins 16 bytes lower (FRED): di, ip. */
static const int words[] = { 40, 16, 56 };
#endif

/* The kernel's stack pointer at the start of this thread's system calls. */
static u64 kernel_sp(void)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	u64 sp;

	attr_syscall(&attr, false);
	attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = 1ULL << REG_SP;
	recorder_add(&r, &attr, 0, -1, 3);
	recorder_enable(&r);
	syscall(SYS_getppid);
	recorder_disable(&r);
	recorder_read(&r);
	if (!r.nr || r.rec[0].type != PERF_RECORD_SAMPLE)
		die("no sample of a system call");
	/* Registers are where attr_user_ip() has others. */
	sp = r.rec[0].user_ip;
	recorder_close(&r);
	return sp;
}

/* The kernel stores the handler's registers, and those behind it, one after the other. */
TEST(sigregs, "samples while a signal changes the registers have the stack of one side")
{
	struct sigaction sa = { .sa_handler = handler };
	int i, before = 0, at_handler = 0, wrong = 0, none = 0;
	u64 top = (kernel_sp() | 16383) + 1;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };

	pin(0);
	if (sigaction(SIGUSR1, &sa, NULL))
		die("sigaction");
	for (i = 0; i < (int)(sizeof(words) / sizeof(*words)); i++) {
		attr_init(&attr, PERF_TYPE_BREAKPOINT, 0);
		attr.bp_type = HW_BREAKPOINT_W;
		attr.bp_addr = top - words[i];
		attr.bp_len = HW_BREAKPOINT_LEN_8;
		attr.exclude_user = 1;
		attr_defer(&attr);
		/* arm64 watches the kernel's memory for a CPU only. */
		recorder_add(&r, &attr, -1, 0, i ? -1 : 8);
	}
	handled = 0;
	recorder_enable(&r);
	for (i = 0; i < ROUNDS; i++)
		path_syscall_at(&p, 12, SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1, 0);
	recorder_disable(&r);
	recorder_read(&r);
	ok(handled == ROUNDS, "%d signals handled", handled);

	recorder_sort(&r);
	for (i = 0; i < r.nr; i++) {
		struct chain chain;

		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		chain = recorder_chain(&r, i);
		if (chain.state == CHAIN_NONE || chain.state == CHAIN_ORPHAN || !chain.nr) {
			none++;
		} else if (chain.ip[0] == (unsigned long)handler) {
			at_handler++;
			if ((chain.nr < 2 || chain.ip[1] != returns_to) && !wrong++)
				diag("%d entries, handler, 0x%llx", chain.nr,
				     chain.nr < 2 ? 0 : (unsigned long long)chain.ip[1]);
		} else if (path_syscalls_at(chain.ip[0])) {
			before++;
			if (!(wrong ? path_matches(&p, &chain) : path_is(&p, &chain)))
				wrong++;
		}
	}
	ok(at_handler >= ROUNDS, "%d samples with the handler's registers", at_handler);
	ok(before >= ROUNDS, "%d samples with those of the system call", before);
	ok(!none, "%d without a stack", none);
	ok(!wrong, "%d with the stack of neither", wrong);
	recorder_close(&r);
}

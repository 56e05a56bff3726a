// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks that are more than functions calling each other: signals, jumps, stacks of
 * their own, threads, the way from _start. Every function notes its return address.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../unwind/stats.h"
#include "../unwind/table.h"
#include "../unwind/test.h"
#include "step.h"

#define TABLES	"/tests/tables"

extern const char _start[];

static const struct variant *variant;
static struct trail *trail;

/* fn(t) below the frames of each kind that a variant has, on a stack of its own. */
static void (*at_end)(struct trail *t);

static noinline void descend(void *arg)
{
	struct trail *t = arg;

	trail_enter(t);
	t->at_end = at_end;
	variant->descend(t, 4);
	keep_frame();
	trail_leave(t);
}

static void run_trail(void (*fn)(struct trail *t))
{
	struct trail t = { 0 };

	at_end = fn;
	trail = &t;
	base_run(descend, &t);
}

/* For all variants, one after the other. */
static void all_variants(void (*fn)(struct trail *t), int calls, const char *what)
{
	char name[128];

	for (variant = variants; variant; variant = variant->next) {
		trail_watch();
		run_trail(fn);
		snprintf(name, sizeof(name), "%s, %s", variant->name, what);
		trail_check(calls, name);
	}
}

TEST(trails, "known stacks without frame pointers, by each compiler and level")
{
	u64 complete = stats_read("complete");
	int event = add_tables(TABLES);

	all_variants(trail_syscall, 1, "calls");
	ok(stats_read("complete") > complete, "counted as complete");
	close(event);
}

/* Signals: sent from here, they interrupt the system call. */
static noinline void send(struct trail *t, int sig)
{
	long ret;

	trail_enter(t);
	asm volatile("syscall"
		     : "=a"(ret)
		     : "a"(SYS_tgkill), "D"(getpid()), "S"(gettid()), "d"(sig)
		     : "rcx", "r11", "memory");
	/* What the handler left: the trail is as before. */
	trail_syscall(t);
	keep_frame();
	trail_leave(t);
}

static void send_first(struct trail *t)
{
	trail_enter(t);
	send(t, SIGUSR1);
	keep_frame();
	trail_leave(t);
}

static void send_second(struct trail *t)
{
	trail_enter(t);
	send(t, SIGUSR2);
	keep_frame();
	trail_leave(t);
}

static void handler(int sig, siginfo_t *info, void *context)
{
	void (*was)(struct trail *t) = trail->at_end;
	int nr = trail->nr;

	(void)info;
	/* The ip that was interrupted, then what the handler returns to. */
	trail->ra[trail->nr++] = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	trail_enter(trail);
	trail->at_end = sig == SIGUSR1 ? send_second : trail_syscall;
	variant->descend(trail, 2);
	trail->at_end = was;
	trail->nr = nr;
}

static void set_handlers(int first_flags, int second_flags)
{
	struct sigaction sa = { .sa_sigaction = handler };

	sa.sa_flags = SA_SIGINFO | first_flags;
	if (sigaction(SIGUSR1, &sa, NULL))
		die("sigaction");
	sa.sa_flags = SA_SIGINFO | second_flags;
	if (sigaction(SIGUSR2, &sa, NULL))
		die("sigaction");
}

TEST(handlers, "signal handlers in signal handlers, on alternate stacks and not")
{
	static char alt_stack[65536];
	stack_t alt = { .ss_sp = alt_stack, .ss_size = sizeof(alt_stack) };
	int event = add_tables(TABLES);

	if (sigaltstack(&alt, NULL))
		die("sigaltstack");
	set_handlers(0, 0);
	all_variants(send_first, 3, "nested handlers");
	set_handlers(SA_ONSTACK, SA_ONSTACK);
	all_variants(send_first, 3, "on the alternate stack");
	set_handlers(0, SA_ONSTACK);
	all_variants(send_first, 3, "the second on the alternate stack");
	set_handlers(SA_ONSTACK | SA_NODEFER | SA_RESTART, 0);
	all_variants(send_first, 3, "the first on the alternate stack");
	close(event);
}

/* setjmp(), longjmp() from further down, and calls where its frames were. */
static jmp_buf back;

static noinline void jump_back(struct trail *t)
{
	trail_enter(t);
	trail_syscall(t);
	longjmp(back, 1);
}

static void jumps(struct trail *t)
{
	volatile int nr;

	trail_enter(t);
	nr = t->nr;
	t->at_end = jump_back;
	if (!setjmp(back))
		variant->descend(t, 3);
	t->nr = nr;
	trail_syscall(t);
	t->at_end = trail_syscall;
	variant->descend(t, 2);
	keep_frame();
	trail_leave(t);
}

TEST(jumps, "setjmp() and longjmp() between frames")
{
	int event = add_tables(TABLES);

	all_variants(jumps, 3, "longjmp()");
	close(event);
}

TEST(exceptions, "C++ exceptions in flight: destructors and handlers below who threw")
{
	const struct thrower *thrower;
	int event = add_tables(TABLES);

	variant = variants;
	for (thrower = throwers; thrower; thrower = thrower->next) {
		trail_watch();
		run_trail(thrower->run);
		trail_check(6, thrower->name);
	}
	close(event);
}

/* Coroutines: contexts with stacks of their own, which take turns. */
static ucontext_t main_context, coroutine[2];
static struct trail coroutine_trail[2];

static noinline void yield_to(ucontext_t *from, ucontext_t *to)
{
	if (swapcontext(from, to))
		die("swapcontext");
}

static void in_coroutine(struct trail *t)
{
	int nr = t - coroutine_trail;

	trail_enter(t);
	trail_syscall(t);
	yield_to(&coroutine[nr], nr ? &main_context : &coroutine[1]);
	trail_syscall(t);
	keep_frame();
	trail_leave(t);
}

static void coroutine_main(int nr)
{
	struct trail *t = &coroutine_trail[nr];

	trail_enter(t);
	t->at_end = in_coroutine;
	variant->descend(t, 2);
	keep_frame();
	yield_to(&coroutine[nr], nr ? &main_context : &coroutine[1]);
}

static void coroutines(struct trail *t)
{
	static char stack[2][65536] __attribute__((aligned(16)));
	volatile int i;

	trail_enter(t);
	for (i = 0; i < 2; i++) {
		coroutine_trail[i] = (struct trail){ 0 };
		if (getcontext(&coroutine[i]))
			die("getcontext");
		coroutine[i].uc_stack.ss_sp = stack[i];
		coroutine[i].uc_stack.ss_size = sizeof(stack[i]);
		coroutine[i].uc_link = &main_context;
		makecontext(&coroutine[i], (void (*)(void))coroutine_main, 1, i);
	}
	/* 0, 1, here, 0, 1, here. */
	for (i = 0; i < 2; i++) {
		yield_to(&main_context, &coroutine[0]);
		trail_syscall(t);
	}
	keep_frame();
	trail_leave(t);
}

TEST(coroutines, "coroutines by makecontext(): each has a stack of its own")
{
	int event = add_tables(TABLES);

	all_variants(coroutines, 6, "makecontext()");
	close(event);
}

/*
 * end_call(fn, t, stack, fp): fn(t) is called by end_start(), to whose start a coroutine's function
 * has returned, as to __start_context(): what is on the stack there is no return address, though no
 * directive says so.
 */
void end_call(void (*fn)(struct trail *t), struct trail *t, void *stack, void *fp);
asm(".pushsection .text\n"
    ".globl end_call\n"
    ".type end_call, @function\n"
    "end_call:\n"
    "	.cfi_startproc\n"
    "	.cfi_undefined rip\n"
    "	push	%rbp\n"
    "	push	%rbx\n"
    "	mov	%rsp, %rbx\n"
    "	mov	%rdx, %rsp\n"
    "	mov	%rcx, %rbp\n"
    "	mov	%rdi, %rax\n"
    "	mov	%rsi, %rdi\n"
    "	jmp	end_start\n"
    "end_return:\n"
    "	mov	%rbx, %rsp\n"
    "	pop	%rbx\n"
    "	pop	%rbp\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size end_call, . - end_call\n"
    ".type end_start, @function\n"
    "end_start:\n"
    "	.cfi_startproc\n"
    "	call	*%rax\n"
    "	jmp	end_return\n"
    "	.cfi_endproc\n"
    ".size end_start, . - end_start\n"
    ".popsection\n");

TEST(ends, "the end of a coroutine, where the stack has data in place of a return address")
{
	static u64 stack[8192] __attribute__((aligned(16)));
	u64 *top = &stack[sizeof(stack) / sizeof(*stack) - 8];
	struct trail t = { 0 };
	int event = add_tables(TABLES);

	/* What would be the caller, and a frame of who started the coroutine. */
	top[0] = (u64)stack;
	top[4] = 0;
	top[5] = (u64)_start;
	trail_watch();
	end_call(trail_syscall, &t, top, &top[4]);
	trail_check(1, "end_start()");
	close(event);
}

/* The child has its parent's stack until it exits. */
static noinline void in_vfork(struct trail *t)
{
	long pid, ret;

	trail_enter(t);
	asm volatile("syscall" : "=a"(pid) : "a"(SYS_vfork) : "rcx", "r11", "memory");
	if (!pid) {
		trail_syscall(t);
		asm volatile("syscall" : "=a"(ret) : "a"(SYS_exit), "D"(0)
			     : "rcx", "r11", "memory");
	}
	waitpid(pid, NULL, 0);
	trail_syscall(t);
	keep_frame();
	trail_leave(t);
}

TEST(vforks, "a vfork()ed child on its parent's stack")
{
	int event = add_tables(TABLES);

	all_variants(in_vfork, 2, "vfork()");
	close(event);
}

static void *thread(void *arg)
{
	struct trail *t = arg;

	trail_enter(t);
	variant->descend(t, 3);
	keep_frame();
	trail_leave(t);
	return NULL;
}

TEST(threads, "threads: their stack ends where clone3() began it")
{
	/* start_thread() is the first entry, clone3() the one outside of it. */
	struct trail t = { .at_end = trail_syscall, .more = 1 };
	int event = add_tables(TABLES), i;
	u64 complete;
	pthread_t id;

	variant = variants;
	complete = stats_read("complete");
	trail_watch();
	for (i = 0; i < 20; i++) {
		if (pthread_create(&id, NULL, thread, &t) || pthread_join(id, NULL))
			die("thread");
	}
	trail_check(20, "20 threads");
	ok(stats_read("complete") >= complete + 20, "all were complete");
	close(event);
}

/* main() is compiled so that it realigns the stack: tools/testing/kernel.mk. */
TEST(start, "the whole stack, by a main() that realigns it, to _start")
{
	/* Two functions of the C library and _start: outside of main(). */
	struct trail t = { .more = 3 };
	int event = add_tables(TABLES);
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct chain chain;
	int i, samples = 0, wrong = 0;

	trail_enter(&t);
	trail_watch();
	for (i = 0; i < 3; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 3);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	trail_syscall(&t);
	recorder_disable(&r);
	recorder_read(&r);
	trail_check(1, "main()");
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		chain = recorder_chain(&r, i);
		if (chain.nr < 1 || chain.ip[chain.nr - 1] <= (u64)_start ||
		    chain.ip[chain.nr - 1] > (u64)_start + 64)
			wrong++;
	}
	ok(samples == 3 && !wrong, "%d of %d samples do not end in _start", wrong, samples);
	recorder_close(&r);
	close(event);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Each instruction raises SIGTRAP. The sample of signal:signal_generate has the
 * stack at that instruction; the handler, on an alternate stack, then makes a system
 * call whose sample has the handler, the signal's frame, and that same stack.
 *
 * What must be found is known without unwinding: an instruction that lowered the
 * stack pointer by a word and left its own end's address there was a call, and a
 * frame is over when the stack pointer is above its return address.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "../unwind/table.h"
#include "../unwind/test.h"
#include "step.h"

#define TRAP_FLAG	0x100
#define DEPTH		40
#define STACK		(256 << 10)
#define EVENTS		2	/* of each kind: the first may be inline, the second is deferred */

/* base_call(run, arg, stack, trap): base_ip is the outermost frame of all. */
void base_call(void (*run)(void *arg), void *arg, void *stack, unsigned long flag);
asm(".pushsection .text\n"
    ".globl base_call, base_ip\n"
    ".type base_call, @function\n"
    "base_call:\n"
    "	.cfi_startproc\n"
    "	.cfi_undefined rip\n"
    "	push	%rbx\n"
    "	mov	%rsp, %rbx\n"
    "	mov	%rdx, %rsp\n"
    "	mov	%rdi, %rax\n"
    "	mov	%rsi, %rdi\n"
    "	pushfq\n"
    "	or	%rcx, (%rsp)\n"
    "	popfq\n"
    "	call	*%rax\n"
    "base_ip:\n"
    "	pushfq\n"
    "	andq	$~0x100, (%rsp)\n"
    "	popfq\n"
    "	mov	%rbx, %rsp\n"
    "	pop	%rbx\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size base_call, . - base_call\n"
    ".popsection\n");

struct stop {
	u64 ip;
	int nr;		/* 0: there is nothing to compare */
	u64 ra[DEPTH];	/* innermost first */
};

static struct stop stops[STEP_MAX];
static int nr_stops, nr_traps, first_stop;
static bool is_watched, is_more;
static int unclear;
static struct recorder rec;
/* The second stack: where each return address lies. */
static u64 slot[DEPTH], shadow[DEPTH];
static int nr_shadow;
static u64 last_ip, last_sp;
static u64 handler_ra;

/* The end of an empty stack. There is a word above it: follow() reads what the stack pointer is at. */
static char *new_stack(void)
{
	static char *stack;

	if (!stack) {
		stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (stack == MAP_FAILED)
			die("stack");
	}
	return stack + STACK - 16;
}

void base_run(void (*run)(void *arg), void *arg)
{
	base_call(run, arg, new_stack(), 0);
}

extern const char handler_ip[];

static void follow(u64 ip, u64 sp)
{
	u64 top = *(const u64 *)sp;

	while (nr_shadow && slot[nr_shadow - 1] < sp)
		nr_shadow--;
	if (sp == last_sp - 8 && top > last_ip && top <= last_ip + 8 && nr_shadow < DEPTH) {
		slot[nr_shadow] = sp;
		shadow[nr_shadow++] = top;
	}
	last_ip = ip;
	last_sp = sp;
}

/* What a walk from here must find. */
static void note(struct stop *stop, u64 ip)
{
	int i;

	stop->ip = ip;
	stop->nr = nr_shadow;
	for (i = 0; i < nr_shadow; i++) {
		stop->ra[i] = shadow[nr_shadow - 1 - i];
		if (*(const u64 *)slot[i] != shadow[i]) {
			stop->nr = 0;
			unclear++;
			return;
		}
	}
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	long ret;

	(void)sig;
	(void)info;
	follow(regs[REG_RIP], regs[REG_RSP]);
	if (!nr_shadow)
		regs[REG_EFL] &= ~TRAP_FLAG;
	/* The trap that starts the events is not in them: its sample was before. */
	if (nr_traps++ < first_stop)
		return;
	if (!is_watched) {
		is_watched = true;
		recorder_enable(&rec);
		return;
	}
	if (nr_stops == STEP_MAX) {
		regs[REG_EFL] &= ~TRAP_FLAG;
		is_more = true;
		return;
	}
	note(&stops[nr_stops++], regs[REG_RIP]);
	handler_ra = (u64)__builtin_return_address(0);
	asm volatile("syscall\n"
		     ".globl handler_ip\n"
		     "handler_ip:"
		     : "=a"(ret)
		     : "a"(SYS_getppid)
		     : "rcx", "r11", "memory");
}

static void watch(void)
{
	struct perf_event_attr attr;
	int i, n;

	memset(&rec, 0, sizeof(rec));
	for (i = 0; i < 2 * EVENTS; i++) {
		if (i < EVENTS)
			attr_tracepoint(&attr, "signal/signal_generate");
		else
			attr_syscall(&attr, false);
		attr_defer(&attr);
		n = recorder_add(&rec, &attr, 0, -1, i ? -1 : 11);
		if (i >= EVENTS)
			event_filter_syscall(rec.fd[n], SYS_getppid);
		else if (ioctl(rec.fd[n], PERF_EVENT_IOC_SET_FILTER, "sig == 5"))
			die("filter");
	}
}

/* @skip entries of the handler, the ip, its return addresses. */
static bool is_stop(const struct chain *chain, const struct stop *stop, int skip)
{
	int i;

	if (chain->nr != skip + 1 + stop->nr || chain->ip[skip] != stop->ip)
		return false;
	if (skip && (chain->ip[0] != (u64)handler_ip || chain->ip[1] != handler_ra))
		return false;
	for (i = 0; i < stop->nr; i++)
		if (chain->ip[skip + 1 + i] != stop->ra[i])
			return false;
	return true;
}

/*
 * The table does not say how to go on from here: a description that is none of its
 * rules, none at all, or one that counts from a register that is not known there.
 */
static bool is_inexpressible(u64 ip, bool exact)
{
	struct unwind_table_rule rule = table_rule_at(ip - !exact);

	return rule.kind == UNWIND_TABLE_UNKNOWN ||
	       (!exact && rule.kind >= UNWIND_TABLE_CFA && rule.reg != DWARF_SP &&
		rule.reg != DWARF_FP);
}

/* The walk is right up to a frame from which the table does not lead on. */
static bool is_cut(const struct chain *chain, const struct stop *stop, int skip)
{
	int i, last = chain->nr - 1;

	if (chain->nr <= skip || chain->ip[skip] != stop->ip)
		return false;
	/* What a frame pointer says there may be anything. */
	if (is_inexpressible(stop->ip, true))
		return true;
	for (i = skip + 1; i <= last && i - skip - 1 < stop->nr; i++) {
		if (chain->ip[i] != stop->ra[i - skip - 1])
			return false;
		if (is_inexpressible(chain->ip[i], false))
			return true;
	}
	return false;
}

static void explain(const struct chain *chain, const struct stop *stop, int skip)
{
	int i;

	diag("%s chain of %s has %d entries, should have %d",
	     chain->state == CHAIN_INLINE ? "inline" : "deferred",
	     skip ? "the handler" : "the code", chain->nr, skip + 1 + stop->nr);
	for (i = 0; i < 14 && (i < chain->nr || i < skip + 1 + stop->nr); i++)
		diag("  %2d: %#llx, should be %#llx", i,
		     i < chain->nr ? (unsigned long long)chain->ip[i] : 0,
		     i == skip ? (unsigned long long)stop->ip :
		     i > skip && i <= skip + stop->nr ?
		     (unsigned long long)stop->ra[i - skip - 1] : 0);
}

static void compare(struct step_result *res)
{
	static int told;
	int at[2 * EVENTS] = { 0 };
	struct chain chain;
	int i, j;

	recorder_sort(&rec);
	for (i = 0; i < rec.nr; i++) {
		const struct stop *stop;
		int skip;

		if (rec.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		for (j = 0; j < rec.nr_events && rec.id[j] != rec.rec[i].id; j++)
			;
		if (at[j] == nr_stops)
			continue;
		stop = &stops[at[j]++];
		if (!stop->nr)
			continue;
		res->samples++;
		chain = recorder_chain(&rec, i);
		skip = j < EVENTS ? 0 : 2;
		if (is_stop(&chain, stop, skip))
			continue;
		if (is_cut(&chain, stop, skip)) {
			res->cut++;
			continue;
		}
		res->wrong++;
		if (told++ < 4)
			explain(&chain, stop, skip);
	}
}

struct step_result step_through(void (*run)(void *arg), void *arg, int first)
{
	static char alt_stack[65536];
	stack_t alt = { .ss_sp = alt_stack, .ss_size = sizeof(alt_stack) };
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct step_result res = { 0 };
	char *stack = new_stack();

	if (sigaltstack(&alt, NULL) || sigaction(SIGTRAP, &sa, NULL))
		die("sigaction");
	watch();
	nr_stops = nr_traps = unclear = 0;
	first_stop = first;
	is_watched = is_more = false;
	slot[0] = (u64)stack - 8;
	shadow[0] = (u64)base_ip;
	nr_shadow = 1;
	last_ip = last_sp = 0;
	base_call(run, arg, stack, TRAP_FLAG);
	recorder_disable(&rec);
	recorder_read(&rec);
	res.stops = nr_stops;
	res.unclear = unclear;
	res.more = is_more;
	compare(&res);
	if (rec.lost)
		ok(false, "%llu records lost", (unsigned long long)rec.lost);
	recorder_close(&rec);
	return res;
}

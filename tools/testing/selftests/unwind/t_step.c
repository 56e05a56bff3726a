// SPDX-License-Identifier: GPL-2.0
/*
 * The topmost frame: single-step frame-pointer functions. Each step raises
 * SIGTRAP; a sample of signal:signal_generate is taken in that entry, with the
 * user ip at the next instruction. At every one of them the chain must have
 * the function, its caller and all above.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "test.h"

/*
 * Functions as compilers lay them out: made by hand, for a compiler's choice
 * is not ours. step_call(fn) calls fn with the trap flag set; step_ret is the
 * address behind the call.
 */
void step_call(void (*fn)(void));
extern const char step_ret[];

#ifdef __x86_64__
#define AX "%rax"
#define BX "%rbx"
#define BP "%rbp"
#define SP "%rsp"
#define ENDBR ".byte 0xf3, 0x0f, 0x1e, 0xfa\n"
#define MOV_OTHER ".byte 0x48, 0x8b, 0xec\n"		/* mov %rsp, %rbp, the other encoding */
#define PUSHF "pushfq\n"
#define POPF "popfq\n"
#define TF "orq $0x100, (%rsp)\n"
#define NO_TF "andq $~0x100, (%rsp)\n"
#define ARG "mov %rdi, %rax\n"
#else
#define AX "%eax"
#define BX "%ebx"
#define BP "%ebp"
#define SP "%esp"
#define ENDBR ".byte 0xf3, 0x0f, 0x1e, 0xfb\n"
#define MOV_OTHER ".byte 0x8b, 0xec\n"
#define PUSHF "pushfl\n"
#define POPF "popfl\n"
#define TF "orl $0x100, (%esp)\n"
#define NO_TF "andl $~0x100, (%esp)\n"
#define ARG "mov 8(" BP "), %eax\n"
#endif
#define PUSH "push " BP "\n"
#define MOV "mov " SP ", " BP "\n"
#define POP "pop " BP "\n"
#define RET "ret\n"

/*
 * A function's bytes and where each of its instructions begins: step_NAME,
 * step_NAME_end. One assembler statement per function.
 */
#define FN(name, code)							\
	void step_##name(void);						\
	extern const char step_##name##_end[];				\
	asm(".pushsection .text\n"					\
	    ".globl step_" #name ", step_" #name "_end\n"		\
	    ".type step_" #name ", @function\n"				\
	    "step_" #name ":\n" code "step_" #name "_end:\n"		\
	    ".size step_" #name ", . - step_" #name "\n"		\
	    ".popsection\n")

FN(pop, PUSH MOV "nop\n" POP RET);
FN(endbr, ENDBR PUSH MOV "nop\n" POP RET);
FN(leave, PUSH MOV "sub $32, " SP "\n" "nop\n" "leave\n" RET);
FN(other, PUSH MOV_OTHER "sub $32, " SP "\n" "nop\n" "leave\n" RET);
/* ret with an operand (stdcall), repz ret (old AMD tuning), callee-saved registers. */
FN(repz, PUSH MOV "nop\n" POP "repz ret\n");
FN(saves, PUSH MOV "push " BX "\n" "sub $24, " SP "\n" "nop\n" "add $24, " SP "\n"
   "pop " BX "\n" POP RET);

asm(".pushsection .text\n"
    ".globl step_call, step_ret\n"
    ".type step_call, @function\n"
    "step_call:\n"
    PUSH MOV
    ARG
    PUSHF TF POPF
    "call *" AX "\n"
    "step_ret:\n"
    PUSHF NO_TF POPF
    POP RET
    ".size step_call, . - step_call\n"
    ".popsection\n");

/*
 * Without a frame pointer, the return address is only known at the ret,
 * whatever it comes behind.
 */
FN(bare, "sub $24, " SP "\n" "nop\n" "add $24, " SP "\n" RET);
FN(bare_repz, "sub $24, " SP "\n" "nop\n" "add $24, " SP "\n" "repz ret\n");
FN(bare_imm, "push " BX "\n" "nop\n" "pop " BX "\n" ".byte 0xc2, 0, 0\n");

static const struct {
	const char *name;
	void (*fn)(void);
	const char *end;
	int instructions;
	int ret;	/* bytes of the ret, if the caller shows only there */
} fns[] = {
	{ "push mov pop ret", step_pop, step_pop_end, 5, 0 },
	{ "endbr push mov pop ret", step_endbr, step_endbr_end, 6, 0 },
	{ "push mov leave ret", step_leave, step_leave_end, 6, 0 },
	{ "the other mov", step_other, step_other_end, 6, 0 },
	{ "repz ret", step_repz, step_repz_end, 5, 0 },
	{ "saved registers", step_saves, step_saves_end, 9, 0 },
	{ "no frame pointer", step_bare, step_bare_end, 4, 1 },
	{ "no frame pointer, repz ret", step_bare_repz, step_bare_repz_end, 4, 2 },
	{ "no frame pointer, ret with an operand", step_bare_imm, step_bare_imm_end, 4, 3 },
};

static void on_trap(int sig)
{
	(void)sig;
}

static noinline void leaf(struct path *p, void *data)
{
	path_enter(p);
	path_note(p, 0);
	step_call(data);
	asm volatile("");
	path_leave(p);
}

static bool step_chain(const struct chain *chain, const struct path *p)
{
	/* ip, step_ret, leaf()'s ip behind the call of step_call(), the path. */
	return chain->nr == p->nr_want + 2 &&
	       chain->ip[1] == (unsigned long)step_ret &&
	       chain->ip[2] > (unsigned long)leaf && chain->ip[2] < (unsigned long)leaf + 128 &&
	       !memcmp(chain->ip + 3, p->want + 1, 8 * (p->nr_want - 1));
}

TEST(step, "single-stepped prologues and epilogues: the caller is always there")
{
	size_t size = 65536;
	stack_t alt = { .ss_sp = malloc(size), .ss_size = size };
	struct sigaction sa = { .sa_handler = on_trap, .sa_flags = SA_ONSTACK };
	struct path p = { .leaf = PATH_CALL, .fn = leaf };
	struct perf_event_attr attr;
	struct recorder r;
	struct chain chain;
	unsigned long start, end;
	unsigned int i;
	u64 seen[16];
	int j, k, nr_seen, samples, wrong;

	if (!alt.ss_sp || sigaltstack(&alt, NULL) || sigaction(SIGTRAP, &sa, NULL))
		die("sigaction");
	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		memset(&r, 0, sizeof(r));
		/* Two samples an entry: with defer_inline=1 both walks are seen. */
		for (j = 0; j < 2; j++) {
			attr_tracepoint(&attr, "signal/signal_generate");
			attr_defer(&attr);
			recorder_add(&r, &attr, 0, -1, j ? -1 : 7);
		}
		p.data = fns[i].fn;
		recorder_enable(&r);
		path_run(&p, 10);
		recorder_disable(&r);
		recorder_read(&r);
		start = (unsigned long)fns[i].fn;
		end = (unsigned long)fns[i].end;
		nr_seen = samples = wrong = 0;
		for (j = 0; j < r.nr; j++) {
			if (r.rec[j].type != PERF_RECORD_SAMPLE)
				continue;
			chain = recorder_chain(&r, j);
			if (!chain.nr || chain.ip[0] < start || chain.ip[0] >= end)
				continue;
			for (k = 0; k < nr_seen && seen[k] != chain.ip[0]; k++)
				;
			if (k == nr_seen && k < (int)ARRAY_SIZE(seen))
				seen[nr_seen++] = chain.ip[0];
			if (fns[i].ret && chain.ip[0] < end - fns[i].ret)
				continue;
			samples++;
			if (step_chain(&chain, &p))
				continue;
			wrong++;
			diag("at +%lu (%s): %d entries of %d, the second %#llx",
			     (unsigned long)(chain.ip[0] - start),
			     chain.state == CHAIN_INLINE ? "inline" : "deferred", chain.nr,
			     p.nr_want + 2, chain.nr > 1 ? (unsigned long long)chain.ip[1] : 0);
		}
		ok(nr_seen == fns[i].instructions, "%s: stopped at %d of %d instructions",
		   fns[i].name, nr_seen, fns[i].instructions);
		ok(samples && !wrong, "%s: %d of %d samples without the caller", fns[i].name,
		   wrong, samples);
		recorder_close(&r);
	}
}

/* As C libraries have it: a system call, then right away the return. */
void sys_ret(long nr);
extern const char sys_ret_ip[];
#ifdef __x86_64__
asm(".pushsection .text\n"
    ".globl sys_ret, sys_ret_ip\n"
    ".type sys_ret, @function\n"
    "sys_ret:\n"
    "	mov	%rdi, %rax\n"
    "	syscall\n"
    "sys_ret_ip:\n"
    "	ret\n"
    ".size sys_ret, . - sys_ret\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl sys_ret, sys_ret_ip\n"
    ".type sys_ret, @function\n"
    "sys_ret:\n"
    "	mov	4(%esp), %eax\n"
    "	int	$0x80\n"
    "sys_ret_ip:\n"
    "	ret\n"
    ".size sys_ret, . - sys_ret\n"
    ".popsection\n");
#endif

static noinline void sys_leaf(struct path *p, void *data)
{
	path_enter(p);
	path_note(p, (unsigned long)sys_ret_ip);
	sys_ret((long)data);
	asm volatile("");
	path_leave(p);
}

static bool is_sys_leaf(const struct rec *rec, const struct chain *chain, void *data)
{
	const struct path *p = data;

	(void)rec;
	return chain->nr == p->nr_want + 1 && chain->ip[0] == p->want[0] &&
	       chain->ip[1] > (unsigned long)sys_leaf &&
	       chain->ip[1] < (unsigned long)sys_leaf + 128 &&
	       !memcmp(chain->ip + 2, p->want + 1, 8 * (p->nr_want - 1));
}

TEST(sysret, "a ret right behind a system call: the caller is there")
{
	struct path p = { .leaf = PATH_CALL, .fn = sys_leaf, .data = (void *)SYS_getppid };
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct tally t;
	int i;

	for (i = 0; i < 4; i++) {
		attr_syscall(&attr, i & 1);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < 10; i++)
		path_run(&p, 10);
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, is_sys_leaf, &p);
	ok(t.samples == 40 && !t.wrong && !t.orphans && !t.none,
	   "%d samples, %d without the caller", t.samples, t.wrong);
	check_policy(&t);
	recorder_close(&r);
}

// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "path.h"
#include "test.h"

/* path_base(p, depth, stack_top): path_even(p, depth) on that stack, frame pointer 0. */
void path_base(struct path *p, int depth, void *stack_top);
void path_even(struct path *p, int depth);
extern const char path_base_ip[], path_syscall_ip[];
extern const char __start_spin_text[], __stop_spin_text[];

#ifdef __x86_64__
asm(".pushsection .text\n"
    ".globl path_base, path_base_ip\n"
    ".type path_base, @function\n"
    "path_base:\n"
    "	push	%rbx\n"
    "	push	%rbp\n"
    "	mov	%rsp, %rbx\n"
    "	mov	%rdx, %rsp\n"
    "	and	$-16, %rsp\n"
    "	xor	%ebp, %ebp\n"
    "	call	path_even\n"
    "path_base_ip:\n"
    "	mov	%rbx, %rsp\n"
    "	pop	%rbp\n"
    "	pop	%rbx\n"
    "	ret\n"
    ".size path_base, . - path_base\n"
    ".popsection\n");
#elif defined(__aarch64__)
asm(".pushsection .text\n"
    ".globl path_base, path_base_ip\n"
    ".type path_base, @function\n"
    "path_base:\n"
    "	stp	x29, x30, [sp, -32]!\n"
    "	str	x19, [sp, 16]\n"
    "	mov	x19, sp\n"
    "	and	x2, x2, -16\n"
    "	mov	sp, x2\n"
    "	mov	x29, 0\n"
    "	bl	path_even\n"
    "path_base_ip:\n"
    "	mov	sp, x19\n"
    "	ldr	x19, [sp, 16]\n"
    "	ldp	x29, x30, [sp], 32\n"
    "	ret\n"
    ".size path_base, . - path_base\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl path_base, path_base_ip\n"
    ".type path_base, @function\n"
    "path_base:\n"
    "	mov	4(%esp), %eax\n"
    "	mov	8(%esp), %edx\n"
    "	mov	12(%esp), %ecx\n"
    "	push	%ebx\n"
    "	push	%ebp\n"
    "	mov	%esp, %ebx\n"
    "	mov	%ecx, %esp\n"
    "	and	$-16, %esp\n"
    "	sub	$8, %esp\n"
    "	push	%edx\n"
    "	push	%eax\n"
    "	xor	%ebp, %ebp\n"
    "	call	path_even\n"
    "path_base_ip:\n"
    "	mov	%ebx, %esp\n"
    "	pop	%ebp\n"
    "	pop	%ebx\n"
    "	ret\n"
    ".size path_base, . - path_base\n"
    ".popsection\n");
#endif

void path_note(struct path *p, u64 ip)
{
	int i;

	p->want[0] = ip;
	for (i = 0; i < p->nr_ra; i++)
		p->want[i + 1] = p->ra[p->nr_ra - 1 - i];
	p->nr_want = p->nr_ra + 1;
}

noinline void path_syscall(struct path *p)
{
	long ret;

	path_enter(p);
	path_note(p, (u64)(unsigned long)path_syscall_ip);
#ifdef __x86_64__
	register long r10 asm("r10") = p->arg[3];

	asm volatile("syscall\n"
		     ".globl path_syscall_ip\n"
		     "path_syscall_ip:"
		     : "=a"(ret)
		     : "a"(p->nr), "D"(p->arg[0]), "S"(p->arg[1]), "d"(p->arg[2]), "r"(r10)
		     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 asm("x8") = p->nr;
	register long x0 asm("x0") = p->arg[0];
	register long x1 asm("x1") = p->arg[1];
	register long x2 asm("x2") = p->arg[2];
	register long x3 asm("x3") = p->arg[3];

	asm volatile("svc 0\n"
		     ".globl path_syscall_ip\n"
		     "path_syscall_ip:"
		     : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	ret = x0;
#else
	asm volatile("int $0x80\n"
		     ".globl path_syscall_ip\n"
		     "path_syscall_ip:"
		     : "=a"(ret)
		     : "a"(p->nr), "b"(p->arg[0]), "c"(p->arg[1]), "d"(p->arg[2]), "S"(p->arg[3])
		     : "memory");
#endif
	p->ret = ret;
	path_leave(p);
}

static noinline __attribute__((section("spin_text"))) void path_spin(struct path *p)
{
	volatile unsigned long i;

	path_enter(p);
	p->want[0] = 0;
	for (i = 0; i < p->rounds || (p->until && !*p->until); i++)
		;
	path_leave(p);
}

static noinline void path_leaf(struct path *p)
{
	path_enter(p);
	switch (p->leaf) {
	case PATH_SYSCALL:
		path_syscall(p);
		break;
	case PATH_SPIN:
		path_spin(p);
		break;
	case PATH_CALL:
		p->fn(p, p->data);
		break;
	}
	/* No tail call above: this frame must stay. */
	asm volatile("");
	path_leave(p);
}

/* Makes the caller's frame larger. */
#define path_pad(p)	asm volatile("" : : "r"(alloca((p)->pad)) : "memory")

/* Two functions in turn, so that a chain in wrong order shows. */
static noinline void path_odd(struct path *p, int depth)
{
	path_enter(p);
	path_pad(p);
	if (depth <= 1)
		path_leaf(p);
	else
		path_even(p, depth - 1);
	asm volatile("");
	path_leave(p);
}

noinline void path_even(struct path *p, int depth)
{
	path_enter(p);
	path_pad(p);
	if (depth <= 1)
		path_leaf(p);
	else
		path_odd(p, depth - 1);
	asm volatile("");
	path_leave(p);
}

void path_run(struct path *p, int depth)
{
	if (!p->stack) {
		p->stack_size = 131072;
		p->stack = mmap(NULL, p->stack_size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (p->stack == MAP_FAILED)
			die("stack");
	}
	p->nr_ra = 0;
	path_base(p, depth, p->stack + p->stack_size);
}

void path_free(struct path *p)
{
	if (p->stack)
		munmap(p->stack, p->stack_size);
	p->stack = NULL;
}

long path_syscall_at(struct path *p, int depth, long nr, long a, long b, long c, long d)
{
	p->leaf = PATH_SYSCALL;
	p->nr = nr;
	p->arg[0] = a;
	p->arg[1] = b;
	p->arg[2] = c;
	p->arg[3] = d;
	path_run(p, depth);
	return p->ret;
}

void path_want_syscall(struct path *p, int depth)
{
	path_syscall_at(p, depth, SYS_getpid, 0, 0, 0, 0);
}

bool path_spins_at(u64 ip)
{
	return ip >= (unsigned long)__start_spin_text && ip < (unsigned long)__stop_spin_text;
}

bool path_syscalls_at(u64 ip)
{
	return ip == (unsigned long)path_syscall_ip;
}

bool path_matches(const struct path *p, const struct chain *chain)
{
	int i;

	if (chain->nr != p->nr_want)
		return false;
	for (i = 0; i < p->nr_want; i++) {
		if (!p->want[i] ? !path_spins_at(chain->ip[i]) : chain->ip[i] != p->want[i])
			return false;
	}
	return true;
}

bool path_is(const struct path *p, const struct chain *chain)
{
	static int lines;
	int i;

	if (path_matches(p, chain))
		return true;
	if (lines++ > 1)
		return false;
	diag("%s chain has %d entries, the path %d",
	     chain->state == CHAIN_INLINE ? "inline" :
	     chain->state == CHAIN_DEFERRED ? "deferred" :
	     chain->state == CHAIN_ORPHAN ? "orphaned" : "no", chain->nr, p->nr_want);
	for (i = 0; i < 24 && (i < chain->nr || i < p->nr_want); i++)
		diag("  %3d: %#llx, path %#llx", i,
		     i < chain->nr ? (unsigned long long)chain->ip[i] : 0,
		     i < p->nr_want ? (unsigned long long)p->want[i] : 0);
	return false;
}

void tally(struct recorder *r, struct tally *t,
	   bool (*want)(const struct rec *rec, const struct chain *chain, void *data), void *data)
{
	struct chain chain;
	int i;

	memset(t, 0, sizeof(*t));
	recorder_sort(r);
	for (i = 0; i < r->nr; i++) {
		struct rec *rec = &r->rec[i];

		if (rec->type == RECORD_CALLCHAIN_DEFERRED) {
			t->records++;
			t->empty += !rec->nr;
		}
		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		t->samples++;
		chain = recorder_chain(r, i);
		t->none += chain.state == CHAIN_NONE;
		t->is_inline += chain.state == CHAIN_INLINE;
		t->deferred += chain.state == CHAIN_DEFERRED;
		t->orphans += chain.state == CHAIN_ORPHAN;
		if (chain.state == CHAIN_ORPHAN)
			continue;
		if (rec->is_dup_context || (want && !want(rec, &chain, data)))
			t->wrong++;
	}
	t->lost = r->lost;
	diag("%d samples: %d inline, %d deferred, %d orphans, %d without, %d wrong; %d records (%d empty), %llu lost",
	     t->samples, t->is_inline, t->deferred, t->orphans, t->none, t->wrong,
	     t->records, t->empty, (unsigned long long)t->lost);
	if (r->bad)
		ok(false, "%d malformed records", r->bad);
}

void check_policy(const struct tally *t)
{
	switch (defer_inline()) {
	case 0:
		ok(t->samples && t->deferred == t->samples,
		   "defer_inline=0: all %d samples deferred", t->samples);
		break;
	case 1:
		ok(t->is_inline > 0 && t->is_inline + t->deferred == t->samples,
		   "defer_inline=1: %d samples inline, %d deferred", t->is_inline, t->deferred);
		break;
	default:
		ok(false, "kernel.perf_event_defer_inline is there");
	}
}

struct want {
	u32 tid;
	const struct path *p;
};

static bool want_path(const struct rec *rec, const struct chain *chain, void *data)
{
	struct want *want = data;

	return (want->tid && rec->tid != want->tid) || path_is(want->p, chain);
}

int check_samples(struct recorder *r, u32 tid, const struct path *p, const char *name)
{
	struct want want = { tid, p };
	struct tally t;

	tally(r, &t, want_path, &want);
	ok(t.samples && !t.wrong && !t.orphans && !t.none,
	   "%s: %d samples, each with the chain of the call path", name, t.samples);
	return t.samples;
}

extern const ElfW(Ehdr) __ehdr_start;

unsigned long exe_offset(unsigned long addr)
{
	const ElfW(Phdr) *ph = (const void *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
	int i;

	for (i = 0; i < __ehdr_start.e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && addr >= ph[i].p_vaddr &&
		    addr < ph[i].p_vaddr + ph[i].p_filesz)
			return addr - ph[i].p_vaddr + ph[i].p_offset;
	die("address %#lx is in no segment", addr);
}

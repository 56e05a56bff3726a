/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Known call paths. path_run() calls @depth frame-pointer functions on a stack
 * of its own whose outermost frame pointer is 0, and in the innermost makes a
 * system call, spins in user mode, or calls a function. The chain that a walk
 * must find is then known to the last entry:
 *
 *	ip in the innermost | return addresses ... | path_base_ip
 *
 * The return addresses are written down by the functions themselves as they
 * are entered, not found by walking.
 */
#ifndef SELFTEST_PATH_H
#define SELFTEST_PATH_H

#include "event.h"

#define PATH_DEPTH	800

/* In an asm: access the byte at %0, which is in a register. */
#ifdef __aarch64__
#define READ_BYTE	"ldrb wzr, [%0]\n"
#define WRITE_BYTE	"strb wzr, [%0]\n"
#else
#define READ_BYTE	"testb $0, (%0)\n"
#define WRITE_BYTE	"movb $1, (%0)\n"
#endif

struct path {
	/* What the innermost function does. */
	enum { PATH_SYSCALL, PATH_SPIN, PATH_CALL } leaf;
	long nr, arg[4];	/* the system call */
	unsigned long rounds;	/* of the spinning */
	volatile int *until;	/* if set, spins until it is non-zero, too */
	void (*fn)(struct path *p, void *data);
	void *data;
	char *stack;		/* made by path_run() when NULL */
	size_t stack_size;
	size_t pad;		/* bytes to add to each frame */

	long ret;		/* what the system call returned, or -errno */
	int nr_ra;
	unsigned long ra[PATH_DEPTH + 8];
	u64 want[PATH_DEPTH + 8];	/* the expected chain, innermost first */
	int nr_want;
};

/* Run; afterwards p->want holds the chain expected of a sample in the leaf. */
void path_run(struct path *p, int depth);
void path_free(struct path *p);

/* A system call at the end of @depth calls; what it returned or -errno. */
long path_syscall_at(struct path *p, int depth, long nr, long a, long b, long c, long d);

/* For a PATH_CALL leaf: the system call of p->nr and p->arg, from here. */
void path_syscall(struct path *p);

/* p->want as it will be for a system call below @depth calls. */
void path_want_syscall(struct path *p, int depth);

/* Whether @chain is exactly that of path @p; explains itself by diag(). */
bool path_is(const struct path *p, const struct chain *chain);
/* The same, silently. */
bool path_matches(const struct path *p, const struct chain *chain);
/* Whether @ip is in the spinning leaf. */
bool path_spins_at(u64 ip);
/* Whether @ip is behind the leaf's system call. */
bool path_syscalls_at(u64 ip);

/* For a PATH_CALL leaf: note the return address, build p->want. */
#define path_enter(p)							\
	((p)->ra[(p)->nr_ra++] = (unsigned long)__builtin_return_address(0))
#define path_leave(p)	((void)(p)->nr_ra--)
/* p->want from the addresses noted so far, @ip first. */
void path_note(struct path *p, u64 ip);

/* Checks that every sample of @r (of @tid if not 0) has the chain of @p. */
int check_samples(struct recorder *r, u32 tid, const struct path *p, const char *name);

struct tally {
	int samples, is_inline, deferred, orphans, none, wrong;
	int records;		/* of type 22 */
	int empty;		/* ... without entries */
	u64 lost;
};

/*
 * Go over every sample: @want(rec, chain, data) says whether the chain is
 * right. NULL: any.
 */
void tally(struct recorder *r, struct tally *t,
	   bool (*want)(const struct rec *rec, const struct chain *chain, void *data), void *data);
/* Whether inline and deferred samples are as kernel.perf_event_defer_inline says. */
void check_policy(const struct tally *t);

/* Where in the program's file the code at @addr is (for uprobe_events). */
unsigned long exe_offset(unsigned long addr);

#endif

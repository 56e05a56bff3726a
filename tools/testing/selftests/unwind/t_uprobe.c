// SPDX-License-Identifier: GPL-2.0
/*
 * uretprobes put a trampoline where the return address was: chains must show
 * the real one. The expected chains are noted before the probes are there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "hostile.h"
#include "test.h"

#define EVENTS	"/sys/kernel/tracing/uprobe_events"
#define BITS	((int)sizeof(long) * 8)

void path_even(struct path *p, int depth);
/* A probe and an event of this task that keeps it alive; the fd. */
static int probe_add(const char *kind, const char *name, unsigned long addr)
{
	char line[512], exe[256], path[128];
	struct perf_event_attr attr;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int fd;

	if (n < 0)
		die("/proc/self/exe");
	exe[n] = '\0';
	snprintf(line, sizeof(line), "%s:unwind%d/%s %s:%#lx", kind, BITS, name, exe,
		 exe_offset(addr));
	if (!write_text(EVENTS, line))
		die("%s", line);
	snprintf(path, sizeof(path), "unwind%d/%s", BITS, name);
	attr_tracepoint(&attr, path);
	attr.disabled = 0;
	attr.sample_type = 0;
	attr.sample_period = 0;
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		die("event %s", path);
	return fd;
}

static void probe_del(const char *name, int fd)
{
	char line[128];

	close(fd);
	snprintf(line, sizeof(line), "-:unwind%d/%s", BITS, name);
	if (!write_text(EVENTS, line))
		die("%s", line);
}

static void watch(struct recorder *r)
{
	struct perf_event_attr attr;
	int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < 4; i++) {
		attr_syscall(&attr, i >= 2);
		attr_defer(&attr);
		recorder_add(r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_filter_syscall(r, SYS_getppid);
	recorder_enable(r);
}

static bool is_path(const struct rec *rec, const struct chain *chain, void *data)
{
	(void)rec;
	return path_is(data, chain);
}

static void check(struct recorder *r, const struct path *want, int samples, const char *name)
{
	struct tally t;

	recorder_disable(r);
	recorder_read(r);
	tally(r, &t, is_path, (void *)want);
	ok(t.samples == samples && !t.wrong && !t.orphans && !t.none,
	   "%s: %d samples, all with the real return addresses", name, t.samples);
	check_policy(&t);
	recorder_close(r);
}

/*
 * Frames with uretprobes nested in each other, then a longjmp() over some of
 * them: outer() -> middle() -> inner(), which jumps back to outer(); outer()
 * goes on to last(), whose frames lie where the ones left behind lay.
 */
static jmp_buf back;

static noinline void inner(struct path *p)
{
	path_enter(p);
	path_syscall(p);
	longjmp(back, 1);
}

static noinline void middle(struct path *p)
{
	path_enter(p);
	inner(p);
	asm volatile("");
	path_leave(p);
}

static noinline void last(struct path *p)
{
	path_enter(p);
	path_syscall(p);
	path_leave(p);
}

static struct path want_jump, want_last;

static noinline void outer(struct path *p, void *data)
{
	volatile int nr;

	path_enter(p);
	nr = p->nr_ra;
	if (!setjmp(back))
		middle(p);
	if (data)
		memcpy(&want_jump, p, sizeof(*p));
	p->nr_ra = nr;
	last(p);
	if (data)
		memcpy(&want_last, p, sizeof(*p));
	path_leave(p);
}

struct jump {
	u64 last;		/* start of the call from last(), by the records' order */
	int nr;
};

static bool is_jump(const struct rec *rec, const struct chain *chain, void *data)
{
	struct jump *jump = data;

	(void)rec;
	/* Four samples in inner(), four in last(), in turn. */
	return path_is(jump->nr++ / 4 % 2 ? &want_last : &want_jump, chain);
}

TEST(uretprobe, "uretprobes, nested and jumped over: the real return addresses")
{
	struct path want = { 0 }, p = { 0 };
	struct jump jump = { 0 };
	struct recorder r;
	struct tally t;
	int i, fd[3];

	path_want_syscall(&want, 30);
	p.leaf = PATH_CALL;
	p.fn = outer;
	p.nr = SYS_getppid;
	p.data = &p;
	path_run(&p, 12);
	p.data = NULL;

	/* path_even() is every other frame of the path. */
	fd[0] = probe_add("r", "even", (unsigned long)path_even);
	watch(&r);
	for (i = 0; i < 10; i++)
		path_syscall_at(&(struct path){ 0 }, 30, SYS_getppid, 0, 0, 0, 0);
	check(&r, &want, 40, "nested");

	fd[1] = probe_add("r", "middle", (unsigned long)middle);
	fd[2] = probe_add("r", "inner", (unsigned long)inner);
	watch(&r);
	for (i = 0; i < 10; i++)
		path_run(&p, 12);
	recorder_disable(&r);
	recorder_read(&r);
	tally(&r, &t, is_jump, &jump);
	ok(t.samples == 80 && !t.wrong && !t.orphans && !t.none,
	   "longjmp: %d samples, all with the real return addresses", t.samples);
	recorder_close(&r);

	probe_del("even", fd[0]);
	probe_del("middle", fd[1]);
	probe_del("inner", fd[2]);
	watch(&r);
	path_syscall_at(&p, 30, SYS_getppid, 0, 0, 0, 0);
	check(&r, &want, 4, "probes gone");
}

/* By hand: compilers leave the frame pointer out where nothing needs it. */
void entered(struct path *p);
void entered_endbr(struct path *p);
void entered_ret(struct path *p);
#ifdef __aarch64__
asm(".pushsection .text\n"
    ".globl entered\n"
    ".type entered, @function\n"
    "entered:\n"
    "	stp	x29, x30, [sp, -16]!\n"
    "	mov	x29, sp\n"
    "	ldp	x29, x30, [sp], 16\n"
    "	ret\n"
    ".size entered, . - entered\n"
    /* As with -mbranch-protection: the probed instruction is bti. */
    ".globl entered_endbr\n"
    ".type entered_endbr, @function\n"
    "entered_endbr:\n"
    "	hint	34\n"
    "	stp	x29, x30, [sp, -16]!\n"
    "	mov	x29, sp\n"
    "	ldp	x29, x30, [sp], 16\n"
    "	ret\n"
    ".size entered_endbr, . - entered_endbr\n"
    ".popsection\n");
#else
#ifdef __x86_64__
#define BP	"%rbp"
#define SP	"%rsp"
#define ENDBR	"endbr64"
#else
#define BP	"%ebp"
#define SP	"%esp"
#define ENDBR	"endbr32"
#endif
asm(".pushsection .text\n"
    ".globl entered\n"
    ".type entered, @function\n"
    "entered:\n"
    "	push	" BP "\n"
    "	mov	" SP ", " BP "\n"
    "	pop	" BP "\n"
    "	ret\n"
    ".size entered, . - entered\n"
    /* As -fcf-protection has it: the probed instruction is endbr. */
    ".globl entered_endbr\n"
    ".type entered_endbr, @function\n"
    "entered_endbr:\n"
    "	" ENDBR "\n"
    "	push	" BP "\n"
    "	mov	" SP ", " BP "\n"
    "	pop	" BP "\n"
    "	ret\n"
    ".size entered_endbr, . - entered_endbr\n"
    /* Nothing but a ret, behind something that says nothing of it. */
    "	nop\n"
    ".globl entered_ret\n"
    ".type entered_ret, @function\n"
    "entered_ret:\n"
    "	ret\n"
    ".size entered_ret, . - entered_ret\n"
    ".popsection\n");
#endif

static noinline void call_entered(struct path *p, void *fn)
{
	path_enter(p);
	path_note(p, (unsigned long)fn);
	((void (*)(struct path *))fn)(p);
	asm volatile("");
	path_leave(p);
}

/* @push: the probed instruction is the push, which the kernel emulates. */
static void entry_test(unsigned long fn, bool push, const char *name)
{
	struct perf_event_attr attr;
	struct path p = { .leaf = PATH_CALL, .fn = call_entered, .data = (void *)fn };
	struct recorder r = { 0 };
	struct chain chain;
	char path[64];
	int i, fd, samples = 0, wrong = 0;

	fd = probe_add("p", "entered", fn);
	snprintf(path, sizeof(path), "unwind%d/entered", BITS);
	for (i = 0; i < 3; i++) {
		attr_tracepoint(&attr, path);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_enable(&r);
	for (i = 0; i < 20; i++)
		path_run(&p, 17);
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		chain = recorder_chain(&r, i);
		samples++;
		/*
		 * The function, call_entered() behind the call, the path. A
		 * deferred chain may be of after an emulated push.
		 */
		if (chain.nr != p.nr_want + 1 ||
		    (chain.ip[0] != fn &&
		     (!push || chain.state == CHAIN_INLINE || chain.ip[0] != fn + 1)) ||
		    chain.ip[1] <= (unsigned long)call_entered ||
		    chain.ip[1] >= (unsigned long)call_entered + 128 ||
		    memcmp(chain.ip + 2, p.want + 1, 8 * (p.nr_want - 1))) {
			if (!wrong++)
				diag("%d entries of %d, the second %#llx", chain.nr, p.nr_want + 1,
				     chain.nr > 1 ? (unsigned long long)chain.ip[1] : 0);
		}
	}
	ok(samples == 60 && !wrong, "%s: %d samples, %d without the caller", name, samples, wrong);
	recorder_close(&r);
	probe_del("entered", fd);
	path_free(&p);
}

TEST(uprobe, "a sample at a function's entry, or at its ret, keeps its first caller")
{
#ifdef __aarch64__
	/* A ret is simulated: a deferred walk begins after it. */
	entry_test((unsigned long)entered, false, "stp");
	entry_test((unsigned long)entered_endbr, false, "bti");
#else
	entry_test((unsigned long)entered, true, "push");
	entry_test((unsigned long)entered_endbr, false, "endbr");
	entry_test((unsigned long)entered_ret, false, "ret");
#endif
}

/*
 * bad_return(to): calls a function with a uretprobe, whose return address is
 * @to. The handler of the signal that follows goes on at bad_return_back.
 */
void bad_return(unsigned long to);
void bad_returner(void);
extern const char bad_return_back[];
#ifdef __aarch64__
#define uc_ip	uc_mcontext.pc
asm(".pushsection .text\n"
    ".globl bad_returner\n"
    ".type bad_returner, @function\n"
    "bad_returner:\n"
    "	stp	x29, x30, [sp, -16]!\n"
    "	mov	x29, sp\n"
    "	ldp	x29, x30, [sp], 16\n"
    "	ret\n"
    ".size bad_returner, . - bad_returner\n"
    ".globl bad_return, bad_return_back\n"
    ".type bad_return, @function\n"
    "bad_return:\n"
    "	stp	x29, x30, [sp, -16]!\n"
    "	mov	x29, sp\n"
    "	mov	x30, x0\n"
    "	b	bad_returner\n"
    "bad_return_back:\n"
    "	ldp	x29, x30, [sp], 16\n"
    "	ret\n"
    ".size bad_return, . - bad_return\n"
    ".popsection\n");
#else
#ifdef __x86_64__
#define ARG	"%rdi"
#define uc_ip	uc_mcontext.gregs[REG_RIP]
#else
#define ARG	"8(%ebp)"
#define uc_ip	uc_mcontext.gregs[REG_EIP]
#endif
asm(".pushsection .text\n"
    ".globl bad_returner\n"
    ".type bad_returner, @function\n"
    "bad_returner:\n"
    "	push	" BP "\n"
    "	mov	" SP ", " BP "\n"
    "	pop	" BP "\n"
    "	ret\n"
    ".size bad_returner, . - bad_returner\n"
    ".globl bad_return, bad_return_back\n"
    ".type bad_return, @function\n"
    "bad_return:\n"
    "	push	" BP "\n"
    "	mov	" SP ", " BP "\n"
    "	push	" ARG "\n"
    "	jmp	bad_returner\n"
    "bad_return_back:\n"
    "	mov	" BP ", " SP "\n"
    "	pop	" BP "\n"
    "	ret\n"
    ".size bad_return, . - bad_return\n"
    ".popsection\n");
#endif

static void go_back(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	uc->uc_ip = (unsigned long)bad_return_back;
}

static noinline void call_bad_return(struct path *p, void *to)
{
	path_enter(p);
	path_note(p, 0);
	bad_return((unsigned long)to);
	asm volatile("");
	path_leave(p);
}

TEST(badreturn, "a uretprobe of a function that returns out of user space")
{
	static const unsigned long to[] = { -640, -512, -128 };
	size_t size = 65536;
	stack_t alt = { .ss_sp = malloc(size), .ss_size = size };
	struct sigaction sa = { .sa_sigaction = go_back, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct path p = { .leaf = PATH_CALL, .fn = call_bad_return };
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct chain chain;
	char path[64];
	unsigned int i;
	int j, k, fd, tail, samples = 0, wrong = 0;

	if (!alt.ss_sp || sigaltstack(&alt, NULL) || sigaction(SIGSEGV, &sa, NULL))
		die("sigaction");
	fd = probe_add("r", "badreturn", (unsigned long)bad_returner);
	snprintf(path, sizeof(path), "unwind%d/badreturn", BITS);
	for (i = 0; i < 3; i++) {
		attr_tracepoint(&attr, path);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_enable(&r);
	for (i = 0; i < 5 * ARRAY_SIZE(to); i++) {
		p.data = (void *)to[i % ARRAY_SIZE(to)];
		path_run(&p, 17);
	}
	recorder_disable(&r);
	recorder_read(&r);
	/* What follows the ip, if there is one: call_bad_return(), the path. */
	tail = p.nr_want;
	for (i = 0; i < (unsigned int)r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		chain = recorder_chain(&r, i);
		k = chain.nr - tail;
		if (r.rec[i].is_dup_context || k < 0 || k > 1 ||
		    chain.ip[k] <= (unsigned long)call_bad_return ||
		    chain.ip[k] >= (unsigned long)call_bad_return + 128 ||
		    memcmp(chain.ip + k + 1, p.want + 1, 8 * (tail - 1)))
			k = -1;
		for (j = 0; k >= 0 && j < chain.nr; j++)
			if (chain.ip[j] > USER_END)
				k = -1;
		if (k < 0 && !wrong++)
			diag("%d entries, the path %d, the first %#llx", chain.nr, tail,
			     chain.nr ? (unsigned long long)chain.ip[0] : 0);
	}
	ok(samples == 45 && !wrong, "%d samples, %d wrong", samples, wrong);
	recorder_close(&r);
	probe_del("badreturn", fd);
	path_free(&p);
}

/* A function that ends in a jump to another one: their uretprobes share the return address. */
void tail_first(void);
void tail_second(void);
#ifdef __aarch64__
asm(".pushsection .text\n"
    ".globl tail_first\n"
    ".type tail_first, @function\n"
    "tail_first:\n"
    "	stp	x29, x30, [sp, -16]!\n"
    "	mov	x29, sp\n"
    "	ldp	x29, x30, [sp], 16\n"
    "	b	tail_second\n"
    ".size tail_first, . - tail_first\n"
    ".globl tail_second\n"
    ".type tail_second, @function\n"
    "tail_second:\n"
    "	stp	x29, x30, [sp, -16]!\n"
    "	mov	x29, sp\n"
    "	ldp	x29, x30, [sp], 16\n"
    "	ret\n"
    ".size tail_second, . - tail_second\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl tail_first\n"
    ".type tail_first, @function\n"
    "tail_first:\n"
    "	push	" BP "\n"
    "	mov	" SP ", " BP "\n"
    "	pop	" BP "\n"
    "	jmp	tail_second\n"
    ".size tail_first, . - tail_first\n"
    ".globl tail_second\n"
    ".type tail_second, @function\n"
    "tail_second:\n"
    "	push	" BP "\n"
    "	mov	" SP ", " BP "\n"
    "	pop	" BP "\n"
    "	ret\n"
    ".size tail_second, . - tail_second\n"
    ".popsection\n");
#endif

static noinline void call_tail(struct path *p, void *data)
{
	(void)data;
	path_enter(p);
	path_note(p, 0);
	tail_first();
	asm volatile("");
	path_leave(p);
}

TEST(uretchain, "a uretprobe of a function that ended in a jump to another one with a uretprobe")
{
	static const struct { const char *name; void *fn; } probes[] = {
		{ "tailfirst", tail_first }, { "tailsecond", tail_second }, { "tailcaller", call_tail },
	};
	struct path p = { .leaf = PATH_CALL, .fn = call_tail }, want;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int fd[ARRAY_SIZE(probes)];
	int i, samples = 0, wrong = 0;
	struct chain chain;
	char path[64];

	path_run(&p, 17);
	want = p;
	for (i = 0; i < (int)ARRAY_SIZE(probes); i++)
		fd[i] = probe_add("r", probes[i].name, (unsigned long)probes[i].fn);
	/* Its instance is behind that of tail_second(), which is gone by then. */
	snprintf(path, sizeof(path), "unwind%d/tailfirst", BITS);
	for (i = 0; i < 3; i++) {
		attr_tracepoint(&attr, path);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_enable(&r);
	for (i = 0; i < 10; i++)
		path_run(&p, 17);
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		chain = recorder_chain(&r, i);
		if ((chain.nr != want.nr_want || chain.ip[0] <= (unsigned long)call_tail ||
		     chain.ip[0] >= (unsigned long)call_tail + 128 ||
		     memcmp(chain.ip + 1, want.want + 1, 8 * (want.nr_want - 1))) && !wrong++)
			diag("%d entries of %d, the second %#llx", chain.nr, want.nr_want,
			     chain.nr > 1 ? (unsigned long long)chain.ip[1] : 0);
	}
	ok(samples == 30 && !wrong, "%d samples, %d wrong", samples, wrong);
	recorder_close(&r);
	for (i = 0; i < (int)ARRAY_SIZE(probes); i++)
		probe_del(probes[i].name, fd[i]);
	path_free(&p);
}

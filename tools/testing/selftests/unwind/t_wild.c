// SPDX-License-Identifier: GPL-2.0
/*
 * Registers with arbitrary values. Code without frame pointers uses the frame
 * pointer's register for data: what lies below the stack pointer is no frame of
 * this stack, and the walk must not touch it. A program can jump to any address:
 * an ip outside of user space must not get into a callchain, where a reader
 * would take it for a kernel function or for a context marker.
 */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "hostile.h"
#include "test.h"

#ifdef __x86_64__
#define REG_IP	REG_RIP
#else
#define REG_IP	REG_EIP
#endif

#define CALLS	5
#define EVENTS	3

/* Three samples an entry: with defer_inline=1 both walks are seen. */
static void watch(struct recorder *r, const char *tracepoint)
{
	struct perf_event_attr attr;
	int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < EVENTS; i++) {
		attr_tracepoint(&attr, tracepoint);
		attr_defer(&attr);
		recorder_add(r, &attr, 0, -1, i ? -1 : 8);
	}
}

static void filter(struct recorder *r, const char *text)
{
	int i;

	for (i = 0; i < r->nr_events; i++)
		if (ioctl(r->fd[i], PERF_EVENT_IOC_SET_FILTER, text))
			die("filter %s", text);
}

static void diag_chain(const struct chain *chain)
{
	int i;

	diag("%s chain of %d", chain->state == CHAIN_INLINE ? "inline" : "deferred", chain->nr);
	for (i = 0; i < chain->nr && i < 8; i++)
		diag("  %#llx", (unsigned long long)chain->ip[i]);
}

struct want {
	const u64 *ip;
	int nr;
};

static bool want_exactly(const struct chain *chain, void *data)
{
	const struct want *want = data;

	return chain->nr == want->nr && !memcmp(chain->ip, want->ip, 8 * want->nr);
}

/* Every sample has a chain that is @right, and nothing but user addresses in it. */
static void check(struct recorder *r, int samples, bool (*right)(const struct chain *, void *),
		  void *data, const char *name)
{
	int i, j, nr = 0, wrong = 0;
	struct chain chain;
	bool good;

	recorder_disable(r);
	recorder_read(r);
	for (i = 0; i < r->nr; i++) {
		if (r->rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		nr++;
		chain = recorder_chain(r, i);
		good = chain.state == CHAIN_INLINE || chain.state == CHAIN_DEFERRED;
		good = good && !r->rec[i].is_dup_context && right(&chain, data);
		for (j = 0; good && j < chain.nr; j++)
			good = chain.ip[j] <= USER_END;
		if (!good && !wrong++)
			diag_chain(&chain);
	}
	ok(nr == samples && !wrong, "%s: %d samples of %d, %d wrong", name, nr, samples, wrong);
	recorder_close(r);
}

static void call(unsigned long fp, char *sp, int nr_want, u64 second, u64 third, const char *name)
{
	u64 ip[] = { (unsigned long)hostile_ip, second, third };
	struct want want = { ip, nr_want };
	struct recorder r;
	int i;

	watch(&r, "raw_syscalls/sys_enter");
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < CALLS; i++)
		hostile(fp, SYS_getppid, sp);
	check(&r, CALLS * EVENTS, want_exactly, &want, name);
}

/* Resolves the page faults that userfaultfd @uffd reports, until @done is closed. */
struct server {
	int uffd, done;
	size_t page;
	int faults;
};

static void *serve(void *data)
{
	struct server *s = data;
	struct pollfd fd[] = { { .fd = s->uffd, .events = POLLIN }, { .fd = s->done } };
	struct uffdio_zeropage zero = { .range.len = s->page };
	struct uffd_msg msg;

	while (poll(fd, 2, -1) >= 0 && !fd[1].revents) {
		if (read(s->uffd, &msg, sizeof(msg)) != sizeof(msg))
			continue;
		s->faults++;
		zero.range.start = msg.arg.pagefault.address & -s->page;
		ioctl(s->uffd, UFFDIO_ZEROPAGE, &zero);
	}
	return NULL;
}

static void watched_page(char *page, char *sp, size_t size)
{
	struct uffdio_register reg = {
		.range = { (unsigned long)page, size }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct server s = { .uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK), .page = size };
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t thread;
	int done[2];

	if (s.uffd < 0 && errno == ENOSYS) {
		skip("no CONFIG_USERFAULTFD", "userfaultfd");
		return;
	}
	if (s.uffd < 0 || ioctl(s.uffd, UFFDIO_API, &api) || ioctl(s.uffd, UFFDIO_REGISTER, &reg) ||
	    pipe(done))
		die("userfaultfd");
	s.done = done[0];
	if (pthread_create(&thread, NULL, serve, &s))
		die("pthread_create");
	call((unsigned long)page, sp, 1, 0, 0, "below the stack pointer, on userfaultfd");
	close(done[1]);
	pthread_join(thread, NULL);
	ok(!s.faults, "and %d page faults waited there", s.faults);
	close(s.uffd);
}

/* @page is there: 1 in memory, 0 not, -1 not even mapped. */
static int resident(char *page, size_t size)
{
	unsigned char vec;

	return mincore(page, size, &vec) ? -1 : vec & 1;
}

TEST(wildfp, "a frame pointer below the stack pointer leads nowhere and touches nothing")
{
	size_t page = sysconf(_SC_PAGESIZE), size = 16 << 20;
	char *mem = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *heap, *sp, *grows;
	struct frame *f;

	/*
	 * Low to high: a hole, a mapping that grows down into it, a page that is
	 * never touched, one for userfaultfd, a heap, a stack.
	 */
	if (mem == MAP_FAILED || munmap(mem, size - 8 * page))
		die("mmap");
	grows = mmap(mem + size / 2, page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN, -1, 0);
	if (grows == MAP_FAILED || mprotect(mem + size - 8 * page, 8 * page, PROT_READ | PROT_WRITE))
		die("MAP_GROWSDOWN");
	mem += size - 8 * page;
	heap = mem + 4 * page;
	sp = mem + 6 * page + 256;
	memset(heap, 0, 4 * page);
	*grows = 1;

	f = (struct frame *)heap;
	f[0] = (struct frame){ (unsigned long)&f[1], 0x7001 };
	f[1] = (struct frame){ (unsigned long)(sp + 512), 0x7002 };
	*(struct frame *)(sp - sizeof(*f)) = (struct frame){ 0, 0x7003 };
	*(struct frame *)sp = (struct frame){ (unsigned long)sp + 512, 0x1001 };
	*(struct frame *)(sp + 512) = (struct frame){ 0, 0x1002 };

	call((unsigned long)sp, sp, 3, 0x1001, 0x1002, "at the stack pointer");
	call((unsigned long)sp + 512, sp, 2, 0x1002, 0, "above the stack pointer");
	call((unsigned long)heap, sp, 1, 0, 0, "below the stack pointer, words like frames");
	call((unsigned long)sp - sizeof(*f), sp, 1, 0, 0, "right below the stack pointer");
	call((unsigned long)sp - sizeof(long), sp, 1, 0, 0, "half below the stack pointer");

	call((unsigned long)mem, sp, 1, 0, 0, "below the stack pointer, never touched");
	ok(!resident(mem, page), "and is not in memory now");
	call((unsigned long)grows - 64, sp, 1, 0, 0, "below the stack pointer, below a stack's mapping");
	ok(resident(grows - page, page) < 0, "and the mapping did not grow");
	watched_page(mem + 2 * page, sp, page);
	munmap(grows, page);
}

/*
 * wild_jump(to): jumps to that address, with a frame of its own. The handler of
 * the signal that follows goes on at wild_back.
 */
void wild_jump(unsigned long to);
extern const char wild_back[];

#ifdef __x86_64__
asm(".pushsection .text\n"
    ".globl wild_jump, wild_back\n"
    ".type wild_jump, @function\n"
    "wild_jump:\n"
    "	push	%rbp\n"
    "	mov	%rsp, %rbp\n"
    "	jmp	*%rdi\n"
    "wild_back:\n"
    "	pop	%rbp\n"
    "	ret\n"
    ".size wild_jump, . - wild_jump\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl wild_jump, wild_back\n"
    ".type wild_jump, @function\n"
    "wild_jump:\n"
    "	push	%ebp\n"
    "	mov	%esp, %ebp\n"
    "	jmp	*8(%ebp)\n"
    "wild_back:\n"
    "	pop	%ebp\n"
    "	ret\n"
    ".size wild_jump, . - wild_jump\n"
    ".popsection\n");
#endif

static void go_back(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	uc->uc_mcontext.gregs[REG_IP] = (unsigned long)wild_back;
}

static noinline void jump_leaf(struct path *p, void *data)
{
	path_enter(p);
	path_note(p, 0);
	wild_jump((unsigned long)data);
	asm volatile("");
	path_leave(p);
}

/* No entry for the ip; then jump_leaf() behind the call, the path. */
static bool is_jump(const struct chain *chain, void *data)
{
	const struct path *p = data;

	return chain->nr == p->nr_want && chain->ip[0] > (unsigned long)jump_leaf &&
	       chain->ip[0] < (unsigned long)jump_leaf + 128 &&
	       !memcmp(chain->ip + 1, p->want + 1, 8 * (p->nr_want - 1));
}

TEST(wildip, "a jump out of user space: the ip is no entry of the callchain")
{
	static const struct {
		const char *name;
		unsigned long to;
	} jumps[] = {
		{ "PERF_CONTEXT_USER_DEFERRED", -640 },
		{ "PERF_CONTEXT_USER", -512 },
		{ "PERF_CONTEXT_KERNEL", -128 },
		{ "PERF_CONTEXT_MAX", -4095 },
#ifdef __x86_64__
		{ "kernel text", 0xffffffff81000000 },
#endif
	};
	size_t size = 65536;
	stack_t alt = { .ss_sp = malloc(size), .ss_size = size };
	struct sigaction sa = { .sa_sigaction = go_back, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct path p = { .leaf = PATH_CALL, .fn = jump_leaf };
	struct recorder r;
	char text[64];
	unsigned int i;
	int j;

	if (!alt.ss_sp || sigaltstack(&alt, NULL) || sigaction(SIGSEGV, &sa, NULL))
		die("sigaction");
	for (i = 0; i < ARRAY_SIZE(jumps); i++) {
		watch(&r, "exceptions/page_fault_user");
		snprintf(text, sizeof(text), "address == %#lx", jumps[i].to);
		filter(&r, text);
		p.data = (void *)jumps[i].to;
		recorder_enable(&r);
		for (j = 0; j < CALLS; j++)
			path_run(&p, 9);
		check(&r, CALLS * EVENTS, is_jump, &p, jumps[i].name);
	}
}

/*
 * based(fp, sp, ss): i386's getppid() with that frame pointer, stack pointer and
 * stack segment; based_ip is behind the instruction.
 */
void based(unsigned long fp, unsigned long sp, unsigned long ss);
extern const char based_ip[];
#define NR_I386_GETPPID	64

#ifdef __x86_64__
asm(".pushsection .text\n"
    ".globl based, based_ip\n"
    ".type based, @function\n"
    "based:\n"
    "	push	%rbp\n"
    "	push	%rbx\n"
    "	mov	%rsp, %rbx\n"
    "	mov	%ss, %ecx\n"
    "	mov	%rdi, %rbp\n"
    "	mov	$64, %eax\n"
    "	mov	%edx, %ss\n"
    "	mov	%rsi, %rsp\n"
    "	int	$0x80\n"
    "based_ip:\n"
    "	mov	%ecx, %ss\n"
    "	mov	%rbx, %rsp\n"
    "	pop	%rbx\n"
    "	pop	%rbp\n"
    "	ret\n"
    ".size based, . - based\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl based, based_ip\n"
    ".type based, @function\n"
    "based:\n"
    "	push	%ebp\n"
    "	push	%ebx\n"
    "	mov	%esp, %ebx\n"
    "	mov	%ss, %ecx\n"
    "	mov	12(%esp), %ebp\n"
    "	mov	16(%esp), %eax\n"
    "	mov	20(%esp), %edx\n"
    "	mov	%edx, %ss\n"
    "	mov	%eax, %esp\n"
    "	mov	$64, %eax\n"
    "	int	$0x80\n"
    "based_ip:\n"
    "	mov	%ecx, %ss\n"
    "	mov	%ebx, %esp\n"
    "	pop	%ebx\n"
    "	pop	%ebp\n"
    "	ret\n"
    ".size based, . - based\n"
    ".popsection\n");
#endif

/* A stack segment with that base; its selector. */
static unsigned long stack_segment(unsigned int base)
{
	/* Below 4 GB: the program is static, and the system call is i386's. */
	static struct user_desc desc;
	static unsigned int number = -1;
	long ret;

	desc = (struct user_desc){
		.entry_number = number, .base_addr = base, .limit = 0xfffff,
		.seg_32bit = 1, .limit_in_pages = 1, .useable = 1,
	};
	asm volatile("int $0x80" : "=a"(ret) : "a"(243), "b"(&desc) : "memory");
	if (ret) {
		errno = -ret;
		die("set_thread_area");
	}
	number = desc.entry_number;
	return number << 3 | 3;
}

TEST(segment, "a stack segment with a base: it counts in 32-bit code and only there")
{
	static const unsigned int bases[] = { 0, 0x5000, 0xfffff000 };
	size_t page = sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long sp = (unsigned long)mem + page, ss, base;
	struct frame *f = (struct frame *)sp;
	u64 ip[] = { (unsigned long)based_ip, 0x1001, 0x1002 };
	struct want want = { ip, 3 };
	struct recorder r;
	unsigned int i;
	char text[64];
	int j;

	if (mem == MAP_FAILED)
		die("mmap");
	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		base = sizeof(long) == 4 ? bases[i] : 0;
		ss = stack_segment(bases[i]);
		f[0] = (struct frame){ (unsigned long)&f[8] - base, 0x1001 };
		f[8] = (struct frame){ 0, 0x1002 };
		watch(&r, "raw_syscalls/sys_enter");
		recorder_filter_syscall(&r, NR_I386_GETPPID);
		recorder_enable(&r);
		for (j = 0; j < CALLS; j++)
			based(sp - base, sp - base, ss);
		snprintf(text, sizeof(text), "base %#x", bases[i]);
		want.nr = 3;
		check(&r, CALLS * EVENTS, want_exactly, &want, text);

		watch(&r, "raw_syscalls/sys_enter");
		recorder_filter_syscall(&r, NR_I386_GETPPID);
		recorder_enable(&r);
		for (j = 0; j < CALLS; j++)
			based(sp - base, sp - base + 2 * sizeof(long), ss);
		snprintf(text, sizeof(text), "base %#x, below the stack pointer", bases[i]);
		want.nr = 1;
		check(&r, CALLS * EVENTS, want_exactly, &want, text);
	}
}

/*
 * A signal handler's frame is linked to that of the interrupted function, its
 * return address is the restorer's. If the handler has an alternate stack, the
 * walk goes on where that lies below the interrupted one.
 */
static struct path handler_path;

static noinline void on_signal(int sig)
{
	(void)sig;
	handler_path.nr = SYS_getppid;
	path_syscall(&handler_path);
	asm volatile("");
}

struct across {
	const struct path *p;
	bool whole;
};

static bool is_across(const struct chain *chain, void *data)
{
	const struct across *a = data;
	int nr = handler_path.nr_want + 1;	/* with the restorer */

	/* The interrupted function itself shows only in the restorer's frame. */
	return chain->nr == nr + (a->whole ? a->p->nr_want - 1 : 0) &&
	       !memcmp(chain->ip, handler_path.want, 8 * handler_path.nr_want) &&
	       (!a->whole || !memcmp(chain->ip + nr, a->p->want + 1, 8 * (a->p->nr_want - 1)));
}

TEST(sigstack, "across a signal handler's frame the walk goes on upwards only")
{
	size_t size = 128 << 10;
	char *mem = mmap(NULL, 3 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	static const struct {
		const char *name;
		int flags, third;
		bool whole;
	} stacks[] = {
		{ "on the same stack", SS_DISABLE, 0, true },
		{ "on a stack below", 0, 0, true },
		{ "on a stack above", 0, 2, false },
	};
	struct recorder r;
	unsigned int i;
	int j;

	if (mem == MAP_FAILED || sigaction(SIGUSR1, &sa, NULL))
		die("sigaction");
	for (i = 0; i < ARRAY_SIZE(stacks); i++) {
		stack_t alt = {
			.ss_sp = mem + stacks[i].third * size, .ss_size = size,
			.ss_flags = stacks[i].flags,
		};
		struct path p = {
			.stack = mem + size, .stack_size = size, .leaf = PATH_SYSCALL,
			.nr = SYS_tgkill, .arg = { getpid(), getpid(), SIGUSR1 },
		};
		struct across a = { &p, stacks[i].whole };

		if (sigaltstack(&alt, NULL))
			die("sigaltstack");
		watch(&r, "raw_syscalls/sys_enter");
		recorder_filter_syscall(&r, SYS_getppid);
		recorder_enable(&r);
		for (j = 0; j < CALLS; j++)
			path_run(&p, 9);
		check(&r, CALLS * EVENTS, is_across, &a, stacks[i].name);
	}
}

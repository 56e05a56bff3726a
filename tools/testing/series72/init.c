// SPDX-License-Identifier: GPL-2.0
/*
 * The first process of a kernel without our core: what it answers deferred callchains with. A line
 * "CASE good FIGURE" or "CASE bad FIGURE" for each case, as Documentation/porting.rst lists them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;

/* Not in the headers of Debian 12. */
#define DEFER_CALLCHAIN		(1ULL << 38)
#define DEFER_OUTPUT		(1ULL << 39)
#define RECORD_DEFERRED		22
#define CONTEXT_USER_DEFERRED	((u64)-640)

#define PAGES	64
#define noinline __attribute__((noinline))
#define BARRIER() asm volatile("")

extern char __executable_start[];

/* ---- Output ---- */

static void say(const char *name, bool good, const char *format, ...)
{
	va_list args;

	printf("case %s %s ", name, good ? "good" : "bad");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* ---- Events ---- */

static long number(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = -1;

	if (f) {
		if (fscanf(f, "%ld", &n) != 1)
			n = -1;
		fclose(f);
	}
	return n;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		printf("# %s: %m\n", path);
	close(fd);
}

static u64 *bits(struct perf_event_attr *a)
{
	return (u64 *)&a->read_format + 1;
}

/* An event with a user callchain, deferred and output by itself. */
static struct perf_event_attr attr(unsigned int type, u64 config)
{
	struct perf_event_attr a = {
		.size = sizeof(a), .type = type, .config = config, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 1ULL << 8,
		.disabled = 1, .exclude_callchain_kernel = 1,
		.watermark = 1, .wakeup_watermark = 1 << 20,
	};

	*bits(&a) |= DEFER_CALLCHAIN | DEFER_OUTPUT;
	return a;
}

static struct perf_event_attr tracepoint(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/tracing/events/%s/id", name);
	return attr(PERF_TYPE_TRACEPOINT, number(path));
}

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
};

static int event(const struct perf_event_attr *a, int pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, a, pid, cpu, -1, 0);

	if (fd < 0)
		printf("# perf_event_open: %m\n");
	return fd;
}

static struct ring ring(const struct perf_event_attr *a, int pid, int cpu)
{
	struct ring r = { .fd = event(a, pid, cpu) };

	r.page = mmap(NULL, (PAGES + 1) * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	return r;
}

/* Those system calls alone. */
static struct ring calls(struct perf_event_attr a, int nr, int pid, int cpu)
{
	struct ring r = ring(&a, pid, cpu);
	char filter[32];

	snprintf(filter, sizeof(filter), "id == %d", nr);
	ioctl(r.fd, PERF_EVENT_IOC_SET_FILTER, filter);
	return r;
}

static void on(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void off(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- What an event wrote ---- */

#define MAX 4096
struct sample {
	u64 cookie, ip;		/* ip: the user's, when the sample was taken */
	u64 chain[4];		/* the user's part of a callchain that was not deferred */
	int nr;
	bool marker;		/* a marker of a deferred callchain */
	bool answered;
	u64 record[4];		/* the innermost frames of the record that follows */
} samples[MAX];

static int nr_samples, nr_records, deferred, answered, late, zero, wrong, deepest, bare;

/* Whether the first user address is the one at which the sample was taken. */
static bool right(const struct sample *s)
{
	return s->cookie ? s->answered && s->record[0] == s->ip : s->nr && s->chain[0] == s->ip;
}

static void read_sample(u64 *w)
{
	struct sample *s = &samples[nr_samples++ % MAX];
	u64 nr = w[3], *ips = w + 4, *regs = ips + nr;
	bool user = false;

	*s = (struct sample) { .ip = regs[0] ? regs[1] : 0 };
	for (u64 i = 0; i < nr; i++) {
		if (ips[i] == CONTEXT_USER_DEFERRED) {
			s->marker = true;
			s->cookie = i + 1 < nr ? ips[i + 1] : 0;
			bare += i + 1 == nr;
			break;
		}
		if (user && s->nr < 4)
			s->chain[s->nr++] = ips[i];
		user |= ips[i] == (u64)PERF_CONTEXT_USER;
	}
	deferred += s->marker;
}

static void read_record(u64 *w)
{
	u64 cookie = w[0], nr = w[1];

	nr_records++;
	zero += !cookie;
	if ((int)nr > deepest)
		deepest = nr;
	for (int i = 0; i < nr_samples && i < MAX; i++) {
		struct sample *s = &samples[i];

		if (!cookie || s->cookie != cookie || s->answered)
			continue;
		s->answered = true;
		memcpy(s->record, w + 2, (nr < 4 ? nr : 4) * sizeof(u64));
	}
}

static void finish(struct ring r)
{
	char *data = (char *)r.page + 4096;
	u64 head = r.page->data_head, tail = 0, seen[MAX];
	static char buf[65536] __attribute__((aligned(8)));
	int nr_seen = 0;

	off(r.fd);
	head = r.page->data_head;
	nr_samples = nr_records = deferred = answered = late = zero = wrong = deepest = bare = 0;
	while (tail < head) {
		struct perf_event_header *h = (void *)buf;
		size_t size;

		for (size_t i = 0; i < 8; i++)
			buf[i] = data[(tail + i) % (PAGES * 4096)];
		size = h->size;
		for (size_t i = 8; i < size; i++)
			buf[i] = data[(tail + i) % (PAGES * 4096)];
		tail += size;
		if (h->type == PERF_RECORD_SAMPLE) {
			read_sample((u64 *)(buf + 8));
			for (int i = 0; i < nr_seen; i++)
				late += samples[nr_samples - 1].cookie == seen[i];
		} else if (h->type == RECORD_DEFERRED) {
			read_record((u64 *)(buf + 8));
			if (nr_seen < MAX)
				seen[nr_seen++] = *(u64 *)(buf + 8);
		}
	}
	for (int i = 0; i < nr_samples && i < MAX; i++) {
		answered += samples[i].answered;
		wrong += !right(&samples[i]);
	}
	r.page->data_tail = head;
	munmap(r.page, (PAGES + 1) * 4096);
	close(r.fd);
}

/* ---- Cases ---- */

static noinline int deep(int n)
{
	volatile int x;

	if (n)
		x = deep(n - 1);
	else
		x = syscall(SYS_getppid);
	return x + 1;
}

static noinline int inner(void)
{
	return syscall(SYS_getppid) + 1;
}

static noinline int probed(void)
{
	int r = inner();

	BARRIER();
	return r + 1;
}

static noinline int outer(void)
{
	int r = probed();

	BARRIER();
	return r + 2;
}

static noinline void end_of_outer(void) {}

static void handler(int sig)
{
	(void)sig;
}

#define RUN	"/sys/module/series72/parameters/run"
#define RESULT	"/sys/module/series72/parameters/result"
#define LATE	"/sys/module/series72/parameters/late"

static void client(void)
{
	long first, again;

	put(RUN, "init");
	put(RUN, "request");
	first = number(RESULT);
	again = number(LATE);
	say("late-client", !first && again == -EAGAIN,
	    "a request in the callback returns %ld", again);
	put(RUN, "cancel");
	put(RUN, "request");
	say("cancelled-request", number(RESULT) == -EINVAL,
	    "the request of a cancelled client returns %ld", number(RESULT));
}

static void cancelled_again(void)
{
	int pid = fork(), status;

	if (!pid) {
		put(RUN, "cancel");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	say("cancelled-twice", !status, WIFSIGNALED(status) ? "the kernel kills the task, signal %d" :
	    "the task exits with status %d", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void sideband(void)
{
	for (int mmap = 0; mmap < 2; mmap++) {
		struct perf_event_attr a = tracepoint("raw_syscalls/sys_enter");
		struct ring r;

		a.mmap = mmap;
		r = calls(a, SYS_getppid, -1, 0);
		on(r.fd);
		for (int i = 0; i < 10; i++)
			syscall(SYS_getppid);
		finish(r);
		say(mmap ? "control-sideband-mmap" : "sideband", nr_samples == 10 && nr_records == 10,
		    "%d samples, %d records", nr_samples, nr_records);
	}
}

static void depth(void)
{
	static const struct { const char *name; int max_stack, depth, limit; } t[] = {
		{ "depth-4", 4, 300, 4 }, { "depth-default", 0, 900, 127 },
	};

	for (int i = 0; i < 2; i++) {
		struct perf_event_attr a = tracepoint("raw_syscalls/sys_enter");
		struct ring r;

		a.sample_max_stack = t[i].max_stack;
		r = calls(a, SYS_getppid, 0, -1);
		on(r.fd);
		deep(t[i].depth);
		finish(r);
		say(t[i].name, nr_records == 1 && deepest == t[i].limit, "%d entries", deepest);
	}
}

static void cookie_room(void)
{
	struct perf_event_attr a = tracepoint("raw_syscalls/sys_enter");
	struct ring r;

	put("/proc/sys/kernel/perf_event_max_contexts_per_stack", "2");
	a.exclude_callchain_kernel = 0;
	r = calls(a, SYS_getppid, 0, -1);
	on(r.fd);
	syscall(SYS_getppid);
	finish(r);
	put("/proc/sys/kernel/perf_event_max_contexts_per_stack", "8");
	say("cookie-room", nr_samples == 1 && !bare, "%d of %d samples have a marker without a cookie",
	    bare, nr_samples);
}

/* A child that waits for START, then does a system call. */
static int child(void (*call)(void), int *start)
{
	int fds[2], pid;
	char c;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		if (read(fds[0], &c, 1) == 1)
			call();
		_exit(1);
	}
	close(fds[0]);
	*start = fds[1];
	return pid;
}

static void wait_for(int pid, int start)
{
	if (write(start, "", 1) == 1)
		waitpid(pid, NULL, 0);
	close(start);
}

static void do_exit(void)
{
	syscall(SYS_exit_group, 0);
}

static void do_exec(void)
{
	execl("/init", "init", "child", NULL);
}

static void exits(void)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		struct perf_event_attr a = tracepoint("raw_syscalls/sys_enter");
		struct ring r;
		int start, pid = child(do_exit, &start);

		a.mmap = cpu;
		r = calls(a, SYS_exit_group, cpu ? -1 : pid, cpu ? 0 : -1);
		on(r.fd);
		wait_for(pid, start);
		finish(r);
		say(cpu ? "control-exit-cpu" : "exit", nr_samples == 1 && answered == 1,
		    "%d of %d samples answered", answered, nr_samples);
	}
}

static void exec(void)
{
	int start, pid = child(do_exec, &start);
	struct ring r = calls(tracepoint("raw_syscalls/sys_enter"), SYS_execve, pid, -1);

	on(r.fd);
	wait_for(pid, start);
	finish(r);
	say("exec", nr_samples == 1 && !wrong, "%d of %d samples with a stack of the new image",
	    wrong, nr_samples);
}

static void signals(void)
{
	struct ring r = calls(tracepoint("raw_syscalls/sys_enter"), SYS_kill, 0, -1);
	struct perf_event_attr a = tracepoint("signal/signal_deliver");
	int fd;

	signal(SIGUSR1, handler);
	*bits(&a) &= ~DEFER_OUTPUT;
	fd = event(&a, 0, -1);
	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r.fd);
	on(r.fd);
	on(fd);
	kill(getpid(), SIGUSR1);
	off(fd);
	finish(r);
	close(fd);
	say("late-signal", nr_samples == 2 && !late && !wrong,
	    "%d of %d samples behind their record", late, nr_samples);

	*bits(&a) |= DEFER_OUTPUT;
	r = ring(&a, 0, -1);
	on(r.fd);
	for (int i = 0; i < 5; i++)
		kill(getpid(), SIGUSR1);
	finish(r);
	say("signal", nr_samples == 5 && !wrong, "%d of %d samples with the handler's stack",
	    wrong, nr_samples);

	r = calls(tracepoint("raw_syscalls/sys_enter"), SYS_rt_sigreturn, 0, -1);
	on(r.fd);
	for (int i = 0; i < 5; i++)
		kill(getpid(), SIGUSR1);
	finish(r);
	say("sigreturn", nr_samples == 5 && !wrong, "%d of %d samples with the restored stack",
	    wrong, nr_samples);
}

static void after_work(void)
{
	struct perf_event_attr a = tracepoint("x86_fpu/x86_fpu_regs_activated");
	volatile double y = 1;
	int pid = fork();
	struct ring r;

	if (!pid)
		for (;;)
			y *= 1.0001;
	r = ring(&a, 0, -1);
	on(r.fd);
	for (int i = 0; i < 20; i++) {
		nanosleep(&(struct timespec) { .tv_nsec = 3000000 }, NULL);
		for (int k = 0; k < 100000; k++)
			y *= 1.01;
		inner();
	}
	finish(r);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	say("after-work", nr_samples > 0 && !late && !wrong,
	    "of %d samples %d behind their record, %d with another or no stack", nr_samples, late, wrong);
}

/*
 * The task's mask is watched: an access by the reset, or by anything, is a sample in an NMI. Twenty
 * of them: each may send an interrupt, at whose end there is a reset.
 */
static void reset(void)
{
	struct ring r = calls(tracepoint("raw_syscalls/sys_enter"), SYS_getppid, 0, -1);
	struct perf_event_attr a = attr(PERF_TYPE_BREAKPOINT, 0);
	int fd, late_ones;

	put(RUN, "mask");
	a.bp_type = 2;
	a.bp_addr = number(RESULT);
	a.bp_len = 8;
	*bits(&a) &= ~DEFER_OUTPUT;
	fd = event(&a, 0, -1);
	ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r.fd);
	on(r.fd);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 20);
	for (int i = 0; i < 10; i++)
		syscall(SYS_getppid);
	off(fd);
	finish(r);
	close(fd);
	late_ones = deferred - answered;
	say("reset", nr_samples > 10 && !zero && !late_ones,
	    "of %d samples %d without a record behind, %d records with cookie 0", nr_samples, late_ones, zero);
}

static void user_mode(void)
{
	struct perf_event_attr a = attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct ring r;

	a.sample_period = 1000000;
	a.exclude_kernel = 1;
	r = ring(&a, 0, -1);
	on(r.fd);
	for (volatile int k = 0; k < 20000000; k++)
		;
	finish(r);
	say("user-mode", nr_samples > 0 && !deferred && !wrong, "%d of %d samples deferred",
	    deferred, nr_samples);
}

static struct perf_event_attr probe(bool at_return)
{
	struct perf_event_attr a = attr(number("/sys/bus/event_source/devices/uprobe/type"), at_return);

	a.uprobe_path = (u64)"/init";
	a.probe_offset = (u64)probed - (u64)__executable_start;
	return a;
}

static bool in_outer(u64 ip)
{
	return ip >= (u64)outer && ip < (u64)end_of_outer;
}

static void probes(void)
{
	struct perf_event_attr a = probe(true);
	int found = 0, fd;
	struct ring r;

	a.sample_period = 1 << 30;
	fd = event(&a, 0, -1);
	on(fd);
	r = calls(tracepoint("raw_syscalls/sys_enter"), SYS_getppid, 0, -1);
	on(r.fd);
	outer();
	finish(r);
	close(fd);
	for (int i = 0; i < 4; i++)
		found += in_outer(samples[0].record[i]);
	say("uretprobe", nr_samples == 1 && found == 1, "%s",
	    found ? "the caller of the probed function" : "the trampoline instead of the caller");

	a = probe(false);
	r = ring(&a, 0, -1);
	on(r.fd);
	outer();
	finish(r);
	found = in_outer(samples[0].cookie ? samples[0].record[1] : samples[0].chain[1]);
	say("uprobe", nr_samples == 1 && !wrong && found, "first ip %s, %s the caller",
	    wrong ? "behind the probe" : "at the probe", found ? "with" : "without");
}

static long bpf(int command, union bpf_attr *a)
{
	return syscall(SYS_bpf, command, a, sizeof(*a));
}

static void bpf_stacks(void)
{
	enum { DEPTH = 127 };
	static u64 stack[DEPTH];
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_STACK_TRACE, .max_entries = 256,
		.key_size = 4, .value_size = sizeof(stack),
	};
	int fd = bpf(BPF_MAP_CREATE, &map), stacks = 0, marked = 0;
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 6, .src_reg = 1 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 2, .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = fd },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = BPF_F_REUSE_STACKID },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_stackid },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 6 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 2, .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = fd },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3,
		  .imm = BPF_F_REUSE_STACKID | BPF_F_USER_STACK },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_stackid },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (u64)code, .insn_cnt = sizeof(code) / sizeof(code[0]),
		.license = (u64)"GPL",
	};
	int prog = bpf(BPF_PROG_LOAD, &load);
	struct perf_event_attr a = attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	struct ring r;

	if (fd < 0 || prog < 0)
		printf("# bpf: map %d, program %d: %m\n", fd, prog);
	a.sample_period = 1000000;
	a.exclude_callchain_kernel = 0;
	a.exclude_user = 1;
	r = ring(&a, 0, -1);
	if (ioctl(r.fd, PERF_EVENT_IOC_SET_BPF, prog))
		printf("# PERF_EVENT_IOC_SET_BPF: %m\n");
	on(r.fd);
	for (int i = 0; i < 30; i++) {
		char buf[4096];
		int maps = open("/proc/self/maps", O_RDONLY);

		while (read(maps, buf, sizeof(buf)) > 0)
			;
		close(maps);
	}
	finish(r);
	for (uint32_t key = 0; key < 256; key++) {
		union bpf_attr look = { .map_fd = fd, .key = (u64)&key, .value = (u64)stack };
		bool bad = false;

		if (bpf(BPF_MAP_LOOKUP_ELEM, &look))
			continue;
		stacks++;
		for (int i = 0; i < DEPTH; i++)
			bad |= stack[i] == CONTEXT_USER_DEFERRED;
		marked += bad;
	}
	say("bpf", stacks > 1 && !marked, "%d of %d stacks have a marker and a cookie as addresses",
	    marked, stacks);
	close(prog);
	close(fd);
}

int main(int argc, char **argv)
{
	int module;

	(void)argv;
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1)
		_exit(0);
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/tracing", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("tracefs", "/tracing", "tracefs", 0, NULL);
	module = open("/series72.ko", O_RDONLY);
	if (syscall(SYS_finit_module, module, "", 0))
		printf("# series72.ko: %m\n");

	sideband();
	depth();
	cookie_room();
	exits();
	client();
	signals();
	after_work();
	reset();
	user_mode();
	bpf_stacks();
	probes();
	exec();
	/* The last: it may leave a lock behind. */
	cancelled_again();
	printf("case end good all cases ran\n");
	reboot(RB_AUTOBOOT);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * bench: what deferral costs and saves. Workloads whose every user frame is
 * known, each watched by the same events three ways: plain frame-pointer
 * callchains, deferred with kernel.perf_event_defer_inline=0, and =1.
 *
 *	samples		of the workload's tasks
 *	complete	have a user chain that reaches the outermost function
 *	bytes		in the ring buffers, all records, per sample
 *	instr		instructions per sample: the time that the workload took
 *			(its CPU time, where it sleeps) less that of the same
 *			workload unwatched. Nanoseconds are instructions on the
 *			one CPU of QEMU's -icount shift=0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../selftests/unwind/path.h"
#include "../selftests/unwind/test.h"

#define TINY		"/tests/bench-tiny"
#define TINY_START	0x10000000UL
#define TINY_END	0x10100000UL
#define DEPTH		20
#define SYSCTL		"/proc/sys/kernel/perf_event_defer_inline"

extern const char path_base_ip[];
void path_even(struct path *p, int depth);

enum mode { NONE, PLAIN, DEFER0, DEFER1, NR_MODES };

static const char * const mode_names[] = { "unwatched", "fp", "inline=0", "inline=1" };

struct shared {
	volatile int ready, go;
	volatile int asleep;	/* threads in their last sleep */
	size_t read_size;
	struct iovec iov[1024];
};

static struct shared *sh;

struct workload {
	const char *name;
	void (*work)(struct path *p, void *data);
	int threads, depth;
	/* The events; a sampling period makes it a timer. */
	const char *tracepoint[2];
	long id;		/* filter on this system call, or -1 */
	u64 timer;
	bool faults;
	/* The profile ends while the tasks sleep. */
	bool sleeps;
	/* Samples of each entry, for a long read. */
	int per_entry;
	int entries;
	bool uretprobe;
};

static const struct workload *current;

/* From the leaf of a known path, with nothing but frame-pointer functions. */
static long call(struct path *p, long nr, long a, long b, long c, long d)
{
	p->nr = nr;
	p->arg[0] = a;
	p->arg[1] = b;
	p->arg[2] = c;
	p->arg[3] = d;
	path_syscall(p);
	return p->ret;
}

static void wait_for_go(struct path *p)
{
	__sync_fetch_and_add(&sh->ready, 1);
	/* Asleep: waiting is not to count as CPU time. */
	while (!sh->go)
		call(p, SYS_futex, (long)&sh->go, FUTEX_WAIT, 0, 0);
}

static void spin(struct path *p, void *data)
{
	volatile unsigned long i;

	(void)data;
	wait_for_go(p);
	for (i = 0; i < 40000000; i++)
		;
}

static void short_calls(struct path *p, void *data)
{
	int i;

	(void)data;
	wait_for_go(p);
	for (i = 0; i < 2000; i++)
		call(p, SYS_getppid, 0, 0, 0, 0);
}

static int zero_fd;

static void long_reads(struct path *p, void *data)
{
	int i;

	(void)data;
	wait_for_go(p);
	for (i = 0; i < current->entries; i++)
		call(p, SYS_readv, zero_fd, (long)sh->iov,
		     (sh->read_size + (1 << 16) - 1) >> 16, 0);
}

static void page_faults(struct path *p, void *data)
{
	size_t size = 2000 * 4096;
	volatile char *mem = data;
	size_t i;

	wait_for_go(p);
	for (i = 0; i < size; i += 4096)
		mem[i] = 1;
}

static void sleeper(struct path *p, void *data)
{
	long ts[2] = { 0, 1000000 }, long_time[2] = { 1000, 0 };
	int i;

	(void)data;
	wait_for_go(p);
	for (i = 0; i < 25; i++)
		call(p, SYS_nanosleep, (long)ts, 0, 0, 0);
	__sync_fetch_and_add(&sh->asleep, 1);
	call(p, SYS_nanosleep, (long)long_time, 0, 0, 0);
}

static void storm(struct path *p, void *data)
{
	static char *argv[] = { "tiny", NULL }, *envp[] = { NULL };
	long pid;
	int i;

	(void)data;
	wait_for_go(p);
	for (i = 0; i < 60; i++) {
		pid = call(p, SYS_clone, SIGCHLD, 0, 0, 0);
		if (!pid) {
			call(p, SYS_execve, (long)TINY, (long)argv, (long)envp, 0);
			call(p, SYS_exit_group, 1, 0, 0, 0);
		}
		call(p, SYS_wait4, pid, 0, 0, 0);
	}
}

static void mover(struct path *p, void *data)
{
	unsigned long mask;
	int i, cpus = (long)data;

	wait_for_go(p);
	for (i = 0; i < 40; i++) {
		mask = 1UL << (i % cpus);
		call(p, SYS_sched_setaffinity, 0, sizeof(mask), (long)&mask, 0);
	}
}

/* Each task's all: it ends where it is, without libc code around it. */
static void work_and_exit(struct path *p, void *data)
{
	current->work(p, data);
	call(p, SYS_exit, 0, 0, 0, 0);
}

static const struct workload workloads[] = {
	{ .name = "user spin", .work = spin, .timer = 100000, .id = -1 },
	{ .name = "short syscalls", .work = short_calls, .id = SYS_getppid,
	  .tracepoint = { "raw_syscalls/sys_enter" } },
	{ .name = "long reads, 10 each", .work = long_reads, .timer = 100000, .depth = 57,
	  .per_entry = 10, .entries = 150, .id = -1 },
	{ .name = "long reads, 50 each", .work = long_reads, .timer = 100000, .depth = 57,
	  .per_entry = 50, .entries = 40, .id = -1 },
	{ .name = "page faults", .work = page_faults, .faults = true, .id = -1 },
	{ .name = "40 sleepers", .work = sleeper, .threads = 40, .sleeps = true, .id = -1,
	  .tracepoint = { "sched/sched_switch" } },
	{ .name = "fork+exec storm", .work = storm, .id = -1,
	  .tracepoint = { "raw_syscalls/sys_enter", "raw_syscalls/sys_exit" } },
	{ .name = "16 migrating threads", .work = mover, .threads = 16, .id = -1,
	  .tracepoint = { "raw_syscalls/sys_enter", "raw_syscalls/sys_exit" } },
	{ .name = "uretprobes", .work = short_calls, .id = SYS_getppid, .uretprobe = true,
	  .tracepoint = { "raw_syscalls/sys_enter" } },
};

static void *thread(void *data)
{
	path_run(data, current->depth ? current->depth : DEPTH);
	return NULL;
}

/* The workload's process: all that is watched of it is in its paths. */
static void leader(void)
{
	int i, n = current->threads ? current->threads : 1;
	struct path *p = calloc(n, sizeof(*p));
	pthread_attr_t attr;
	pthread_t t;

	for (i = 0; i < n; i++) {
		p[i].leaf = PATH_CALL;
		p[i].fn = work_and_exit;
		p[i].data = (void *)(long)nr_cpus();
	}
	if (current->faults)
		p[0].data = mmap(NULL, 2000 * 4096, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 1; i < n; i++)
		if (pthread_create(&t, &attr, thread, &p[i]))
			_exit(3);
	/* And this task itself is the first. */
	struct path last = p[0];

	path_run(&last, current->depth ? current->depth : DEPTH);
	_exit(4);
}

struct result {
	int samples, complete, records, orphans, lost;
	u64 bytes, instructions;
	int entries;
};

static void open_events(struct recorder *r, pid_t pid, enum mode mode)
{
	struct perf_event_attr attr;
	int cpu, i, n;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		for (i = 0; i < 2; i++) {
			if (current->timer && !i) {
				attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
				attr.sample_period = current->timer;
			} else if (current->faults && !i) {
				attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
			} else if (current->tracepoint[i]) {
				attr_tracepoint(&attr, current->tracepoint[i]);
			} else {
				continue;
			}
			if (mode != PLAIN)
				attr_defer(&attr);
			/* Threads that are there already: the CPU's events, then. */
			attr.inherit = !current->threads;
			n = recorder_add(r, &attr, current->threads ? -1 : pid, cpu, i ? -1 : 10);
			if (current->id >= 0)
				event_filter_syscall(r->fd[n], current->id);
		}
	}
}

static bool is_complete(const struct chain *chain)
{
	u64 last;

	if (chain->nr < 1)
		return false;
	last = chain->ip[chain->nr - 1];
	return last == (unsigned long)path_base_ip || (last >= TINY_START && last < TINY_END);
}

static void evaluate(struct recorder *r, pid_t pid, struct result *res)
{
	int i;

	recorder_sort(r);
	for (i = 0; i < r->nr; i++) {
		struct rec *rec = &r->rec[i];
		struct chain chain;

		if (current->threads && rec->pid != (u32)pid)
			continue;
		if (rec->type == RECORD_CALLCHAIN_DEFERRED) {
			res->records++;
			res->bytes += rec->size;
		}
		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		res->samples++;
		res->bytes += rec->size;
		chain = recorder_chain(r, i);
		res->orphans += chain.state == CHAIN_ORPHAN;
		if (is_complete(&chain)) {
			res->complete++;
		} else if (getenv("BENCH_VERBOSE")) {
			diag("incomplete: tid %u state %d nr %d first %#llx last %#llx kernel %d",
			     rec->tid, chain.state, chain.nr,
			     chain.nr ? (unsigned long long)chain.ip[0] : 0,
			     chain.nr ? (unsigned long long)chain.ip[chain.nr - 1] : 0,
			     rec->nr_kernel);
		}
	}
	res->lost = r->lost;
}

static void set_sysctl(enum mode mode)
{
	if (getenv("UNWIND_PLAIN"))
		return;
	if (mode == DEFER0 || mode == DEFER1)
		if (!write_text(SYSCTL, mode == DEFER1 ? "1" : "0"))
			die(SYSCTL);
}

static struct result run(const struct workload *w, enum mode mode)
{
	struct recorder r = { 0 };
	struct result res = { 0 };
	struct rusage ru = { 0 };
	int status, n = w->threads ? w->threads : 1;
	u64 start;
	pid_t pid;

	current = w;
	set_sysctl(mode);
	sh->ready = sh->go = sh->asleep = 0;
	pid = fork();
	if (!pid)
		leader();
	while (sh->ready < n)
		usleep(1000);
	if (mode != NONE) {
		open_events(&r, pid, mode);
		recorder_enable(&r);
	}
	start = now_ns();
	sh->go = 1;
	syscall(SYS_futex, &sh->go, FUTEX_WAKE, n, NULL, NULL, 0);
	if (w->sleeps) {
		while (sh->asleep < n)
			usleep(2000);
		usleep(20000);
		recorder_disable(&r);
		recorder_read(&r);
		kill(pid, SIGKILL);
	}
	if (wait4(pid, &status, 0, &ru) != pid || (!w->sleeps && status))
		die("%s: status %#x", w->name, status);
	/* On one CPU that is never idle time is what was executed. */
	res.instructions = now_ns() - start;
	if (!w->sleeps) {
		recorder_disable(&r);
		recorder_read(&r);
	} else {
		res.instructions = (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ULL +
			   (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ULL;
	}
	res.entries = w->entries;
	evaluate(&r, pid, &res);
	if (mode != NONE)
		recorder_close(&r);
	return res;
}

/* How much to read for that many samples in one system call. */
static void calibrate(const struct workload *w)
{
	size_t size = 1 << 20, i;
	char *buf = sh->iov[0].iov_base;
	u64 t;

	for (i = 0; i < ARRAY_SIZE(sh->iov); i++)
		sh->iov[i] = (struct iovec){ buf, 1 << 16 };
	if (readv(zero_fd, sh->iov, size >> 16) < 0)
		die("readv");
	t = now_ns();
	if (readv(zero_fd, sh->iov, size >> 16) < 0)
		die("readv");
	t = now_ns() - t;
	sh->read_size = (double)w->timer * w->per_entry / t * size;
	if (sh->read_size > (ARRAY_SIZE(sh->iov) << 16))
		sh->read_size = ARRAY_SIZE(sh->iov) << 16;
}

static void uretprobe(bool on)
{
	static const char events[] = "/sys/kernel/tracing/uprobe_events";
	static const char enable[] = "/sys/kernel/tracing/events/bench/ret/enable";
	char line[256], exe[128];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n < 0 ? 0 : n] = '\0';
	snprintf(line, sizeof(line), "r:bench/ret %s:%#lx", exe,
		 exe_offset((unsigned long)path_even));
	if (on && (!write_text(events, line) || !write_text(enable, "1")))
		die("%s", line);
	if (!on && (!write_text(enable, "0") || !write_text(events, "-:bench/ret")))
		die("remove the uretprobe");
}

static double share(double part, double whole)
{
	return whole ? part / whole : 0;
}

int main(int argc, char **argv)
{
	bool counting = argc > 1 && !strcmp(argv[1], "instructions");
	unsigned int i;
	int m, missed = 0;

	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	zero_fd = open("/dev/zero", O_RDONLY);
	if (sh == MAP_FAILED || zero_fd < 0)
		die("setup");
	sh->iov[0].iov_base = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	/* Clock sources settle in the first seconds. */
	sleep(3);
	printf("%-22s %-9s %7s %9s %7s %7s %8s%s\n", "workload", "mode", "samples", "complete",
	       "bytes", "/ fp", "records", counting ? "   instr    / fp" : "");
	for (i = 0; i < ARRAY_SIZE(workloads); i++) {
		const struct workload *w = &workloads[i];
		struct result r[NR_MODES];
		double bytes[NR_MODES], instr[NR_MODES], complete[NR_MODES];

		if (argc > 2 && !strstr(w->name, argv[2]))
			continue;
		if (w->per_entry)
			calibrate(w);
		if (w->uretprobe)
			uretprobe(true);
		/* Once for nothing: what is done once only, is done. */
		run(w, PLAIN);
		for (m = 0; m < NR_MODES; m++) {
			r[m] = run(w, m);
			if (getenv("BENCH_VERBOSE"))
				diag("%s: %llu instructions", mode_names[m],
				     (unsigned long long)r[m].instructions);
			if (m == NONE)
				continue;
			bytes[m] = share(r[m].bytes, r[m].samples);
			instr[m] = share((double)r[m].instructions - r[NONE].instructions,
					 r[m].samples);
			complete[m] = 100 * share(r[m].complete, r[m].samples);
			printf("%-22s %-9s %7d %8.2f%% %7.0f %7.2f %8d", w->name, mode_names[m],
			       r[m].samples, complete[m], bytes[m], share(bytes[m], bytes[PLAIN]),
			       r[m].records);
			if (counting)
				printf(" %7.0f %7.2f", instr[m], share(instr[m], instr[PLAIN]));
			if (r[m].lost)
				printf("  %d lost", r[m].lost);
			if (m == DEFER1) {
				double limit = 1.05;

				if (counting && w->per_entry)
					limit = w->per_entry >= 50 ? 0.32 : 0.45;
				if (complete[m] < 99.5 || complete[m] < complete[PLAIN])
					printf("  completeness!"), missed++;
				if (bytes[m] > limit * bytes[PLAIN])
					printf("  bytes > %.2f!", limit), missed++;
				if (counting && instr[m] > 1.05 * instr[PLAIN])
					printf("  instr > 1.05!"), missed++;
			}
			printf("\n");
			fflush(stdout);
		}
		if (w->uretprobe)
			uretprobe(false);
	}
	printf("%d bars not held\n", missed);
	return 0;
}

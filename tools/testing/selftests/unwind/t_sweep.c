// SPDX-License-Identifier: GPL-2.0
/*
 * Samples from everywhere: each tracepoint of this kernel, and kprobes on the
 * functions between the last check of the thread flags and user space, on those
 * that complete requests, and on what these call. Each samples with period 1 while
 * a task goes through system calls, faults, signals, sleeps, migrations, fork
 * and exec. The task must go on, and no sample may have the user stack of
 * another entry.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "path.h"
#include "test.h"
#include "worker.h"

/* Events that are open at a time. */
#define GROUP		64
#define PROBE_GROUP	16
/* The task is caught in the kernel: completions of one entry, records in one step, time. */
#define STUCK_COMPLETIONS	1000
#define STUCK_RECORDS	100000
#define STUCK_NS	20000000000ULL
/*
 * SWEEP_SHORT, for debug kernels: one step then has a hundred thousand samples of the
 * locks that it takes, at up to 3 ms each.
 */
#define SLOW		8
/* Rounds of the task in each case; SWEEP_SHORT: on slow kernels one does. */
#define ROUNDS			2
/* How often parts of a group are tried, to find the events that caught it. */
#define MAX_CASES	60

/* Neither __schedule() nor __switch_to() is larger. */
#define SWITCH_SIZE	8192

#define DEPTHS		16
#define LOG		65536

#define DEFER_INLINE	"/proc/sys/kernel/perf_event_defer_inline"
#define RCU_EXPEDITED	"/sys/kernel/rcu_expedited"
#define KPROBES_OPT	"/proc/sys/debug/kprobes-optimization"
#define EVENTS		"/sys/kernel/tracing/events"
#define KPROBE_PMU	"/sys/bus/event_source/devices/kprobe/type"

struct source {
	char name[96];
	const char *function;	/* a kprobe on it, or a tracepoint */
	bool ret;		/* when the function returns */
	int err;		/* of perf_event_open(), if negative */
	u64 id;
	int samples, wrong;
	bool stuck;		/* it caught the task */
	bool off;		/* not in the cases that look for a culprit */
};

/* What the task does, for the parent to see. */
struct shared {
	volatile u64 steps, rounds;
	struct step {
		u64 start, end;
		int depth;	/* of the step's one system call; 0: something else */
	} log[LOG];
};

static struct shared *shared;
static struct path want[DEPTHS];
static pid_t task, neighbour;
static volatile int alarmed;
static int patience = 1;

static void on_alarm(int sig)
{
	(void)sig;
	alarmed = 1;
}

static void on_user(int sig)
{
	(void)sig;
	syscall(SYS_getppid);
}

static struct step *step_begin(int depth)
{
	struct step *s = &shared->log[shared->steps % LOG];

	s->depth = depth;
	s->end = 0;
	s->start = now_ns();
	return s;
}

static void step_end(struct step *s)
{
	s->end = now_ns();
	__atomic_store_n(&shared->steps, shared->steps + 1, __ATOMIC_RELEASE);
}

/* A system call as a step of its own, each at another depth than the one before. */
static long step_syscall(long nr, long a, long b, long c)
{
	static struct path path;
	static int turn;
	struct step *s;
	int depth = 1 + turn++ % (DEPTHS - 1);
	long ret;

	s = step_begin(depth);
	ret = path_syscall_at(&path, depth, nr, a, b, c, 0);
	step_end(s);
	return ret;
}

static void step_alarm(timer_t timer)
{
	struct itimerspec in = { .it_value.tv_nsec = 300000 };
	struct step *s = step_begin(0);

	alarmed = 0;
	timer_settime(timer, 0, &in, NULL);
	while (!alarmed)
		;
	step_end(s);
}

static void step_exec(void)
{
	struct step *s = step_begin(0);
	pid_t pid = fork();

	if (!pid) {
		execl("/proc/self/exe", "unwind", "nothing", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	step_end(s);
}

static void step_fault(char *page)
{
	struct step *s;

	step_syscall(SYS_madvise, (long)page, 4096, MADV_DONTNEED);
	s = step_begin(0);
	*(volatile char *)page = 1;
	step_end(s);
}

/* The task: goes round until it is killed. */
static void run_task(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct timespec nap = { .tv_nsec = 1000 };
	unsigned long cpu0 = 1, cpu1 = 2;
	char *page, c = 0;
	timer_t timer;
	int pipes[2];

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || pipe(pipes) || timer_create(CLOCK_MONOTONIC, &event, &timer))
		_exit(1);
	signal(SIGALRM, on_alarm);
	signal(SIGUSR1, on_user);
	pin(1);
	for (;;) {
		step_syscall(SYS_getppid, 0, 0, 0);
		step_syscall(SYS_sched_yield, 0, 0, 0);
		step_syscall(SYS_write, pipes[1], (long)&c, 1);
		step_syscall(SYS_read, pipes[0], (long)&c, 1);
		step_syscall(SYS_nanosleep, (long)&nap, 0, 0);
		step_syscall(SYS_kill, getpid(), SIGUSR1, 0);
		step_fault(page);
		step_syscall(SYS_mprotect, (long)page, 4096, PROT_READ);
		step_syscall(SYS_mprotect, (long)page, 4096, PROT_READ | PROT_WRITE);
		step_alarm(timer);
		step_syscall(SYS_sched_setaffinity, 0, sizeof(cpu0), (long)&cpu0);
		step_syscall(SYS_sched_setaffinity, 0, sizeof(cpu1), (long)&cpu1);
		step_exec();
		shared->rounds++;
	}
}

/* Another task on that CPU: it mostly sleeps, also when the recorder stops. */
static void run_neighbour(void)
{
	struct timespec nap = { .tv_nsec = 30000000 };

	pin(1);
	for (;;)
		nanosleep(&nap, NULL);
}

static pid_t start(void (*run)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
	}
	return pid;
}

static void start_tasks(void)
{
	int i;

	for (i = 1; i < DEPTHS; i++) {
		path_want_syscall(&want[i], i);
		path_free(&want[i]);
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	pin(0);
	task = start(run_task);
	neighbour = start(run_neighbour);
}

static void stop_tasks(void)
{
	kill(task, SIGKILL);
	kill(neighbour, SIGKILL);
	waitpid(task, NULL, 0);
	waitpid(neighbour, NULL, 0);
	munmap(shared, sizeof(*shared));
}

static int source_open(struct recorder *r, struct source *s)
{
	struct perf_event_attr attr;
	char path[256];

	if (s->function) {
		attr_init(&attr, read_long(KPROBE_PMU), s->ret);
		attr.kprobe_func = (unsigned long)s->function;
	} else {
		snprintf(path, sizeof(path), EVENTS "/%s/id", s->name);
		attr_init(&attr, PERF_TYPE_TRACEPOINT, read_long(path));
	}
	attr_defer(&attr);
	attr_user_ip(&attr);
	return recorder_try(r, &attr, -1, 1, -1);
}

/* What the parent knows of the task's progress. */
struct watch {
	u64 steps, since;
	u64 cookie;
	int completions, records, seen;
};

static bool stuck(struct recorder *r, struct watch *w)
{
	u64 steps = __atomic_load_n(&shared->steps, __ATOMIC_ACQUIRE);

	recorder_read(r);
	if (steps != w->steps || !w->since) {
		w->steps = steps;
		w->since = now_ns();
		w->completions = 0;
		w->records = r->nr;
		w->seen = r->nr;
	}
	for (; w->seen < r->nr; w->seen++) {
		struct rec *rec = &r->rec[w->seen];

		if (rec->type != RECORD_CALLCHAIN_DEFERRED)
			continue;
		w->completions = rec->cookie == w->cookie ? w->completions + 1 : 0;
		w->cookie = rec->cookie;
	}
	if (w->completions < STUCK_COMPLETIONS && r->nr - w->records < patience * STUCK_RECORDS &&
	    now_ns() - w->since < patience * STUCK_NS)
		return false;
	diag("defer_inline=%d: no step in %llu ms: %d records, %d completions of one entry", defer_inline(),
	     (unsigned long long)(now_ns() - w->since) / 1000000, r->nr - w->records, w->completions);
	return true;
}

/* Wait for @rounds of the task and one step; false when it is stuck. */
static bool wait_task(struct recorder *r, int rounds)
{
	u64 round = shared->rounds + rounds, step = shared->steps;
	struct watch w = { 0 };

	while (shared->rounds < round || shared->steps == step) {
		if (stuck(r, &w))
			return false;
		usleep(500);
	}
	return true;
}

/* The step that was on at @time, if it is still in the log. */
static const struct step *find_step(u64 time, u64 first, u64 last)
{
	u64 mid;

	if (last - first > LOG - 1)
		first = last - (LOG - 1);
	while (first < last) {
		mid = (first + last) / 2;
		if (shared->log[mid % LOG].end < time)
			first = mid + 1;
		else
			last = mid;
	}
	return shared->log[first % LOG].start <= time && time <= shared->log[first % LOG].end ?
	       &shared->log[first % LOG] : NULL;
}

/* For each sample with a cookie the record that closes it, or -1. */
static int *find_closing(struct recorder *r)
{
	int *closing = malloc(r->nr * sizeof(int) + 1), *slot, *table, i;
	unsigned int size = 1024, h;

	while (size < 2 * (unsigned int)r->nr)
		size *= 2;
	table = malloc(size * sizeof(int));
	if (!closing || !table)
		die("malloc");
	memset(table, -1, size * sizeof(int));
	for (i = r->nr - 1; i >= 0; i--) {
		struct rec *rec = &r->rec[i];

		closing[i] = -1;
		if (!rec->cookie)
			continue;
		h = rec->cookie * 0x9e3779b97f4a7c15ULL >> 32;
		while (slot = &table[h++ % size], *slot >= 0 && r->rec[*slot].cookie != rec->cookie)
			;
		if (rec->type == RECORD_CALLCHAIN_DEFERRED)
			*slot = i;
		else
			closing[i] = *slot;
	}
	free(table);
	return closing;
}

struct faults {
	int orphans, pending, unknown, others, none, cut, checked;
	u64 lost;
};

/* Until when one case samples. */
struct span {
	u64 first, last;	/* steps of the swept task */
	u64 off;		/* the events that defer are disabled */
	u64 lost;		/* records for which a buffer had no room */
};

/*
 * Why a completion is due for sample @i: the thread has been in user space since, or
 * exited. NULL: it may be inside of the same system call still, where its request
 * waits if the sample came behind the completion at a block (x86_fpu_regs_deactivated) or
 * the stack could not be read there. @evidence: the record that shows it.
 */
static const char *completion_due(struct recorder *r, int i, const struct rec **evidence)
{
	const struct rec *rec = &r->rec[i], *later;

	*evidence = NULL;
	while (++i < r->nr) {
		later = *evidence = &r->rec[i];
		if (later->tid != rec->tid)
			continue;
		if (later->type == PERF_RECORD_EXIT)
			return "it exited";
		if (later->cookie && later->cookie != rec->cookie)
			return "it has another cookie";
		if (later->type == PERF_RECORD_SAMPLE && later->user_ip && rec->user_ip &&
		    later->user_ip != rec->user_ip)
			return "it entered at another ip";
	}
	*evidence = NULL;
	/* It has made a step since. */
	if (rec->tid == (u32)task)
		return "it is the swept task";
	return kill(rec->pid, 0) && errno == ESRCH ? "it is gone" : NULL;
}

/* Whether there is room for one more explanation. */
static bool explains(void)
{
	static int lines;

	return lines++ < 25;
}

static const char *task_name(u32 tid)
{
	static char name[32];
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	file = fopen(path, "r");
	if (!file)
		return "exited";
	if (!fgets(name, sizeof(name), file))
		name[0] = 0;
	name[strcspn(name, "\n")] = 0;
	fclose(file);
	return name;
}

/* Sample @i has a cookie and no record closes it: a defect, if its completion is due. */
static void check_orphan(struct recorder *r, int i, struct source *s, const struct span *span,
			 struct faults *f)
{
	const struct rec *rec = &r->rec[i], *evidence;
	const char *due;

	/* Its record may be among those that found no room. */
	if (span->lost) {
		f->unknown++;
		return;
	}
	due = completion_due(r, i, &evidence);
	if (!due) {
		if (f->pending++)
			return;
	} else {
		f->orphans++;
		if (s->wrong++)
			return;
	}
	if (!explains())
		return;
	diag("%s, at %#llx: no record has cookie %#llx; %s", s->name, (unsigned long long)rec->ip,
	     (unsigned long long)rec->cookie, due ?: "pending");
	diag("  tid %u (the swept task's %+d), %s, CPU %u, %lld us before the events were off, user ip %#llx",
	     rec->tid, (int)rec->tid - task, task_name(rec->tid), rec->cpu,
	     (long long)(span->off - rec->time) / 1000, (unsigned long long)rec->user_ip);
	if (evidence)
		diag("  known from record type %u, %lld us after the sample, cookie %#llx, user ip %#llx",
		     evidence->type, (long long)(evidence->time - rec->time) / 1000,
		     (unsigned long long)evidence->cookie, (unsigned long long)evidence->user_ip);
}

static void explain(const struct rec *rec, const struct rec *from, struct source *s,
		    const char *what)
{
	const struct rec *chain = from ?: rec;

	if (s->wrong++ || !explains())
		return;
	diag("%s, at %#llx in task%+d: %s", s->name, (unsigned long long)rec->ip,
	     (int)rec->tid - task, what);
	if (from || rec->is_inline)
		diag("  it entered at %#llx; %s chain of %d entries, %#llx %#llx ...",
		     (unsigned long long)rec->user_ip, from ? "deferred" : "inline", chain->nr,
		     (unsigned long long)(chain->nr > 0 ? chain->user[0] : 0),
		     (unsigned long long)(chain->nr > 1 ? chain->user[1] : 0));
}

static bool is_switch(u64 ip)
{
	static u64 schedule, switch_to;

	if (!schedule) {
		schedule = kernel_symbol("__schedule");
		switch_to = kernel_symbol("__switch_to");
	}
	return ip - schedule < SWITCH_SIZE || ip - switch_to < SWITCH_SIZE;
}

/*
 * Whether @rec was sampled in __schedule() or __switch_to(). From switch_mm() until the next task is
 * the current one, the memory in reach is that of the next: a request that is refused there leaves
 * its sample the innermost entry alone. Such places are lock/lock_release, of kernels with lockdep,
 * and x86_fpu/x86_fpu_regs_deactivated. Not each sample has a kernel callchain.
 */
static bool in_switch(const struct rec *rec)
{
	int i;

	for (i = 0; i < rec->nr_kernel && i < KERNEL_MAX; i++)
		if (is_switch(rec->kernel[i]))
			return true;
	return is_switch(rec->ip);
}

/*
 * Each sample with a cookie is closed by a record, unless records were lost or the
 * request still waits. The chain begins at the ip of the sample's entry; and is, in a step's
 * system call, the path of that step, written before the step was over.
 */
static void check_chains(struct recorder *r, struct source *source, int nr,
			 const struct span *span, struct faults *f)
{
	int *closing, i, j;

	recorder_sort(r);
	closing = find_closing(r);
	f->lost += span->lost;
	for (i = 0; i < r->nr; i++) {
		struct rec *rec = &r->rec[i], *from = NULL;
		struct source *s = NULL;
		const struct step *step;
		struct chain chain = { 0 };

		if (rec->type != PERF_RECORD_SAMPLE)
			continue;
		for (j = 0; j < nr; j++)
			if (source[j].id == rec->id) {
				source[j].samples++;
				s = &source[j];
			}
		if (!s)
			continue;
		if (rec->cookie && closing[i] < 0) {
			check_orphan(r, i, s, span, f);
			continue;
		}
		if (rec->cookie)
			from = &r->rec[closing[i]];
		/* Another task's registers change in its exec. */
		if (rec->tid != (u32)task)
			continue;
		chain.state = from ? CHAIN_DEFERRED : rec->is_inline ? CHAIN_INLINE : CHAIN_NONE;
		chain.ip = (from ?: rec)->user;
		chain.nr = (from ?: rec)->nr;
		if (chain.state == CHAIN_NONE || !chain.nr || !rec->user_ip) {
			f->none++;
			continue;
		}
		f->checked++;
		if (rec->is_dup_context) {
			f->others++;
			explain(rec, from, s, "more than one user part");
		} else if (chain.ip[0] != rec->user_ip) {
			f->others++;
			explain(rec, from, s, "another entry's chain");
		} else if (path_syscalls_at(rec->user_ip)) {
			step = find_step(rec->time, span->first, span->last);
			if (!step || !step->depth)
				continue;
			if (rec->is_inline && chain.nr == 1 && in_switch(rec)) {
				f->cut++;
			} else if (!path_matches(&want[step->depth], &chain)) {
				f->others++;
				explain(rec, from, s, "not the path of its step");
			} else if (from && from->time > step->end) {
				f->others++;
				explain(rec, from, s, "closed after its step");
			}
		}
	}
	free(closing);
}

/* All of @source sample at once, with either policy; false when the task gets stuck. */
static bool run_case(struct source *source, int nr, struct faults *f)
{
	static struct recorder r;
	struct perf_event_attr attr;
	struct span span;
	bool good = true;
	int i, policy, sides;

	memset(&r, 0, sizeof(r));
	/* These take what is completed on the other CPU, and when the others are off; and exits. */
	attr_dummy(&attr);
	attr_flag(&attr, DEFER_OUTPUT);
	attr.task = 1;
	recorder_add(&r, &attr, -1, 0, 5);
	recorder_add(&r, &attr, -1, 1, 11);
	sides = r.nr_events;
	for (i = 0; i < nr; i++) {
		if (source[i].off)
			continue;
		source[i].err = source_open(&r, &source[i]);
		if (source[i].err >= 0)
			source[i].id = r.id[source[i].err];
	}
	span.first = shared->steps;
	recorder_enable(&r);
	for (policy = 0; policy < 2 && good; policy++) {
		write_text(DEFER_INLINE, policy ? "1" : "0");
		good = wait_task(&r, patience > 1 ? 1 : ROUNDS);
	}
	for (i = sides; i < r.nr_events; i++)
		event_disable(r.fd[i]);
	span.off = now_ns();
	good = good && wait_task(&r, 0);
	recorder_disable(&r);
	recorder_read(&r);
	span.lost = recorder_lost(&r);
	span.last = shared->steps;
	if (r.bad)
		ok(false, "%d malformed records", r.bad);
	if (good && f)
		check_chains(&r, source, nr, &span, f);
	recorder_close(&r);
	if (!good) {
		/* Without events it must come back. */
		for (i = 0; i < 400 && shared->steps == span.last; i++)
			usleep(50000);
		if (shared->steps == span.last)
			die("the task does not go on when all events are closed");
	}
	return good;
}

/*
 * Which of them caught the task? Leave out what can be left out: half of them,
 * a quarter, ..., one. There may be another set that does it without these.
 */
static void find_stuck(struct source *source, int nr)
{
	static int cases;
	int i, j, part;

	do {
		for (i = 0; i < nr; i++)
			source[i].off = source[i].err < 0 || source[i].stuck;
		for (part = (nr + 1) / 2; part && cases < MAX_CASES; part = part > 1 ? (part + 1) / 2 : 0) {
			for (i = 0; i < nr && cases < MAX_CASES; i += part) {
				bool was[GROUP], any = false, rest = false;

				for (j = 0; j < nr; j++) {
					was[j] = source[j].off;
					any |= !was[j] && j / part == i / part;
					rest |= !was[j] && j / part != i / part;
					source[j].off |= j / part == i / part;
				}
				if (any && rest && (cases++, !run_case(source, nr, NULL)))
					continue;
				for (j = 0; j < nr; j++)
					source[j].off = was[j];
			}
		}
		for (i = 0; i < nr; i++)
			if (!source[i].off) {
				source[i].stuck = true;
				diag("%s: %s", cases < MAX_CASES ? "CAUGHT BY" : "perhaps by",
				     source[i].name);
			}
		for (i = 0; i < nr; i++)
			source[i].off = source[i].err < 0 || source[i].stuck;
	} while (cases++ < MAX_CASES && !run_case(source, nr, NULL));
	for (i = 0; i < nr; i++)
		source[i].off = false;
}

static void run_group(struct source *source, int nr, struct faults *f)
{
	u64 start = now_ns();
	bool good = run_case(source, nr, f);
	int i;

	ok(good, "the task goes on: %s ... %s", source[0].name, source[nr - 1].name);
	/* On a slow kernel that takes longer than the test may. */
	if (!good && patience == 1)
		find_stuck(source, nr);
	for (i = 0; i < nr; i++)
		if (source[i].wrong)
			diag("%s: %d of %d samples are wrong", source[i].name, source[i].wrong,
			     source[i].samples);
	diag("%d events, %llu ms", nr, (unsigned long long)(now_ns() - start) / 1000000);
}

static void sweep(struct source *source, int nr, int size, int least)
{
	struct faults f = { 0 };
	int i, opened = 0, refused = 0, silent = 0;
	char expedited[2] = "0", opt[2] = "1", policy[2] = "0";
	struct rlimit files = { 1024, 1024 };

	if (getenv("SWEEP_SHORT"))
		patience = SLOW;
	setrlimit(RLIMIT_NOFILE, &files);
	/* An event's close waits for a grace period or two. */
	expedited[0] += read_long(RCU_EXPEDITED) > 0;
	write_text(RCU_EXPEDITED, "1");
	/* A breakpoint in all, not in some a jump from some time on. */
	opt[0] -= read_long(KPROBES_OPT) == 0;
	write_text(KPROBES_OPT, "0");
	policy[0] += defer_inline();
	start_tasks();

	for (i = 0; i < nr; i += size)
		run_group(source + i, nr - i < size ? nr - i : size, &f);
	stop_tasks();
	write_text(RCU_EXPEDITED, expedited);
	write_text(KPROBES_OPT, opt);
	write_text(DEFER_INLINE, policy);

	for (i = 0; i < nr; i++) {
		if (source[i].err < 0)
			diag("%s: %s", source[i].name, strerror(-source[i].err));
		refused += source[i].err < 0;
		opened += source[i].err >= 0;
		silent += source[i].err >= 0 && !source[i].samples;
	}
	diag("%d samples checked, %d without a stack, %d cut", f.checked, f.none, f.cut);
	diag("without a record: %d, pending %d, with %llu records lost %d",
	     f.orphans, f.pending, (unsigned long long)f.lost, f.unknown);
	for (i = 0; getenv("SWEEP_VERBOSE") && i < nr; i++)
		if (source[i].samples)
			diag("%s: %d", source[i].name, source[i].samples);
	ok(opened >= least, "%d events sampled, of which %d had nothing; %d could not be opened",
	   opened, silent, refused);
	ok(f.checked > opened - silent, "%d samples of the task", f.checked);
	ok(!f.others, "%d of them with a user stack that is not their entry's", f.others);
	ok(!f.orphans, "%d cookies without a record", f.orphans);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct source *)a)->name, ((const struct source *)b)->name);
}

/*
 * Every tracepoint; the number, in @source if there is room. With SWEEP_SHORT those of
 * single system calls are left out: raw_syscalls has them all.
 */
static int list_tracepoints(struct source *source)
{
	DIR *systems = opendir(EVENTS), *events;
	struct dirent *s, *e;
	char path[600];
	int nr = 0;

	if (!systems)
		die(EVENTS);
	while ((s = readdir(systems))) {
		snprintf(path, sizeof(path), EVENTS "/%s", s->d_name);
		if (s->d_name[0] == '.' || (getenv("SWEEP_SHORT") && !strcmp(s->d_name, "syscalls")) ||
		    !(events = opendir(path)))
			continue;
		while ((e = readdir(events))) {
			snprintf(path, sizeof(path), EVENTS "/%s/%s/id", s->d_name, e->d_name);
			if (e->d_name[0] == '.' || access(path, F_OK))
				continue;
			if (source)
				snprintf(source[nr].name, sizeof(source->name), "%.40s/%.50s",
					 s->d_name, e->d_name);
			nr++;
		}
		closedir(events);
	}
	closedir(systems);
	if (source)
		qsort(source, nr, sizeof(*source), by_name);
	return nr;
}

TEST(sweep, "every tracepoint samples: the task goes on, no sample has another entry's stack")
{
	int nr = list_tracepoints(NULL);
	struct source *source = calloc(nr, sizeof(*source));

	if (!source)
		die("calloc");
	list_tracepoints(source);
	sweep(source, nr, GROUP, 200);
	free(source);
}

/*
 * Functions on the way to user space, from where the thread flags are read; those
 * that make and complete requests; and what these call. Some are inlined, some take no probe.
 */
static const char *const functions[] = {
	"syscall_exit_work", "syscall_exit_to_user_mode_prepare", "exit_to_user_mode_loop",
	"exit_to_user_mode_prepare", "irqentry_exit_to_user_mode", "task_work_run",
	"resume_user_mode_work", "__rseq_handle_notify_resume", "rseq_ip_fixup", "rseq_update_cpu_node_id",
	"arch_do_signal_or_restart", "get_signal", "__uprobe_notify_resume", "signal_setup_done",
	"__fpu_restore_sig", "fpu__restore_sig", "restore_altstack", "restore_sigcontext",
	"x64_setup_rt_frame", "ia32_setup_frame", "ia32_setup_rt_frame", "get_sigframe",
	"fpu__alloc_mathframe", "copy_fpstate_to_sigframe", "__ia32_sys_sigreturn", "__do_sys_rt_sigreturn",
	"__x64_sys_rt_sigreturn", "schedule", "__schedule", "preempt_schedule_irq",
	"switch_fpu_return", "fpregs_restore_userregs", "restore_fpregs_from_fpstate",
	"fpregs_mark_activate", "fpregs_assert_state_consistent", "fpregs_lock_and_load",
	"arch_exit_to_user_mode_prepare", "arch_exit_to_user_mode", "exit_to_user_mode", "user_enter_irqoff",
	"__context_tracking_enter", "ct_kernel_exit", "tick_nohz_user_enter_prepare", "tick_nohz_tick_stopped",
	"fire_user_return_notifiers", "native_tss_update_io_bitmap", "rcu_nocb_flush_deferred_wakeup",
	"trace_hardirqs_on_prepare", "lockdep_sys_exit",
	"task_work_add", "task_work_set_notify_irq", "kick_process", "irq_work_queue", "irq_work_run",
	"irq_work_single", "arch_irq_work_raise", "__sysvec_irq_work",
	"unwind_task_work", "unwind_deferred_request",
	"unwind_state_take", "unwind_state_reset", "__unwind_deferred_block", "__unwind_deferred_signal",
	"complete_and_set", "complete_atomic", "complete_faultable", "complete_requests", "unwind_deferred_flush", "unwind_deferred_exec", "unwind_deferred_exec_done",
	"unwind_deferred_exit", "unwind_deferred_cookie", "unwind_state_request",
	"unwind_user_walk", "walk_frames", "unwind_cache_walk",
	"unwind_scratch_walk", "unwind_find_edge",
	"perf_deferred_complete", "perf_deferred_output", "perf_deferred_disable", "perf_callchain_deferred",
	"perf_callchain_may_defer", "perf_iterate_sb", "perf_iterate_ctx", "perf_event_header__init",
	"perf_event_header__init_id", "perf_output_begin", "perf_output_copy", "perf_output_end",
	"perf_output_put_handle", "perf_event__output_id_sample", "perf_callchain_kernel",
	"get_callchain_entry", "put_callchain_entry", "perf_prepare_sample", "perf_output_sample",
	"perf_event_output_forward", "perf_swevent_event", "perf_tp_event", "perf_swevent_get_recursion_context",
	"__kvmalloc_node_noprof", "__kmalloc_noprof", "kvfree", "kfree",
	"copy_from_user_nofault", "copy_from_kernel_nofault", "nmi_uaccess_okay", "handle_mm_fault",
	"lock_vma_under_rcu", "lock_mm_and_find_vma", "exc_page_fault", "do_user_addr_fault", "__might_fault",
	"finish_task_switch", "prepare_task_switch", "dequeue_task", "pick_next_task",
	"begin_new_exec", "exec_mmap", "bprm_execve", "load_elf_binary", "start_thread", "start_thread_common",
	"setup_new_exec", "finalize_exec", "do_exit", "exit_mm", "exit_signals", "perf_event_exit_task",
	"perf_event_exec", "__x64_sys_getppid", "__ia32_sys_getppid", "kmem_cache_free", "kmem_cache_alloc_noprof",
};

TEST(sweepprobe, "kprobes on the way to user space and in what completes requests, as sweep does")
{
	struct source *source = calloc(2 * ARRAY_SIZE(functions), sizeof(*source));
	size_t i, nr = 0;

	if (!source)
		die("calloc");
	for (i = 0; i < 2 * ARRAY_SIZE(functions); i++) {
		/* The registers change right behind: a sample there has the stack that follows. */
		if (i & 1 && !strcmp(functions[i / 2], "__unwind_deferred_signal"))
			continue;
		source[nr].function = functions[i / 2];
		source[nr].ret = i & 1;
		snprintf(source[nr++].name, sizeof(source->name), "%s%s", functions[i / 2],
			 i & 1 ? "%return" : "");
	}
	sweep(source, nr, PROBE_GROUP, 60);
	free(source);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The ptrace sampler: a thread that takes the place of the kernel's events where perf_event_open() is
 * refused. It fills a buffer (ptrace_ring.h) that everything behind reads as the kernel's.
 *
 *	tick			schedstat of each thread: did it run since the last tick?
 *	  state_of		stat: is it running, or waits for a CPU?
 *	    PTRACE_INTERRUPT
 *	on_stop			the thread has stopped
 *	  take_sample		registers, stack
 *	  PTRACE_CONT
 *	  put_sample		new mappings of its process, then the sample
 *
 * A sample's period is the CPU time since the thread's last sample. A thread that sleeps is not
 * stopped; what it ran meanwhile is added to its next sample.
 *
 * --wall: a sample's period is the time of the ticks since the thread's last sample. A thread that
 * sleeps is stopped, too, unless it was stopped in the same call, and has not slept more than once
 * since (waits_on()): then walk.c repeats its last callchain (put_again()).
 *
 * A thread is stopped on its way back to user space, as by a signal, but none is there. System calls
 * that wait are begun anew by the kernel; restart_call() has that done for those that return EINTR.
 * Signals are passed on; stopped programs stay stopped (PTRACE_LISTEN).
 *
 * The thread is the tracer: only it may wait for the stops. When it ends, or perf is killed, the kernel
 * lets go of all threads, which run on. What they are to perf as children: workload.c.
 *
 * struct sampler owns the thread and what it knows. Atomic: .enabled, .ending.
 */
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/sysfs.h"
#include "base/thread.h"
#include "cmd/record/ptrace_ring.h"
#include "cmd/record/python_reader.h"
#include "cmd/record/recorder.h"
#include "cmd/record/walk.h"
#include "host/host.h"
#include "measure/kernel_features.h"

#define OPTIONS		(PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)
#define CHILDREN	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)
#define WAKE_NS		100000000ULL	/* records wait so long, or until the buffer is half full */
#define END_TICK_NS	1000000
#define END_MS		100		/* for threads that were interrupted and have not stopped yet */
#define MANY_FILES	65536
#define MAX_STUCK	4		/* processes whose memory does not come: no other is read */
#define MAPS_PART	50		/* of the time at most is for the mappings of a process */
/* A system call returns it that is made anew unless a signal is handled; then the program gets EINTR. */
#define ERESTARTNOHAND	514
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct tracee {
	pid_t pid, tid;
	u32 at;				/* its index */
	int schedstat;			/* -1: it could not be opened */
	u64 ran;			/* ns of CPU time at its last sample, */
	u64 seen;			/* and at the last tick */
	bool interrupted;		/* it is to stop */
	bool own;			/* own_process(), when it was interrupted */
	bool off;			/* it slept then (--wall) */
	bool waits;			/* since its last sample, in whose call */
	u64 tick;			/* nr_ticks at its last sample */
	u64 ip, turns, call;		/* at it, if .off: turns_of(), call_of() */
	char comm[16];
};

struct traced_process {
	u32 nr;				/* threads */
	u64 code;			/* kB of mappings that can be executed */
	struct hash maps;		/* hash of a mapping's record -> 0 */
	u64 read, cost;			/* when these were read, and for how long, in ns */
};

/* In the format of the kernel: sampler_settle() gives the event these fields. */
struct ptrace_sample {
	struct perf_event_header header;
	u64 id, ip;
	u32 pid, tid;
	u64 time, period, chain, abi, regs[20], stack_size;
	char stack[UINT16_MAX - 256];
} __attribute__((aligned(8)));

struct sampler {
	struct recorder *rec;
	struct ptrace_ring ring;
	struct python_reader *python;
	pthread_t thread;
	timer_t timer;
	sem_t begun;			/* all threads are seized, or .err is set */
	int err;
	bool runs, ticks, enabled, was_enabled, ending, wall;
	u64 interval, next;		/* in ns; time of the next tick */
	u64 nr_ticks;			/* intervals that passed */
	u64 woken;			/* time of the last ptrace_ring_wake() */
	struct tracee **v;
	u32 nr, cap, nr_interrupted;
	struct hash by_tid;		/* tid -> struct tracee */
	struct hash processes;		/* pid -> struct traced_process */
	struct ptrace_sample sample;
	u64 stops, stopped_ns, ran_ns;
	u32 unwatched;			/* threads whose CPU time could not be read */
	struct hash stuck;		/* pid -> 0: its memory does not come */
	int copy;			/* memfd: the stack that an opener has read */
	u64 unread;			/* samples without that */
};

/* The architecture */

#if defined(__x86_64__)

#define CS_32		0x23
#define CLOSE_32	6		/* close() of i386 */

static bool get_regs(const struct tracee *t, struct user_regs_struct *r)
{
	return !ptrace(PTRACE_GETREGS, t->tid, 0, r);
}

/* Return: the stack pointer */
static u64 put_regs(struct ptrace_sample *to, const struct user_regs_struct *r)
{
	/* The order of asm/perf_regs.h, without the registers of segments. */
	const u64 regs[] = {
		r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp, r->rip, r->eflags, r->cs, r->ss,
		r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
	};

	_Static_assert(sizeof(regs) == sizeof(to->regs), "registers");
	memcpy(to->regs, regs, sizeof(regs));
	to->abi = r->cs == CS_32 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
	to->ip = r->rip;
	return r->rsp;
}

/*
 * A system call that waits (epoll_wait(), sigtimedwait(), ...) returned EINTR as the thread was
 * stopped: have the kernel make it anew, unless a signal is handled now. close() has closed its
 * file all the same.
 */
static void restart_call(const struct tracee *t, const struct user_regs_struct *r)
{
	bool is_32 = r->cs == CS_32;
	long result = is_32 ? (int)r->rax : (long)r->rax, nr = is_32 ? (int)r->orig_rax : (long)r->orig_rax;

	if (nr >= 0 && result == -EINTR && nr != (is_32 ? CLOSE_32 : SYS_close))
		ptrace(PTRACE_POKEUSER, t->tid, offsetof(struct user, regs.rax), (long)-ERESTARTNOHAND);
}

#else	/* sampler_settle() refuses it */

static bool get_regs(const struct tracee *t __unused, struct user_regs_struct *r __unused)
{
	return false;
}

static u64 put_regs(struct ptrace_sample *to __unused, const struct user_regs_struct *r __unused)
{
	return 0;
}

static void restart_call(const struct tracee *t __unused, const struct user_regs_struct *r __unused)
{
}

#endif

/* Tasks */

static struct tracee *find(const struct sampler *s, pid_t tid)
{
	const u64 *at = hash_find(&s->by_tid, tid, 0);

	return at ? (struct tracee *)(uintptr_t)*at : NULL;
}

static struct traced_process *process_of(struct sampler *s, pid_t pid)
{
	u64 *at = hash_insert(&s->processes, pid, 0, NULL);

	if (!*at)
		*at = (uintptr_t)xcalloc(1, sizeof(struct traced_process));
	return (struct traced_process *)(uintptr_t)*at;
}

static void forget_maps(struct traced_process *p)
{
	hash_deinit(&p->maps);
	p->code = 0;
}

/* A number of schedstat; 0: not known */
static u64 read_schedstat(const struct tracee *t, int field)
{
	char text[64], *at = text;
	ssize_t n = pread(t->schedstat, text, sizeof(text) - 1, 0);

	text[max(n, (ssize_t)0)] = 0;
	while (field--)
		at += strcspn(at, " ") + 1;
	return n > 0 ? strtoull(at, NULL, 10) : 0;
}

/* CPU time in ns; 0: not known */
static u64 read_ran(const struct tracee *t)
{
	return read_schedstat(t, 0);
}

/* How often it came onto a CPU. */
static u64 turns_of(const struct tracee *t)
{
	return read_schedstat(t, 2);
}

/* Hash of the arguments of its system call, its stack pointer and instruction, while it sleeps. */
static u64 call_of(const struct tracee *t)
{
	char path[64], text[256], *args;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", t->pid, t->tid);
	/* (the call itself becomes restart_syscall()) */
	args = read_text(path, text, sizeof(text)) > 0 ? strchr(text, ' ') : NULL;
	return args ? hash_bytes(args, strlen(args)) : 0;
}

/* Add a thread that is traced. @is_new: born while it is recorded. Return: NULL: it has gone */
static struct tracee *add(struct sampler *s, pid_t tid, bool is_new)
{
	pid_t pid = synth_process_of(tid);
	struct tracee *t;
	char path[64];

	if (!pid)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->pid = pid;
	t->tid = tid;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	t->schedstat = open(path, O_RDONLY | O_CLOEXEC);
	s->unwatched += t->schedstat < 0;
	t->ran = t->seen = is_new ? 0 : read_ran(t);
	t->tick = s->nr_ticks;
	GROW(s->v, s->nr, s->cap);
	t->at = s->nr;
	s->v[s->nr++] = t;
	if (!process_of(s, pid)->nr++)
		python_reader_mapped(s->python, pid, true);
	*hash_insert(&s->by_tid, tid, 0, NULL) = (uintptr_t)t;
	if (is_new) {
		synth_thread(&s->ring.synth, pid, tid, true);
		ptrace_ring_flush(&s->ring, monotonic_ns(), 0, NULL);
	}
	return t;
}

static void settled(struct sampler *s, struct tracee *t)
{
	s->nr_interrupted -= t->interrupted;
	t->interrupted = false;
}

static void forget(struct sampler *s, struct tracee *t)
{
	struct traced_process *p = process_of(s, t->pid);

	settled(s, t);
	s->v[t->at] = s->v[--s->nr];
	s->v[t->at]->at = t->at;
	hash_remove(&s->by_tid, t->tid, 0);
	if (!--p->nr) {
		forget_maps(p);
		free(p);
		hash_remove(&s->processes, t->pid, 0);
	}
	if (t->schedstat >= 0)
		close(t->schedstat);
	free(t);
}

static void gone(struct sampler *s, struct tracee *t)
{
	const struct task_record exits = {
		.header.type = PERF_RECORD_EXIT, .pid = t->pid, .ppid = t->pid, .tid = t->tid, .ptid = t->pid,
	};

	synth_end(&s->ring.synth, synth_fixed(&s->ring.synth, &exits.header), true);
	ptrace_ring_flush(&s->ring, monotonic_ns(), 0, NULL);
	forget(s, t);
}

/* Samples */

/*
 * 'R' if the thread is on a CPU, or could be; 0: it has gone. Records its name if that is another
 * one.
 */
static char state_of(struct sampler *s, struct tracee *t)
{
	const char *name;
	char text[512], *state = synth_stat(t->pid, t->tid, text, sizeof(text), &name);

	if (!state)
		return 0;
	if (strncmp(t->comm, name, sizeof(t->comm) - 1)) {
		if (t->comm[0]) {
			synth_thread(&s->ring.synth, t->pid, t->tid, false);
			ptrace_ring_flush(&s->ring, monotonic_ns(), 0, NULL);
		}
		snprintf(t->comm, sizeof(t->comm), "%.15s", name);
	}
	return *state;
}

static void begin_sample(struct sampler *s, const struct tracee *t, u64 time)
{
	struct ptrace_sample *to = &s->sample;

	to->header.type = PERF_RECORD_SAMPLE;
	to->header.misc = PERF_RECORD_MISC_USER;
	to->id = PTRACE_EVENT_ID + t->off;
	to->pid = t->pid;
	to->tid = t->tid;
	to->time = time;
	to->chain = 0;
}

static void end_sample(struct sampler *s, struct tracee *t, u64 ran)
{
	s->sample.period = s->wall ? (s->nr_ticks - t->tick) * s->interval : ran - t->ran;
	t->tick = s->nr_ticks;
	s->ran_ns += ran - t->ran;
	t->ran = t->seen = ran;
	ptrace_ring_put(&s->ring, &s->sample.header);
}

/* A sample with the callchain of the thread's last one: no registers, and a stack of no bytes. */
static void put_again(struct sampler *s, struct tracee *t, u64 ran, u64 time)
{
	struct ptrace_sample *to = &s->sample;

	begin_sample(s, t, time);
	to->header.misc |= WALK_AGAIN;
	to->header.size = offsetof(struct ptrace_sample, regs[1]);
	to->ip = t->ip;
	to->abi = to->regs[0] = 0;
	end_sample(s, t, ran);
}

/* Is a thread where it slept when it was stopped? It did not run since; or once, and sleeps. */
static bool waits_on(const struct tracee *t, char state)
{
	u64 turns = t->off ? turns_of(t) - t->turns : UINT64_MAX;

	return !turns || (turns == 1 && state != 'R' && call_of(t) == t->call);
}

/* Is a thread to be stopped? @ran: its CPU time, at @now */
static bool is_wanted(struct sampler *s, struct tracee *t, u64 ran, u64 now)
{
	char state;

	if (!ran || (ran == t->seen && !s->wall))
		return false;
	if (ran != t->seen || !t->waits) {
		state = state_of(s, t);
		if (!s->wall)
			return state == 'R';
		t->waits = waits_on(t, state);
		if (!t->waits) {
			t->off = state != 'R';
			return state;
		}
	}
	put_again(s, t, ran, now);
	return false;
}

static void tick(struct sampler *s, u64 now)
{
	bool on = __atomic_load_n(&s->enabled, __ATOMIC_ACQUIRE), runs, own;
	u64 ran;
	u32 i;

	for (i = 0; i < s->nr; i++) {
		struct tracee *t = s->v[i];

		if (t->interrupted)
			continue;
		ran = read_ran(t);
		if (!s->was_enabled) {
			t->ran = ran;
			t->tick = s->nr_ticks - 1;
		}
		/* (before it may stop: nothing waits for that) */
		runs = on && is_wanted(s, t, ran, now);
		own = runs && !own_process(t->tid);
		if (runs && !ptrace(PTRACE_INTERRUPT, t->tid, 0, 0)) {
			t->interrupted = true;
			t->own = own;
			s->nr_interrupted++;
		}
		t->seen = ran;
	}
	s->was_enabled = on;
	if (now - s->woken >= WAKE_NS || s->ring.page->data_head - s->ring.woken > s->ring.size / 2) {
		ptrace_ring_wake(&s->ring);
		s->woken = now;
	}
}

struct stack_range {
	pid_t tid;
	u64 sp, size;
};

/* In an opener: */
static int copy_stack(void *arg, const int *in, int *out __unused)
{
	static char bytes[sizeof(((struct ptrace_sample *)0)->stack)];
	const struct stack_range *p = arg;
	ssize_t n = stack_copy(p->tid, p->sp, p->size, bytes);

	return pwrite(in[0], bytes, n, 0) == n ? n : -EIO;
}

/* Have an opener read another user's memory, which may never come (FUSE, userfaultfd). */
static int ask(struct sampler *s, pid_t pid, struct aside_call *c)
{
	int ret;

	if (hash_find(&s->stuck, pid, 0) || s->stuck.nr == MAX_STUCK)
		return -ETIMEDOUT;
	ret = host_run(s->rec->desc.host, 0, "", c);
	if (ret == -ETIMEDOUT)
		hash_insert(&s->stuck, pid, 0, NULL);
	return ret;
}

static u64 ask_stack(struct sampler *s, pid_t pid, struct stack_range *p, char *to)
{
	struct aside_call c = {
		.fn = copy_stack, .arg = p, .size = sizeof(*p), .in = { s->copy }, .nr_in = 1,
	};
	ssize_t n = ask(s, pid, &c);

	n = n > 0 ? pread(s->copy, to, n, 0) : n;
	s->unread += n < 0;
	return max(n, (ssize_t)0);
}

static void take_sample(struct sampler *s, struct tracee *t, const struct user_regs_struct *r)
{
	const u64 want = min((u64)s->rec->opts.specs.v[0]->attr.sample_stack_user,
			     (sizeof(s->sample.stack) - 16) & ~7ULL);
	struct ptrace_sample *to = &s->sample;
	struct python_memory copy;
	struct stack_range place;
	bool whole = true;
	u64 valid;

	begin_sample(s, t, monotonic_ns());
	place = (struct stack_range){ t->tid, put_regs(to, r), want };
	valid = t->own ? stack_copy(t->tid, place.sp, want, to->stack) :
			 ask_stack(s, t->pid, &place, to->stack);
	copy = (struct python_memory){ .addr = place.sp, .size = valid, .bytes = to->stack };
	if (t->own)
		whole = !python_reader_feed(s->python, t->pid, t->tid, to->time, &copy);
	/* (a copy that is longer than what is valid ends with the stack) */
	to->stack_size = valid < want ? ALIGN_UP(valid, 8ULL) + 8 : want;
	memset(to->stack + valid, 0, to->stack_size - valid);
	memcpy(to->stack + to->stack_size, &valid, sizeof(valid));
	to->header.size = offsetof(struct ptrace_sample, stack) + to->stack_size + sizeof(valid);
	if (t->off) {
		to->header.misc |= WALK_KEPT;
		t->ip = to->ip;
		t->turns = whole ? turns_of(t) : 0;
		t->call = call_of(t);
	}
}

/*
 * Record mappings that a process did not have at its last sample; of one with thousands, only if
 * their size changed. Return: is there new code, as far as is known?
 */
static bool put_maps(struct sampler *s, pid_t pid)
{
	struct traced_process *p = process_of(s, pid);
	struct synth *synth = &s->ring.synth;
	char path[64], text[4096], *lib, *exe;
	const struct perf_event_header *h;
	struct hash maps = { 0 };
	const char *at;
	u64 code, began = monotonic_ns();
	bool changed;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (read_text(path, text, sizeof(text)) <= 0 || !(exe = strstr(text, "\nVmExe:")) ||
	    !(lib = strstr(text, "\nVmLib:")))
		return false;
	code = strtoull(exe + 7, NULL, 10) + strtoull(lib + 7, NULL, 10);
	changed = code != p->code;
	if (!changed && began - p->read < MAPS_PART * p->cost)
		return false;
	if (changed)
		python_reader_mapped(s->python, pid, false);
	synth_maps(synth, pid);
	for (at = synth->out.base; at < synth->out.pos; at += h->size) {
		h = (const struct perf_event_header *)at;
		hash_insert(&maps, hash_bytes(h, h->size), 0, NULL);
	}
	ptrace_ring_flush(&s->ring, s->sample.time - 1, 0, &p->maps);
	hash_deinit(&p->maps);
	*p = (struct traced_process){ p->nr, code, maps, began, monotonic_ns() - began };
	return changed;
}

/* The thread has gone on; when it ran, its mappings were those of now. */
static void put_sample(struct sampler *s, struct tracee *t, u64 ran)
{
	/* It may be an interpreter's: then the callchain is not to be kept. */
	if (put_maps(s, t->pid))
		t->turns = 0;
	end_sample(s, t, ran);
}

/* Stops */

/*
 * Any stop is also that of PTRACE_INTERRUPT: no other follows. @how it goes on; @sig: for the
 * thread; 0: none
 */
static void go_on(struct sampler *s, struct tracee *t, int how, int sig)
{
	struct user_regs_struct r;
	bool sampled = false;
	u64 began = monotonic_ns(), ran = 0;

	if (get_regs(t, &r)) {
		sampled = t->interrupted && (how == PTRACE_CONT || s->wall);
		if (sampled) {
			take_sample(s, t, &r);
			ran = read_ran(t);
		}
		if (how == PTRACE_CONT)
			restart_call(t, &r);
	}
	ptrace(how, t->tid, 0, (long)sig);
	settled(s, t);
	if (!sampled) {
		/* One that begins has run in the kernel only. */
		t->seen = read_ran(t);
		return;
	}
	s->stops++;
	s->stopped_ns += monotonic_ns() - began;
	if (ran > t->ran || s->wall)
		put_sample(s, t, ran);
}

/* In an opener: */
static int kind_of(void *arg, const int *in __unused, int *out __unused)
{
	return program_kind(*(const pid_t *)arg);
}

static enum program_kind ask_kind(struct sampler *s, pid_t pid)
{
	struct aside_call c = { .fn = kind_of, .arg = &pid, .size = sizeof(pid) };
	int kind = own_process(pid) ? ask(s, pid, &c) : (int)program_kind(pid);

	return kind < 0 ? PROGRAM_USUAL : (enum program_kind)kind;
}

/* @former: its thread id before execve(). Return: false: it is not traced any more */
static bool on_exec(struct sampler *s, struct tracee *t, pid_t former)
{
	struct tracee *other = former != t->tid ? find(s, former) : NULL;
	enum program_kind kind;

	if (other)
		gone(s, other);
	forget_maps(process_of(s, t->pid));
	t->ran = t->seen = read_ran(t);
	t->comm[0] = 0;
	python_reader_mapped(s->python, t->pid, true);
	settled(s, t);
	synth_thread(&s->ring.synth, t->pid, t->tid, false);
	ptrace_ring_flush(&s->ring, monotonic_ns(), PERF_RECORD_MISC_COMM_EXEC, NULL);
	kind = ask_kind(s, t->pid);
	if (kind == PROGRAM_SET_ID)
		diag_warn("process %d runs a set-id program without its rights, as ptrace samples it", t->pid);
	if (kind != PROGRAM_TRACES)
		return true;
	diag_warn("process %d runs a program that uses ptrace itself: it is left alone", t->pid);
	if (t->tid == s->rec->workload.pid)
		workload_released(&s->rec->workload);
	ptrace(PTRACE_DETACH, t->tid, 0, 0);
	forget(s, t);
	return false;
}

static void on_stop(struct sampler *s, struct tracee *t, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);
	unsigned long msg = 0;

	if (event == PTRACE_EVENT_STOP && (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)) {
		/* With all threads of its process, until SIGCONT: that is its next stop. */
		go_on(s, t, PTRACE_LISTEN, 0);
		return;
	}
	if (event == PTRACE_EVENT_EXEC) {
		ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &msg);
		if (!on_exec(s, t, msg))
			return;
	}
	go_on(s, t, PTRACE_CONT, event ? 0 : sig);
}

static void on_wait(struct sampler *s, pid_t tid, int status)
{
	struct workload *w = &s->rec->workload;
	struct tracee *t = find(s, tid);

	if (WIFSTOPPED(status)) {
		t = t ?: add(s, tid, true);	/* new tasks begin with a stop */
		if (t)
			on_stop(s, t, status);
		else
			ptrace(PTRACE_CONT, tid, 0, 0);
		return;
	}
	if (t)
		gone(s, t);
	if (tid == w->pid)
		workload_reaped(w, status);
}

/* Thread */

/*
 * Return: as seize(). Also refused are zombies, and threads that a traced one has made: they are
 * traced already.
 */
static int seize_failed(pid_t tid, int err)
{
	char path[64], text[4096], *at;
	pid_t tracer;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (err == ESRCH || read_text(path, text, sizeof(text)) <= 0 || strstr(text, "\nState:\tZ") ||
	    strstr(text, "\nState:\tX"))
		return 0;
	at = strstr(text, "\nTracerPid:");
	tracer = at ? atoi(at + 11) : 0;
	if (tracer == gettid())
		return 1;
	if (tracer)
		return diag_error("--sampler ptrace: %d is traced already, by %d: it is left alone",
				  tid, tracer);
	if (read_text("/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)) > 0 && atoi(text))
		return diag_error("--sampler ptrace: %d: %s: kernel.yama.ptrace_scope is %d: perf may trace the commands that it "
				  "starts; for others be root, or: sysctl kernel.yama.ptrace_scope=0", tid, strerror(err), atoi(text));
	return diag_error("--sampler ptrace: %d: %s: it is not yours, or has more rights than you", tid, strerror(err));
}

/* Return: 1 if it is traced now, 0 if it has gone, or -1 after diag_error() */
static int seize(struct sampler *s, pid_t tid)
{
	int got = 1;

	if (find(s, tid))
		return 0;
	if (!workload_held(&s->rec->workload) && ask_kind(s, tid) == PROGRAM_TRACES)
		return diag_error("--sampler ptrace: %d uses ptrace itself: it is left alone", tid);
	if (ptrace(PTRACE_SEIZE, tid, 0, (long)(OPTIONS | (s->rec->opts.ring.no_inherit ? 0 : CHILDREN))))
		got = seize_failed(tid, errno);
	/* (the records of those that ran before are written already) */
	if (got > 0)
		add(s, tid, !thread_list_has(&s->rec->rings.threads, tid));
	return got;
}

/* Trace all threads, also those that are made meanwhile by threads that are not traced yet. */
static int seize_all(struct sampler *s)
{
	const struct thread_list *threads = &s->rec->rings.threads;
	struct thread_list list = { 0 };
	int got = 0, any = 1;
	u32 i;

	for (i = 0; i < threads->nr && got >= 0; i++)
		got = seize(s, threads->v[i]);
	while (got >= 0 && any && s->rec->opts.pids && !s->rec->opts.tids) {
		list.nr = any = 0;
		for (i = 0; i < threads->nr; i++)
			thread_list_add_process(&list, threads->v[i]);
		for (i = 0; i < list.nr && got >= 0; i++) {
			got = seize(s, list.v[i]);
			any |= got > 0;
		}
	}
	free(list.v);
	if (got >= 0 && !s->nr)
		got = diag_error("--sampler ptrace: the tasks to be measured have all ended");
	return got < 0 ? -1 : 0;
}

static void on_alarm(int sig __unused)
{
}

static int set_timer(const struct sampler *s, u64 ns)
{
	const struct timespec interval = { ns / 1000000000, ns % 1000000000 };
	const struct itimerspec every = { interval, interval };

	return timer_settime(s->timer, 0, &every, NULL);
}

/* Have waitpid() end at each tick. */
static int start_timer(struct sampler *s)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	sigset_t set;

	ev.sigev_notify_thread_id = gettid();
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	s->ticks = !sigaction(SIGALRM, &action, NULL) &&
		   !timer_create(CLOCK_MONOTONIC, &ev, &s->timer);
	if (!s->ticks || set_timer(s, s->interval))
		return diag_error("--sampler ptrace: no timer: %s", strerror(errno));
	return 0;
}

static void run(struct sampler *s)
{
	u64 now, ends = 0, passed;
	int status;
	pid_t tid;

	s->next = monotonic_ns() + s->interval;
	/* Traced threads of any kind; neither openers nor other threads' children. */
	while ((tid = waitpid(-1, &status, __WCLONE | __WNOTHREAD)) > 0 || errno == EINTR) {
		if (tid > 0)
			on_wait(s, tid, status);
		now = monotonic_ns();
		if (__atomic_load_n(&s->ending, __ATOMIC_ACQUIRE)) {
			ends = ends ?: now + END_MS * 1000000ULL;
			if (!s->nr_interrupted || now >= ends)
				break;
		} else if (now >= s->next) {
			passed = (now - s->next) / s->interval + 1;
			s->next += passed * s->interval;
			s->nr_ticks += passed;
			tick(s, now);
		}
	}
}

static void *sampler_thread(void *arg)
{
	struct sampler *s = arg;

	s->err = start_timer(s) ?: seize_all(s);
	sem_post(&s->begun);
	if (!s->err)
		run(s);
	ptrace_ring_wake(&s->ring);
	ptrace_ring_end(&s->ring);
	return NULL;
}

/* Interface */

int sampler_open(struct recorder *rec)
{
	struct sampler *s = xcalloc(1, sizeof(*s));
	const struct perf_event_attr *a = &rec->opts.specs.v[0]->attr;
	int err;

	rec->sampler = s;
	s->rec = rec;
	s->wall = rec->opts.wall;
	s->interval = a->freq ? 1000000000 / a->sample_freq : a->sample_period;
	sem_init(&s->begun, 0, 0);
	raise_fd_limit(MANY_FILES);
	s->copy = memfd_create("stack", MFD_CLOEXEC);
	err = s->copy < 0 ? errno : 0;
	if (ptrace_ring_open(&s->ring, &rec->rings))
		return -1;
	return err ? diag_error("--sampler ptrace: no memory for stacks: %s", strerror(err)) : 0;
}

int sampler_begin(struct recorder *rec)
{
	struct sampler *s = rec->sampler;
	int err;

	s->python = live_python(rec->live);
	if (workload_held(&rec->workload))
		workload_traced(&rec->workload);
	err = thread_start_usual(&s->thread, sampler_thread, s);
	if (err)
		return diag_error("--sampler ptrace: no thread can be started: %s", strerror(err));
	s->runs = true;
	while (sem_wait(&s->begun))
		;
	return s->err;
}

void sampler_enable(struct sampler *s, bool on)
{
	if (s)
		__atomic_store_n(&s->enabled, on, __ATOMIC_RELEASE);
}

void sampler_woken(const struct recorder *rec)
{
	const struct rings *r = &rec->rings;
	char bytes[64];

	while ((rec->sampler || rec->wall) && read(r->v[r->nr - 1].fd, bytes, sizeof(bytes)) > 0)
		;
}

void sampler_stop(struct recorder *rec)
{
	struct sampler *s = rec->sampler;

	wall_stop(rec->wall);
	if (!s || !s->runs)
		return;
	__atomic_store_n(&s->ending, true, __ATOMIC_RELEASE);
	/* From here on it looks soon, and often: a single signal might come before it waits. */
	if (s->ticks)
		set_timer(s, END_TICK_NS);
	pthread_join(s->thread, NULL);
	if (s->ticks)
		timer_delete(s->timer);
	s->runs = false;
	workload_released(&rec->workload);
}

void sampler_text(const struct sampler *s, struct outbuf *o)
{
	if (s->unwatched)
		outbuf_printf(o, "%u threads have no samples, as their /proc/PID/task/TID/schedstat could not be opened: too "
			      "many files are open (ulimit -n), or the kernel was built without CONFIG_SCHED_INFO\n",
			      s->unwatched);
	if (s->unread)
		outbuf_printf(o, "%llu samples have no stack, as the memory of their processes did not "
				 "come in time\n", s->unread);
	if (!s->stops)
		return;
	outbuf_printf(o, "ptrace stopped threads %llu times, and held each for %llu us: %.2f %% of their %.3f s of CPU time\n",
		      s->stops, s->stopped_ns / s->stops / 1000, s->ran_ns ? 100.0 * s->stopped_ns / s->ran_ns : 0.0,
		      s->ran_ns / 1e9);
}

void sampler_free(struct recorder *rec)
{
	struct sampler *s = rec->sampler;

	if (!s)
		return;
	sampler_stop(rec);
	while (s->nr)
		forget(s, s->v[0]);
	free(s->v);
	hash_deinit(&s->by_tid);
	hash_deinit(&s->processes);
	hash_deinit(&s->stuck);
	if (s->copy >= 0)
		close(s->copy);
	ptrace_ring_close(&s->ring);
	sem_destroy(&s->begun);
	free(s);
}

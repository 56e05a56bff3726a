// SPDX-License-Identifier: GPL-2.0
/*
 * --wall of the whole system: a child that lists, at each tick, the threads that are not on a CPU
 * (bpf/tasks.bpf.c), and a thread that puts a sample of each into a buffer of its own, beside the
 * kernel's, which have the samples of those that are. struct wall owns all of them. Atomic: .ending
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/thread.h"
#include "bpf/walk.h"
#include "cmd/record/ptrace_ring.h"
#include "cmd/record/python_reader.h"
#include "cmd/record/recorder.h"
#include "cmd/record/walk.h"

#define FIELDS		(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define EVENT		1		/* index of offcpu-time: settle.c */
#define WALL_NICE	(-20)
#define WAKE_MS		100
#define LIST_BYTES	(1u << 16)	/* of a read of the list: more than the kernel's buffer */
#define STUCK_NS	3000000000ULL
#define PIPE_BYTES	(1 << 20)
#define STACK		61440		/* of a sample */

struct wall_sample {
	struct perf_event_header header;
	u64 id, ip;
	u32 pid, tid;
	u64 time;
	u32 cpu, res;
	u64 period, chain, abi, regs[20], stack_size;
	char stack[STACK + 2 * sizeof(u64)];
} __attribute__((aligned(8)));

struct wall {
	struct recorder *rec;
	struct bpf_walk *bpf;
	struct ptrace_ring ring;
	struct python_reader *python;
	pthread_t thread;
	bool runs, ending;		/* .ending: atomic */
	pid_t child;
	int from;			/* the pipe that it writes to */
	u64 interval, last;		/* in ns; time of the last tick */
	struct wall_sample sample;
	char items[2 * LIST_BYTES] __attribute__((aligned(8)));
	char rest[STACK];
};

static void put_item(struct wall *w, const struct task_item *t, u64 period)
{
	struct wall_sample *to = &w->sample;
	u64 *end = &to->regs[0], valid = t->size;

	to->header = (struct perf_event_header){ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0 };
	to->pid = t->pid;
	to->tid = t->tid;
	to->time = monotonic_ns();
	to->period = period;
	to->abi = 0;
	if (t->again) {
		to->header.misc |= WALK_AGAIN;
	} else if (valid) {
		struct python_memory copy = {
			.addr = t->regs[7], .size = valid, .bytes = t->stack,
		};

		to->header.misc |= WALK_KEPT;
		to->ip = t->regs[8];
		to->abi = t->regs[10] == 0x23 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;
		memcpy(to->regs, t->regs, sizeof(to->regs));
		memcpy(to->stack, t->stack, valid);
		python_reader_feed(w->python, t->pid, t->tid, to->time, &copy);
		/* (a copy that is longer than what is valid ends with the stack) */
		to->stack_size = ALIGN_UP(valid, 8ULL) + (valid < STACK ? 8 : 0);
		memset(to->stack + valid, 0, to->stack_size - valid);
		end = (u64 *)(void *)(to->stack + to->stack_size);
	}
	*end = valid;
	to->header.size = (char *)(end + 1) - (char *)to;
	ptrace_ring_put(&w->ring, &to->header);
}

/* In the child: */

static void put(const void *bytes, size_t size)
{
	if (write_all(STDOUT_FILENO, bytes, size))
		_exit(0);
}

static size_t item_size(const struct task_item *t)
{
	return t->again ? offsetof(struct task_item, regs) :
	       offsetof(struct task_item, stack) + ALIGN_UP(t->size, 8U);
}

static void list(struct wall *w, u64 passed)
{
	struct task_item tick = { .again = 1, .size = passed };
	int fd = bpf_list_tasks(STDIN_FILENO);
	struct task_item *t;
	size_t size, rest;
	ssize_t n;
	char *at;

	put(&tick, item_size(&tick));
	while (fd >= 0 && (n = read(fd, w->items, LIST_BYTES)) > 0) {
		for (at = w->items; at < w->items + n; at += size) {
			t = (struct task_item *)(void *)at;
			size = item_size(t);
			rest = t->again || !t->more ? 0 :
			       stack_copy(t->tid, t->regs[7] + t->size, STACK - t->size, w->rest);
			t->size += rest & ~7ULL;
			put(t, size);
			put(w->rest, rest & ~7ULL);
		}
	}
	if (fd >= 0)
		close(fd);
}

/* The memory of some process may never come: this one is left alone then. */
static void run(struct wall *w, int tasks, int to)
{
	u64 begin = monotonic_ns(), tick, passed;
	struct timespec at;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, WALL_NICE);
	dup2(tasks, STDIN_FILENO);
	dup2(to, STDOUT_FILENO);
	close_range(STDERR_FILENO, ~0U, 0);
	for (;;) {
		/* At any time of an interval: not always at that of the kernel's clock. */
		tick = begin + hash_mix(begin, 0) % w->interval;
		at = (struct timespec){ tick / 1000000000, tick % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		passed = (monotonic_ns() - begin) / w->interval + 1;
		begin += passed * w->interval;
		list(w, passed);
	}
}

/* In perf: */

static void *wall_thread(void *arg)
{
	struct pollfd p = { .fd = ((struct wall *)arg)->from, .events = POLLIN };
	struct wall *w = arg;
	const struct task_item *t;
	u64 period = 0;
	size_t have = 0, at;
	ssize_t n;

	setpriority(PRIO_PROCESS, 0, WALL_NICE);
	while (poll(&p, 1, WAKE_MS) > 0 || !__atomic_load_n(&w->ending, __ATOMIC_ACQUIRE)) {
		n = p.revents ? read(p.fd, w->items + have, sizeof(w->items) - have) : 0;
		if (n <= 0 && p.revents)
			break;
		have += n;
		for (at = 0; have - at >= offsetof(struct task_item, regs); at += item_size(t)) {
			t = (const void *)(w->items + at);
			if (have - at < item_size(t))
				break;
			if (!t->tid)
				w->last = monotonic_ns(), period = t->size * w->interval;
			else if (__atomic_load_n(&w->rec->loop.enabled, __ATOMIC_ACQUIRE))
				put_item(w, t, period);
		}
		have -= at;
		memmove(w->items, w->items + at, have);
		if (!p.revents || w->ring.page->data_head - w->ring.woken > w->ring.size / 8)
			ptrace_ring_wake(&w->ring);
	}
	ptrace_ring_wake(&w->ring);
	ptrace_ring_end(&w->ring);
	return NULL;
}

int wall_open(struct recorder *rec)
{
	const struct perf_event_attr *a = &rec->opts.specs.v[EVENT]->attr;
	struct wall *w = xcalloc(1, sizeof(*w));
	const char *why;

	rec->wall = w;
	w->rec = rec;
	w->interval = a->sample_period;
	if (ptrace_ring_open(&w->ring, &rec->rings))
		return -1;
	w->sample.id = rec->rings.events[EVENT].ids[0];
	why = a->sample_type == FIELDS ? bpf_walk_load(&w->bpf, BPF_TASKS) : "not with these options";
	return why ? diag_error("--wall -a: %s", why) : 0;
}

int wall_begin(struct recorder *rec)
{
	struct wall *w = rec->wall;
	int err, tasks = bpf_walk_tasks(w->bpf), ends[2];

	w->python = live_python(rec->live);
	w->last = monotonic_ns();
	if (tasks < 0 || pipe2(ends, O_CLOEXEC) || (w->child = fork()) < 0)
		return diag_error("--wall: %s", strerror(tasks < 0 ? -tasks : errno));
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	if (!w->child)
		run(w, tasks, ends[1]);
	close(tasks);
	close(ends[1]);
	w->from = ends[0];
	err = thread_start_usual(&w->thread, wall_thread, w);
	w->runs = !err;
	return err ? diag_error("--wall: no thread can be started: %s", strerror(err)) : 0;
}

void wall_stop(struct wall *w)
{
	if (!w || !w->runs)
		return;
	kill(w->child, SIGKILL);
	__atomic_store_n(&w->ending, true, __ATOMIC_RELEASE);
	pthread_join(w->thread, NULL);
	waitpid(w->child, NULL, WNOHANG);
	if (monotonic_ns() - w->last > w->interval + STUCK_NS)
		diag_warn("--wall: no threads off the CPUs were sampled in the last %llu s: the memory of one did "
			  "not come", (monotonic_ns() - w->last) / 1000000000);
	close(w->from);
	w->runs = false;
}

void wall_free(struct recorder *rec)
{
	struct wall *w = rec->wall;

	if (!w)
		return;
	wall_stop(w);
	bpf_walk_free(w->bpf);
	if (rec->rings.nr)
		close(rec->rings.v[rec->rings.nr - 1].fd);
	ptrace_ring_close(&w->ring);
	free(w);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that read the Python functions of samples.
 *
 *	manager		finds interpreters: map_events, /proc/PID/maps --> processes
 *	reader, one	sample --> SIGIO --> python_stack_read() --> results
 *	for each CPU
 *	walk.c		python_reader_take(), some rounds later
 *
 * An event that has O_ASYNC set sends its owner, the reader of its CPU, a signal for each sample:
 * the buffer and its watermark stay as they are. The reader preempts the sampled thread, which then
 * stands still. If it ran on before, or runs on another CPU, the innermost bytes of its stack have
 * changed, and what was read is dropped.
 *
 * struct python_reader owns everything. The lock protects: processes, asked, results, codes and
 * counts. Only processes of perf's user are read. Files may be other users', or hang: a walker looks
 * for interpreters in them (host/host.h).
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <asm/perf_regs.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/sysfs.h"
#include "base/thread.h"
#include "cmd/record/python_reader.h"
#include "cmd/record/recorder.h"
#include "cmd/tables/map_events.h"
#include "elf/open.h"
#include "event/sample.h"
#include "event/spans.h"
#include "host/host.h"
#include "synth/synth.h"

/* Less code than any interpreter has: smaller mappings are not looked at. */
#define LEAST_CODE	(1u << 20)
#define MAP_PAGES	4		/* of the buffers for mappings */
#define HEAD		8192u		/* bytes of a sample, with some of its stack */
#define READER_NICE	(-20)
#define SLICE_NS	100000		/* a reader preempts tasks with longer slices */
/*
 * A reader of samples with longer pauses, in ns, runs once more behind each, so much later: the
 * kernel runs a task first that wakes, as it has slept when it had run for less than its share. At
 * once behind a sample it has run for more: that is forgotten, and it waits for a sampled thread
 * whose slice ends within its own (Linux 6.12 on; 7 % of the samples). More samples find it as it
 * was.
 */
#define RARE_NS		5000000
#define PAUSE_NS	200000
/*
 * A thread without a thread state may have one soon: it is searched for again after so many times
 * the last search.
 */
#define SEARCH_PAUSE	100
/* A reader that is so much later than the quickest may have been behind the sampled thread. */
#define PROMPT_NS	100000
/* Bounds for what nobody fetches, and for programs that make threads and functions without end. */
#define MOST_RESULTS	65536
#define MOST_CODES	16384
#define MOST_THREADS	8192
#define MOST_PROCESSES	65536
/* Time limits, in ms, for looking for an interpreter in a file. */
#define LOOK_MS		5000
#define LOOK_CPU_MS	1000

#if defined(__x86_64__)
#define PERF_REG_SP	PERF_REG_X86_SP
#else
#define PERF_REG_SP	0		/* no Python functions */
#endif

/* Values of a process: a struct python_target, or: */
#define UNKNOWN		0		/* the manager was asked */
#define NONE		1		/* has no interpreter */

struct known_thread {
	u64 state;			/* address of its thread state; 0: none */
	u64 again;			/* when that is searched for again, in ns */
	u64 innermost;			/* its innermost frame, last time */
	u32 inner;			/* its id in its own PID namespace */
};

struct cpu_reader {
	struct python_reader *r;
	const struct ring *ring;
	pthread_t thread;
	bool runs;			/* @thread does */
	u64 seen;			/* records up to here were looked at */
	s64 least;			/* from a sample, by its clock, to its functions: ns */
	u64 last;			/* when that was measured */
	struct hash by_tid;		/* tid, pid -> index in @threads + 1 */
	struct known_thread *threads;
	u32 nr_threads, cap_threads;
	bool sure;			/* the last thread has the state that was found, or none */
	struct hash codes;		/* code object, its process and fields -> number */
	char room[HEAD] __attribute__((aligned(8)));	/* of a sample */
	struct walk_code code;
	struct python_stack stack;
	struct python_sample sample;
};

struct python_reader {
	const struct rings *rings;
	const struct event_list *events;
	struct map_events maps;
	struct host *host;
	pthread_t manager;
	int wake;			/* eventfd: .asked or .ending */
	bool ending;			/* atomic */
	bool is_fed;			/* python_reader_feed() takes the place of the readers' threads */
	struct hash files;		/* device, inode -> struct python_image, or NONE */
	struct cpu_reader *readers;
	u32 nr;
	pthread_mutex_t lock;
	struct hash processes;		/* pid -> struct python_target, UNKNOWN or NONE */
	struct outbuf asked;		/* PIDs */
	struct hash results;		/* tid, time -> struct python_sample, of all read */
	struct outbuf codes;		/* size and struct walk_code, for each */
	u64 nr_read, nr_ran_on, nr_unreadable;
};

static struct python_image *image_of(u64 value)
{
	return value > NONE ? (struct python_image *)(uintptr_t)value : NULL;
}

/* Free all values of a hash. */
static void forget(struct hash *h)
{
	size_t i;

	for (i = 0; h->nr && i <= h->mask; i++)
		if (h->slots[i].used && h->slots[i].value > NONE)
			free((void *)(uintptr_t)h->slots[i].value);
	hash_deinit(h);
}

/* Readers */

/* Set @t to a process with an interpreter. Return: 1; 0: it has none; -EAGAIN: not known yet */
static int find_target(struct python_reader *r, u32 pid, struct python_target *t)
{
	static const u64 one = 1;
	const u64 *value;
	bool added = false;
	int found;

	pthread_mutex_lock(&r->lock);
	value = hash_insert(&r->processes, pid, 0, &added);
	if (added)
		outbuf_write(&r->asked, &pid, sizeof(pid));
	found = *value > NONE ? 1 : *value == NONE ? 0 : -EAGAIN;
	if (found > 0)
		*t = *(const struct python_target *)(uintptr_t)*value;
	pthread_mutex_unlock(&r->lock);
	if (added && write(r->wake, &one, sizeof(one)) < 0)
		return 0;
	return found;
}

/* The id of a thread in its own PID namespace. */
static u32 inner_tid(u32 pid, u32 tid)
{
	char path[64], text[4096], *at;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/status", pid, tid);
	at = read_text(path, text, sizeof(text)) > 0 ? strstr(text, "\nNSpid:") : NULL;
	if (at) {
		at += 1 + strcspn(at + 1, "\n");
		while (at[-1] >= '0' && at[-1] <= '9')
			at--;
		tid = strtoul(at, NULL, 10);
	}
	return tid;
}

/* The state of a thread. Return: NULL: it runs no Python code. */
static struct known_thread *find_thread(struct cpu_reader *c, const struct python_target *t,
					u32 tid)
{
	const u64 now = monotonic_ns();
	struct known_thread *k;
	u64 *at;

	if (c->nr_threads >= MOST_THREADS) {
		hash_deinit(&c->by_tid);
		c->nr_threads = 0;
	}
	at = hash_insert(&c->by_tid, tid, t->pid, NULL);
	if (!*at) {
		GROW(c->threads, c->nr_threads, c->cap_threads);
		k = &c->threads[c->nr_threads++];
		*k = (struct known_thread){ .inner = inner_tid(t->pid, tid) };
		*at = c->nr_threads;
	}
	k = &c->threads[*at - 1];
	c->sure = k->state || now >= k->again;
	if (!k->state && now >= k->again) {
		k->state = python_find_thread(t, k->inner);
		k->again = now + SEARCH_PAUSE * (monotonic_ns() - now);
	}
	return k->state ? k : NULL;
}

/* The number of a code object; a new one is read. 0: that failed, or the thread ran on. */
static u32 code_number(struct cpu_reader *c, const struct python_target *t,
		       const struct python_call *call)
{
	const u64 a = hash_mix(call->code, t->pid), b = hash_mix(call->name, call->lines);
	const u32 cpu = c - c->r->readers;
	u64 size = offsetof(struct walk_code, lines), *id;
	bool added;

	if (c->codes.nr >= MOST_CODES)
		hash_deinit(&c->codes);
	id = hash_insert(&c->codes, a, b, &added);
	if (!added)
		return *id;
	if (!python_code_read(t, call, &c->code) || !python_stands_still(t, &c->stack.copy)) {
		hash_remove(&c->codes, a, b);
		return 0;
	}
	c->code.id = ++c->code.count << WALK_CPU_BITS | (cpu & ((1 << WALK_CPU_BITS) - 1));
	*id = c->code.id;
	size = ALIGN_UP(size + c->code.nr_lines, 8ULL);
	pthread_mutex_lock(&c->r->lock);
	outbuf_write(&c->r->codes, &size, sizeof(size));
	outbuf_write(&c->r->codes, &c->code, size);
	pthread_mutex_unlock(&c->r->lock);
	return c->code.id;
}

/*
 * Were the functions of a sample of @time read as soon as they can be? Its clock's zero is not
 * known, and its rate a little different: the least time so far becomes larger, 1 us in 8 ms.
 */
static bool is_prompt(struct cpu_reader *c, u64 time)
{
	const u64 now = clock_ns(CLOCK_MONOTONIC_RAW);
	const s64 took = now - time;

	c->least = c->last ? min(c->least + (s64)((now - c->last) >> 13), took) : took;
	c->last = now;
	return took - c->least < PROMPT_NS;
}

/*
 * Is a thread runnable, and was it last on this reader's CPU, which it cannot be on now? If not, it
 * slept or ran elsewhere since its sample.
 */
static bool waits_here(const struct cpu_reader *c, u32 pid, u32 tid)
{
	const char *name;
	char text[512], *p = synth_stat(pid, tid, text, sizeof(text), &name);
	int field;

	if (!p || *p != 'R')
		return false;
	/* From field 3 to the processor. */
	for (field = 3; p && field < 39; field++)
		p = strchr(p + 1, ' ');
	return p && atoi(p) == c->ring->cpu;
}

/*
 * Read the functions of a thread's sample into @c->sample. @copy: of its stack. Return: 0, or
 * -errno.
 */
static int read_functions(struct cpu_reader *c, const struct python_target *t, u32 tid, u64 time,
			  const struct python_memory *copy)
{
	struct known_thread *k = find_thread(c, t, tid);
	struct python_stack *s = &c->stack;
	u64 *to = c->sample.words;
	u32 run, i = 0, id;
	bool prompt;
	int err;

	c->sample.nr_words = 0;
	s->copy = *copy;
	if (!k)
		return 0;
	s->innermost = k->innermost;
	err = python_stack_read(t, k->state, k->inner, s);
	k->innermost = s->innermost;
	/* The next sample looks for it at once. */
	if (err == -ESRCH)
		k->state = k->again = 0;
	/* Without registers it is stopped. */
	prompt = is_prompt(c, time);
	if (s->unsure && s->regs && !err && !(prompt && waits_here(c, t->pid, tid)))
		err = -EAGAIN;
	if (err)
		return err;
	for (run = 0; run < s->nr_runs; run++) {
		*to++ = s->runs[run].native;
		*to++ = s->runs[run].end - i;
		for (; i < s->runs[run].end; i++) {
			id = code_number(c, t, &s->calls[i]);
			if (!id)
				return -EFAULT;
			*to++ = WALK_PYTHON_ENTRY(id, s->calls[i].instr);
		}
	}
	c->sample.nr_words = to - c->sample.words;
	return 0;
}

static size_t sample_size(const struct python_sample *s)
{
	return offsetof(struct python_sample, words) + s->nr_words * sizeof(u64);
}

/* Read the functions of a thread's sample. @copy: of its stack. Return: 0, or -errno */
static int read_thread(struct cpu_reader *c, const struct python_target *t, u32 tid, u64 time,
			const struct python_memory *copy)
{
	struct python_reader *r = c->r;
	u64 size, *to;
	int err;

	err = read_functions(c, t, tid, time, copy);
	size = sample_size(&c->sample);
	pthread_mutex_lock(&r->lock);
	r->nr_read += !err && c->sample.nr_words;
	r->nr_ran_on += err == -EAGAIN;
	r->nr_unreadable += err && err != -EAGAIN;
	if (r->results.nr >= MOST_RESULTS)
		forget(&r->results);
	to = hash_insert(&r->results, tid, time, NULL);
	free((void *)(uintptr_t)*to);
	*to = (uintptr_t)xmalloc(size);
	memcpy((void *)(uintptr_t)*to, &c->sample, size);
	pthread_mutex_unlock(&r->lock);
	return err;
}

/* Read the functions of a sample. @at: offset in @c->room of its stack, @size bytes of it */
static void read_sample(struct cpu_reader *c, const struct event *ev, u32 at, u64 size)
{
	const u32 from_sp = __builtin_popcountll(ev->attr.sample_regs_user >> PERF_REG_SP);
	const u32 nr_regs = __builtin_popcountll(ev->attr.sample_regs_user);
	struct python_memory copy = { .size = size, .bytes = c->room + at };
	struct python_target t;
	u64 time;
	u32 id[2];

	memcpy(id, c->room + ev->layout.tid, sizeof(id));
	memcpy(&time, c->room + ev->layout.time, sizeof(time));
	/* The registers end in front of the stack's size. */
	memcpy(&copy.addr, copy.bytes - (1 + from_sp) * sizeof(u64), sizeof(copy.addr));
	c->stack.regs = copy.bytes - (1 + nr_regs) * sizeof(u64);
	if (find_target(c->r, id[0], &t) > 0)
		read_thread(c, &t, id[1], time, &copy);
}

/* @size: no more than the buffer has */
static void copy_out(const struct ring *ring, u64 at, void *to, u64 size)
{
	const u64 from = at & (ring->size - 1), part = min(size, ring->size - from);

	memcpy(to, ring->data + from, part);
	memcpy((char *)to + part, ring->data, size - part);
}

/* The newest sample since the last call; of older ones the threads ran on. */
static void look(struct cpu_reader *c)
{
	const struct ring *ring = c->ring;
	u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), newest = UINT64_MAX;
	u64 at = max(c->seen, __atomic_load_n(&ring->page->data_tail, __ATOMIC_RELAXED));
	const struct perf_event_header *h;
	const struct event *ev;
	u32 size, stack = 0;
	u64 full, valid;

	for (; at < head; at += size) {
		h = (const void *)(ring->data + (at & (ring->size - 1)));
		size = h->size;
		if (size < sizeof(*h))
			break;
		if (h->type == PERF_RECORD_SAMPLE)
			newest = at;
	}
	c->seen = head;
	if (newest == UINT64_MAX)
		return;
	h = (const void *)(ring->data + (newest & (ring->size - 1)));
	size = h->size;
	if (size > ring->size)
		return;
	copy_out(ring, newest, c->room, min(size, HEAD));
	/* It may be overwritten meanwhile: what is decoded ends with the room. */
	((struct perf_event_header *)c->room)->size = min(size, HEAD);
	h = (const void *)c->room;
	ev = event_list_find(c->r->events, h);
	if (ev && ev->layout.tid && ev->layout.time &&
	    ev->attr.sample_regs_user >> PERF_REG_SP & 1)
		stack = sample_stack_at(ev, h);
	if (!stack || stack + sizeof(full) > sizeof(c->room))
		return;
	memcpy(&full, c->room + stack, sizeof(full));
	stack += sizeof(full);
	if (!full || full > size || stack + full + sizeof(valid) > size)
		return;
	copy_out(ring, newest + stack + full, &valid, sizeof(valid));
	/* Was it given back to the kernel, and overwritten? */
	if (__atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE) > newest)
		return;
	read_sample(c, ev, stack, min(min(valid, full), sizeof(c->room) - stack));
}

struct usual_attr {
	u32 size, policy;
	u64 flags;
	s32 nice;
	u32 priority;
	u64 runtime, deadline, period;
};

/* Have the signals of this CPU's events sent to this thread, which runs before others there. */
static int own_events(const struct ring *ring)
{
	const struct f_owner_ex owner = { F_OWNER_TID, gettid() };
	struct usual_attr slice = { .size = sizeof(slice), .runtime = SLICE_NS };
	cpu_set_t *cpu = CPU_ALLOC(ring->cpu + 1);
	size_t size = CPU_ALLOC_SIZE(ring->cpu + 1);
	int err;
	u32 i;

	CPU_ZERO_S(size, cpu);
	CPU_SET_S(ring->cpu, size, cpu);
	err = sched_setaffinity(0, size, cpu);
	CPU_FREE(cpu);
	/* Only root may. */
	setpriority(PRIO_PROCESS, 0, READER_NICE);
	/* Linux 6.12; older ones ignore it. */
	slice.nice = getpriority(PRIO_PROCESS, 0);
	syscall(SYS_sched_setattr, 0, &slice, 0);
	for (i = 0; i < ring->nr_fds && !err; i++)
		err = fcntl(ring->fds[i], F_SETOWN_EX, &owner) ||
		      fcntl(ring->fds[i], F_SETFL, fcntl(ring->fds[i], F_GETFL) | O_ASYNC);
	return err;
}

static void *reader_thread(void *arg)
{
	const struct timespec pause = { 0, PAUSE_NS };
	struct cpu_reader *c = arg;
	bool is_rare = false;
	u64 now, last = 0;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGIO);
	if (own_events(c->ring))
		diag_warn("no Python functions on CPU %d: %s", c->ring->cpu, strerror(errno));
	for (;;) {
		if (sigtimedwait(&signals, NULL, is_rare ? &pause : NULL) < 0) {
			is_rare = false;
			continue;
		}
		if (__atomic_load_n(&c->r->ending, __ATOMIC_ACQUIRE))
			return NULL;
		now = monotonic_ns();
		is_rare = now - last > RARE_NS;
		last = now;
		look(c);
	}
}

static void start_readers(struct python_reader *r)
{
	struct cpu_reader *v, *c;
	sigset_t signals;
	u32 i;

	if (r->readers)
		return;
	/* For the readers: python_reader_free() may signal one before it has run. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGIO);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	v = xcalloc(r->rings->nr + 1, sizeof(*v));
	for (i = 0; i < r->rings->nr; i++) {
		c = &v[r->nr];
		c->r = r;
		c->ring = &r->rings->v[i];
		if (r->is_fed || c->ring->cpu < 0 || c->ring->backward || !c->ring->page)
			continue;
		c->seen = c->ring->page->data_head;
		r->nr++;
	}
	/* From here on other threads use them; python_reader_feed() the last one. */
	v[r->nr].r = r;
	__atomic_store_n(&r->readers, v, __ATOMIC_RELEASE);
	for (c = v; c < v + r->nr; c++)
		c->runs = !thread_start_usual(&c->thread, reader_thread, c);
}

/* Manager */

struct image_question {
	struct python_image image;
	struct mapped m;
	char path[PATH_MAX];
};

/* In a walker: */
static int find_image(void *arg, const int *in __unused, int *out __unused)
{
	struct image_question *q = arg;
	_cleanup_close_ int fd = -1;
	char path[64];
	struct stat st;
	int err;

	q->m.path = q->path;
	fd = host_open(&q->m, &st);
	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = python_image_find(path, &q->image);
	elf_files_close();
	return err;
}

/* The interpreter in a file that is mapped, or NONE. */
static u64 image_in(struct python_reader *r, const struct mmap2_record *m)
{
	struct image_question q = {
		.m = { .pid = m->pid, .start = m->addr, .end = m->addr + m->len },
	};
	struct aside_call call = {
		.fn = find_image, .arg = &q, .size = sizeof(q), .cpu_ms = LOOK_CPU_MS,
	};
	struct python_image *image;
	struct aside *walker;
	bool added;
	u64 *value;
	int err;

	if (!(m->prot & PROT_EXEC) || m->len < LEAST_CODE || !m->ino)
		return NONE;
	value = hash_insert(&r->files, (u64)m->maj << 32 | m->min, m->ino, &added);
	if (!added)
		return *value;
	*value = NONE;
	snprintf(q.path, sizeof(q.path), "%s", m->filename);
	walker = host_walker(r->host);
	if (!walker)
		return NONE;
	err = aside_run(walker, &call, LOOK_MS);
	host_done(r->host, walker);
	if (err == -ENOTSUP)
		python_image_refuse(&q.image, m->filename);
	if (err)
		return NONE;
	image = xmalloc(sizeof(*image));
	*image = q.image;
	return *value = (uintptr_t)image;
}

static void set_process(struct python_reader *r, u32 pid, struct python_target *t)
{
	u64 *value;

	pthread_mutex_lock(&r->lock);
	if (r->processes.nr >= MOST_PROCESSES)
		forget(&r->processes);
	value = hash_insert(&r->processes, pid, 0, NULL);
	if (*value > NONE)
		free((void *)(uintptr_t)*value);
	*value = t ? (uintptr_t)t : NONE;
	pthread_mutex_unlock(&r->lock);
	if (t)
		start_readers(r);
}

/* Look for an interpreter among the mappings of a process. */
static void note_process(struct python_reader *r, u32 pid)
{
	struct perf_event_attr attr = r->events->events[0]->attr;
	const struct python_image *image;
	struct python_target *t = NULL;
	const struct mmap2_record *m;
	struct synth s;
	const char *p;

	attr.build_id = 0;
	synth_init(&s, &attr);
	if (!own_process(pid))
		synth_maps(&s, pid);
	for (p = s.out.base; p < s.out.pos; p += m->header.size) {
		m = (const struct mmap2_record *)p;
		image = image_of(image_in(r, m));
		if (!image)
			continue;
		t = t ?: xmalloc(sizeof(*t));
		*t = (struct python_target){ pid, image, m->addr - m->pgoff - image->code_delta };
	}
	synth_deinit(&s);
	set_process(r, pid, t);
}

/*
 * A record of a mapping: of an interpreter, or after an execve() of a process that had one; or of a
 * new process, whose PID may have been another one's.
 */
static void note_record(struct python_reader *r, const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const struct mmap2_record *)h;
	const struct task_record *task = (const struct task_record *)h;
	const u64 *known;
	bool again;

	if (h->type == PERF_RECORD_FORK && task->pid != task->ppid)
		python_reader_mapped(r, task->pid, true);
	if (h->type != PERF_RECORD_MMAP2)
		return;
	pthread_mutex_lock(&r->lock);
	known = hash_find(&r->processes, m->pid, 0);
	again = known && *known > NONE;
	pthread_mutex_unlock(&r->lock);
	if (again || (m->len >= LEAST_CODE && !own_process(m->pid) && image_of(image_in(r, m))))
		note_process(r, m->pid);
}

static void note_mappings(struct python_reader *r)
{
	const struct perf_event_header *h;
	char room[PATH_MAX + 256];
	struct iovec iov[2];
	u32 i;

	map_events_rearm(&r->maps);
	for (i = 0; i < r->maps.rings.nr; i++) {
		struct span_walk walk = { .iov = iov };

		walk.nr = ring_spans(&r->maps.rings.v[i], iov);
		while ((h = span_record(&walk, true, room)))
			note_record(r, h);
		ring_consume(&r->maps.rings.v[i]);
	}
}

/* The processes that readers met first: children of others. */
static void answer(struct python_reader *r)
{
	struct outbuf asked;
	const u32 *pid;
	u64 count;

	if (read(r->wake, &count, sizeof(count)) < 0)
		return;
	pthread_mutex_lock(&r->lock);
	asked = r->asked;
	outbuf_init(&r->asked);
	pthread_mutex_unlock(&r->lock);
	for (pid = (const u32 *)asked.base; (const char *)pid < asked.pos; pid++)
		note_process(r, *pid);
	outbuf_deinit(&asked);
}

/* The processes that ran before the recording. */
static void note_running(struct python_reader *r)
{
	const struct thread_list *threads = &r->rings->threads;
	DIR *dir = threads->v[0] == -1 ? opendir("/proc") : NULL;
	struct hash seen = { 0 };
	struct dirent *e;
	bool added;
	u32 i, pid;

	while (dir && (e = readdir(dir))) {
		pid = strtoul(e->d_name, NULL, 10);
		if (pid)
			note_process(r, pid);
	}
	if (dir)
		closedir(dir);
	for (i = 0; i < threads->nr && threads->v[i] != -1; i++) {
		pid = synth_process_of(threads->v[i]);
		hash_insert(&seen, pid, 0, &added);
		if (added)
			note_process(r, pid);
	}
	hash_deinit(&seen);
}

static void *manager_thread(void *arg)
{
	struct python_reader *r = arg;
	struct pollfd fds[2] = { { r->maps.epoll, POLLIN, 0 }, { r->wake, POLLIN, 0 } };

	note_running(r);
	while (!__atomic_load_n(&r->ending, __ATOMIC_ACQUIRE)) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			continue;
		if (fds[1].revents)
			answer(r);
		if (fds[0].revents)
			note_mappings(r);
	}
	return NULL;
}

/* Interface */

bool python_reader_signals(const struct python_reader *r)
{
	return __atomic_load_n(&r->readers, __ATOMIC_ACQUIRE);
}

int python_reader_feed(struct python_reader *r, u32 pid, u32 tid, u64 time,
		       const struct python_memory *copy)
{
	struct python_target t;
	struct cpu_reader *c;
	int err = r ? find_target(r, pid, &t) : 0;

	if (err <= 0)
		return err;
	if (!python_reader_signals(r))
		return -EAGAIN;
	c = &r->readers[r->nr];
	err = read_thread(c, &t, tid, time, copy);
	return err ?: c->sure ? 0 : -EAGAIN;
}

void python_reader_mapped(struct python_reader *r, u32 pid, bool by_exec)
{
	const u64 *value;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	value = hash_find(&r->processes, pid, 0);
	if (value && (by_exec || *value == NONE)) {
		if (*value > NONE)
			free((void *)(uintptr_t)*value);
		hash_remove(&r->processes, pid, 0);
	}
	pthread_mutex_unlock(&r->lock);
}

bool python_reader_take(struct python_reader *r, u32 pid, u32 tid, u64 time,
			struct python_sample *s)
{
	const u64 *process;
	u64 *value;

	s->nr_words = 0;
	pthread_mutex_lock(&r->lock);
	value = hash_find(&r->results, tid, time);
	if (value) {
		memcpy(s, (void *)(uintptr_t)*value, sample_size((void *)(uintptr_t)*value));
		free((void *)(uintptr_t)*value);
		hash_remove(&r->results, tid, time);
	} else {
		/* A newer one came before the reader ran. (Or it was before there were readers.) */
		process = hash_find(&r->processes, pid, 0);
		r->nr_ran_on += r->nr_read && process && *process > NONE;
	}
	pthread_mutex_unlock(&r->lock);
	return s->nr_words;
}

void python_reader_codes(void *reader, int (*fn)(void *ctx, void *code, size_t size), void *ctx)
{
	struct python_reader *r = reader;
	u64 size;
	char *p;

	pthread_mutex_lock(&r->lock);
	for (p = r->codes.base; p < r->codes.pos; p += sizeof(size) + size) {
		memcpy(&size, p, sizeof(size));
		fn(ctx, p + sizeof(size), size);
	}
	r->codes.pos = r->codes.base;
	pthread_mutex_unlock(&r->lock);
}

void python_reader_text(struct python_reader *r, u64 ran_on, struct outbuf *o)
{
	if (!r)
		return;
	diag_info(1, "%llu callchains have Python functions", r->nr_read - ran_on);
	ran_on += r->nr_ran_on;
	if (ran_on)
		outbuf_printf(o, "%llu callchains of Python programs show the interpreter, "
			      "as their threads ran on\n", ran_on);
	if (r->nr_unreadable)
		outbuf_printf(o, "%llu callchains of Python programs show the interpreter, "
			      "as their functions could not be read\n", r->nr_unreadable);
}

struct python_reader *python_reader_create(struct host *host, const struct rings *rings,
					   const struct event_list *events, bool is_fed)
{
	struct error *err = NULL;
	struct python_reader *r;

	if (!PERF_REG_SP)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->host = host;
	r->rings = rings;
	r->events = events;
	pthread_mutex_init(&r->lock, NULL);
	outbuf_init(&r->asked);
	outbuf_init(&r->codes);
	r->wake = eventfd(0, EFD_CLOEXEC);
	r->is_fed = is_fed;
	r->maps.epoll = -1;
	r->maps.tasks = true;
	if (!is_fed)
		err = map_events_open(&r->maps, &rings->cpus, &rings->threads,
				      !rings->options->no_inherit, MAP_PAGES);
	if (!err && !pthread_create(&r->manager, NULL, manager_thread, r))
		return r;
	if (!err && !is_fed)
		map_events_close(&r->maps);
	error_free(err);
	python_reader_free(r);
	return NULL;
}

void python_reader_free(struct python_reader *r)
{
	static const u64 one = 1;
	size_t i;

	if (!r)
		return;
	__atomic_store_n(&r->ending, true, __ATOMIC_RELEASE);
	if (r->manager && write(r->wake, &one, sizeof(one)) > 0) {
		pthread_join(r->manager, NULL);
		if (!r->is_fed)
			map_events_close(&r->maps);
	}
	for (i = 0; r->readers && i <= r->nr; i++) {
		if (r->readers[i].runs) {
			pthread_kill(r->readers[i].thread, SIGIO);
			pthread_join(r->readers[i].thread, NULL);
		}
		hash_deinit(&r->readers[i].by_tid);
		hash_deinit(&r->readers[i].codes);
		free(r->readers[i].threads);
	}
	free(r->readers);
	forget(&r->files);
	forget(&r->processes);
	forget(&r->results);
	outbuf_deinit(&r->asked);
	outbuf_deinit(&r->codes);
	pthread_mutex_destroy(&r->lock);
	close(r->wake);
	free(r);
}

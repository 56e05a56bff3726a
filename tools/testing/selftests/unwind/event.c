// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <asm/perf_regs.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "event.h"
#include "test.h"

#define FIELDS (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN)

void attr_init(struct perf_event_attr *attr, u32 type, u64 config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->sample_type = FIELDS;
	attr->sample_period = 1;
	attr->disabled = 1;
	attr->sample_id_all = 1;
	attr->read_format = PERF_FORMAT_LOST;
	/* So that tests can tell by clock_gettime() which call a sample is of. */
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

void attr_dummy(struct perf_event_attr *attr)
{
	attr_init(attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
}

void attr_flag(struct perf_event_attr *attr, int bit)
{
	/* type, size, config, sample_period, sample_type, read_format: 40 bytes. */
	u64 *flags = (u64 *)((char *)attr + 40);

	*flags |= 1ULL << bit;
}

void attr_tracepoint(struct perf_event_attr *attr, const char *name)
{
	char path[256];
	long id;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	id = read_long(path);
	if (id < 0)
		die("%s", path);
	attr_init(attr, PERF_TYPE_TRACEPOINT, id);
}

void attr_user_ip(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
#ifdef __aarch64__
	attr->sample_regs_user = 1ULL << PERF_REG_ARM64_PC;
#else
	attr->sample_regs_user = 1ULL << PERF_REG_X86_IP;
#endif
}

void attr_stack(struct perf_event_attr *attr, u32 bytes)
{
	attr_user_ip(attr);
	attr->sample_type |= PERF_SAMPLE_STACK_USER;
	attr->sample_stack_user = bytes;
}

void attr_syscall(struct perf_event_attr *attr, bool exit)
{
	attr_tracepoint(attr, exit ? "raw_syscalls/sys_exit" : "raw_syscalls/sys_enter");
}

void attr_defer(struct perf_event_attr *attr)
{
	/* UNWIND_PLAIN=1: the test's results with plain callchains. */
	if (getenv("UNWIND_PLAIN"))
		return;
	attr_flag(attr, DEFER_CALLCHAIN);
	attr_flag(attr, DEFER_OUTPUT);
}

u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

int event_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void event_filter_syscall(int fd, long nr)
{
	char filter[32];

	snprintf(filter, sizeof(filter), "id == %ld", nr);
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		die("filter %s", filter);
}

void event_enable(int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("enable");
}

void event_disable(int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		die("disable");
}

int nr_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int recorder_try(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int cpu, int order)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct ring *ring;
	int fd = event_open(attr, pid, cpu);
	int i = r->nr_events;

	if (fd < 0)
		return fd;
	if (i == MAX_EVENTS || r->nr_rings == MAX_RINGS)
		die("too many events");
	if (ioctl(fd, PERF_EVENT_IOC_ID, &r->id[i]))
		die("PERF_EVENT_IOC_ID");
	if (order < 0) {
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->ring[r->nr_rings - 1].fd))
			die("PERF_EVENT_IOC_SET_OUTPUT");
	} else {
		ring = &r->ring[r->nr_rings++];
		ring->fd = fd;
		ring->size = page << order;
		ring->base = mmap(NULL, ring->size + page, PROT_READ | PROT_WRITE,
				  MAP_SHARED, fd, 0);
		if (ring->base == MAP_FAILED)
			die("mmap of 2^%d pages", order);
	}
	r->fd[i] = fd;
	r->nr_events++;
	return i;
}

int recorder_add(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int cpu, int order)
{
	int i = recorder_try(r, attr, pid, cpu, order);

	if (i < 0) {
		errno = -i;
		die("perf_event_open type %u config %llu", attr->type,
		    (unsigned long long)attr->config);
	}
	return i;
}

int recorder_add_cpus(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int order)
{
	int first = r->nr_events;
	int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		recorder_add(r, attr, pid, cpu, order);
	return first;
}

void recorder_filter_syscall(struct recorder *r, long nr)
{
	int i;

	for (i = 0; i < r->nr_events; i++)
		event_filter_syscall(r->fd[i], nr);
}

void recorder_enable(struct recorder *r)
{
	int i;

	for (i = 0; i < r->nr_events; i++)
		event_enable(r->fd[i]);
}

void recorder_disable(struct recorder *r)
{
	int i;

	for (i = 0; i < r->nr_events; i++)
		event_disable(r->fd[i]);
}

/* Words of a record, never read past its end. */
struct cursor {
	const u64 *p, *end;
	bool short_read;
};

static u64 next(struct cursor *c)
{
	if (c->p >= c->end) {
		c->short_read = true;
		return 0;
	}
	return *c->p++;
}

static void copy_user(struct rec *rec, const u64 *ip, int nr)
{
	rec->user = malloc(sizeof(u64) * (nr ? nr : 1));
	if (!rec->user)
		die("out of memory");
	memcpy(rec->user, ip, sizeof(u64) * nr);
	rec->nr = nr;
}

static void decode_chain(struct rec *rec, struct cursor *c)
{
	u64 nr = next(c), context = 0, ip;
	u64 user[CHAIN_MAX];
	int nr_user = 0, parts = 0;

	while (nr-- && !c->short_read) {
		ip = next(c);
		if (ip >= CONTEXT_MAX) {
			context = ip;
			if (ip == (u64)PERF_CONTEXT_USER) {
				rec->is_inline = true;
				parts++;
			} else if (ip == CONTEXT_USER_DEFERRED) {
				parts++;
			}
		} else if (context == (u64)PERF_CONTEXT_KERNEL) {
			if (rec->nr_kernel < KERNEL_MAX)
				rec->kernel[rec->nr_kernel] = ip;
			rec->nr_kernel++;
		} else if (context == CONTEXT_USER_DEFERRED) {
			if (rec->cookie)
				rec->is_dup_context = true;
			rec->cookie = ip;
		} else if (context == (u64)PERF_CONTEXT_USER && nr_user < CHAIN_MAX) {
			user[nr_user++] = ip;
		}
	}
	if (parts > 1)
		rec->is_dup_context = true;
	copy_user(rec, user, nr_user);
}

static void decode_id(struct rec *rec, struct cursor *c)
{
	u64 word = next(c);

	rec->pid = (u32)word;
	rec->tid = word >> 32;
	rec->time = next(c);
	rec->id = next(c);
	rec->cpu = (u32)next(c);
}

/* One record; false when it does not hold what its type promises. */
static bool decode(struct recorder *r, const struct perf_event_header *h, int ring)
{
	struct cursor c = { (const u64 *)(h + 1), (const u64 *)((const char *)h + h->size), false };
	struct cursor tail = { c.end - 4, c.end, false };
	struct rec *rec;
	u64 word, nr;

	if (r->nr == r->room) {
		r->room = r->room ? 2 * r->room : 1024;
		r->rec = realloc(r->rec, r->room * sizeof(*r->rec));
		if (!r->rec)
			die("out of memory");
	}
	rec = &r->rec[r->nr];
	memset(rec, 0, sizeof(*rec));
	rec->type = h->type;
	rec->misc = h->misc;
	rec->size = h->size;
	rec->ring = ring;
	rec->order = r->nr;

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		rec->ip = next(&c);
		word = next(&c);
		rec->pid = (u32)word;
		rec->tid = word >> 32;
		rec->time = next(&c);
		rec->id = next(&c);
		rec->cpu = (u32)next(&c);
		decode_chain(rec, &c);
		/* PERF_SAMPLE_REGS_USER: the ABI, 0 if there are none, and the ip. */
		if (c.p < c.end && next(&c))
			rec->user_ip = next(&c);
		/* PERF_SAMPLE_STACK_USER */
		if (c.p < c.end)
			rec->copied = next(&c);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		rec->cookie = next(&c);
		nr = next(&c);
		/* nr words and the sample_id, exactly. */
		if (nr > CHAIN_MAX || c.p + nr + 4 != c.end)
			return false;
		copy_user(rec, c.p, nr);
		c.p += nr;
		decode_id(rec, &c);
		break;
	case PERF_RECORD_LOST:
		next(&c);
		rec->lost = next(&c);
		r->lost += rec->lost;
		decode_id(rec, &tail);
		break;
	default:
		decode_id(rec, &tail);
	}
	if (c.short_read)
		return false;
	r->nr++;
	r->sorted = false;
	return true;
}

static void ring_read(struct recorder *r, int i)
{
	struct ring *ring = &r->ring[i];
	struct perf_event_mmap_page *page = ring->base;
	const char *data = (const char *)ring->base + sysconf(_SC_PAGESIZE);
	u64 head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	u64 tail = page->data_tail;
	char buf[65536] __attribute__((aligned(8)));
	const struct perf_event_header *h;
	size_t at, part;

	while (tail < head) {
		at = tail & (ring->size - 1);
		h = (const void *)(data + at);
		if (h->size < sizeof(*h) || h->size % 8 || tail + h->size > head) {
			r->bad++;
			break;
		}
		part = ring->size - at;
		if (h->size > part) {
			memcpy(buf, data + at, part);
			memcpy(buf + part, data, h->size - part);
			h = (const void *)buf;
		}
		if (!decode(r, h, i))
			r->bad++;
		tail += h->size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

void recorder_read(struct recorder *r)
{
	int i;

	for (i = 0; i < r->nr_rings; i++)
		ring_read(r, i);
}

static bool has_orphans(struct recorder *r)
{
	int i;

	recorder_sort(r);
	for (i = 0; i < r->nr; i++)
		if (r->rec[i].type == PERF_RECORD_SAMPLE &&
		    recorder_chain(r, i).state == CHAIN_ORPHAN)
			return true;
	return false;
}

void recorder_read_all(struct recorder *r)
{
	int ms;

	recorder_read(r);
	for (ms = 0; ms < 10000 && has_orphans(r); ms++) {
		usleep(1000);
		recorder_read(r);
	}
}

u64 recorder_lost(struct recorder *r)
{
	u64 value[2], lost = 0;
	int i;

	for (i = 0; i < r->nr_events; i++) {
		if (read(r->fd[i], value, sizeof(value)) != sizeof(value))
			die("read of an event");
		lost += value[1];
	}
	return lost;
}

void recorder_clear(struct recorder *r)
{
	while (r->nr)
		free(r->rec[--r->nr].user);
	r->lost = 0;
}

void recorder_close(struct recorder *r)
{
	int i;

	for (i = 0; i < r->nr_rings; i++)
		munmap(r->ring[i].base, r->ring[i].size + sysconf(_SC_PAGESIZE));
	for (i = 0; i < r->nr_events; i++)
		close(r->fd[i]);
	recorder_clear(r);
	free(r->rec);
	memset(r, 0, sizeof(*r));
}

static int by_time(const void *a, const void *b)
{
	const struct rec *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void recorder_sort(struct recorder *r)
{
	if (!r->sorted)
		qsort(r->rec, r->nr, sizeof(*r->rec), by_time);
	r->sorted = true;
}

struct chain recorder_chain(struct recorder *r, int i)
{
	struct chain chain = { CHAIN_NONE, NULL, 0, NULL };
	struct rec *rec;
	int j;

	recorder_sort(r);
	rec = &r->rec[i];
	if (rec->is_inline) {
		chain.state = CHAIN_INLINE;
		chain.ip = rec->user;
		chain.nr = rec->nr;
	} else if (rec->cookie) {
		chain.state = CHAIN_ORPHAN;
		for (j = i + 1; j < r->nr; j++) {
			if (r->rec[j].type != RECORD_CALLCHAIN_DEFERRED ||
			    r->rec[j].tid != rec->tid || r->rec[j].cookie != rec->cookie)
				continue;
			chain.state = CHAIN_DEFERRED;
			chain.ip = r->rec[j].user;
			chain.nr = r->rec[j].nr;
			chain.from = &r->rec[j];
			break;
		}
	}
	return chain;
}

int recorder_count(struct recorder *r, u32 type)
{
	int i, n = 0;

	for (i = 0; i < r->nr; i++)
		n += r->rec[i].type == type;
	return n;
}

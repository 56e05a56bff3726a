/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events, ring buffers and records, straight from the ABI: perf_event_open(2)
 * and <linux/perf_event.h>; the deferred parts from the project's ABI page
 * (attr bits 38 and 39, PERF_CONTEXT_USER_DEFERRED, record 22), because
 * Debian's header does not have them.
 */
#ifndef SELFTEST_EVENT_H
#define SELFTEST_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;

/* Bits of the flag word of struct perf_event_attr. */
#define DEFER_CALLCHAIN			38
#define DEFER_OUTPUT			39
#define RECORD_CALLCHAIN_DEFERRED	22
#define CONTEXT_USER_DEFERRED		((u64)-640)
#define CONTEXT_MAX			((u64)-4095)

#define CHAIN_MAX	1024
#define KERNEL_MAX	4

/* A record, decoded. Events sample the same fields, and those that attr_stack() adds. */
struct rec {
	u32 type;
	u16 misc;
	u32 pid, tid, cpu;
	u64 time, id, ip;
	u64 user_ip;		/* sample: of the entry's registers; 0 when there are none */
	u64 copied;		/* sample: bytes of the user stack */
	u64 cookie;		/* sample: 0 when it has none */
	bool is_inline;		/* sample: has PERF_CONTEXT_USER */
	bool is_dup_context;	/* sample: more than one user part */
	int nr_kernel;		/* sample: entries behind PERF_CONTEXT_KERNEL */
	u64 kernel[KERNEL_MAX];	/* the innermost of them */
	int nr;			/* entries of user, in a sample or a record 22 */
	u64 *user;
	u64 lost;
	int ring;
	u32 size;		/* bytes in the buffer */
	long order;		/* as read */
};

struct ring {
	int fd;
	void *base;
	size_t size;		/* of the data area */
};

#define MAX_RINGS	64
#define MAX_EVENTS	128

/* A set of events and their buffers. */
struct recorder {
	struct ring ring[MAX_RINGS];
	int nr_rings;
	int fd[MAX_EVENTS];
	u64 id[MAX_EVENTS];
	int nr_events;
	struct rec *rec;
	int nr, room;
	u64 lost;
	int bad;		/* malformed records */
	bool sorted;
};

/* Events as this suite wants them: disabled, the fields of struct rec. */
void attr_init(struct perf_event_attr *attr, u32 type, u64 config);
void attr_dummy(struct perf_event_attr *attr);
void attr_flag(struct perf_event_attr *attr, int bit);
/* raw_syscalls:sys_enter or sys_exit; narrow by event_filter_syscall(). */
void attr_syscall(struct perf_event_attr *attr, bool exit);
void attr_tracepoint(struct perf_event_attr *attr, const char *name);
/* Samples also have the ip that the task was at when it entered the kernel. */
void attr_user_ip(struct perf_event_attr *attr);
/* And @bytes of the user stack. */
void attr_stack(struct perf_event_attr *attr, u32 bytes);
/* The same with both deferred bits. */
void attr_defer(struct perf_event_attr *attr);

/* perf_event_open(); the fd or a negative errno. */
int event_open(struct perf_event_attr *attr, pid_t pid, int cpu);
void event_filter_syscall(int fd, long nr);
void event_enable(int fd);
void event_disable(int fd);

/*
 * Open an event and its ring buffer of 2^@order pages; with @order -1 its
 * output goes to the ring opened last. The event's index; dies on error.
 */
int recorder_add(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int cpu, int order);
/* The same, but returns the negative errno of perf_event_open(). */
int recorder_try(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int cpu, int order);
/* The same on every CPU, each with a ring; the first index. */
int recorder_add_cpus(struct recorder *r, struct perf_event_attr *attr, pid_t pid, int order);
void recorder_filter_syscall(struct recorder *r, long nr);
void recorder_enable(struct recorder *r);
void recorder_disable(struct recorder *r);
/* Take what is in the buffers. */
void recorder_read(struct recorder *r);
/*
 * The same until each deferred sample has its record, for 10 s at most: a task that is
 * not running writes its record when it comes back to user space, if the event is
 * enabled then. For events that take no samples meanwhile.
 */
void recorder_read_all(struct recorder *r);
/*
 * How many records found no room since the events were opened. (PERF_RECORD_LOST, and
 * with it @lost, comes with the next record that does; the last ones are in no buffer.)
 */
u64 recorder_lost(struct recorder *r);
/* Forget what was taken. */
void recorder_clear(struct recorder *r);
void recorder_close(struct recorder *r);
int nr_cpus(void);
/* CLOCK_MONOTONIC, which is the records' clock, too. */
u64 now_ns(void);

/* What became of a sample's user chain. */
enum chain_state { CHAIN_NONE, CHAIN_INLINE, CHAIN_DEFERRED, CHAIN_ORPHAN };

struct chain {
	enum chain_state state;
	const u64 *ip;
	int nr;
	const struct rec *from;	/* the record 22 it came from */
};

/* The user chain of sample @i: in it, or in the record that closes it. */
struct chain recorder_chain(struct recorder *r, int i);
int recorder_count(struct recorder *r, u32 type);

/* Sort records by time; implied by recorder_chain(). */
void recorder_sort(struct recorder *r);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The open events of a recording, one per CPU and thread, and their buffers: one for a CPU (with
 * --per-thread: a thread), and another for events written backward (--overwrite).
 */
#ifndef PERF_MEASURE_RINGS_H
#define PERF_MEASURE_RINGS_H

#include <sys/uio.h>

#include "base/error.h"
#include "measure/measure_options.h"
#include "measure/target.h"

struct open_event {
	int *fds;		/* [cpu index * threads.nr + thread index]; -1: not open */
	u64 *ids;		/* same index as @fds */
};

struct ring {
	struct perf_event_mmap_page *page;
	const char *data;
	u64 size;		/* of the data, a power of two */
	u64 tail;		/* consumed up to here */
	u64 head;		/* returned by ring_spans() up to here */
	s32 cpu;		/* -1: per thread */
	pid_t tid;		/* -1: per CPU */
	bool backward;
	int fd;			/* descriptor of the mapped event */
	int *fds;		/* descriptors of all events that write to it */
	u32 nr_fds, cap_fds;
	u32 watched;		/* index in @fds watched by epoll; == nr_fds: all have ended */
};

struct ring_stats {
	u64 samples, lost;
	u64 first_time, last_time;	/* of samples; 0: none */
	u32 time_offset;		/* offset of the time in a sample; 0: none */
};

struct rings {
	struct ring_options *options;
	struct spec_list *specs;
	struct cpu_list cpus;		/* CPUs on which events are opened */
	struct cpu_list asked;		/* subset selected by -C; nr 0: all */
	struct thread_list threads;
	struct open_event *events;	/* one per spec */
	struct ring *v;
	u32 nr;
	u64 data_size;			/* size of each buffer */
	struct ring_stats stats;
};

/*
 * rings_open - open @r's specs on its cpus and threads. Offline CPUs and exited threads are
 * skipped, unsupported requests (precision, kernel samples) lowered with one message.
 */
struct error *rings_open(struct rings *r);
/* rings_map - map the buffers. Return: NULL, or an error */
struct error *rings_map(struct rings *r);

/*
 * rings_ioctl - PERF_EVENT_IOC_ENABLE or _DISABLE for all events but dummies; @name: only those
 * with this name; NULL: all. Return: their number.
 */
u32 rings_ioctl(struct rings *r, unsigned long request, const char *name);
struct error *rings_set_filters(struct rings *r);
/* ring_pending - bytes written to a forward ring since the last ring_consume() */
u64 ring_pending(const struct ring *ring);
/* ring_spans - a forward ring's complete records since ring_consume(). Return: spans, 2 at most */
u32 ring_spans(struct ring *ring, struct iovec *iov);
/* ring_spans_backward - the newest records, first, of a backward ring that is paused; as above */
u32 ring_spans_backward(struct ring *ring, struct iovec *iov);
/* ring_stats_count - count a record; of a sample only the first SPAN_HEAD bytes are read */
void ring_stats_count(struct ring_stats *stats, const struct perf_event_header *h);
/* ring_stats_add - count the records in spans; @limit: complete ones in so many bytes */
void ring_stats_add(struct ring_stats *stats, const struct iovec *iov, u32 nr, u64 limit);
/* ring_consume - release the records of ring_spans() to the kernel */
void ring_consume(struct ring *ring);
/* rings_backward - true if a ring is written backward, by --overwrite or an event's term */
bool rings_backward(const struct rings *r);
/* rings_pause - stop or resume writing to backward rings; @pause: true to stop */
void rings_pause(struct rings *r, bool pause);
/* rings_lost - PERF_FORMAT_LOST: records of event @spec that found a full buffer; 0: not counted */
u64 rings_lost(struct rings *r, u32 spec);
/* rings_close - close and free everything */
void rings_close(struct rings *r);

#endif /* PERF_MEASURE_RINGS_H */

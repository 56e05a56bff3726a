/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The open events of a recording and their buffers.
 *
 * Each event is opened once per CPU and thread. All events on one CPU share a buffer (with
 * --per-thread: all events of one thread); events written backward (--overwrite) have buffers
 * of their own.
 */
#ifndef PERF_MEASURE_RINGS_H
#define PERF_MEASURE_RINGS_H

#include <sys/uio.h>

#include "base/error.h"
#include "measure/measure_options.h"
#include "measure/target.h"

struct open_event {
	int *fds;		/* [cpu index * threads.nr + thread index]; -1: not open */
	u64 *ids;		/* likewise */
};

struct ring {
	struct perf_event_mmap_page *page;
	const char *data;
	u64 size;		/* of the data, a power of two */
	u64 tail;		/* up to here it has been consumed */
	u64 head;		/* up to here ring_spans() gave it out */
	s32 cpu;		/* -1: per thread */
	pid_t tid;		/* -1: per CPU */
	bool backward;
	int fd;			/* the mapped event's */
	int *fds;		/* all that write into it */
	u32 nr_fds, cap_fds;
	u32 watched;		/* which of them epoll watches; == nr_fds: all have ended */
};

struct ring_stats {
	u64 samples, lost;
	u64 first_time, last_time;	/* of samples; 0: none */
	u32 time_offset;		/* of the time in a sample; 0: it has none */
};

struct rings {
	struct ring_options *options;
	struct spec_list *specs;
	struct cpu_list cpus;		/* where events are opened */
	struct cpu_list asked;		/* the subset that -C named; nr 0: all */
	struct thread_list threads;
	struct open_event *events;	/* one per spec */
	struct ring *v;
	u32 nr;
	u64 data_size;			/* of each buffer */
	struct ring_stats stats;
};

/**
 * rings_open() - open all events
 * @r: options, specs, cpus and threads are set by the caller
 *
 * CPUs that are offline and threads that have gone are skipped. What an event
 * can't have (precision, kernel samples) is lowered with one message.
 * Return: NULL, or why not.
 */
struct error *rings_open(struct rings *r);

/**
 * rings_map() - map the buffers
 * @r: the opened events
 *
 * Return: NULL, or why not.
 */
struct error *rings_map(struct rings *r);

/**
 * rings_ioctl() - do something to every event that is no dummy
 * @r: the rings
 * @request: PERF_EVENT_IOC_ENABLE, _DISABLE
 * @name: only events with this name; NULL: all
 *
 * Return: how many events matched.
 */
u32 rings_ioctl(struct rings *r, unsigned long request, const char *name);

/**
 * rings_set_filters() - apply --filter
 * @r: the rings
 *
 * Return: NULL, or why not.
 */
struct error *rings_set_filters(struct rings *r);

/**
 * ring_pending() - how much the kernel has written since the last ring_consume()
 * @ring: a forward ring
 *
 * Return: bytes.
 */
u64 ring_pending(const struct ring *ring);

/**
 * ring_spans() - what the kernel has written since the last ring_consume()
 * @ring: a forward ring
 * @iov: room for two spans
 *
 * The spans lie in the kernel's buffer and hold whole records.
 * Return: number of spans: 0, 1 or 2.
 */
u32 ring_spans(struct ring *ring, struct iovec *iov);

/**
 * ring_spans_backward() - the newest records of a backward ring, oldest last
 * @ring: a backward ring whose output is paused
 * @iov: room for two spans
 *
 * Return: number of spans.
 */
u32 ring_spans_backward(struct ring *ring, struct iovec *iov);

/* ring_stats_count - count a record; of a sample its first SPAN_HEAD bytes are looked at */
void ring_stats_count(struct ring_stats *stats, const struct perf_event_header *h);

/**
 * ring_stats_add() - count the records of spans
 * @stats: samples, losses and times are added here
 * @iov: what ring_spans() gave, of one or several rings
 * @nr: number of spans
 * @limit: count whole records within so many bytes
 */
void ring_stats_add(struct ring_stats *stats, const struct iovec *iov, u32 nr, u64 limit);

/* ring_consume - give what ring_spans() gave out back to the kernel */
void ring_consume(struct ring *ring);

/* rings_backward - is one of the rings written backward: --overwrite, or an event's own term */
bool rings_backward(const struct rings *r);

/**
 * rings_pause() - stop or go on writing into backward rings
 * @r: the rings
 * @pause: stop
 */
void rings_pause(struct rings *r, bool pause);

/**
 * rings_lost() - how many records the kernel had no room for
 * @r: the rings
 * @spec: which event
 *
 * Return: their number by PERF_FORMAT_LOST, 0 where the kernel does not count them.
 */
u64 rings_lost(struct rings *r, u32 spec);

/**
 * rings_close() - close and free everything
 * @r: the rings
 */
void rings_close(struct rings *r);

#endif /* PERF_MEASURE_RINGS_H */

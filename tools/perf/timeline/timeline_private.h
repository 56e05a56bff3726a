/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timeline's data. A recording may name a task in 16 bytes, so memory for each matters: objects
 * are in pools, refer to each other by number, and are created on first use.
 */
#ifndef PERF_TIMELINE_TIMELINE_PRIVATE_H
#define PERF_TIMELINE_TIMELINE_PRIVATE_H

#include <pthread.h>

#include "base/arena.h"
#include "base/pool.h"
#include "timeline/maps.h"
#include "timeline/timeline.h"

/*
 * A list of predecessors: objects of one pool that followed each other, newest first. Skip
 * pointers (Myers 1983, "An applicative random-access stack") make a search among n of
 * them take O(log n) steps with only two numbers in each.
 */
struct past {
	u32 prev;			/* the predecessor; 0: none */
	u32 jump;			/* an earlier predecessor; 0: none */
	u32 depth;			/* number of predecessors */
};

struct task {
	struct thread t;		/* .id is the number in the pool */
	u32 process;			/* 0: not made yet, see t.pid */
	u64 from;			/* inclusive */
	u32 name;			/* the first name; 0: ":TID" */
	u32 comms;			/* newest struct comm_at; 0: none */
	u32 extra;			/* struct task_extra; 0: none */
	bool named;			/* the name is recorded or inherited */
};

/* For a task that exited, or whose tid another task had before. */
struct task_extra {
	u64 to;				/* inclusive; -1: it did not exit */
	struct past past;		/* the task that had the tid before */
};

struct comm_at {
	u64 time, seq;
	u32 name;
	struct past past;
};

/* Owner of the mappings that its threads share. */
struct process {
	u32 pid;
	u32 first:30;			/* the first process that had the pid */
	u32 forked:1;			/* created by a recorded fork */
	u32 young:1;			/* its first mapping was made while it was recorded */
	/* number of its address_space, or NOTED and its newest noted_map's; 0: none */
	u32 space;
	/* process whose mappings it inherited at parent_time, if it had any; 0: none */
	u32 parent;
	u64 parent_time;
};

#define NOTED (1u << 31)

/* A mapping of a process that has no address_space yet. */
struct noted_map {
	const void *rec;		/* for tl->read_map() */
	u64 time;
	u32 prev;			/* 0: none */
	u32 nr;				/* length of the list from this element on */
};

struct address_space {
	struct space sp;		/* .id is the number in the pool */
	u32 process;			/* 0: a kernel's space */
	bool indexed;			/* .maps is sealed; read with acquire, written with release */
	struct maps maps;
	/* The kernel's text, which has no recorded end: above it, but for modules. */
	const struct map *rest;
};

struct cgroup {
	u64 id;
	u32 name;
};

struct op;

struct timeline {
	struct dso_table *dsos;
	timeline_read_map *read_map;
	void (*release)(void *records);
	void *records;
	bool all_asked;			/* pass 2 may look up every task, not only sampled ones */
	struct op *ops;
	u32 nr_ops, cap_ops;
	bool ops_sorted;
	u64 seq;
	u64 known_until;
	u64 *wanted;			/* bits by pid or tid: sampled tasks */

	struct names names;
	struct pool tasks, extras, comms, processes, spaces, cgroups, maps, noted;
	struct slots by_tid;		/* newest task */
	struct slots by_pid;		/* newest process */
	struct slots by_cgroup;
	u32 swapper;			/* name */
	u32 free_noted;			/* free list of noted_maps */
	u32 nr_kernels;			/* number of kernel text maps with a file */

	/* for what pass 2 makes, rarely: tasks without a record, names, spaces, indexes, files */
	pthread_mutex_t lock;
	struct slots unknown_threads;
	struct address_space *kernel, *guest_kernel, *no_space;
	struct arena arena;		/* copies of records that do not stay */
};

static inline struct task *task_at(const struct timeline *tl, u32 nr)
{
	return pool_at(&tl->tasks, nr);
}

static inline struct task_extra *extra_at(const struct timeline *tl, u32 nr)
{
	return pool_at(&tl->extras, nr);
}

/* The time of the task's exit; -1: none. */
static inline u64 task_to(const struct timeline *tl, const struct task *t)
{
	return t->extra ? extra_at(tl, t->extra)->to : (u64)-1;
}

static inline struct comm_at *comm_at(const struct timeline *tl, u32 nr)
{
	return pool_at(&tl->comms, nr);
}

static inline struct process *process_at(const struct timeline *tl, u32 nr)
{
	return pool_at(&tl->processes, nr);
}

static inline struct address_space *space_at(const struct timeline *tl, u32 nr)
{
	return pool_at(&tl->spaces, nr);
}

static inline u64 hash_number(u32 v)
{
	return (v * 0x9e3779b97f4a7c15ULL) >> 32;
}

/* timeline_newest - the number of the newest task that had a tid; 0: none */
static inline u32 timeline_newest(const struct timeline *tl, u32 tid)
{
	u32 *at;

	slots_each(&tl->by_tid, hash_number(tid), at)
		if (task_at(tl, *at)->t.tid == tid)
			return *at;
	return 0;
}

/* timeline_process - the number of the newest process that had a pid; 0: none */
static inline u32 timeline_process(const struct timeline *tl, u32 pid)
{
	u32 *at;

	slots_each(&tl->by_pid, hash_number(pid), at)
		if (process_at(tl, *at)->pid == pid)
			return *at;
	return 0;
}

/* Create a space without mappings and process. @pid: PID_KERNEL or a process id. */
struct address_space *timeline_space_create(struct timeline *tl, u32 pid);

/* timeline_space_of - a process's space, created if necessary; in pass 2 the lock is held */
struct address_space *timeline_space_of(struct timeline *tl, u32 process);

/* timeline_map - apply a mapping record; @process: its number; 0: the kernel, or a guest kernel */
void timeline_map(struct timeline *tl, u32 process, const struct map_info *info, const void *rec,
		  u64 time);

/* timeline_maps_something - can the mapping be found by a look-up? */
bool timeline_maps_something(const struct map_info *m);

/* timeline_file_of - the file of a mapping; @tl: the timeline; in pass 2 its lock is held */
struct dso *timeline_file_of(struct timeline *tl, const struct map_info *info);

/* The record of a mapping whose file was not looked up yet; NULL: @dso is its file. */
static inline const void *map_record(const struct dso *dso)
{
	return (uintptr_t)dso & 1 ? (const void *)((uintptr_t)dso & ~1ul) : NULL;
}

#endif /* PERF_TIMELINE_TIMELINE_PRIVATE_H */

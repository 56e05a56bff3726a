/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timeline: the name and address space of each task, and the mappings of each space, at any
 * time of the recording. The first pass builds it from records in any order (sorted once, by
 * sealing); the second pass searches it.
 *
 * Times are nanoseconds of the recording's clock, or the records' sequence numbers in a
 * recording without times: the session decides.
 *
 * Mappings have no end: the mapping at an address is the newest one that covers it, and a
 * forked process has its parent's mappings of the time of the fork until it maps over them. So
 * mappings are neither split nor copied. After exec the old mappings remain visible, since
 * samples before the new image runs have the old one's addresses.
 *
 * Objects are small. Most are created at the first look-up; until then only the position of their
 * record is stored.
 */
#ifndef PERF_TIMELINE_TIMELINE_H
#define PERF_TIMELINE_TIMELINE_H

#include "base/types.h"
#include "symbol/dso.h"

struct timeline;

/* A mapping. */
struct map {
	u64 start, end;		/* virtual addresses, end exclusive */
	u64 pgoff;
	u32 prot, flags;
	struct dso *dso;
	u64 from;		/* start time; valid until another mapping covers it */
};

/* Addresses [start, end) at times [from, until) have one mapping, or none. until -1: for ever */
struct map_area {
	u64 start, end;
	u64 from, until;
};

#define MAP_AREA_ALL ((struct map_area){ .end = -1, .until = -1 })

/* The address space of a process, or the kernel's. A fork creates a new one. Opaque except for its id. */
struct space {
	u32 id;			/* dense from 0 */
	u32 pid;		/* -1: the kernel's; 0: the empty space */
};

#define PID_KERNEL ((u32)-1)

struct thread {
	u32 id;			/* dense; THREAD_BRIEF: in a struct unknown_thread */
	u32 pid, tid;
};

#define THREAD_BRIEF ((u32)-1)

/* Room for ":TID". */
#define THREAD_NAME_SIZE 16

/* Caller's memory for a task without any record. */
struct unknown_thread {
	struct thread t;
	u64 until;
};

struct timeline *timeline_create(struct dso_table *dsos);
void timeline_destroy(struct timeline *tl);

struct map_info;

/* Read a record of timeline_map_record() into @m. */
typedef void timeline_read_map(const void *rec, struct map_info *m);

/*
 * timeline_records - set how mapping records are read, strings not copied, and @release, called
 * with @ctx after many were read again; the records outlive the timeline. NULL: it copies what it
 * needs
 */
void timeline_records(struct timeline *tl, timeline_read_map *read, void (*release)(void *ctx),
		      void *ctx);

/* timeline_only_seen - pass 2 looks up tasks of timeline_seen() only; it is sealed once */
void timeline_only_seen(struct timeline *tl);

/* Pass 1. Strings stay until timeline_seal_until(); records of equal times apply in order. */
/* timeline_at - set the sequence number of the record that is added next */
void timeline_at(struct timeline *tl, u64 seq);
void timeline_comm(struct timeline *tl, u32 pid, u32 tid, const char *comm, bool exec, u64 time);
/* @synthesized: a synthesised record: the task does not inherit its parent's mappings */
void timeline_fork(struct timeline *tl, u32 pid, u32 tid, u32 ppid, u32 ptid, bool synthesized,
		   u64 time);
void timeline_exit(struct timeline *tl, u32 pid, u32 tid, u64 time);
/* timeline_seen - a task has a sample in the recording: pass 2 will look it up */
void timeline_seen(struct timeline *tl, u32 pid, u32 tid);
void timeline_cgroup(struct timeline *tl, u64 id, const char *path);

struct map_info {
	u32 pid, tid;		/* pid -1: the kernel's */
	u64 start, len, pgoff;
	u32 prot, flags;
	const char *name;
	u64 ino, ino_generation;	/* 0: not known */
	const u8 *build_id;	/* NULL: none */
	u8 build_id_size;
	bool kernel;		/* cpumode of the record was kernel */
	bool guest;
	bool data;		/* it cannot be executed */
	bool bpf;		/* of a BPF program, by PERF_RECORD_KSYMBOL */
	bool unregister;
	u16 record_size;	/* bytes of the record */
};
/* @rec: 8-byte aligned, for the reader set by timeline_records() */
void timeline_map_record(struct timeline *tl, const void *rec, u64 time);

/*
 * timeline_seal_until - apply all changes until @until (ns, inclusive), for pass 2. Later ones,
 * with their strings and records, wait for the next call.
 */
void timeline_seal_until(struct timeline *tl, u64 until);

/* timeline_known_until - after sealing: changes later than @time may follow, where map_areas end */
void timeline_known_until(struct timeline *tl, u64 time);

/* Pass 2: safe from several threads at once once sealed. */

/*
 * timeline_thread - the task with a tid at a time, from its fork until another task gets the tid;
 * @pid: -1: unknown. One without any record is created (":TID").
 */
const struct thread *timeline_thread(struct timeline *tl, u32 pid, u32 tid, u64 time);

/* timeline_thread_brief - the same, but one without any record is made in @tmp */
const struct thread *timeline_thread_brief(struct timeline *tl, u32 pid, u32 tid, u64 time,
					   struct unknown_thread *tmp);

/* timeline_same_task - false: another task got the tid after @from, up to @to */
bool timeline_same_task(const struct timeline *tl, u32 tid, u64 from, u64 to);

/* timeline_has_process - did any process have this PID? Young: its fork or maps have times */
enum process_age timeline_has_process(const struct timeline *tl, u32 pid);

/* The task's name at that time; never NULL. The pointer is interned: equal names, equal pointers. */
const char *thread_comm(struct timeline *tl, const struct thread *t, u64 time);

/*
 * thread_comm_at - the task's name when record @seq was written, which orders records of equal
 * time; -1: after all of them; @tmp: for ":TID". Return: interned, or @tmp.
 */
const char *thread_comm_at(struct timeline *tl, const struct thread *t, u64 time, u64 seq,
			   char tmp[THREAD_NAME_SIZE]);

/* thread_until - the time of the task's exit, inclusive; -1: it did not exit in this recording */
u64 thread_until(const struct timeline *tl, const struct thread *t);

/* The path of a control group, by PERF_SAMPLE_CGROUP's id; "unknown", or "N/A" for 0. */
const char *timeline_cgroup_name(const struct timeline *tl, u64 id);

/* The address space of the task at that time. */
const struct space *thread_space(struct timeline *tl, const struct thread *t, u64 time);
const struct space *timeline_kernel_space(struct timeline *tl);

/* timeline_space - the space of an ip with this cpumode; NULL: unknown (guests, hypervisors) */
const struct space *timeline_space(struct timeline *tl, const struct thread *t, u8 cpumode,
				   u64 time);

/*
 * space_made_names - the DSO_ANON of a process or, unless the code is in a mapping of its @own, the
 * first one with names that it was forked from; NULL: none has names
 */
struct dso *space_made_names(struct timeline *tl, const struct space *sp, bool own);

/*
 * space_find - the mapping at an address at a time, or NULL; @area: addresses and times around with
 * the same result, for caching; may be NULL
 */
const struct map *space_find(struct timeline *tl, const struct space *sp, u64 addr, u64 time,
			     struct map_area *area);

/*
 * space_search - call @wanted with the paths of mappings made until @time, newest first, and of
 * inherited ones, until it returns other than 0, which is returned
 */
u32 space_search(struct timeline *tl, const struct space *sp, u64 time,
		 u32 (*wanted)(const char *path));

#endif /* PERF_TIMELINE_TIMELINE_H */

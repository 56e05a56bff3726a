// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for traces: the cache, of each task that is walked with page faults, and the scratch, of
 * each CPU, for walks that cannot allocate.
 *
 * Owns unwind_task_info::cache and the scratch. A task's cache is used by that task alone,
 * never by an interrupt.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

struct unwind_cache {
	unsigned int	size;		/* entries there is room for, of the scratch: of a CPU */
	unsigned long	entries[];
};

/* A full memory cgroup is no reason to kill a task that is sampled. */
#define CACHE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Entries that each CPU has room for, without unwind_deferred_reserve(). */
#define SCRATCH_ENTRIES	512
/* In one piece: there is room on each CPU, or on none. */
static struct unwind_cache *scratch;
/* The size of @scratch, 0 before the first client. */
unsigned int unwind_scratch_room;

/**
 * unwind_deferred_reserve - make room for deep stacks
 * @depth:	the deepest that requests will be
 *
 * Where the task blocks or an event is disabled, nothing can be allocated: traces end there
 * at 512 entries unless more were reserved here. The room is kept.
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int unwind_deferred_reserve(unsigned int depth)
{
	static DEFINE_MUTEX(mutex);
	struct unwind_cache *s;

	guard(mutex)(&mutex);

	depth = max_t(unsigned int, depth, SCRATCH_ENTRIES);
	if (depth <= unwind_scratch_room)
		return 0;

	s = kvmalloc(struct_size(s, entries, size_mul(depth, nr_cpu_ids)),
		     GFP_KERNEL | __GFP_NOWARN);
	if (!s)
		return -ENOMEM;
	s->size = depth;
	WRITE_ONCE(unwind_scratch_room, depth);
	/* Who uses the old one has interrupts disabled. */
	kvfree_rcu_mightsleep(xchg(&scratch, s));
	return 0;
}

/**
 * unwind_scratch_walk - walk the current task's user stack without page faults
 * @depth:	entries that are wanted
 * @trace:	set to the trace in this CPU's buffer, valid while interrupts are disabled
 *
 * Context: interrupts disabled; a client was registered.
 * Return: that of unwind_user_walk().
 */
int unwind_scratch_walk(unsigned int depth, struct unwind_stacktrace *trace)
{
	struct unwind_cache *s = READ_ONCE(scratch);

	trace->entries = s->entries + (size_t)smp_processor_id() * s->size;
	return unwind_user_walk(trace, min(depth, s->size), task_pt_regs(current),
				UNWIND_WALK_ATOMIC);
}

/**
 * unwind_cache_walk - walk the current task's user stack; pages may be faulted in
 * @depth:	entries that are wanted
 * @trace:	set to the trace in the task's cache, valid until the next such walk
 *
 * Context: process context that may sleep and holds no mmap_lock.
 * Return: whether there was memory.
 */
bool unwind_cache_walk(unsigned int depth, struct unwind_stacktrace *trace)
{
	struct unwind_cache *cache = current->unwind_info.cache;

	if (!cache || cache->size < depth) {
		kvfree(cache);
		cache = kvmalloc(struct_size(cache, entries, depth), CACHE_GFP);
		current->unwind_info.cache = cache;
		if (!cache)
			return false;
		cache->size = depth;
	}
	trace->entries = cache->entries;
	unwind_user_walk(trace, depth, task_pt_regs(current), UNWIND_WALK_FAULTABLE);
	return true;
}

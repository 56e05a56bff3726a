// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of an entry to the kernel: walked once, kept for all that want it
 * until the task returns to user space.
 *
 * Owns unwind_task_info::cache, UNWIND_CACHED, and a buffer for each CPU, the
 * scratch, for walks that may not allocate. While UNWIND_CACHED is set
 * the cache is whole, and an interrupt may copy it: who writes to the cache
 * clears the flag first. A trace is used only as long as the task has the user
 * registers that its walk began from.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

/**
 * struct unwind_cache - the trace of an entry
 * @ip:		user registers that the walk began from
 * @sp:		see @ip
 * @fp:		see @ip
 * @size:	entries there is room for
 * @depth:	entries the walk was allowed
 * @nr:		entries it found
 * @entries:	the entries
 */
struct unwind_cache {
	unsigned long		ip;
	unsigned long		sp;
	unsigned long		fp;
	unsigned int		size;
	unsigned int		depth;
	unsigned int		nr;
	unsigned long		entries[] __counted_by(size);
};

/* A full memory cgroup is no reason to kill a task that is sampled. */
#define CACHE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Entries that each CPU has room for, without unwind_deferred_reserve(). */
#define SCRATCH_ENTRIES	512
/* In one piece: there is room on each CPU, or on none. */
struct unwind_scratch {
	unsigned int	size;		/* entries of a CPU */
	unsigned long	entries[];
};

static struct unwind_scratch *scratch;

/**
 * unwind_scratch_reserve - room for walks that do not sleep; it is never given back
 * @depth:	entries that the deepest of them may have
 *
 * Context: process context, may sleep; one at a time.
 * Return: 0 or -ENOMEM.
 */
int unwind_scratch_reserve(unsigned int depth)
{
	struct unwind_scratch *s;

	depth = max_t(unsigned int, depth, SCRATCH_ENTRIES);
	if (depth <= unwind_scratch_room())
		return 0;

	s = kvmalloc(struct_size(s, entries, size_mul(depth, nr_cpu_ids)),
		     GFP_KERNEL | __GFP_NOWARN);
	if (!s)
		return -ENOMEM;
	s->size = depth;
	/* Who uses the old one has interrupts disabled. */
	kvfree_rcu_mightsleep(xchg(&scratch, s));
	return 0;
}

/**
 * unwind_scratch_room - entries that each CPU has room for, 0 before the first client
 *
 * Context: any.
 */
unsigned int unwind_scratch_room(void)
{
	struct unwind_scratch *s;

	guard(rcu)();
	s = READ_ONCE(scratch);
	return s ? s->size : 0;
}

static bool has_regs(const struct unwind_cache *cache, struct pt_regs *regs)
{
	return cache->ip == instruction_pointer(regs) &&
	       cache->sp == user_stack_pointer(regs) &&
	       cache->fp == frame_pointer(regs);
}

/* What the walk from @regs into @cache found, with at most @depth entries, is whole. */
static void set_cached(struct unwind_task_info *info, struct unwind_cache *cache,
		       struct pt_regs *regs, unsigned int depth, unsigned int nr)
{
	cache->ip = instruction_pointer(regs);
	cache->sp = user_stack_pointer(regs);
	cache->fp = frame_pointer(regs);
	cache->depth = depth;
	cache->nr = nr;
	atomic64_or(UNWIND_CACHED, &info->state);
}

/**
 * unwind_scratch_walk - walk without page faults
 * @info:	the current task's, not between two images
 * @depth:	entries that are wanted
 * @trace:	set to the trace, valid while interrupts are disabled: in the cache if it has
 *		room and is not in use, else in this CPU's buffer
 * @how:	UNWIND_WALK_ATOMIC or UNWIND_WALK_LAST
 *
 * Context: interrupts disabled; a client was registered.
 * Return: 0, -EAGAIN if the stack could not be read or has no room.
 */
int unwind_scratch_walk(struct unwind_task_info *info, unsigned int depth,
			struct unwind_stacktrace *trace, enum unwind_walk how)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct unwind_scratch *s = READ_ONCE(scratch);
	struct unwind_cache *cache = info->cache;
	unsigned int room = min(depth, s->size);

	if (cache && cache->size >= depth && !(atomic64_read(&info->state) & UNWIND_BUSY)) {
		/* An NMI must not read what is half written. */
		atomic64_andnot(UNWIND_CACHED, &info->state);
		trace->entries = cache->entries;
		if (unwind_user_walk(trace, depth, regs, how))
			return -EAGAIN;
		set_cached(info, cache, regs, depth, trace->nr);
		return 0;
	}
	trace->entries = s->entries + (size_t)smp_processor_id() * s->size;
	if (unwind_user_walk(trace, room, regs, how))
		return -EAGAIN;
	return trace->nr == room && depth > room ? -EAGAIN : 0;
}

/**
 * unwind_cache_get - the trace of this entry, if there is one
 * @info:	the current task's
 * @state:	its state
 * @depth:	entries that are wanted
 * @trace:	set to the trace, in the cache
 *
 * Context: any, NMI included.
 * Return: whether there is one that is as deep as the stack or as @depth.
 */
bool unwind_cache_get(struct unwind_task_info *info, u64 state, unsigned int depth,
		      struct unwind_stacktrace *trace)
{
	struct unwind_cache *cache = info->cache;

	if (!(state & UNWIND_CACHED) || !has_regs(cache, task_pt_regs(current)))
		return false;
	/* It was cut, and at a lesser depth. */
	if (cache->nr == cache->depth && cache->depth < depth)
		return false;
	trace->entries = cache->entries;
	trace->nr = min(cache->nr, depth);
	return true;
}

/**
 * unwind_cache_free - free the current task's cache
 * @info:	the current task's; UNWIND_CACHED is clear
 *
 * Context: process context.
 */
void unwind_cache_free(struct unwind_task_info *info)
{
	kvfree(info->cache);
	info->cache = NULL;
}

/**
 * unwind_cache_walk - walk into the cache; pages may be faulted in
 * @info:	the current task's; it holds UNWIND_BUSY and has user registers
 * @depth:	entries that are wanted; if there is no memory, those that the cache has
 *		room for
 * @trace:	set to the trace
 *
 * Context: process context that may sleep and holds no mmap_lock.
 * Return: whether there was memory.
 */
bool unwind_cache_walk(struct unwind_task_info *info, unsigned int depth,
		       struct unwind_stacktrace *trace)
{
	struct unwind_cache *cache = info->cache, *larger;
	struct pt_regs *regs = task_pt_regs(current);

	/* An interrupt must not take it for what the walk is still to find. */
	atomic64_andnot(UNWIND_CACHED, &info->state);
	if (!cache || cache->size < depth) {
		larger = kvmalloc(struct_size(larger, entries, depth), CACHE_GFP);
		if (larger) {
			larger->size = depth;
			info->cache = larger;
			kvfree(cache);
			cache = larger;
		}
	}
	if (!cache)
		return false;

	depth = min(depth, cache->size);
	trace->entries = cache->entries;
	unwind_user_walk(trace, depth, regs, UNWIND_WALK_FAULTABLE);
	set_cached(info, cache, regs, depth, trace->nr);
	return true;
}

/**
 * unwind_deferred_cached - copy the user stack of the current task, if it was walked
 * @trace:	@entries is where to copy it to, @nr is set
 * @max:	how many entries fit
 *
 * For a request that was refused because the task is leaving the kernel, and
 * for a client that needs the stack at once.
 *
 * Context: any, NMI included.
 * Return: true if this entry's trace is there and is deep enough.
 */
bool unwind_deferred_cached(struct unwind_stacktrace *trace, unsigned int max)
{
	struct unwind_task_info *info = &current->unwind_info;
	struct unwind_stacktrace cached;

	if (!unwind_cache_get(info, atomic64_read(&info->state), max, &cached))
		return false;
	memcpy(trace->entries, cached.entries, cached.nr * sizeof(*cached.entries));
	trace->nr = cached.nr;
	return true;
}

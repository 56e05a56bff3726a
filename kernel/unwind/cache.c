// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of an entry to the kernel: walked once, kept for all that want it
 * until the task returns to user space.
 *
 * Owns unwind_task_info::cache, UNWIND_CACHED, and a buffer for each CPU, the
 * scratch, which takes walks that may not allocate. While UNWIND_CACHED is set
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
 * @older:	an earlier cache of the same entry that a caller of
 *		unwind_user_faultable() may still read
 * @ip:		user registers that the walk began from
 * @sp:		see @ip
 * @fp:		see @ip
 * @size:	entries there is room for
 * @depth:	entries the walk was allowed
 * @nr:		entries it found
 * @entries:	the entries
 */
struct unwind_cache {
	struct unwind_cache	*older;
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

/* What each CPU has room for, without unwind_deferred_reserve(). */
#define SCRATCH_ENTRIES	512
/* In one piece: there is room on each CPU, or on none. */
struct unwind_scratch {
	unsigned int	size;		/* entries of a CPU */
	unsigned long	entries[];
};

static struct unwind_scratch *scratch;

/**
 * unwind_scratch_reserve - room for walks that do not sleep
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
 * unwind_scratch_free - give the room back
 *
 * No client is registered, no request is pending, and a grace period has passed
 * since.
 *
 * Context: process context, may sleep; not beside unwind_scratch_reserve().
 */
void unwind_scratch_free(void)
{
	kvfree_rcu_mightsleep(xchg(&scratch, NULL));
}

/**
 * unwind_scratch_room - entries that each CPU has room for, 0 without a client
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

/**
 * unwind_scratch_walk - walk into this CPU's buffer, without page faults
 * @trace:	set to the trace, valid while interrupts are disabled
 * @depth:	entries that are wanted
 * @how:	UNWIND_WALK_ATOMIC or UNWIND_WALK_LAST
 *
 * Context: interrupts disabled, a client is registered.
 * Return: 0, -EAGAIN if the stack could not be read or has no room.
 */
int unwind_scratch_walk(struct unwind_stacktrace *trace, unsigned int depth,
			enum unwind_walk how)
{
	struct unwind_scratch *s = READ_ONCE(scratch);
	struct pt_regs *regs = unwind_request_regs();

	trace->entries = s->entries + (size_t)smp_processor_id() * s->size;
	if (!regs || unwind_user_walk(trace, min(depth, s->size), regs, how))
		return -EAGAIN;
	return trace->nr == s->size && depth > s->size ? -EAGAIN : 0;
}

/**
 * unwind_request_regs - the registers that the current task's requests belong to
 *
 * Context: any, NMI included.
 * Return: the user registers of this entry, those before the change while
 * unwind_user_regs_change() is in force; NULL in execve(), from when the old mm
 * goes until the registers are the new program's.
 */
struct pt_regs *unwind_request_regs(void)
{
	struct unwind_task_info *info = &current->unwind_info;

	if (unlikely(atomic64_read(&info->state) & UNWIND_EXEC))
		return NULL;
	return READ_ONCE(info->regs) ?: task_pt_regs(current);
}

/**
 * unwind_user_regs - the registers that a walk for a sample begins from
 *
 * Context: any, NMI included.
 * Return: as unwind_request_regs(), but the new registers as soon as they are
 * whole.
 */
struct pt_regs *unwind_user_regs(void)
{
	struct pt_regs *old = unwind_request_regs();
	struct pt_regs *regs = task_pt_regs(current);

	if (likely(!old || old == regs))
		return old;
	/*
	 * unwind_user_regs_change() is in force, and these are half old, half
	 * new. A signal's frame has another stack pointer, and a handler or
	 * sigreturn another ip.
	 */
	if (instruction_pointer(regs) != instruction_pointer(old) &&
	    user_stack_pointer(regs) != user_stack_pointer(old))
		return regs;
	return old;
}

static bool has_regs(const struct unwind_cache *cache, struct pt_regs *regs)
{
	return regs && cache->ip == instruction_pointer(regs) &&
	       cache->sp == user_stack_pointer(regs) &&
	       cache->fp == frame_pointer(regs);
}

static void set_regs(struct unwind_cache *cache, struct pt_regs *regs)
{
	cache->ip = instruction_pointer(regs);
	cache->sp = user_stack_pointer(regs);
	cache->fp = frame_pointer(regs);
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

	if (!(state & UNWIND_CACHED) || !has_regs(cache, unwind_request_regs()))
		return false;
	/* It was cut, and at a lesser depth. */
	if (cache->nr == cache->depth && cache->depth < depth)
		return false;
	trace->entries = cache->entries;
	trace->nr = min(cache->nr, depth);
	return true;
}

static void free_caches(struct unwind_cache *cache)
{
	while (cache) {
		struct unwind_cache *older = cache->older;

		kvfree(cache);
		cache = older;
	}
}

/**
 * unwind_cache_free - free the current task's cache
 * @info:	the current task's; UNWIND_CACHED is clear
 *
 * Context: process context.
 */
void unwind_cache_free(struct unwind_task_info *info)
{
	free_caches(info->cache);
	info->cache = NULL;
}

/*
 * A cache with room for @depth entries that is not being read. If there is no memory
 * for it, the one that is there, unless it was handed out; NULL for none.
 */
static struct unwind_cache *make_room(struct unwind_task_info *info, unsigned int depth)
{
	bool handed = atomic64_read(&info->state) & UNWIND_HANDED;
	struct unwind_cache *old = info->cache, *cache;

	if (!handed && old) {
		/* Handed out in an earlier entry, which is over. */
		free_caches(old->older);
		old->older = NULL;
		if (old->size >= depth)
			return old;
	}

	cache = kvmalloc(struct_size(cache, entries, depth), CACHE_GFP);
	if (!cache)
		return handed ? NULL : old;
	cache->size = depth;
	cache->older = NULL;
	if (handed)
		cache->older = old;
	else
		kvfree(old);
	info->cache = cache;
	return cache;
}

/**
 * unwind_cache_walk - walk into the cache; pages may be faulted in
 * @info:	the current task's; it holds UNWIND_BUSY and has user registers
 * @depth:	entries that are wanted
 * @trace:	set to the trace, which is empty if there is no memory
 *
 * Context: process context that may sleep and holds no mmap_lock.
 * Return: whether there was memory.
 */
bool unwind_cache_walk(struct unwind_task_info *info, unsigned int depth,
		       struct unwind_stacktrace *trace)
{
	struct pt_regs *regs = unwind_request_regs();
	struct unwind_cache *cache;

	/* An interrupt must not take it for what the walk is still to find. */
	atomic64_andnot(UNWIND_CACHED, &info->state);
	trace->nr = 0;
	cache = make_room(info, depth);
	if (!cache)
		return false;

	depth = min(depth, cache->size);
	trace->entries = cache->entries;
	set_regs(cache, regs);
	unwind_user_walk(trace, depth, regs, UNWIND_WALK_FAULTABLE);
	cache->nr = trace->nr;
	cache->depth = depth;
	atomic64_or(UNWIND_CACHED, &info->state);
	return true;
}

/**
 * unwind_cache_keep - copy what a walk into the scratch found to the cache
 * @info:	the current task's
 * @depth:	entries that the walk was allowed
 * @trace:	what it found
 *
 * Does nothing if the cache has no room, or is being read or written.
 *
 * Context: interrupts disabled.
 */
void unwind_cache_keep(struct unwind_task_info *info, unsigned int depth,
		       const struct unwind_stacktrace *trace)
{
	struct unwind_cache *cache = info->cache;

	if (atomic64_read(&info->state) & (UNWIND_BUSY | UNWIND_HANDED) || !cache ||
	    cache->size < trace->nr)
		return;
	/* An NMI must not read what is half written. */
	atomic64_andnot(UNWIND_CACHED, &info->state);
	memcpy(cache->entries, trace->entries, trace->nr * sizeof(*trace->entries));
	cache->nr = trace->nr;
	cache->depth = depth;
	set_regs(cache, unwind_request_regs());
	atomic64_or(UNWIND_CACHED, &info->state);
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

	/* Behind the change of the registers the cache has the stack before it. */
	if (unwind_user_regs() != unwind_request_regs() ||
	    !unwind_cache_get(info, atomic64_read(&info->state), max, &cached))
		return false;
	memcpy(trace->entries, cached.entries, cached.nr * sizeof(*cached.entries));
	trace->nr = cached.nr;
	return true;
}

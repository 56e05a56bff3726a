// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to deferred requests: where the walk of a stay is kept, and the hooks
 * at every place where an answer is due.
 */
#include <linux/bitfield.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/ptrace.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/unwind_deferred.h>

#include "internal.h"

/* Walks that may not allocate go here: interrupts disabled, one per CPU. */
#define SCRATCH_ENTRIES	512
struct unwind_scratch {
	unsigned int	size;
	unsigned long	entries[] __counted_by(size);
};

static DEFINE_PER_CPU(struct unwind_scratch *, scratch);
static unsigned int scratch_size;

/**
 * unwind_answer_reserve - room for answers that do not sleep
 * @depth:	entries that the deepest of them may have
 *
 * Context: process context, may sleep; one at a time.
 * Return: 0 or -ENOMEM.
 */
int unwind_answer_reserve(unsigned int depth)
{
	struct unwind_scratch *s;
	int cpu;

	depth = max_t(unsigned int, depth, SCRATCH_ENTRIES);
	if (depth <= scratch_size)
		return 0;

	for_each_possible_cpu(cpu) {
		s = kvmalloc_node(struct_size(s, entries, depth), GFP_KERNEL,
				  cpu_to_node(cpu));
		if (!s)
			return -ENOMEM;
		s->size = depth;
		/* Who uses the old one has interrupts disabled. */
		s = xchg(per_cpu_ptr(&scratch, cpu), s);
		if (s)
			kvfree_rcu_mightsleep(s);
	}
	WRITE_ONCE(scratch_size, depth);
	return 0;
}

/**
 * unwind_answer_release - give the room back
 *
 * No client is registered, no request is pending, and a grace period has passed
 * since.
 *
 * Context: process context, may sleep; not beside unwind_answer_reserve().
 */
void unwind_answer_release(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(xchg(per_cpu_ptr(&scratch, cpu), NULL));
	WRITE_ONCE(scratch_size, 0);
}

/**
 * unwind_answer_room - entries that each CPU has room for, 0 without a client
 *
 * Context: any.
 */
unsigned int unwind_answer_room(void)
{
	return READ_ONCE(scratch_size);
}

/* Room on this CPU; interrupts are disabled, and a client has registered. */
static struct unwind_scratch *this_scratch(struct unwind_stacktrace *trace)
{
	struct unwind_scratch *s = READ_ONCE(*this_cpu_ptr(&scratch));

	trace->entries = s->entries;
	return s;
}

/* The user registers that a walk begins from, and whether they are those of @cache. */
static bool cache_has_regs(const struct unwind_cache *cache)
{
	struct pt_regs *regs = unwind_user_regs();

	return cache->ip == instruction_pointer(regs) &&
	       cache->sp == user_stack_pointer(regs) &&
	       cache->fp == frame_pointer(regs);
}

static void cache_set_regs(struct unwind_cache *cache)
{
	struct pt_regs *regs = unwind_user_regs();

	cache->ip = instruction_pointer(regs);
	cache->sp = user_stack_pointer(regs);
	cache->fp = frame_pointer(regs);
}

static bool cache_holds(struct unwind_task_info *info, u64 state,
			unsigned int depth, struct unwind_stacktrace *trace)
{
	struct unwind_cache *cache = info->cache;

	if (!(state & UNWIND_CACHED) || !cache_has_regs(cache))
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

/*
 * A cache with room for @depth entries that nobody reads. If there is no memory
 * for it, the one that is there, unless it was handed out; NULL for none.
 */
static struct unwind_cache *get_cache(struct unwind_task_info *info, unsigned int depth)
{
	bool handed = atomic64_read(&info->state) & UNWIND_HANDED;
	struct unwind_cache *old = info->cache, *cache;

	if (!handed && old) {
		/* Handed out in an earlier stay, which is over. */
		free_caches(old->older);
		old->older = NULL;
		if (old->size >= depth)
			return old;
	}

	cache = kvmalloc(struct_size(cache, entries, depth), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
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

/* UNWIND_BUSY is held. A trace without entries if there is no memory. */
static void walk_to_cache(struct unwind_task_info *info, unsigned int depth,
			  struct unwind_stacktrace *trace)
{
	struct unwind_cache *cache;

	/* An interrupt must not take it for what the walk is still to find. */
	atomic64_andnot(UNWIND_CACHED, &info->state);
	trace->nr = 0;
	cache = get_cache(info, depth);
	if (!cache)
		return;

	depth = min(depth, cache->size);
	trace->entries = cache->entries;
	cache_set_regs(cache);
	unwind_user_walk(trace, depth, unwind_user_regs(), true);
	cache->nr = trace->nr;
	cache->depth = depth;
	atomic64_or(UNWIND_CACHED, &info->state);
}

/* In the task, where it may sleep. False if there was nothing to answer. */
static bool answer_faultable(enum unwind_reason reason)
{
	struct unwind_task_info *info = &current->unwind_info;
	struct unwind_stacktrace trace = {};
	u64 state = atomic64_read(&info->state);
	unsigned int depth;

	if (!(state & UNWIND_PENDING) || state & UNWIND_BUSY)
		return false;

	atomic64_or(UNWIND_BUSY, &info->state);
	depth = FIELD_GET(UNWIND_DEPTH, state);
	/* Between two images the registers lead nowhere. */
	if (!(state & UNWIND_EXEC) && current->mm &&
	    !cache_holds(info, state, depth, &trace))
		walk_to_cache(info, depth, &trace);
	unwind_clients_answer(info, UNWIND_PENDING, &trace, reason);
	atomic64_andnot(UNWIND_BUSY, &info->state);
	return true;
}

/* Keep what a walk into the scratch found, for later answers of the same stay. */
static void fill_cache(struct unwind_task_info *info, const struct unwind_stacktrace *trace,
		       unsigned int depth)
{
	struct unwind_cache *cache = info->cache;

	/* An NMI must not read what is half written. */
	atomic64_andnot(UNWIND_CACHED, &info->state);
	memcpy(cache->entries, trace->entries, trace->nr * sizeof(*trace->entries));
	cache->nr = trace->nr;
	cache->depth = depth;
	cache_set_regs(cache);
	atomic64_or(UNWIND_CACHED, &info->state);
}

/**
 * unwind_answer_atomic - answer requests without page faults
 * @mask:	the clients meant; one at least has a request pending
 * @reason:	what it is time for
 *
 * What the task itself has in hand is left to it: its cache is not touched
 * while it is busy.
 *
 * Context: interrupts disabled.
 * Return: 0, -EAGAIN if the stack could not be read.
 */
int unwind_answer_atomic(u32 mask, enum unwind_reason reason)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state = atomic64_read(&info->state);
	struct unwind_stacktrace trace = {};
	unsigned int depth;
	u32 answering;

	mask &= unwind_clients_atomic();
	if (!mask)
		return -EAGAIN;
	if (state & UNWIND_EXEC)
		return -EAGAIN;

	depth = FIELD_GET(UNWIND_DEPTH, state);
	if (state & UNWIND_BUSY || !cache_holds(info, state, depth, &trace)) {
		unsigned int room = this_scratch(&trace)->size;

		/* It was tried at an earlier block, and nothing has changed since. */
		if (reason == UNWIND_REASON_BLOCK && state & UNWIND_FAULTED)
			return -EAGAIN;
		if (unwind_user_walk(&trace, min(depth, room), unwind_user_regs(), false) ||
		    (trace.nr == room && depth > room)) {
			if (reason == UNWIND_REASON_BLOCK)
				atomic64_or(UNWIND_FAULTED, &info->state);
			return -EAGAIN;
		}
		if (!(state & (UNWIND_BUSY | UNWIND_HANDED)) && info->cache &&
		    info->cache->size >= trace.nr)
			fill_cache(info, &trace, depth);
	}
	/* The task was interrupted while it answers: it must not notice. */
	answering = READ_ONCE(info->answering);
	unwind_clients_answer(info, mask, &trace, reason);
	WRITE_ONCE(info->answering, answering);
	return 0;
}

/**
 * unwind_answer_again - answer requests that the task is about to answer
 * @work:	the client that cannot wait
 *
 * Context: interrupts disabled, on top of unwind_clients_answer().
 * Return: 0, -EAGAIN if the stack could not be read.
 */
int unwind_answer_again(struct unwind_work *work)
{
	struct unwind_task_info *info = &current->unwind_info;
	unsigned int depth = FIELD_GET(UNWIND_DEPTH, atomic64_read(&info->state));
	struct unwind_stacktrace trace;
	unsigned int room = this_scratch(&trace)->size;

	if (unwind_user_walk(&trace, min(depth, room), unwind_user_regs(), false))
		return -EAGAIN;
	READ_ONCE(work->func)(work, &trace, READ_ONCE(info->cookie));
	return 0;
}

static void unwind_task_work(struct callback_head *head)
{
	/* First: a request from here on has to queue the work again. */
	u64 state = atomic64_fetch_andnot(UNWIND_QUEUED,
					  &current->unwind_info.state);

	/* In the middle of exec: unwind_deferred_exec_done() queues it again. */
	if (!(state & UNWIND_EXEC))
		answer_faultable(UNWIND_REASON_RETURN);
}

/**
 * unwind_user_faultable - the user stack of the current task, now
 * @trace:	set to the trace, which may be empty; its entries stay as they
 *		are until the task returns to user space, whatever else asks
 *		for the stack in the meantime
 *
 * The stay's requests and later calls share the walk.
 *
 * Context: process context that may sleep and holds no mmap_lock, not a
 * callback.
 * Return: 0, -EINVAL if the task has no user stack, -EBUSY in a callback.
 */
int unwind_user_faultable(struct unwind_stacktrace *trace)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state = atomic64_read(&info->state);
	unsigned int depth;

	trace->nr = 0;
	trace->entries = NULL;
	if (!unwind_has_user_stack(current) || state & UNWIND_EXEC)
		return -EINVAL;
	if (state & UNWIND_BUSY)
		return -EBUSY;

	atomic64_or(UNWIND_BUSY, &info->state);
	depth = max_t(unsigned int, FIELD_GET(UNWIND_DEPTH, state), UNWIND_USER_DEPTH);
	if (!cache_holds(info, state, depth, trace))
		walk_to_cache(info, depth, trace);
	atomic64_or(UNWIND_HANDED, &info->state);
	atomic64_andnot(UNWIND_BUSY, &info->state);
	return 0;
}
EXPORT_SYMBOL_GPL(unwind_user_faultable);

/**
 * unwind_deferred_cached - the user stack of the current task, if it was walked
 * @trace:	@entries is where to copy it to, @nr is set
 * @max:	how many entries fit
 *
 * For a request that was refused because the task is leaving the kernel, and
 * for whoever wants the stack in place.
 *
 * Context: any, NMI included.
 * Return: true if this stay's walk is there and is deep enough.
 */
bool unwind_deferred_cached(struct unwind_stacktrace *trace, unsigned int max)
{
	struct unwind_task_info *info = &current->unwind_info;
	struct unwind_stacktrace cached;

	if (!cache_holds(info, atomic64_read(&info->state), max, &cached))
		return false;
	memcpy(trace->entries, cached.entries, cached.nr * sizeof(*cached.entries));
	trace->nr = cached.nr;
	return true;
}
EXPORT_SYMBOL_GPL(unwind_deferred_cached);

/* The hooks. */

/**
 * unwind_deferred_fork - a new task has no stay, no cache and no request yet
 * @child:	a copy of current
 *
 * Context: process context, the child is not visible yet.
 */
void unwind_deferred_fork(struct task_struct *child)
{
	memset(&child->unwind_info, 0, sizeof(child->unwind_info));
	init_task_work(&child->unwind_info.work, unwind_task_work);
}

/**
 * __unwind_deferred_reset - unwind_deferred_reset() with something to reset
 *
 * Context: last thing before user mode, interrupts disabled, not
 * instrumentable.
 */
noinstr void __unwind_deferred_reset(void)
{
	unwind_state_reset(&current->unwind_info);
}

/**
 * __unwind_deferred_block - unwind_deferred_sched_out() with something to do
 *
 * What perf does for a sched_switch event in the same place, this does: read
 * user memory with page faults disabled, and write records.
 *
 * Context: __schedule(), runqueue lock held, interrupts disabled.
 */
void __unwind_deferred_block(void)
{
	u64 state = atomic64_read(&current->unwind_info.state);

	/* Busy: it waits for its stack's pages, the answer is on its way. */
	if (state & UNWIND_PENDING && !(state & UNWIND_BUSY))
		unwind_answer_atomic(state & UNWIND_PENDING, UNWIND_REASON_BLOCK);
}

/**
 * unwind_deferred_exec - the old image is about to go
 *
 * Answers what is pending from it. What is asked for from here on belongs to
 * the new image and gets another cookie.
 *
 * Context: process context, may sleep.
 */
void unwind_deferred_exec(void)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state;

	do {
		answer_faultable(UNWIND_REASON_EXEC);
		state = atomic64_read(&info->state);
		/*
		 * An interrupt asked before there was anything to answer: that
		 * is the old image's, too. After an answer nobody can ask.
		 */
	} while (state & UNWIND_PENDING ||
		 atomic64_cmpxchg(&info->state, state,
				  UNWIND_EXEC | (state & UNWIND_KEPT)) != state);
}

/**
 * unwind_deferred_exec_done - the registers are the new image's
 *
 * If exec fails after the old image went this is not called: the answer, at
 * exit, is empty.
 *
 * Context: process context.
 */
void unwind_deferred_exec_done(void)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state = atomic64_fetch_andnot(UNWIND_EXEC, &info->state);

	/* The work ran too early, and left it for now. */
	while (state & UNWIND_PENDING && !(state & UNWIND_QUEUED)) {
		u64 old = state & ~UNWIND_EXEC;

		state = atomic64_cmpxchg(&info->state, old, old | UNWIND_QUEUED);
		if (state == old) {
			task_work_add(current, &info->work, TWA_RESUME);
			break;
		}
	}
}

/**
 * unwind_deferred_exit - the task exits
 *
 * Answers what is pending while the mm and the task's events are there.
 *
 * Context: do_exit(), PF_EXITING is set, so that no request comes any more.
 */
void unwind_deferred_exit(void)
{
	struct unwind_task_info *info = &current->unwind_info;

	answer_faultable(UNWIND_REASON_EXIT);
	/* The work may still be queued: it finds nothing to do. */
	atomic64_and(UNWIND_QUEUED, &info->state);
	free_caches(info->cache);
	info->cache = NULL;
}

/**
 * __unwind_user_regs_change - unwind_user_regs_change() with a client
 * @old:	filled in with what @regs are now
 * @regs:	the current task's user registers
 *
 * What was sampled so far belongs to the old registers, and is answered from
 * them. Until the change is done no request is accepted, and who walks begins
 * from what unwind_user_regs() says: @regs may be half old, half new.
 *
 * Context: process context, may sleep.
 */
void __unwind_user_regs_change(struct pt_regs *old, const struct pt_regs *regs)
{
	struct unwind_task_info *info = &current->unwind_info;
	u64 state;

	*old = *regs;
	do {
		answer_faultable(UNWIND_REASON_RETURN);
		state = atomic64_read(&info->state);
		/* An interrupt asked before there was anything to answer. */
	} while (state & UNWIND_PENDING ||
		 atomic64_cmpxchg(&info->state, state, state | UNWIND_LEAVING) != state);
	WRITE_ONCE(info->regs, old);
}

/**
 * __unwind_user_regs_changed - the registers are all new
 *
 * What is asked for from here on gets another cookie and another walk.
 *
 * Context: process context.
 */
void __unwind_user_regs_changed(void)
{
	struct unwind_task_info *info = &current->unwind_info;

	/* Before requests are accepted again: the walks that they may bring. */
	WRITE_ONCE(info->regs, NULL);
	barrier();
	atomic64_and(UNWIND_KEPT, &info->state);
}

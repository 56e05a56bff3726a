// SPDX-License-Identifier: GPL-2.0
/*
 * perf's client of deferred unwinding: decides which samples of an event with
 * attr.defer_callchain carry their user callchain and which a cookie in its
 * place, and writes the PERF_RECORD_CALLCHAIN_DEFERRED that completes the latter.
 * An event's owner registers unwind tables, which live until the event is closed.
 *
 * Owns task_struct::perf_deferred. A sample with a cookie always has a request
 * pending with that cookie.
 */
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched/task_stack.h>
#include <linux/sysctl.h>
#include <linux/unwind_compat.h>
#include <linux/unwind_deferred.h>
#include <linux/unwind_table.h>
#include <linux/user_namespace.h>

#include <asm/unwind_user.h>

#include "internal.h"

/* The record: header, cookie, nr; a usual sample_id: pid, tid, time, id, cpu. */
#define RECORD_BYTES	24
#define SAMPLE_ID_BYTES	32
/* What one record has room for: its size is 16 bits. */
#define RECORD_ENTRIES	((U16_MAX - 256) / sizeof(u64))
/* What sharing a record must save before samples do so. */
#define SHARE_BYTES	1024

static int sysctl_perf_event_defer_inline __read_mostly = 1;

static void perf_deferred_complete(struct unwind_work *work,
				 struct unwind_stacktrace *trace, u64 cookie);

static struct unwind_work perf_unwind_work = { .bit = -EINVAL };

/**
 * perf_deferred_get - an event with attr.defer_callchain comes up
 * @max_stack:	entries that its callchains may have
 *
 * The first one registers perf's client, which remains.
 *
 * Context: process context, may sleep.
 * Return: 0 or the error of unwind_deferred_init().
 */
int perf_deferred_get(unsigned int max_stack)
{
	static DEFINE_MUTEX(mutex);
	int err = 0;

	guard(mutex)(&mutex);

	if (perf_unwind_work.bit < 0)
		err = unwind_deferred_init(&perf_unwind_work, perf_deferred_complete);
	return err ?: unwind_deferred_reserve(min_t(size_t, max_stack, RECORD_ENTRIES));
}

/**
 * perf_deferred_disable - an event is being disabled
 * @event:	the event: it takes no samples any more, and still gets records
 * @ctx:	its context
 *
 * Whoever reads the event's buffer may not come back: the current task's
 * requests are completed now if its stack can be read without faults.
 *
 * Context: interrupts disabled, @ctx->lock held.
 */
void perf_deferred_disable(struct perf_event *event,
			   struct perf_event_context *ctx)
{
	if ((event->attr.defer_callchain || event->attr.defer_output) &&
	    (!ctx->task || ctx->task == current))
		unwind_deferred_flush(&perf_unwind_work);
}

/*
 * The rule: later samples of an entry share a record once that would have saved
 * SHARE_BYTES, in this entry or in the last one with more than one sample.
 *
 * A shared callchain costs a cookie for each sample, and the record, once. If
 * only one sample comes to share it, 64 bytes are lost. Each entry that is worth
 * sharing can lead to two such losses, its own and that of the next one: some
 * 5 % of their samples' bytes at most, where the stacks have one depth.
 */
static bool sharing_pays(struct perf_deferred_task *t)
{
	/* As long as a product of two numbers of 16 bits and 8 bytes. */
	s64 nr = max(READ_ONCE(t->nr), READ_ONCE(t->last));
	s64 frames = sizeof(u64) * READ_ONCE(t->depth);
	s64 record = RECORD_BYTES + SAMPLE_ID_BYTES + frames;

	return (nr - 1) * (frames - (s64)sizeof(u64)) - record >= SHARE_BYTES;
}

/* An entry, or what a completion closed of it, is over: the next sample is sample @nr. */
static void start_over(struct perf_deferred_task *t, u16 nr)
{
	u16 last = READ_ONCE(t->nr);

	if (last > 1)
		WRITE_ONCE(t->last, last);
	WRITE_ONCE(t->nr, nr);
	WRITE_ONCE(t->pending, false);
}

/*
 * Is this sample, of the entry that the task is in, to be deferred? The first
 * of an entry is not, nor the first behind a completion.
 */
static bool defer_sample(struct perf_deferred_task *t)
{
	u32 entry = unwind_deferred_cookie() >> 32;
	u16 nr;

	if (READ_ONCE(t->entry) != entry) {
		WRITE_ONCE(t->entry, entry);
		start_over(t, 1);
		WRITE_ONCE(t->depth, 0);
		return false;
	}
	nr = READ_ONCE(t->nr);
	if (nr < U16_MAX)
		WRITE_ONCE(t->nr, ++nr);
	return READ_ONCE(t->pending) || (nr > 1 && sharing_pays(t));
}

/*
 * Store the user part of the callchain. Return: whether it is all there; if not, nothing was
 * stored unless it may be @partial.
 */
static bool store_inline(struct perf_callchain_entry_ctx *ctx,
			 struct pt_regs *regs, bool partial)
{
	struct perf_callchain_entry *entry = ctx->entry;
	struct unwind_stacktrace trace = {
		.entries = (unsigned long *)&entry->ip[entry->nr + 1],
	};
	int err;

	err = unwind_user_walk(&trace, ctx->max_stack - ctx->nr, regs, UNWIND_WALK_ATOMIC);
	WRITE_ONCE(current->perf_deferred.whole, trace.whole);
	if (err == -EFAULT && !partial)
		return false;

	WRITE_ONCE(current->perf_deferred.depth, min(trace.nr, U16_MAX));
	perf_callchain_store_context(ctx, PERF_CONTEXT_USER);
	entry->nr += trace.nr;
	ctx->nr += trace.nr;
	return true;
}

/**
 * perf_callchain_deferred - callchain of an event with attr.defer_callchain
 * @event:	the event; its user callchain is wanted
 * @regs:	registers of the sample
 * @kernel:	the kernel callchain is wanted, too
 *
 * Context: any, NMI included.
 * Return: the callchain, NULL if there is no buffer for it.
 */
struct perf_callchain_entry *
perf_callchain_deferred(struct perf_event *event, struct pt_regs *regs, bool kernel)
{
	struct pt_regs *user_regs = user_mode(regs) ? regs : task_pt_regs(current);
	/* The way in has just begun, or the way out just ends. */
	bool unsaved = in_nmi() && !user_mode(regs) && arch_unwind_user_regs_unsaved(regs);
	/* An NMI in user mode returns without ending an entry, and has none of its own. */
	bool entered = !unsaved && !(in_nmi() && user_mode(regs));
	struct perf_deferred_task *t = &current->perf_deferred;
	u32 max_stack = event->attr.sample_max_stack;
	bool deferred, refused = false;
	struct perf_callchain_entry_ctx ctx;
	struct perf_callchain_entry *entry;
	u64 cookie;
	int rctx;

	deferred = unsaved || !READ_ONCE(sysctl_perf_event_defer_inline) ||
		   (entered && defer_sample(t));
	for (;;) {
		/* Without the buffer, which an event on the request's tracepoint needs, too. */
		if (deferred) {
			refused = unwind_deferred_request(&perf_unwind_work, &cookie,
							  max_stack) < 0;
			deferred = !refused;
		}
		entry = get_callchain_entry(&rctx);
		if (!entry)
			return NULL;

		ctx = (struct perf_callchain_entry_ctx){ .entry = entry, .max_stack = max_stack };
		entry->nr = 0;
		if (kernel && !user_mode(regs)) {
			perf_callchain_store_context(&ctx, PERF_CONTEXT_KERNEL);
			perf_callchain_kernel(&ctx, regs);
		}

		if (deferred) {
			perf_callchain_store_context(&ctx, PERF_CONTEXT_USER_DEFERRED);
			perf_callchain_store_context(&ctx, cookie);
			break;
		}
		if (unsaved || store_inline(&ctx, user_regs, refused))
			break;
		/* It would have faulted: again, with a request. */
		put_callchain_entry(rctx);
		deferred = true;
	}

	if (entered && deferred)
		WRITE_ONCE(t->pending, true);
	put_callchain_entry(rctx);
	return entry;
}

/**
 * perf_callchain_may_defer - can this sample's user callchain be deferred?
 * @event:	the event; its user callchain is wanted
 *
 * Not if a BPF program takes the callchain from the sample, which needs it
 * there and then; nor in a guest, nor without room for the marker and cookie, nor
 * where this architecture's walk does not know the task's stacks.
 *
 * Context: any, NMI included.
 */
bool perf_callchain_may_defer(struct perf_event *event)
{
	if (!event->attr.defer_callchain || perf_guest_state() || !arch_unwind_user_supports())
		return false;
	if (sysctl_perf_event_max_contexts_per_stack < 3)
		return false;
#ifdef CONFIG_BPF_SYSCALL
	struct bpf_prog *prog = READ_ONCE(event->prog);

	if (prog && prog->call_get_stack)
		return false;
#endif
	return true;
}

struct perf_deferred_record {
	struct perf_event_header	header;
	u64				cookie;
	u64				nr;
	/* The record ends in these. */
	const unsigned long		*ips;
};

static void perf_deferred_output(struct perf_event *event, void *data)
{
	struct perf_deferred_record *rec = data;
	size_t head = offsetof(struct perf_deferred_record, ips), ips = rec->nr * sizeof(u64);
	struct perf_output_handle handle;
	struct perf_sample_data sample;

	if (!event->attr.defer_output)
		return;

	perf_event_header__init(&rec->header, &sample, PERF_RECORD_CALLCHAIN_DEFERRED,
				PERF_RECORD_MISC_USER, head + ips, event);
	if (perf_output_begin(&handle, &sample, event, rec->header.size))
		return;
	perf_output_copy(&handle, rec, head);
	perf_output_copy(&handle, rec->ips, ips);
	perf_event__output_id_sample(event, &handle, &sample);
	perf_output_end(&handle);
}

/* Completes the samples of an entry, in the context of their task. */
static void perf_deferred_complete(struct unwind_work *work,
				 struct unwind_stacktrace *trace, u64 cookie)
{
	struct perf_deferred_record rec = {
		.cookie = cookie,
		.nr = min(trace->nr, RECORD_ENTRIES),
		.ips = trace->entries,
	};

	BUILD_BUG_ON(sizeof(*trace->entries) != sizeof(u64));

	start_over(&current->perf_deferred, 0);
	WRITE_ONCE(current->perf_deferred.whole, trace->whole);
	perf_iterate_sb(perf_deferred_output, &rec, NULL);
}

#ifdef CONFIG_UNWIND_USER_TABLE
/**
 * perf_deferred_stack - how much of the user stack is copied into a sample?
 * @event:	the event; the sample has its callchain already
 * @size:	what attr.sample_stack_user says
 *
 * With attr.defer_callchain the copy is there to complete a user callchain that was cut.
 *
 * Context: any, NMI included.
 * Return: @size; 0 if the user callchain came to the outermost frame or, if it is deferred,
 * the task's last one did.
 */
u16 perf_deferred_stack(struct perf_event *event, u16 size)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) ||
	    event->attr.exclude_callchain_user || !perf_callchain_may_defer(event))
		return size;
	/* An interrupt that took a sample meanwhile walked the same stack. */
	return READ_ONCE(current->perf_deferred.whole) ? 0 : size;
}

/**
 * perf_table_add - register an unwind table until an event is closed
 * @event:	the event
 * @file:	the event's file: its opener's capabilities count
 * @arg:	a struct unwind_table_add in user memory
 *
 * A table serves every task: whoever registers one decides what words of other users' stacks a
 * walk takes for addresses.
 *
 * Context: process context, may sleep; no lock is held.
 * Return: -EPERM, or what unwind_table_add_user() says.
 */
int perf_table_add(struct perf_event *event, struct file *file, void __user *arg)
{
	if (!file_ns_capable(file, &init_user_ns, CAP_PERFMON) &&
	    !file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN))
		return -EPERM;
	return unwind_table_add_user(&event->unwind_tables, arg);
}

/**
 * __perf_callchain_tables - perf_callchain_tables(), while there are tables
 * @ctx:	the callchain so far; extended
 * @regs:	user registers
 *
 * For get_perf_callchain(): events without attr.defer_callchain, and BPF.
 *
 * Context: any, NMI included.
 * Return: whether it was taken; if not, nothing was stored.
 */
bool __perf_callchain_tables(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs)
{
	struct perf_callchain_entry *entry = ctx->entry;
	unsigned int nr;

	/* The registers are the host's. */
	if (perf_guest_state() || ctx->contexts_maxed || ctx->nr >= ctx->max_stack)
		return false;
	nr = unwind_plain((unsigned long *)&entry->ip[entry->nr], ctx->max_stack - ctx->nr, regs);
	entry->nr += nr;
	ctx->nr += nr;
	return nr;
}
#endif

static struct ctl_table perf_deferred_sysctls[] = {
	{
		.procname	= "perf_event_defer_inline",
		.data		= &sysctl_perf_event_defer_inline,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	},
	UNWIND_SYSCTL_END
};

static int __init perf_deferred_sysctl_init(void)
{
	register_sysctl_init("kernel", perf_deferred_sysctls);
	return 0;
}
late_initcall(perf_deferred_sysctl_init);

// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_UNWIND_TABLE: unwind tables that the owner of an event
 * registers. They live until the event is closed, and serve all user callchains.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <linux/unwind_table.h>
#include <linux/user_namespace.h>

#include "internal.h"

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

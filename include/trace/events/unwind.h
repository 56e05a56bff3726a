/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM unwind

#if !defined(_TRACE_UNWIND_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_UNWIND_H

#include <linux/tracepoint.h>

/* The values of enum unwind_reason, kernel/unwind/internal.h */
#define show_unwind_reason(reason)		\
	__print_symbolic(reason,		\
			 { 0, "return" },	\
			 { 1, "block" },	\
			 { 2, "exec" },		\
			 { 3, "exit" },		\
			 { 4, "disable" })

/* A client requested the current task's user stack. */
TRACE_EVENT(unwind_deferred_request,

	TP_PROTO(u64 cookie, bool pending),

	TP_ARGS(cookie, pending),

	TP_STRUCT__entry(
		__field(u64,	cookie)
		__field(bool,	pending)
	),

	TP_fast_assign(
		__entry->cookie = cookie;
		__entry->pending = pending;
	),

	TP_printk("cookie=%llx pending=%d", __entry->cookie, __entry->pending)
);

/*
 * The requests with this cookie are about to be completed. The name is the first
 * release's, and scripts may use it.
 */
TRACE_EVENT(unwind_deferred_answer,

	TP_PROTO(u64 cookie, unsigned int nr, unsigned int reason),

	TP_ARGS(cookie, nr, reason),

	TP_STRUCT__entry(
		__field(u64,		cookie)
		__field(unsigned int,	nr)
		__field(unsigned int,	reason)
	),

	TP_fast_assign(
		__entry->cookie = cookie;
		__entry->nr = nr;
		__entry->reason = reason;
	),

	TP_printk("cookie=%llx nr=%u reason=%s", __entry->cookie, __entry->nr,
		  show_unwind_reason(__entry->reason))
);

#endif /* _TRACE_UNWIND_H */

#include <trace/define_trace.h>

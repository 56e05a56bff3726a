/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM unwind
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE unwind_table

#if !defined(_TRACE_UNWIND_TABLE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_UNWIND_TABLE_H

#include <linux/kdev_t.h>
#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(unwind_table,

	TP_PROTO(dev_t dev, unsigned long ino, size_t bytes, unsigned int rows),

	TP_ARGS(dev, ino, bytes, rows),

	TP_STRUCT__entry(
		__field(dev_t,		dev)
		__field(unsigned long,	ino)
		__field(size_t,		bytes)
		__field(unsigned int,	rows)
	),

	TP_fast_assign(
		__entry->dev = dev;
		__entry->ino = ino;
		__entry->bytes = bytes;
		__entry->rows = rows;
	),

	TP_printk("dev=%d:%d ino=%lu bytes=%zu rows=%u",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino,
		  __entry->bytes, __entry->rows)
);

/* A table was registered: of the file with this inode, or of the vDSO (0). */
DEFINE_EVENT(unwind_table, unwind_table_add,
	TP_PROTO(dev_t dev, unsigned long ino, size_t bytes, unsigned int rows),
	TP_ARGS(dev, ino, bytes, rows));

/* The event that has it was closed. */
DEFINE_EVENT(unwind_table, unwind_table_remove,
	TP_PROTO(dev_t dev, unsigned long ino, size_t bytes, unsigned int rows),
	TP_ARGS(dev, ino, bytes, rows));

#endif /* _TRACE_UNWIND_TABLE_H */

#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM unwind
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE unwind_table

#if !defined(_TRACE_UNWIND_TABLE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_UNWIND_TABLE_H

#include <linux/fs.h>
#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(unwind_table,

	TP_PROTO(const struct inode *inode, size_t bytes, unsigned int rows, bool any_task),

	TP_ARGS(inode, bytes, rows, any_task),

	TP_STRUCT__entry(
		__field(dev_t,		dev)
		__field(unsigned long,	ino)
		__field(size_t,		bytes)
		__field(unsigned int,	rows)
		__field(bool,		any_task)
	),

	TP_fast_assign(
		__entry->dev = inode ? inode->i_sb->s_dev : 0;
		__entry->ino = inode ? inode->i_ino : 0;
		__entry->bytes = bytes;
		__entry->rows = rows;
		__entry->any_task = any_task;
	),

	TP_printk("dev=%d:%d ino=%lu bytes=%zu rows=%u any_task=%d",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino,
		  __entry->bytes, __entry->rows, __entry->any_task)
);

/* A table was registered: of the file with this inode, or of the vDSO (0). */
DEFINE_EVENT(unwind_table, unwind_table_add,
	TP_PROTO(const struct inode *inode, size_t bytes, unsigned int rows, bool any_task),
	TP_ARGS(inode, bytes, rows, any_task));

/* Its last registration was closed. */
DEFINE_EVENT(unwind_table, unwind_table_remove,
	TP_PROTO(const struct inode *inode, size_t bytes, unsigned int rows, bool any_task),
	TP_ARGS(inode, bytes, rows, any_task));

#endif /* _TRACE_UNWIND_TABLE_H */

#include <trace/define_trace.h>

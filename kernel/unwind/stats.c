// SPDX-License-Identifier: GPL-2.0
/* debugfs unwind/stats: what deferred unwinding did since boot. */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/seq_file.h>

#include "internal.h"
#include "table.h"

static const char * const names[UNWIND_NR_STATS] = {
	[UNWIND_REASON_RETURN]	= "answered_return",
	[UNWIND_REASON_BLOCK]	= "answered_block",
	[UNWIND_REASON_EXEC]	= "answered_exec",
	[UNWIND_REASON_EXIT]	= "answered_exit",
	[UNWIND_REASON_DISABLE]	= "answered_disable",
	[UNWIND_REQUESTS]	= "requests",
	[UNWIND_SHARED]		= "shared",
	[UNWIND_NMI]		= "nmi",
	[UNWIND_FAULTS]		= "faulted",
	[UNWIND_TABLE_WALKS]	= "table_walks",
	[UNWIND_COMPLETE]	= "complete",
};

static int stats_show(struct seq_file *m, void *unused)
{
	unsigned long total;
	unsigned int i, cpu;

	for (i = 0; i < UNWIND_NR_STATS; i++) {
		total = 0;
		for_each_possible_cpu(cpu)
			/* A count that is one behind is fine. */
			total += data_race(per_cpu(unwind_stats, cpu)[i]);
		seq_printf(m, "%s %lu\n", names[i], total);
	}
	seq_printf(m, "room %u\n", READ_ONCE(unwind_scratch_room));
#ifdef CONFIG_UNWIND_USER_TABLE
	seq_printf(m, "tables %d\n", atomic_read(&unwind_tables_nr));
	seq_printf(m, "table_bytes %ld\n", atomic_long_read(&unwind_tables_bytes));
#endif
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int __init unwind_stats_init(void)
{
	struct dentry *dir = debugfs_create_dir("unwind", NULL);

	debugfs_create_file("stats", 0444, dir, NULL, &stats_fops);
	return 0;
}
late_initcall(unwind_stats_init);

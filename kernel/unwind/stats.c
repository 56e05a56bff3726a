// SPDX-License-Identifier: GPL-2.0
/* debugfs unwind/stats: what deferred unwinding did since boot. */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/seq_file.h>

#include "internal.h"
#include "table.h"

static unsigned long sum(size_t offset)
{
	unsigned long total = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		void *stats = per_cpu_ptr(&unwind_stats, cpu);

		/* A statistic: a count that is one behind is fine. */
		total += data_race(*(unsigned long *)(stats + offset));
	}
	return total;
}

#define unwind_stat(field)	sum(offsetof(struct unwind_stats, field))

static int stats_show(struct seq_file *m, void *unused)
{
	static const char * const reasons[UNWIND_NR_REASONS] = {
		[UNWIND_REASON_RETURN]	= "return",
		[UNWIND_REASON_BLOCK]	= "block",
		[UNWIND_REASON_EXEC]	= "exec",
		[UNWIND_REASON_EXIT]	= "exit",
		[UNWIND_REASON_DISABLE]	= "disable",
	};
	unsigned long __maybe_unused bytes;
	unsigned int i;

	seq_printf(m, "requests %lu\n", unwind_stat(requests));
	seq_printf(m, "shared %lu\n", unwind_stat(shared));
	seq_printf(m, "nmi %lu\n", unwind_stat(nmi));
	for (i = 0; i < UNWIND_NR_REASONS; i++)
		seq_printf(m, "answered_%s %lu\n", reasons[i],
			   sum(offsetof(struct unwind_stats, completed) +
			       i * sizeof(unsigned long)));
	seq_printf(m, "faulted %lu\n", unwind_stat(faulted));
	seq_printf(m, "empty %lu\n", unwind_stat(empty));
	seq_printf(m, "room %u\n", unwind_scratch_room());
#ifdef CONFIG_UNWIND_USER_TABLE
	seq_printf(m, "tables %u\n", unwind_table_sum(&bytes));
	seq_printf(m, "table_bytes %lu\n", bytes);
	seq_printf(m, "table_walks %lu\n", unwind_stat(table_walks));
	seq_printf(m, "complete %lu\n", unwind_stat(complete));
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

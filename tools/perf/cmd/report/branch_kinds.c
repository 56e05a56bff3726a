// SPDX-License-Identifier: GPL-2.0
/*
 * perf report: "Branch Statistics", the number of branches of each kind, below the tables. The
 * input is the counts of all events; the file owns nothing. The kinds come from the processor, or
 * from a kernel that decodes branch instructions (perf record -j any,save_type).
 */
#include "cmd/report/report.h"
#include "event/value_text.h"

static void put_part(const char *name, u64 part, u64 all, struct outbuf *o)
{
	if (part)
		outbuf_printf(o, "%8s: %5.1f%%\n", name, 100.0 * part / all);
}

void report_kinds(const struct branch_counts *c, struct outbuf *o)
{
	u64 all = 0;
	u32 i;

	for (i = 1; i < BRANCH_KINDS; i++)
		all += c->kinds[i];
	if (!all)
		return;
	outbuf_puts(o, "\n#\n# Branch Statistics:\n#\n");
	put_part("COND_FWD", c->forward, all, o);
	put_part("COND_BWD", c->backward, all, o);
	put_part("CROSS_4K", c->cross_4k, all, o);
	put_part("CROSS_2M", c->cross_2m, all, o);
	for (i = 1; i < BRANCH_KINDS; i++)
		put_part(branch_kind_names[i], c->kinds[i], all, o);
}

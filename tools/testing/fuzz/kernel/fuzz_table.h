/* SPDX-License-Identifier: GPL-2.0 */
/* What perf_fuzzer-table.patch adds to perf_fuzzer. */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

struct perf_event_attr;

/* Set the deferred bits of three in four events, and ask half of these for callchains. */
void fuzz_table_attr(struct perf_event_attr *attr);
/* Register a table for @event, sound or not; what ioctl() returned. */
int fuzz_table_ioctl(int event);

#endif

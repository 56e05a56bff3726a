/* SPDX-License-Identifier: GPL-2.0 */
/* Registers unwind tables (linux/unwind_table.h), which live as long as an event without counts. */
#ifndef PERF_MEASURE_TABLE_H
#define PERF_MEASURE_TABLE_H

#include "base/types.h"

/*
 * table_event_open - open the event for registering tables. Return: its descriptor; -ENOTTY: the
 * kernel has no tables; -EPERM; another -errno: no event can be opened.
 */
int table_event_open(void);
/* table_missing - why table_event_open() gives no event, for messages */
const char *table_missing(void);

/*
 * table_event_add - register a file's table, from any thread; the kernel copies it; @file: for
 * reading; -1: the vDSO. Return: 0; -EEXIST: the file has a table; -errno.
 */
int table_event_add(int event, int file, const void *data, size_t size);
/* table_refused - message for an error of table_event_add(); @err: -errno */
const char *table_refused(int err);

#endif /* PERF_MEASURE_TABLE_H */

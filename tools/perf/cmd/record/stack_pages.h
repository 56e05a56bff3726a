/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of stacks that were never used, as in the middle of a large array: a copy of the stack ends at
 * the first one. To read such a page from outside is enough: then it is there, as the page of zeroes.
 */
#ifndef PERF_CMD_RECORD_STACK_PAGES_H
#define PERF_CMD_RECORD_STACK_PAGES_H

#include "base/types.h"

/**
 * stack_pages_read() - read the pages around a stack pointer
 * @pid: the process
 * @sp: the stack pointer
 *
 * As many below as above, within the mapping, which must be private memory. What it contains does not change, and
 * it takes no memory but for page tables. Nothing is done without the permission to read the process.
 */
void stack_pages_read(u32 pid, u64 sp);

#endif /* PERF_CMD_RECORD_STACK_PAGES_H */

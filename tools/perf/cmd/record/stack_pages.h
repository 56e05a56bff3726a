/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in stack pages that were never used, for example in the middle of a large array. The
 * kernel's copy of a stack ends at the first such page. Reading it from another process maps the
 * zero page.
 */
#ifndef PERF_CMD_RECORD_STACK_PAGES_H
#define PERF_CMD_RECORD_STACK_PAGES_H

#include "base/types.h"

/**
 * stack_pages_read() - read the pages around a stack pointer
 * @end: end of the copy; if it is the end of the mapping, nothing is read
 *
 * Reads the same number of pages below and above @sp, within its mapping, which must be private
 * anonymous memory. The contents do not change, and only page tables take memory. Without
 * permission to read the process, nothing is done.
 */
void stack_pages_read(u32 pid, u64 sp, u64 end);

#endif /* PERF_CMD_RECORD_STACK_PAGES_H */

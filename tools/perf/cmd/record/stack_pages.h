/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in stack pages that were never used, as in the middle of a large array: the kernel's copy
 * of a stack ends there. Reading one from another process maps the zero page.
 */
#ifndef PERF_CMD_RECORD_STACK_PAGES_H
#define PERF_CMD_RECORD_STACK_PAGES_H

#include "base/types.h"

/*
 * stack_pages_read - read pages below and above @sp, in its mapping, if that is private anonymous
 * memory and does not end at @end, where the copy ends
 */
void stack_pages_read(u32 pid, u64 sp, u64 end);

#endif /* PERF_CMD_RECORD_STACK_PAGES_H */

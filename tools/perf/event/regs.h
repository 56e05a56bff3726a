/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of registers.
 */
#ifndef PERF_EVENT_REGS_H
#define PERF_EVENT_REGS_H

#include "base/types.h"

/**
 * reg_name() - the name of a register of x86 in sample_regs_user and sample_regs_intr
 * @bit: PERF_REG_X86_*
 *
 * Return: e.g. "AX"; "unknown" when there is none.
 */
const char *reg_name(u32 bit);

#endif /* PERF_EVENT_REGS_H */

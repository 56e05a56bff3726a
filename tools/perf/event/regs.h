/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of registers.
 */
#ifndef PERF_EVENT_REGS_H
#define PERF_EVENT_REGS_H

#include "base/types.h"

/**
 * reg_name() - the name of a register in sample_regs_user and sample_regs_intr
 * @arch: where it was recorded, as "uname -m" says it, or NULL: a machine like this one
 * @bit: PERF_REG_X86_*, PERF_REG_ARM64_*
 *
 * Return: e.g. "AX", "lr"; "unknown" when there is none, or the machine is of another kind.
 */
const char *reg_name(const char *arch, u32 bit);

#endif /* PERF_EVENT_REGS_H */

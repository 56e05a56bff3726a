/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of registers.
 */
#ifndef PERF_EVENT_REGS_H
#define PERF_EVENT_REGS_H

#include "base/types.h"

/**
 * reg_name() - the name of a register in sample_regs_user and sample_regs_intr
 * @arch: the recorded machine's "uname -m"; NULL: this machine's
 * @bit: PERF_REG_X86_*, PERF_REG_ARM64_*
 *
 * Return: e.g. "AX", "lr"; "unknown" for other registers or architectures.
 */
const char *reg_name(const char *arch, u32 bit);

#endif /* PERF_EVENT_REGS_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the registers in samples.
 */
#include "event/regs.h"

/* <asm/perf_regs.h>; the vector registers take two words each. */
const char *reg_name(u32 bit)
{
	static const char *const names[] = {
		"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS",
		"ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
	};
	static const char *const xmm[] = {
		"XMM0", "XMM1", "XMM2", "XMM3", "XMM4", "XMM5", "XMM6", "XMM7", "XMM8", "XMM9",
		"XMM10", "XMM11", "XMM12", "XMM13", "XMM14", "XMM15",
	};

	if (bit < ARRAY_SIZE(names))
		return names[bit];
	if (bit >= 32 && bit < 64)
		return xmm[(bit - 32) / 2];
	return "unknown";
}

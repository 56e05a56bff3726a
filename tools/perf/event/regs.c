// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the registers in samples: those of <asm/perf_regs.h> of x86 and of arm64.
 */
#include <string.h>

#include "event/regs.h"

static const char *const x86[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS",
	"ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
	/* Each has two words. */
	[32] = "XMM0", "XMM0", "XMM1", "XMM1", "XMM2", "XMM2", "XMM3", "XMM3", "XMM4", "XMM4",
	"XMM5", "XMM5", "XMM6", "XMM6", "XMM7", "XMM7", "XMM8", "XMM8", "XMM9", "XMM9",
	"XMM10", "XMM10", "XMM11", "XMM11", "XMM12", "XMM12", "XMM13", "XMM13", "XMM14", "XMM14",
	"XMM15", "XMM15",
};

static const char *const arm64[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
	"x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "lr", "sp", "pc",
	[46] = "vg",
};

#ifdef __aarch64__
#define NATIVE	"aarch64"
#else
#define NATIVE	"x86_64"
#endif

const char *reg_name(const char *arch, u32 bit)
{
	const char *name = NULL;

	if (!arch)
		arch = NATIVE;
	if (!strncmp(arch, "x86", 3) || (arch[0] == 'i' && !strcmp(arch + 2, "86")))
		name = bit < ARRAY_SIZE(x86) ? x86[bit] : NULL;
	else if (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64"))
		name = bit < ARRAY_SIZE(arm64) ? arm64[bit] : NULL;
	return name ? name : "unknown";
}

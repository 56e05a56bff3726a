// SPDX-License-Identifier: GPL-2.0
/*
 * Names of branches: of their types and of how they were speculated. It is given the flags of a
 * struct perf_branch_entry and owns nothing.
 */
#include "event/abi.h"
#include "event/branch.h"

#define TYPE_EXTENDED 15	/* the type is in another field */

const char *branch_type_name(u64 flags)
{
	static const char *const types[] = {
		"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
		"COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",
	};
	static const char *const extended[] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4",
		"ARCH_5",
	};
	u32 type = flags >> 20 & 15, more = flags >> 26 & 15;

	if (type != TYPE_EXTENDED)
		return types[type];
	return more < ARRAY_SIZE(extended) ? extended[more] : "";
}

const char *branch_spec_name(u64 flags)
{
	static const char *const specs[] = {
		NULL, "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH",
	};

	return specs[flags >> 24 & 3];
}

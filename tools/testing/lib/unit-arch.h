/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of what only some machines have.
 */
#ifndef TOOL_UNIT_ARCH_H
#define TOOL_UNIT_ARCH_H

/* On a machine that is no x86: test @name is skipped, and says @why. */
#define ONLY_X86(name, why)							\
	static void name(void **state __unused)					\
	{									\
		print_message("# skipped: " #name ": " why "\n");		\
		skip();								\
	}

#endif /* TOOL_UNIT_ARCH_H */

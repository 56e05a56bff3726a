// SPDX-License-Identifier: GPL-2.0
/* Finds the instructions of Go's runtime that switch stacks. */
#include <string.h>

#include "cfi/go_stack.h"

static const struct {
	const char *name;
	enum go_stack on_other;
} functions[] = {
	{ "runtime.systemstack", GO_STACK_WAITS },
	{ "runtime.asmcgocall", GO_STACK_WAITS },
	{ "runtime.mcall", GO_STACK_LEFT },
	{ "runtime.morestack", GO_STACK_LEFT },
};

static enum go_stack on_other(const char *name)
{
	size_t len;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		len = strlen(functions[i].name);
		if (!strncmp(name, functions[i].name, len) && (!name[len] || name[len] == '.'))
			return functions[i].on_other;
	}
	return GO_STACK_OWN;
}

bool go_stack_switches(const char *name)
{
	return on_other(name) != GO_STACK_OWN;
}

/* The length of "mov %reg,%rsp" or "mov disp(%reg),%rsp"; 0: another instruction. */
static u32 loads_sp(const u8 *insn, u64 size)
{
	if (size < 7)
		return 0;
	/* The other register may be one of r8 to r15. */
	if ((insn[0] & 0xfb) == 0x48 && insn[1] == 0x89 && (insn[2] & 0xc7) == 0xc4)
		return 3;
	if ((insn[0] & 0xfe) == 0x48 && insn[1] == 0x8b && (insn[2] & 0x38) == 0x20 &&
	    insn[2] < 0xc0)
		return insn[2] < 0x40 ? 3 : insn[2] < 0x80 ? 4 : 7;
	return 0;
}

enum go_stack go_stack_at(const char *name, const u8 *code, u64 size, u64 at)
{
	enum go_stack stack = GO_STACK_OWN, other = on_other(name);
	bool switched = false;
	u64 i = 0;
	u32 len;

	while (i < size) {
		len = loads_sp(code + i, size - i);
		if (i + (len ?: 1) > at)
			break;
		if (len)
			stack = switched ? GO_STACK_OWN : other;
		else if (switched && code[i] == 0xc3)
			stack = other;
		switched |= len > 0;
		i += len ?: 1;
	}
	return stack;
}

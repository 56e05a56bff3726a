/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of Go's runtime that call on another stack (x86-64). Their call frame information is
 * right before the switch only: behind it, what an earlier call left on the other stack is taken
 * for the return address.
 */
#ifndef PERF_CFI_GO_STACK_H
#define PERF_CFI_GO_STACK_H

#include <stdbool.h>

#include "base/types.h"

enum go_stack {
	GO_STACK_OWN,		/* before the switch, and after the one back */
	GO_STACK_WAITS,		/* rbp is still that of the calling function, which waits */
	GO_STACK_LEFT,		/* another thread may run the goroutine on: there is no caller */
};

/* They have some 200 bytes. A larger one of such a name is another. */
#define GO_STACK_MAX 1024

/* go_stack_switches - is this the name of such a function? With or without ".abi0". */
bool go_stack_switches(const char *name);

/**
 * go_stack_at() - whose stack is it at an instruction?
 * @name: the function's name, for which go_stack_switches() is true
 * @size: bytes of these
 * @at: an offset in them
 *
 * Source: runtime/asm_amd64.s, "systemstack", "mcall": the switch is a load of rsp, from g0's gobuf; a
 * second one, which "ret" follows, leads back.
 *
 * Return: GO_STACK_*.
 */
enum go_stack go_stack_at(const char *name, const u8 *code, u64 size, u64 at);

#endif /* PERF_CFI_GO_STACK_H */

# SPDX-License-Identifier: GPL-2.0
# A damaged table of Go: TRIES entries for one function of SIZE bytes, "runtime.mcall", that does not switch
# stacks, then one that does.
	.globl	_start
_start:	.skip SIZE, 0x90
mcall:	mov	0x38(%r14), %rsp
	push	%rax
	.skip 8, 0x90
end:
	.section .go.buildinfo,"a"
	.quad	0
	.section .gopclntab,"a"
	.p2align 5
table:	.long	0xfffffff1
	.byte	0, 0, 1, 8
	.quad	2 * TRIES + 1, 1, _start, names - table, 0, 0, values - table, funcs - table
names:	.asciz	"runtime.mcall"
values:	.byte	0, 2, 16, 0
	.p2align 2
funcs:	.rept	TRIES
	.long	0, entry - funcs, mcall - _start, entry - funcs
	.endr
	.long	mcall - _start, entry - funcs, end - _start
entry:	.long	0, 0, 0, 0, 1, 1, 1, 0, 0, 11
	.byte	0, 0, 0, 0

# SPDX-License-Identifier: GPL-2.0
# A program of Go 1.20 or later: main.main, which pushes twice, and runtime.goexit, which has no caller.
	.globl	_start
_start:	push	%rax
	push	%rax
	pop	%rax
	pop	%rax
	ret
	nop
goexit:	call	_start
	nop
end:
	.section .go.buildinfo,"a"
	.quad	0
	.section .gopclntab,"a"
	.p2align 5
table:	.long	0xfffffff1
	.byte	0, 0, 1, 8
	.quad	2, 1, _start, names - table, units - table, files - table, values - table, funcs - table
names:	.asciz	"main.main"
	.asciz	"runtime.goexit"
units:	.long	0
files:	.asciz	"/src/main.go"
values:	.byte	0
sizes:	.byte	2, 1, 16, 1, 16, 1, 15, 1, 15, 2, 0
zero:	.byte	2, 16, 0
lines:	.byte	24, 2, 2, 14, 0
	.p2align 2
funcs:	.long	0, main - funcs, goexit - _start, exit - funcs, end - _start
main:	.long	0, 0, 0, 0, sizes - values, zero - values, lines - values, 0, 0, 11
	.byte	0, 0, 0, 0
exit:	.long	goexit - _start, 10, 0, 0, zero - values, zero - values, lines - values, 0, 0, 11
	.byte	0, 1, 0, 0

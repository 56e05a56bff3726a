# SPDX-License-Identifier: GPL-2.0
#
# What sframe-2.so (without r, which version 2 cannot describe) and sframe-3.so are made of, by
# Debian's binutils 2.44 and 2.47:
#	as --gsframe sframe.s -o sframe.o
#	ld -shared -z lazy -z noseparate-code -z norelro --hash-style=gnu -s sframe.o
	.text
	.globl f
f:	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov %rsp,%rbp
	.cfi_def_cfa_register 6
	pop %rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.globl g
g:	.cfi_startproc
	sub $24,%rsp
	.cfi_def_cfa_offset 32
	call ext@plt
	add $24,%rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.globl o
o:	.cfi_startproc
	.cfi_undefined 16
	hlt
	.cfi_endproc
	.globl r
r:	.cfi_startproc
	lea 8(%rsp),%r10
	.cfi_def_cfa 10, 0
	and $-64,%rsp
	push -8(%r10)
	push %rbp
	.cfi_escape 0x10,0x6,0x2,0x76,0
	mov %rsp,%rbp
	push %r10
	.cfi_escape 0xf,0x3,0x76,0x78,0x6
	nop
	mov -8(%rbp),%r10
	.cfi_def_cfa 10, 0
	leave
	lea -8(%r10),%rsp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.section .note.GNU-stack,"",@progbits

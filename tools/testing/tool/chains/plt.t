#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Code without call frame information that says itself where its caller is: entries of a procedure
# linkage table, i386's functions that do nothing but read their return address, and a return.
. "$(dirname "$0")/../../lib/record.sh"

# As linkers write it: the first entry, one that jumps to it as its symbol is not bound, and one of
# .plt.sec; each one's callee returns at once. A caller has its stack aligned, by gcc in registers.
cat > p.c <<'C'
#ifdef __i386__
#define TWO "8"
#define MEM(at) "*slots+" #at
#define PUSH "pushl slots"
#define POP "add $8, %esp"
#else
#define TWO "16"
#define MEM(at) "*slots+" #at "(%rip)"
#define PUSH "pushq slots(%rip)"
#define POP "add $16, %rsp"
#endif
void bound(void), unbound(void), thunk(void), nothing(void);
volatile unsigned long sink;
__asm__(".section .plt, \"ax\", @progbits\n.balign 16\n"
	"first: " PUSH "\njmp " MEM(8) "\n.balign 16, 0\n"
	".globl unbound\n.type unbound, @function\nunbound:\njmp " MEM(16) "\n"
	"later: .byte 0x68\n.long 0\n.byte 0xe9\n.long first - . - 4\n"
	".size unbound, . - unbound\n"
	".section .plt.sec, \"ax\", @progbits\n.balign 16\n"
	".globl bound\n.type bound, @function\nbound: .byte 0xf3, 0x0f, 0x1e, 0xfb\n"
	"jmp " MEM(24) "\n.balign 16, 0x90\n.size bound, . - bound\n"
	".text\n.balign 16\n.globl thunk\n.type thunk, @function\nthunk:\n"
#ifdef __i386__
	"mov (%esp), %eax\nret\n"
#else
	"ret\n"
#endif
	".size thunk, . - thunk\n"
	".type nothing, @function\nnothing: ret\n.size nothing, . - nothing\n.data\n.balign 8\nslots:\n"
	".irp s, 0, resolve, later, returns\n.dc.a \\s\n.balign 8\n.endr\n.text\n"
	"resolve: .cfi_startproc\n.cfi_adjust_cfa_offset " TWO "\n" POP "\n"
	".cfi_adjust_cfa_offset -" TWO "\nreturns: ret\n.cfi_endproc\n");
__attribute__((noinline, optimize("no-omit-frame-pointer"))) void aligned(long n)
{
	char buf[64] __attribute__((aligned(64)));

	for (buf[n & 63] = 1; n; n--) {
		bound();
		unbound();
		thunk();
		nothing();
		sink += buf[3];
	}
}
int main(void)
{
	aligned(100000000);
	return 0;
}
C
for bits in 64 32; do
	if ! gcc -m$bits -no-pie -O2 -w -o p p.c 2> err; then
		skip "$bits bits" "gcc -m$bits does not link"
		continue
	fi
	for mode in live dwarf; do
		rec -q -N -e cpu-clock:u -c 50000 -m 16M --call-graph $mode ./p
		"$PERF" script -i data -F ip,sym,symoff > stacks
		for f in bound 'unbound|first|.plt' thunk nothing; do
			ok "$mode, $bits bits: $f" awk -v RS= -v f="$f" '
				$2 ~ "^(" f ")" {
					n++
					ok += / aligned.*\n.* main.*\n.* _start[^ \n]*$/
				}
				END { print n, ok; exit !n || ok < n }' stacks
		done
	done
done
finish

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of x86-64 code without call frame information, such as a JIT compiler's. If its
 * instructions lead straight from an address to a return, they say where the return address is:
 * CPython's trampoline is "sub $8, %rsp; call *%rcx; add $8, %rsp; ret". Code with branches in
 * front of the return has no answer. For the tool and for its BPF program, which makes the steps in
 * a loop of its own.
 */
#ifndef PERF_BASE_PLAIN_FRAME_H
#define PERF_BASE_PLAIN_FRAME_H

#define PLAIN_CODE	24	/* bytes of code that are needed */
#define PLAIN_LAST	15	/* offset of the last instruction, at most */
#define PLAIN_STEPS	16

struct plain_frame {
	unsigned char code[PLAIN_CODE];
	unsigned int at;	/* the instruction's offset */
	int size;		/* bytes between the stack pointer and the return address */
	int fp_at;		/* of these: where the caller's frame pointer is, if @pops_fp */
	unsigned int popped;	/* bits of registers, by the numbers of instructions */
	_Bool pops_fp, ends;
};

/* plain_frame_step - one instruction. Return: 1: no further one; @f->ends: it was the return */
static inline int plain_frame_step(struct plain_frame *f)
{
	const unsigned char *c;
	unsigned int at = f->at, reg;

	if (at > PLAIN_LAST)
		return 1;
	c = f->code + at;
	if (c[0] == 0xc3) {				/* ret */
		f->ends = f->size >= 0;
		return 1;
	}
	reg = c[0] == 0x41 ? 8 + (c[1] & 7) : c[0] & 7;
	if ((c[0] & 0xf8) == 0x58 || (c[0] == 0x41 && (c[1] & 0xf8) == 0x58)) {	/* pop */
		if (reg == 4)
			return 1;
		if (reg == 5 && f->size >= 0) {
			f->pops_fp = 1;
			f->fp_at = f->size;
		}
		if (f->size >= 0)
			f->popped |= 1u << reg;
		f->size += 8;
		f->at = at + 1 + (reg >> 3);
	} else if ((c[0] & 0xf8) == 0x50 || (c[0] == 0x41 && (c[1] & 0xf8) == 0x50)) {	/* push */
		f->size -= 8;
		f->at = at + 1 + (reg >> 3);
	} else if (c[0] == 0x48 && c[1] == 0x83 && (c[2] == 0xc4 || c[2] == 0xec)) {
		/* add, sub */
		f->size += c[2] == 0xc4 ? (signed char)c[3] : -(signed char)c[3];
		f->at = at + 4;
	} else if (c[0] == 0x48 && c[1] == 0x81 && c[2] == 0xc4 && !c[5] && !c[6]) {
		f->size += c[3] | c[4] << 8;
		f->at = at + 7;
	} else if (c[0] == 0xff && (c[1] & 0xf8) == 0xd0) {	/* call *%reg */
		f->at = at + 2;
	} else if (c[0] == 0x48 && c[1] == 0x89 && c[2] == 0xe5) {	/* mov %rsp, %rbp */
		f->at = at + 3;
	} else if (c[0] == 0xf3 && c[1] == 0x0f && c[2] == 0x1e) {	/* endbr64 */
		f->at = at + 4;
	} else {
		return 1;
	}
	return 0;
}

/* plain_frame_walk - all instructions from the first of .code. Return: true if they return */
static inline _Bool plain_frame_walk(struct plain_frame *f)
{
	unsigned int i;

	for (i = 0; i < PLAIN_STEPS && !plain_frame_step(f); i++)
		;
	return f->ends;
}

#endif /* PERF_BASE_PLAIN_FRAME_H */

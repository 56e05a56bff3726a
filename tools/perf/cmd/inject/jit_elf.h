/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf inject --jit: an ELF file of one JIT function.
 */
#ifndef PERF_CMD_INJECT_JIT_ELF_H
#define PERF_CMD_INJECT_JIT_ELF_H

#include "base/outbuf.h"

/* The file offset and the address of the code. */
#define JIT_ELF_CODE 0x80

struct jit_elf_line {
	u64 offset;		/* from the function's start */
	const char *file;
	u32 line;
};

struct jit_elf {
	const char *name;
	const void *code;
	u32 size;
	u32 machine;		/* EM_* */
	const struct jit_elf_line *lines;	/* by offset, each in the function */
	u32 nr_lines;
	const void *unwind;	/* .eh_frame_hdr and .eh_frame in either order; NULL: none */
	u32 unwind_size, unwind_hdr;
};

/**
 * jit_elf_make() - make the file
 * @in: the function
 * @o: empty; set to the file
 *
 * The file has .text and .symtab; with lines also .debug_line and a unit in .debug_info that refers
 * to it; with unwind tables also .eh_frame and .eh_frame_hdr.
 */
void jit_elf_make(const struct jit_elf *in, struct outbuf *o);

#endif /* PERF_CMD_INJECT_JIT_ELF_H */

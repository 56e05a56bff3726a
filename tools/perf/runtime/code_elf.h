/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ELF file that names code made at run time, with lines: by perf inject --jit for each function
 * of a JIT compiler, by perf record for a recording's Python functions.
 */
#ifndef PERF_RUNTIME_CODE_ELF_H
#define PERF_RUNTIME_CODE_ELF_H

#include "base/outbuf.h"

/* The file offset and the address of the code. */
#define CODE_ELF_BEGIN	0x80
#define CODE_ELF_BUILD_ID 20

struct code_elf_line {
	u64 offset;		/* from the code's start */
	const char *file;
	u32 line;
};

struct code_elf_function {
	const char *name;
	u64 offset, size;	/* from the code's start */
};

struct code_elf {
	const struct code_elf_function *functions;	/* by offset */
	u32 nr_functions;
	const void *code;	/* NULL: zeroes */
	u32 size;
	u32 machine;		/* EM_* */
	const struct code_elf_line *lines;	/* by offset, each in the code */
	u32 nr_lines;
	const void *unwind;	/* .eh_frame_hdr and .eh_frame in either order; NULL: none */
	u32 unwind_size, unwind_hdr;
	const u8 *build_id;	/* CODE_ELF_BUILD_ID bytes; NULL: none */
};

/* code_elf_make - append the file, with .symtab, .debug_line, .debug_info, .eh_frame as needed */
void code_elf_make(const struct code_elf *in, struct outbuf *o);

#endif /* PERF_RUNTIME_CODE_ELF_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of CPython's structures, and what is passed on of its stacks, by BPF, too. */
#ifndef PERF_RUNTIME_PYTHON_LAYOUT_H
#define PERF_RUNTIME_PYTHON_LAYOUT_H

#include <linux/types.h>

/* Frames of this owner and above are no function's: they are on the thread's stack (3.12 on). */
#define PYTHON_OWNED_BY_C_STACK	3
/* PyObject.ob_type */
#define PYTHON_OBJECT_TYPE	8
/* PyVarObject.ob_size: of a code object, the number of its code units */
#define PYTHON_OBJECT_SIZE	16

/* struct python_layout - offsets in bytes; of a field that a version lacks: 0 */
struct python_layout {
	__u32	interpreters;		/* in _PyRuntime */
	__u32	interp_next, interp_threads;
	__u32	thread_next, thread_native_id;
	__u32	thread_cframe;		/* 3.11, 3.12; else: */
	__u32	thread_frame;
	__u32	cframe_frame, cframe_previous;
	__u32	frame_previous, frame_code, frame_instr, frame_owner;
	__u32	frame_is_entry;		/* 3.11 */
	__u32	code_file, code_name, code_lines, code_first_line, code_start;
	__u32	str_length, str_state, str_ascii, str_wide;
	__u32	bytes_size, bytes_data;
};

/* The interpreter in a file. */
struct python_image {
	__u32			version;	/* PY_VERSION_HEX >> 16: 0x30b is 3.11 */
	struct python_layout	layout;
	__u64			runtime;	/* address of _PyRuntime */
	__u64			code_type;	/* of PyCode_Type; 0: not known */
	__u64			code_delta;	/* of the code's segment, less its offset */
};

/*
 * An ip of this form stands for a Python function in place of its evaluator's frame: the number of
 * a code object, and the offset of the instruction in it.
 */
#define WALK_PYTHON_MARK	0x50ULL		/* in the upper 8 bits: no address has them */
#define WALK_PYTHON_ENTRY(id, instr) (WALK_PYTHON_MARK << 56 | (__u64)(id) << 24 | (instr))
#define WALK_PYTHON_BEGIN	0xffffff	/* no instruction yet */
#define WALK_PYTHON_NO_LINE	0xfffffe	/* no instruction of the code object */
#define WALK_PYTHON_FRAMES	256	/* a power of two; outer ones are left out */

/* A new code object. Strings are cut, as are line tables. */
#define WALK_NAME		512	/* bytes */
#define WALK_LINES		16384	/* bytes, a power of two */
#define WALK_CPU_BITS		12	/* of the CPU in a number */

struct walk_str {
	__u64 length;			/* in characters */
	__u32 state;			/* PyASCIIObject.state */
	__u32 bytes;
};

struct walk_code {
	__u32 id;			/* its number, never 0 */
	__u32 first_line;
	__u32 nr_lines;			/* bytes of @lines */
	__u32 count;			/* code objects so far, on this CPU */
	struct walk_str name, file;
	char name_room[WALK_NAME], file_room[WALK_NAME];
	__u8 lines[WALK_LINES];		/* co_linetable */
};

#endif /* PERF_RUNTIME_PYTHON_LAYOUT_H */

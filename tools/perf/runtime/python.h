/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPython: the layout of its structures, the Python functions of a thread's stack, and code
 * objects, without symbols, debug information or help of the interpreter. The BPF program reads
 * stacks by the same layout (bpf/python.bpf.c). What is read belongs to somebody else: all reads
 * and loops are bounded.
 *
 * Layouts: CPython's headers Include/internal/pycore_{frame,runtime,interp}.h and
 * Include/cpython/{code,pystate,unicodeobject}.h; from 3.13 on _PyRuntime begins with a table of
 * offsets, struct _Py_DebugOffsets. Line tables: InternalDocs/code_objects.md.
 */
#ifndef PERF_RUNTIME_PYTHON_H
#define PERF_RUNTIME_PYTHON_H

#include <sys/types.h>

#include "base/types.h"
#include "runtime/python_layout.h"

/*
 * python_image_find - set @image to the CPython interpreter in anybody's file. Return: 0; -ENOENT:
 * there is none; -ENOTSUP: of an unknown version, @image->version, or kind; or -errno.
 */
int python_image_find(const char *path, struct python_image *image);
/* python_image_refuse - say once that python_image_find() returned -ENOTSUP for this file */
void python_image_refuse(const struct python_image *image, const char *path);

/* A code object. It owns what it points to. */
struct python_code {
	char	*name;		/* with its classes and outer functions: "Server.run" */
	char	*file;		/* path of its source, as its program knows it */
	u32	first_line;
	u8	*lines;		/* co_linetable */
	u32	nr_lines;	/* its bytes */
};

void python_code_deinit(struct python_code *code);
/* python_str - decode a str; @state: PyASCIIObject.state. Return: UTF-8, to be freed. */
char *python_str(const void *chars, u64 bytes, u32 state);
/* python_code_lines - the lowest and highest line that a code object has */
void python_code_lines(const struct python_code *code, u32 *first, u32 *last);
/* python_code_line - the line of an instruction, in bytes from the begin, < 0: none yet. 0: none */
u32 python_code_line(const struct python_code *code, s32 instr);

#define PYTHON_PAGE	4096u		/* no machine has smaller ones */
#define PYTHON_PAGES	4		/* kept of a stack, each with the next one */

/* A process with an interpreter. */
struct python_target {
	pid_t				pid;
	const struct python_image	*image;
	u64				bias;	/* of the file's addresses */
};

/* A call of a Python function: its code object, with two fields that tell it from a later one. */
struct python_call {
	u64	code, name, lines;
	u32	instr;			/* as in WALK_PYTHON_ENTRY() */
};

/* Memory of a process, as read before. */
struct python_memory {
	u64		addr, size;
	const char	*bytes;
};

/* The Python functions of a thread, innermost first. */
struct python_stack {
	/* set by the caller: a copy of the thread's stack, whose top must not have changed; where
	 * the registers in front of it begin, NULL: the thread is stopped since; where the
	 * innermost frame may be, set to where it is
	 */
	struct python_memory copy;
	const char *regs;
	u64	innermost;
	struct python_memory state;	/* the thread state */
	struct python_memory pages[PYTHON_PAGES]; /* of frames; the last one is replaced */
	bool	unsure;			/* true only if the thread has not run on */
	char	state_room[512];
	char	rooms[PYTHON_PAGES][2 * PYTHON_PAGE];
	u32	nr_pages, nr, nr_runs;
	struct python_call calls[WALK_PYTHON_FRAMES];
	/* calls that one call of the evaluator, unknown behind the last run, runs */
	struct python_run {
		u64	native;		/* address of its frame */
		u32	end;		/* of calls */
	} runs[WALK_PYTHON_FRAMES];
};

/* python_find_thread - the address of the state of thread @tid of its own PID namespace, or 0 */
u64 python_find_thread(const struct python_target *t, u32 tid);

/*
 * python_stack_read - set @s to the Python functions of a thread that does not run; @state: of
 * python_find_thread(). Return: 0; -ESRCH: the state is another's; -EAGAIN: what was read
 * contradicts itself, or the thread has run on since it was copied; -EFAULT.
 */
int python_stack_read(const struct python_target *t, u64 state, u32 tid, struct python_stack *s);
/* python_stands_still - is the innermost part of a thread's stack still that of its copy? */
bool python_stands_still(const struct python_target *t, const struct python_memory *copy);
/* python_code_read - read a code object's names and lines, all but its numbers; false: it fails */
bool python_code_read(const struct python_target *t, const struct python_call *call,
		      struct walk_code *code);

#endif /* PERF_RUNTIME_PYTHON_H */

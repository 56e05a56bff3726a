/* SPDX-License-Identifier: GPL-2.0 */
/* Maps and records shared by the BPF program (walk.bpf.c) and the recorder (walk.c). */
#ifndef PERF_BPF_LAYOUT_H
#define PERF_BPF_LAYOUT_H

#include <linux/types.h>

#include "runtime/python_layout.h"

/* Tables are stored consecutively in segments: maps of their own, created when needed. */
#define WALK_PAGE_SHIFT		12	/* each value of a segment is a page */
#define WALK_SEGMENT_SHIFT	22
#define WALK_SEGMENT_PAGES	(1 << (WALK_SEGMENT_SHIFT - WALK_PAGE_SHIFT))
#define WALK_MAX_SEGMENTS	64	/* 256 MB of tables */
#define WALK_MAX_FILES		8192

#define WALK_MAX_FRAMES		1024	/* a power of two */

/* Key of the vDSO, which is not a file. The key of a file is the address of its inode. */
#define WALK_VDSO		1

/* Where a file's table (linux/unwind_table.h) is, in bytes from the first segment's start. */
struct walk_table {
	__u64 first;			/* file offset of its first page */
	__u64 bytes;			/* number of file bytes that its pages cover */
	__u64 rules, pages, rows;
	__u32 nr_rules;
	__u32 page_shift;
	__u64 python;			/* it has a CPython interpreter: struct python_image */
};

/*
 * The callchain of the next sample in the buffer: a PERF_SAMPLE_RAW payload, with registers and
 * stack if there is a copy. Other samples begin with an address or id, never with WALK_MAGIC.
 */
#define WALK_MAGIC		0x4b616c57u

struct walk_record {
	__u32 raw_size;			/* written by the kernel */
	__u32 magic;			/* from here on written by the program */
	__u32 nr;			/* number of ips; 0: no walk */
	__u8 whole;			/* ends at the outermost frame */
	__u8 no_room;			/* the buffer had none for the copy that goes on */
	__u16 python;			/* WALK_PYTHON_* */
	__u64 ips[WALK_MAX_FRAMES];	/* of callers: in the call, as by dwarf_unwind() */
	/*
	 * Behind @nr ips, if a copy comes with Python functions, which its walk will not meet: the
	 * words of struct python_sample; then their number, as WALK_PYTHON_ENTRY(0, number).
	 */
};

#define WALK_HEAD		12	/* bytes between raw_size and ips */

#define WALK_MAX_PYTHONS	256	/* files with an interpreter */
#define WALK_PYTHON_READ	1	/* the walk met Python functions */
#define WALK_PYTHON_FAILED	2	/* not readable: the evaluator's frames stand there */
#define WALK_PYTHON_UNSENT	4	/* code objects have the number 0, as the ring was full */

/*
 * Of WALK_SLICE_NS of a CPU walks may take WALK_BUSY_NS: nothing else throttles a clock's samples,
 * and 100,000 a second with deep stacks would leave no time to any program.
 */
#define WALK_SLICE_NS		10000000ULL
#define WALK_BUSY_NS		4000000ULL

struct walk_counts {
	__u64 unsent;			/* callchains and copies lost because the buffer was full */
	__u64 throttled;		/* samples left out */
};

#define TASK_STACK		16384	/* a power of two */

/* A thread that is not on a CPU (tasks.bpf.c). */
struct task_item {
	__u32 pid, tid;
	__u16 again;			/* it has not run: the item ends here */
	__u16 more;			/* of the stack is behind what was copied */
	__u32 size;			/* of the stack, from the stack pointer on; 0: not known */
	/* in the order of asm/perf_regs.h, without those of segments */
	__u64 regs[20];
	/* at most the half; the item ends with it, in whole words */
	char stack[2 * TASK_STACK];
};

#define WALK_CODES_RING		(1 << 20)	/* bytes for new code objects, struct walk_code */

#endif /* PERF_BPF_LAYOUT_H */

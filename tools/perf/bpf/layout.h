/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program in the kernel (walk.bpf.c) and the recorder (walk.c) share: the layout of maps and records.
 */
#ifndef PERF_BPF_LAYOUT_H
#define PERF_BPF_LAYOUT_H

#include <linux/types.h>

/* Tables lie one behind the other in segments, which are maps of their own and made when they are needed. */
#define WALK_PAGE_SHIFT		12	/* a value of such a map is a page */
#define WALK_SEGMENT_SHIFT	22
#define WALK_SEGMENT_PAGES	(1 << (WALK_SEGMENT_SHIFT - WALK_PAGE_SHIFT))
#define WALK_MAX_SEGMENTS	64	/* 256 MB of tables */
#define WALK_MAX_FILES		8192

#define WALK_MAX_FRAMES		1024	/* a power of two */

/* The key of the vDSO, which is no file. Files have the address of their inode. */
#define WALK_VDSO		1

/* Where a file's table (linux/unwind_table.h) is, in bytes from the first segment's begin. */
struct walk_table {
	__u64 first;			/* file offset of its first page */
	__u64 bytes;			/* size of its pages' part of the file */
	__u64 rules, pages, rows;
	__u32 nr_rules;
	__u32 page_shift;
};

/*
 * The callchain of the sample that follows in the same buffer: what is behind the header of a
 * PERF_RECORD_SAMPLE with PERF_SAMPLE_RAW alone. The first word of any other sample is an address or an id:
 * no address begins with WALK_MAGIC, and no id is as large.
 */
#define WALK_MAGIC		0x4b616c57u

struct walk_record {
	__u32 raw_size;			/* the kernel's */
	__u32 magic;			/* from here on it is the program's */
	__u32 nr;			/* of ips; 0: it is not walked */
	__u32 whole;			/* it ends at the outermost frame */
	__u64 ips[WALK_MAX_FRAMES];	/* innermost first */
};

#define WALK_HEAD		12	/* bytes of the program's in front of ips */

#endif /* PERF_BPF_LAYOUT_H */

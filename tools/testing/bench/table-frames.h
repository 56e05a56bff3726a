/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_TABLE_FRAMES_H
#define BENCH_TABLE_FRAMES_H

struct table_frames {
	long nr, calls;		/* the system call, and how often it is made */
	long sink;
};

/* It, below that many frames. */
void frames_fp(struct table_frames *f, int depth);
void frames_bare(struct table_frames *f, int depth);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_TABLE_FRAMES_H
#define BENCH_TABLE_FRAMES_H

struct table_frames {
	long nr, arg[2], calls;	/* the system call, and how often it is made */
	long sink;
};

/* It, below that many frames. */
void frames_fp(struct table_frames *f, int depth);
void frames_bare(struct table_frames *f, int depth);

/* fn(f, depth) on the stack that ends at @stack, as the outermost frame for both ways of walking. */
void base_call(void (*fn)(struct table_frames *f, int depth), struct table_frames *f, int depth,
	       void *stack);
/* Where the outermost frame is called from the next one. */
extern const char base_ip[];

#endif

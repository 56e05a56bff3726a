/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function without a frame pointer, which makes a system call while the
 * register is 0: without a table its chain ends there, with one it is whole.
 */
#ifndef SELFTEST_BARE_H
#define SELFTEST_BARE_H

#include "path.h"
#include "table.h"

/* bare(): getppid(). From bare_text to bare_end it may be copied elsewhere. */
extern const char bare_text[], bare_ip[], bare_end[];

/* The rules of the code from bare_text to bare_end, which is at file offset @off. */
struct table bare_table(u64 off);
/* The same with another rule where the system call is. */
struct table bare_table_with(u64 off, struct unwind_table_rule rule);
/* Where this program's file has it. */
u64 bare_offset(void);

/* A path of @depth calls to bare(), or to the copy of it at @text. */
void bare_run(struct path *p, int depth, const char *text);

/* Two samples of each getppid() of @pid on any CPU. */
void bare_watch(struct recorder *r, pid_t pid);

struct bare_seen {
	int whole, cut, other;
};

/* How many of the samples so far have the path @p, how many the ip alone. Closes @r. */
struct bare_seen bare_take(struct recorder *r, const struct path *p);
/* Run it once in this task and say what the samples had. */
struct bare_seen bare_once(const char *text);
/* The same; whether all were whole, or all cut. */
bool bare_is_whole(void);
bool bare_is_cut(void);

#endif

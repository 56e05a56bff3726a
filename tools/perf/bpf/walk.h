/* SPDX-License-Identifier: GPL-2.0 */
/* Loads the BPF program of walk.bpf.c, and gives it unwind tables, buffers and events. */
#ifndef PERF_BPF_WALK_H
#define PERF_BPF_WALK_H

#include "base/types.h"
#include "bpf/layout.h"
#include "event/abi.h"
#include "runtime/python_layout.h"

struct bpf_walk;

/* Whose hits of a tracepoint are walked. */
enum bpf_tracepoints {
	BPF_TRACEPOINTS_NONE,
	BPF_TRACEPOINTS_OF_ALL,
	BPF_TRACEPOINTS_OF_TASKS,	/* that have events of their own */
	BPF_TASKS,			/* none, but the program of bpf_walk_tasks() */
};

/* bpf_walk_built - true if perf includes the program and can use libbpf */
bool bpf_walk_built(void);
/* bpf_walk_load - load the program; @tracepoints: who runs it, too. Return: why it cannot run. */
const char *bpf_walk_load(struct bpf_walk **walk, enum bpf_tracepoints tracepoints);
/* bpf_walk_free - close the program; the kernel frees it with its last event. @w may be NULL */
void bpf_walk_free(struct bpf_walk *w);

/*
 * bpf_walk_attach - run the program at each sample of an event (a descriptor) and its heirs;
 * @tracepoint: at each hit on any CPU, until the event is closed. Return: 0, or -errno.
 */
int bpf_walk_attach(const struct bpf_walk *w, int event, bool tracepoint);

/*
 * bpf_walk_buffer - set a CPU's buffer for callchains: that of @event, which is mapped; @attr: for
 * its clock; @copy: bytes of the stack that come, and wake up the reader, with a callchain in a
 * file unknown to bpf_walk_add() or with a frame that tables cannot walk; 0: none
 */
int bpf_walk_buffer(struct bpf_walk *w, u32 cpu, int event, const struct perf_event_attr *attr,
		    u32 copy);
/* bpf_walk_key_program - descriptor of the program for bpf_walk_key() */
int bpf_walk_key_program(const struct bpf_walk *w);

/*
 * bpf_walk_key - set the key of a file's table; @program: bpf_walk_key_program(); @file: for
 * reading; -1: the vDSO. It looks a mapping up: right on an overlay, too. Context: any process.
 */
int bpf_walk_key(int program, int file, u64 *key);

/*
 * bpf_walk_add - add a table of @size bytes; 0: the file, which must stay open, has none; @python:
 * its CPython interpreter, or NULL. Return: 0; -EEXIST: it has a table; -ENOSPC: no room; -errno.
 */
int bpf_walk_add(struct bpf_walk *w, u64 key, const void *data, size_t size,
		 const struct python_image *python);

/*
 * bpf_walk_codes - pass new Python code objects, @size bytes of struct walk_code, to @fn(). One is
 * there before the first callchain that has its number.
 */
void bpf_walk_codes(void *walk, int (*fn)(void *ctx, void *code, size_t size), void *ctx);

/* bpf_walk_tasks - with BPF_TASKS: a descriptor for bpf_list_tasks(), or -errno */
int bpf_walk_tasks(const struct bpf_walk *w);

/*
 * bpf_list_tasks - begin to list the threads that are not on a CPU. Return: a descriptor from which
 * struct task_item are read, whole ones by reads of 64 kB; or -errno. Context: any process
 */
int bpf_list_tasks(int tasks);

/* bpf_walk_counts - what the program lost and left out so far */
struct walk_counts bpf_walk_counts(const struct bpf_walk *w);

#endif /* PERF_BPF_WALK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program of walk.bpf.c in the kernel: loading, its tables, and the events that run it.
 */
#ifndef PERF_BPF_WALK_H
#define PERF_BPF_WALK_H

#include "base/types.h"
#include "event/abi.h"

struct bpf_walk;

/* bpf_walk_built - was this perf built with the program, and may it have the library that loads it? */
bool bpf_walk_built(void);

/**
 * bpf_walk_load() - load the program
 * @walk: where to; bpf_walk_free() it
 * @tracepoints: they will run it, too
 *
 * Return: NULL, or why it cannot run here.
 */
const char *bpf_walk_load(struct bpf_walk **walk, bool tracepoints);

/* bpf_walk_free - the program goes when its last event is closed; @w may be NULL */
void bpf_walk_free(struct bpf_walk *w);

/**
 * bpf_walk_attach() - have an event run the program at each sample
 * @w: the program
 * @event: descriptor of the event; events that inherit from it run the program, too
 * @tracepoint: it is one: whoever hits it runs the program, on all CPUs, until the event is closed
 *
 * Return: 0, or -errno.
 */
int bpf_walk_attach(const struct bpf_walk *w, int event, bool tracepoint);

/**
 * bpf_walk_buffer() - say where callchains of a CPU go. One that met a file without bpf_walk_add() wakes up who polls
 * @w: the program
 * @cpu: the CPU
 * @event: descriptor of an event on this CPU, whose buffer is mapped
 * @attr: its attributes: its clock is used
 *
 * Return: 0, or -errno.
 */
int bpf_walk_buffer(struct bpf_walk *w, u32 cpu, int event, const struct perf_event_attr *attr);

/* bpf_walk_key_program - descriptor of the program that bpf_walk_key() runs */
int bpf_walk_key_program(const struct bpf_walk *w);

/**
 * bpf_walk_key() - the key of a file's table
 * @program: of bpf_walk_key_program()
 * @file: the file, open for reading; -1: the vDSO
 * @key: where to
 *
 * The file is mapped, and the program finds it as it does for other processes: this holds on an overlay, too.
 * Return: 0, or -errno.
 * Context: any process or thread.
 */
int bpf_walk_key(int program, int file, u64 *key);

/**
 * bpf_walk_add() - give the program a file's table
 * @w: the program
 * @key: of the file, which must stay open
 * @data: the table, copied
 * @size: its bytes; 0: it has none, and the program need not tell of it
 *
 * Return: 0; -EEXIST when the file has one; -ENOSPC: all tables have no more room; -errno.
 * Context: one thread at a time.
 */
int bpf_walk_add(struct bpf_walk *w, u64 key, const void *data, size_t size);

/* bpf_walk_unsent - how many callchains the buffers had no room for */
u64 bpf_walk_unsent(const struct bpf_walk *w);

#endif /* PERF_BPF_WALK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf inject --jit: JIT code as files with symbols, for any reader.
 */
#ifndef PERF_CMD_INJECT_JIT_H
#define PERF_CMD_INJECT_JIT_H

#include "base/outbuf.h"
#include "session/session.h"

struct jit_process;

struct inject_jit {
	struct session *s;
	struct hash by_pid;		/* index + 1 in @v; 0: its dump cannot be used */
	struct jit_process *v;
	u32 nr, cap;
	u64 soonest;			/* time of the first mapping that was not written yet; UINT64_MAX: none */
	struct outbuf record;		/* the one that was returned last */
	u64 nr_files, nr_maps;
	u32 failed;			/* processes whose names are not in the output */
};

/**
 * inject_jit_init() - begin
 * @j: to be filled
 * @s: the recording
 */
void inject_jit_init(struct inject_jit *j, struct session *s);

/**
 * inject_jit_drops() - is a record to be left out?
 * @j: the processes
 * @h: the record
 *
 * Compilers change the rights of their memory often, and each time a mapping of all of it is recorded, which
 * would hide the functions in it.
 */
bool inject_jit_drops(const struct inject_jit *j, const struct perf_event_header *h);

/**
 * inject_jit_note() - look at a record that was written
 * @j: the processes
 * @h: the record
 * @ev: its event; NULL: not known
 * @time: of the record, as a callback of the session gets it
 *
 * When it maps a jit-PID.dump, that is read, and a file jitted-PID-N.so written beside it for each function.
 */
void inject_jit_note(struct inject_jit *j, const struct perf_event_header *h, const struct event *ev, u64 time);

/**
 * inject_jit_next() - the next record to be written
 * @j: the processes
 * @time: of the record that will be written after it
 *
 * Return: a mapping of a function that was there by then, valid until the next call; NULL: there is none.
 */
const struct perf_event_header *inject_jit_next(struct inject_jit *j, u64 time);

void inject_jit_deinit(struct inject_jit *j);

#endif /* PERF_CMD_INJECT_JIT_H */

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
	u64 soonest;			/* time of the first unwritten mapping; UINT64_MAX: none */
	struct outbuf record;		/* the last record returned */
	u64 nr_files, nr_maps;
	u32 failed;			/* number of processes whose names are not in the output */
};

/*
 * inject_jit_drops - must a record be omitted? Each change of the protection of a JIT's memory is
 * recorded as a mapping of all of it, which would hide the functions in it.
 */
bool inject_jit_drops(const struct inject_jit *j, const struct perf_event_header *h);

/*
 * inject_jit_note - process a written record; @ev: NULL: not known. If it maps a jit-PID.dump, a
 * file jitted-PID-N.so is written next to that for each function.
 */
void inject_jit_note(struct inject_jit *j, const struct perf_event_header *h, const struct event *ev, u64 time);

/* inject_jit_next - the next mapping of a function before @time, until the next call; NULL: none */
const struct perf_event_header *inject_jit_next(struct inject_jit *j, u64 time);

void inject_jit_deinit(struct inject_jit *j);

#endif /* PERF_CMD_INJECT_JIT_H */

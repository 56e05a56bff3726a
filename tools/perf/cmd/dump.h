/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf report -D: every record as bytes and as text.
 */
#ifndef PERF_CMD_DUMP_H
#define PERF_CMD_DUMP_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "session/session.h"

/**
 * dump_run() - print all records of a session, then how many there were of each kind
 * @s: the session, opened with no_merge_callchains
 * @o: where the text goes
 *
 * Records come in the order in which they are delivered: perf's own as they stand, the kernel's
 * in the order of time, round by round.
 * Return: 0, or what session_run() returned.
 */
int dump_run(struct session *s, struct outbuf *o);

/* private to dump*.c */
struct dump {
	struct session *s;
	struct outbuf *o;
	const char *name;		/* of the recording, as -D says it */
	struct hash counters;		/* (id, tid) -> its value in the last READ */
	u64 nr_all;
	u64 by_type[256];
	u64 *by_event;			/* samples, by event's idx */
	u32 nr_events;
};

/* dump_kernel.c, dump_tool.c: the text behind PERF_RECORD_ */
void dump_kernel(struct dump *d, const struct record *rec, const struct event *ev);
void dump_tool(struct dump *d, const struct record *rec);
const char *dump_type_name(u32 type);	/* NULL: unknown */
/* dump_sample.c */
void dump_sample(struct dump *d, const struct sample *s, const struct callchain *cc,
		 const struct thread *t);
void dump_chain(struct outbuf *o, const u64 *ips, u64 nr);

#endif /* PERF_CMD_DUMP_H */

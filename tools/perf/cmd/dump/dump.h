/* SPDX-License-Identifier: GPL-2.0 */
/*
 * -D: every record as bytes and as text.
 */
#ifndef PERF_CMD_DUMP_H
#define PERF_CMD_DUMP_H

#include "base/outbuf.h"
#include "session/session.h"

/**
 * dump_run() - print all records of a session
 * @s: the session
 * @o: where the text goes
 * @also: who gets each sample and record behind its dump; NULL: nobody
 * @ctx: handed to it
 *
 * Nobody else: how many records there were of each kind stands at the end.
 * Records come in the order in which they are delivered: perf's own as they stand, the kernel's
 * in the order of time, round by round.
 * Return: 0, or what session_run() returned.
 */
int dump_run(struct session *s, struct outbuf *o, const struct session_ops *also, void *ctx);

/* private to dump/ */
struct dump {
	struct session *s;
	struct outbuf *o;
	const struct session_ops *also;
	void *also_ctx;
	const char *name;		/* of the recording, as -D says it */
	u64 nr_all;
	u64 by_type[256];
	u64 *by_event;			/* samples, by event's idx */
	u32 nr_events;
};

/* kernel.c, tool.c: the text behind PERF_RECORD_ */
void dump_kernel(struct dump *d, const struct record *rec, const struct event *ev);
void dump_tool(struct dump *d, const struct record *rec);
/* sample.c */
void dump_sample(struct dump *d, const struct sample *s, const struct callchain *cc,
		 const struct thread *t);
void dump_chain(struct outbuf *o, const u64 *ips, u64 nr);

#endif /* PERF_CMD_DUMP_H */

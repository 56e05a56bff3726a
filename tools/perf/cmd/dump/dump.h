/* SPDX-License-Identifier: GPL-2.0 */
/* -D: every record as bytes and as text. */
#ifndef PERF_CMD_DUMP_DUMP_H
#define PERF_CMD_DUMP_DUMP_H

#include "base/outfile.h"
#include "cmd/counts.h"
#include "session/session.h"

/*
 * dump_run - print all records in the order of delivery: perf's own in file order, the kernel's in
 * time order in each round; @also: callbacks after each record; NULL: none, and the number of
 * records of each type ends the dump; @ctx: for them. Return: as session_run().
 */
int dump_run(struct session *s, struct outfile *out, const struct session_ops *also, void *ctx);

/* private to dump/ */
struct dump {
	struct session *s;
	struct outfile *out;
	struct outbuf *o;		/* the text of @out */
	const struct session_ops *also;
	void *also_ctx;
	const char *name;		/* of the recording, as shown in the dump */
	struct counts counts;
};

/* tool.c: the text after PERF_RECORD_ */
void dump_tool(struct dump *d, const struct record *rec);
/* dump_sample.c */
void dump_sample(struct dump *d, const struct sample *s, const struct callchain *cc,
		 const struct thread *t);
void dump_chain(struct outbuf *o, const u64 *ips, u64 nr);

#endif /* PERF_CMD_DUMP_DUMP_H */

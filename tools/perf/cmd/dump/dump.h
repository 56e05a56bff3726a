/* SPDX-License-Identifier: GPL-2.0 */
/* -D: every record as bytes and as text. */
#ifndef PERF_CMD_DUMP_DUMP_H
#define PERF_CMD_DUMP_DUMP_H

#include "base/outfile.h"
#include "session/session.h"

/*
 * dump_run - print all records in the order of delivery: perf's own in file order, the kernel's in
 * time order in each round; @also: callbacks after each record; NULL: none, and the number of
 * records of each type ends the dump; @ctx: for them. Return: as session_run().
 */
int dump_run(struct session *s, struct outfile *out, const struct session_ops *also, void *ctx);

/* The number of records of each type, for report --stats and the end of -D. */
struct counts {
	u64 by_type[256];		/* records by type; 255: all others */
	u64 *by_event;			/* samples by the event's idx */
	const struct event_list *events;
};

/* counts_init - set all counts to 0; @events: the recording's, complete */
void counts_init(struct counts *c, const struct event_list *events);

/* counts_record - count a record; @type: its type */
void counts_record(struct counts *c, u32 type);

/* counts_sample - count a sample; @ev: its event */
void counts_sample(struct counts *c, const struct event *ev);

/* counts_print - append all counts as text to @o */
void counts_print(const struct counts *c, struct outbuf *o);

void counts_deinit(struct counts *c);

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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: what records on their way from the kernel's buffers to the file are looked at for.
 */
#ifndef PERF_CMD_RECORD_WATCH_H
#define PERF_CMD_RECORD_WATCH_H

#include "measure/rings.h"

struct follow;
struct keep;
struct output;
struct tables;
struct unanswered;

/* The parts that want to know of records; NULL: there is no such part. */
struct watch {
	struct rings *rings;
	bool counts;			/* records are written as they come: they count in the statistics of @rings */
	struct output *out;		/* files that are mapped, for the table of build-ids */
	struct follow *follow;		/* processes */
	struct tables *tables;		/* mappings of code */
	struct keep *keep;		/* the same */
	struct unanswered *unanswered;	/* samples and deferred callchains */
	void *room;			/* for a record that wraps */
};

/* watch_init - begin; @rings: whose records come; @counts: as above. The other members are set by those who own the parts. */
void watch_init(struct watch *w, struct rings *rings, bool counts);

/**
 * watch_spans() - count records and show them to the parts
 * @w: the parts
 * @iov: spans of the kernel's buffers that together are whole records
 * @nr: how many
 */
void watch_spans(struct watch *w, const struct iovec *iov, u32 nr);

void watch_deinit(struct watch *w);

#endif /* PERF_CMD_RECORD_WATCH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: components that inspect the kernel's records before they are written.
 */
#ifndef PERF_CMD_RECORD_WATCH_H
#define PERF_CMD_RECORD_WATCH_H

#include "measure/rings.h"

struct follow;
struct keep;
struct output;
struct tables;
struct unanswered;

/* Components that inspect records; NULL: not in use. */
struct watch {
	struct rings *rings;
	/* records are written as read: they count in the statistics of @rings */
	bool counts;
	struct output *out;		/* mapped files, for the build-id table */
	struct follow *follow;		/* processes */
	struct tables *tables;		/* code mappings */
	struct keep *keep;		/* code mappings */
	struct unanswered *unanswered;	/* samples and deferred callchains */
	void *room;			/* assembles a record that wraps */
};

/* watch_init - @rings: the buffers; @counts: as above. The owners of the other members set them. */
void watch_init(struct watch *w, struct rings *rings, bool counts);

/**
 * watch_spans() - count records and pass them to the components
 * @w: the components
 * @iov: spans of the kernel's buffers that together are complete records
 * @nr: number of spans
 */
void watch_spans(struct watch *w, const struct iovec *iov, u32 nr);

void watch_deinit(struct watch *w);

#endif /* PERF_CMD_RECORD_WATCH_H */

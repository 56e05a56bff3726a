/* SPDX-License-Identifier: GPL-2.0 */
/* Description of the events, threads and CPUs, the same in every file of a recording. */
#ifndef PERF_CMD_RECORD_DESCRIBE_H
#define PERF_CMD_RECORD_DESCRIBE_H

#include "cmd/record/record_options.h"
#include "event/event.h"
#include "measure/rings.h"
#include "perfdata/write_features.h"
#include "synth/synth.h"

struct description {
	struct host *host;		/* opens files of other processes */
	const struct record_options *opts;
	const struct rings *rings;
	struct writer_event *events;	/* one per spec */
	u32 nr_events;
	struct outbuf tracing;		/* from tracing_data(); base NULL: no tracepoints */
};

/* description_init - describe the events */
void description_init(struct description *d, const struct record_options *opts, const struct rings *rings);
/* description_tracking - index of the event that receives the side-band records */
u32 description_tracking(const struct description *d);

/*
 * description_layout - event whose sample_id format applies to records without an id. Readers
 * attribute a record with id 0 to the first event, even if another event is the tracking event.
 */
const struct perf_event_attr *description_layout(const struct description *d);
/* description_event - append event @i with its ids, in the layout of @attr. Return: it */
struct event *description_event(const struct description *d, u32 i, const struct perf_event_attr *attr,
				struct event_list *list);
/* description_records - write the records that precede all others: ids, units, threads, CPUs */
void description_records(const struct description *d, struct synth *s);
/* description_pipe_records - write the records that a pipe has for a file's header and @sections */
void description_pipe_records(const struct description *d, const struct outbuf *sections, struct synth *s);
/* description_features - set @in, but for times, sizes and build-ids */
void description_features(const struct description *d, struct feature_input *in);
void description_deinit(struct description *d);

#endif /* PERF_CMD_RECORD_DESCRIBE_H */

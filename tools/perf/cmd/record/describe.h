/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: what a file says of its events and of the threads and CPUs that they measure.
 * It is the same in every file of a recording.
 */
#ifndef PERF_CMD_RECORD_DESCRIBE_H
#define PERF_CMD_RECORD_DESCRIBE_H

#include "cmd/record/record_options.h"
#include "measure/rings.h"
#include "perfdata/write_features.h"
#include "synth/synth.h"

struct description {
	const struct record_options *opts;
	const struct rings *rings;
	struct writer_event *events;	/* one per spec */
	u32 nr_events;
	struct outbuf tracing;		/* of tracing_data(); base NULL: there is no tracepoint */
};

/**
 * description_init() - describe the events
 * @d: what to fill
 * @opts: the options
 * @rings: the open events
 */
void description_init(struct description *d, const struct record_options *opts, const struct rings *rings);

/* description_tracking - index of the event that receives the side-band records */
u32 description_tracking(const struct description *d);

/**
 * description_layout() - the event whose sample_id records without an id have
 * @d: the description
 *
 * Readers take a record with id 0 to be the first event's, whichever the tracking event is.
 */
const struct perf_event_attr *description_layout(const struct description *d);

/**
 * description_records() - make the records that stand in front of all others
 * @d: the description
 * @s: where they go: ids, units, threads, CPUs
 */
void description_records(const struct description *d, struct synth *s);

/**
 * description_pipe_records() - make the records that are sections in a file
 * @d: the description
 * @sections: the features, FEAT_MAX buffers
 * @s: where they go: attributes, features, names, tracing data
 */
void description_pipe_records(const struct description *d, const struct outbuf *sections, struct synth *s);

/**
 * description_features() - what feature sections need to know
 * @d: the description
 * @in: where to; the caller adds what only it knows: times, sizes, build-ids
 */
void description_features(const struct description *d, struct feature_input *in);

void description_deinit(struct description *d);

#endif /* PERF_CMD_RECORD_DESCRIBE_H */

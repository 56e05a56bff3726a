/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Feature sections, in host byte order. A string: u32 length, a multiple of 64 with the NULs, text.
 */
#ifndef PERF_PERFDATA_WRITE_FEATURES_H
#define PERF_PERFDATA_WRITE_FEATURES_H

#include "perfdata/writer.h"

struct feature_input {
	char *const *argv;		/* the command line */
	u32 argc;
	const struct writer_event *events;
	u32 nr_events;
	u64 first_time, last_time;	/* of samples */
	bool use_clockid;
	s32 clockid;
	u64 wall_ns, clock_ns;		/* both clocks, read together */
	bool has_branch_stack;
	u32 compress_level;		/* 0: not compressed */
	u32 compress_ratio;
	bool directory;			/* the records are in files beside this one */
	u32 data_size;			/* size of a kernel buffer */
	struct outbuf build_ids;	/* records; base NULL: none */
	struct outbuf tracing_data;	/* as build_ids */
};

/* features_make - make the sections that apply and can be read, of FEAT_MAX zeroed buffers */
void features_make(const struct feature_input *in, struct outbuf *sections);

/* features_free - free the sections; @sections: as above */
void features_free(struct outbuf *sections);

/* feature_put_string - append a string in the format of feature sections */
void feature_put_string(struct outbuf *o, const char *s);

/*
 * feature_stack_copies - append, for each event, the largest copy whose callchains call frame
 * information unwound, STACK_IN_PLACE, or 0: none
 */
void feature_stack_copies(const u32 *bytes, u32 nr, struct outbuf *o);

/* feature_records - append a section as records of a stream. Return: false: it is too large. */
bool feature_records(u32 bit, const struct outbuf *section, struct outbuf *o);

/* tracing_data_record - the same, of FEAT_TRACING_DATA */
void tracing_data_record(const struct outbuf *section, struct outbuf *o);

/* Sections of features_make(); false: no contents. */
bool feature_topology(struct outbuf *o);
bool feature_numa(struct outbuf *o);
bool feature_caches(struct outbuf *o);
bool feature_memory(struct outbuf *o);
bool feature_hybrid(struct outbuf *o);

#endif /* PERF_PERFDATA_WRITE_FEATURES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf data convert: a recording in the form that the formats read. Stacks are a tree of
 * frames; a sample is the node of its innermost frame.
 */
#ifndef PERF_CMD_DATA_CONVERSION_H
#define PERF_CMD_DATA_CONVERSION_H

#include "base/outbuf.h"
#include "session/filter.h"
#include "session/session.h"

/* What the format that needs most needs. */
enum conv_keep {
	CONV_NAMES,		/* sums of the samples of threads of one name */
	CONV_THREADS,		/* sums of the samples of a thread in one control group */
	CONV_SAMPLES,
};

/* What a format is made of. */
struct conv_source {
	struct session *s;
	const struct filter *filter;	/* set up */
	bool inlines;			/* inlined functions become frames */
	enum conv_keep keep;
	u64 nr_passed;			/* set: the samples that passed the filter */
};

/* A function at a place in its source. */
struct conv_frame {
	const char *name;	/* "[FILE]" where there is no symbol; UTF-8 */
	const char *file;	/* of the source; NULL: not known */
	u32 line;		/* 0: not known */
	const struct dso *dso;	/* NULL: not known */
	bool inlined;
};

struct conv_node {
	u32 parent, frame;	/* node 0 is the empty stack */
};

/* A thread by one name; with CONV_NAMES all of that name. */
struct conv_track {
	u32 pid, tid;		/* 0 with CONV_NAMES */
	const char *comm;	/* UTF-8 */
};

/* A sample, or samples that differ in time and period alone */
struct conv_point {
	u64 time;		/* of the first */
	u64 period;		/* of all */
	u64 nr;
	u32 node, track, event, cgroup;
};

struct conversion {
	struct session *s;
	struct conv_frame *frames;
	struct conv_node *nodes;
	struct conv_track *tracks;
	const char **cgroups;		/* paths, UTF-8; the first is NULL: of samples without one */
	struct conv_point *points;	/* by the first sample, in order */
	u32 nr_frames, nr_nodes, nr_tracks, nr_cgroups;
	size_t nr_points;
};

/**
 * conversion_run() - read the samples
 * @src: of what
 * @c: set to what was read
 *
 * Return: as session_run(); conversion_free() is called in any case.
 */
int conversion_run(struct conv_source *src, struct conversion **c);
void conversion_free(struct conversion *c);

/**
 * conversion_stack() - a stack as an array
 * @c: the conversion
 * @node: where it ends
 * @frames: gets the frames, outermost first; room for 65536
 *
 * Return: how many.
 */
u32 conversion_stack(const struct conversion *c, u32 node, u32 *frames);

/**
 * conversion_profiles() - the samples of each thread and event as a list
 * @c: the conversion
 * @first: set for each sample that a list begins with; room for one more than there are samples
 *
 * Return: for each sample the number of the next one of its list + 1, 0 after the last; free()d by
 * the caller.
 */
size_t *conversion_profiles(const struct conversion *c, bool *first);

/* What a period counts: "nanoseconds" of clocks, else "none". */
const char *conversion_unit(const struct event *ev);

/**
 * conv_fields() - what a tracepoint recorded, as members of an object of JSON
 * @s: any sample
 * @before: written before the first field
 * @between: written before each other field
 * @o: where to: for each field, its name and what it holds as "perf script" prints it, both strings
 *
 * Return: the number of fields; 0 of a sample of another event.
 */
u32 conv_fields(const struct sample *s, const char *before, const char *between, struct outbuf *o);

/* The formats. Each writes a whole file; what cannot be written is in @o->err. */
void conv_folded(const struct conversion *c, struct outbuf *o);
void conv_speedscope(const struct conversion *c, struct outbuf *o);
void conv_firefox(const struct conversion *c, struct outbuf *o);
void conv_pprof(const struct conversion *c, struct outbuf *o);

/**
 * conv_json() - mainline's JSON, which is written while samples are read
 * @src: of what; inlined functions are no frames there
 * @o: where to
 *
 * Return: as session_run().
 */
int conv_json(struct conv_source *src, struct outbuf *o);

/**
 * conv_jsonl() - an object a line for each sample, written while samples are read
 * @src: of what
 * @o: where to
 *
 * Return: as session_run().
 */
int conv_jsonl(struct conv_source *src, struct outbuf *o);

#endif /* PERF_CMD_DATA_CONVERSION_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf data convert: a recording in the form that the formats read. Stacks are a tree of
 * frames; a sample is the node of its innermost frame.
 */
#ifndef PERF_CMD_DATA_CONVERSION_H
#define PERF_CMD_DATA_CONVERSION_H

#include "base/outfile.h"
#include "base/types.h"
#include "session/filter.h"
#include "session/session.h"

struct dso;

#define FILE_NAME_SIZE 4099	/* of a path in brackets */

/* file_name - the name of a function without a symbol: "[FILE]", or "[unknown]" for NULL */
void file_name(const struct dso *dso, char name[FILE_NAME_SIZE]);

#define CONTAINER_ID 13		/* twelve digits, as "docker ps" prints them */

/* container_id - set @id to that of the container of a cgroup's path, or NULL; false: none */
bool container_id(const char *cgroup, char id[CONTAINER_ID]);

/* The most detailed data that a requested format requires. */
enum conv_keep {
	CONV_NAMES,		/* sums over threads of the same name */
	CONV_THREADS,		/* sums by thread and cgroup */
	CONV_SAMPLES,
};

/* The input of a conversion. */
struct conv_source {
	struct session *s;
	const struct filter *filter;	/* set up */
	bool inlines;			/* add inlined functions as frames */
	enum conv_keep keep;
	u64 nr_passed;			/* set to the number of samples that passed the filter */
};

/* A function and a source line. */
struct conv_frame {
	const char *name;	/* "[FILE]" without a symbol; UTF-8 */
	const char *linkage;	/* its name for the linker; NULL: not known */
	const char *file;	/* of the source; NULL: not known */
	u32 line;		/* 0: not known */
	const struct dso *dso;	/* NULL: not known */
	bool inlined;
};

struct conv_node {
	u32 parent, frame;	/* node 0 is the empty stack */
};

/* A thread with one name; with CONV_NAMES all threads of the name. */
struct conv_track {
	u32 pid, tid;		/* 0 with CONV_NAMES */
	const char *comm;	/* UTF-8 */
};

/* A sample, or the sum of samples that differ only in time and period. */
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
	const char **cgroups;		/* paths, UTF-8; [0] is NULL: no cgroup */
	struct conv_point *points;	/* by the first sample, in order */
	u32 nr_frames, nr_nodes, nr_tracks, nr_cgroups;
	size_t nr_points;
};

/* Read the samples. Return: as session_run(); conversion_free() the result also after an error. */
int conversion_run(struct conv_source *src, struct conversion **c);
void conversion_free(struct conversion *c);

#define CONV_DEPTH 65536	/* maximum frames of a stack that are converted */

/*
 * conversion_stack - set @frames, with room for CONV_DEPTH, to those of the stack of a node,
 * outermost first. Return: their number.
 */
u32 conversion_stack(const struct conversion *c, u32 node, u32 *frames);

/*
 * conversion_profiles - link the samples of each thread and event to a list; @first: by sample: set
 * to true for the first of a list. Return: by sample: the index + 1 of the next one, 0: none;
 * free() it.
 */
size_t *conversion_profiles(const struct conversion *c, bool *first);

/* The unit of periods: "nanoseconds" for clocks, else "none". */
const char *conversion_unit(const struct event *ev);

/*
 * conv_fields - append the fields of a tracepoint as members of a JSON object: names and, as
 * strings, the values as perf script prints them; @before is written before the first, @between
 * before the others. Return: the number of fields; 0 for other events.
 */
u32 conv_fields(const struct sample *s, const char *before, const char *between, struct outbuf *o);

/* The formats. Each writes a complete file; write errors are in @o->err. */
void conv_folded(const struct conversion *c, struct outfile *o);
void conv_speedscope(const struct conversion *c, struct outfile *o);
void conv_firefox(const struct conversion *c, struct outfile *o);
void conv_pprof(const struct conversion *c, struct outfile *o);
void conv_otlp(const struct conversion *c, struct outfile *o);
void conv_perfetto(const struct conversion *c, struct outfile *o);

/*
 * Write mainline's JSON, without inlined functions, or a JSON object per line for each sample,
 * while samples are read. Return: as session_run().
 */
int conv_json(struct conv_source *src, struct outfile *o);
int conv_jsonl(struct conv_source *src, struct outfile *o);

#endif /* PERF_CMD_DATA_CONVERSION_H */

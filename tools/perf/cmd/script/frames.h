/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script: the printer of a thread, and frames as text.
 */
#ifndef PERF_CMD_SCRIPT_FRAMES_H
#define PERF_CMD_SCRIPT_FRAMES_H

#include "base/arena.h"
#include "base/outbuf.h"
#include "cmd/script/script_options.h"

/* How each event is printed. */
struct event_format {
	u64 fields;
	char *name;			/* "cpu-clock: ", padded */
	u32 name_len;
	bool callchain;			/* its samples have one, and it is shown */
};

/* What one thread prints with. */
struct printer {
	struct session *s;
	const struct script_options *opts;
	const struct event_format *formats;	/* by event idx */
	u64 frame_fields;			/* with which frames' texts are kept */
	struct outbuf *out;
	struct outbuf scratch;
	struct arena arena;			/* frames' texts */
	struct frame_cache *frames;
	u64 start_time, last_time;		/* --reltime, --deltatime; -1: none yet */
};

/* What a frame's text depends on. */
#define SCRIPT_FRAME (FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO) | FIELD(DSOFF) |	\
		      FIELD(SRCLINE))

/* The frames of a callchain, a line each. */
void print_callchain(struct printer *p, u64 fields, const struct callchain *cc,
		     const struct thread *t);

/* A frame as a line, its end included. */
void print_frame(struct printer *p, u64 fields, struct frame *f);

/* Blank and the name of @sym (a frame's own, or one inlined in it), with the offset of the frame
 * in its own when @fields want it.
 */
void print_symbol(struct outbuf *o, u64 fields, const struct frame *f, const struct symbol *sym);

/* A frame's file as the dso field shows it. */
void print_dso_name(struct printer *p, struct outbuf *o, const struct frame *f);

#endif /* PERF_CMD_SCRIPT_FRAMES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script: the printer of a thread, and frames as text.
 */
#ifndef PERF_CMD_SCRIPT_FRAMES_H
#define PERF_CMD_SCRIPT_FRAMES_H

#include "base/arena.h"
#include "base/outbuf.h"
#include "cmd/script/script_options.h"

/* The format of an event. */
struct event_format {
	u64 fields;
	char *name;			/* "cpu-clock: ", padded */
	u32 name_len;
	bool callchain;			/* callchains are recorded and shown */
};

/* The printer of a thread. */
struct printer {
	struct session *s;
	const struct script_options *opts;
	const struct event_format *formats;	/* by event idx */
	u64 frame_fields;			/* fields of the cached texts of frames */
	struct outbuf *out;
	struct outbuf scratch;
	struct arena arena;			/* frames' texts */
	struct frame_cache *frames;
	/* upper half of the ip that was printed last, and its digits */
	u32 upper;
	char upper_text[8];
	u64 start_time, last_time;		/* --reltime, --deltatime; -1: none yet */
};

/* The fields that determine a frame's text. */
#define SCRIPT_FRAME (FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO) | FIELD(DSOFF) |	\
		      FIELD(SRCLINE))

/* Print the frames of a callchain, one per line. */
void print_callchain(struct printer *p, u64 fields, const struct callchain *cc,
		     const struct thread *t);

/* Print a frame as a line, including the newline. */
void print_frame(struct printer *p, u64 fields, struct frame *f);

/*
 * Append a blank and the name of @sym (the frame's own, or one inlined in it), with the frame's
 * offset in its own symbol if @fields include it.
 */
void print_symbol(struct outbuf *o, u64 fields, const struct frame *f, const struct symbol *sym);

/* Append a frame's file as in the dso field. */
void print_dso_name(struct printer *p, struct outbuf *o, const struct frame *f);

#endif /* PERF_CMD_SCRIPT_FRAMES_H */

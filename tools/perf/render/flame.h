/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graphs: all stacks of a profile in one picture, and as folded lines.
 */
#ifndef PERF_RENDER_FLAME_H
#define PERF_RENDER_FLAME_H

#include "base/outfile.h"
#include "hist/hist.h"

struct flame_picture;

/**
 * flame_write() - write an SVG of all stacks, with a graph for each event with samples
 * @hists: finished, with stacks whose first step is the frame next to the root
 * @downwards: the root is at the top
 * @path: the file; "-": write to @o
 * @before: histograms of another profile to compare with; NULL: none
 * @nr_frames: set to the number of frames
 *
 * A clock event and the event of perf record --off-cpu, both in nanoseconds, share one graph.
 * Return: NULL, or an error if the file cannot be written.
 */
struct error *flame_write(struct hists **hists, u32 nr, bool downwards, const char *path,
			  struct outbuf *o, struct hists **before, u32 nr_before, u32 *nr_frames);

/*
 * flame_folded - append a line for each stack: "comm;outermost;...;innermost COUNT", with the
 * event's name before it if several have samples. COUNT is the number of samples; in a recording of
 * --off-cpu it is microseconds for clock and off-CPU events.
 */
void flame_folded(struct hists **hists, u32 nr, struct outfile *o);

/* flame_svg.c, for flame.c: a box of the picture. */
struct flame_box {
	const char *name;
	u64 start, total;	/* in units of its event */
	u32 depth;
	u32 samples;
	char kind;		/* k, u, i (inlined), j (jit), o (off-CPU), m (no user half), r (root),
				 * c (comm), f (those too narrow to draw)
				 */
	bool hidden;		/* drawn only when zoomed to */
	u64 before;		/* difference: @total in the other profile, in this one's units */
};

/* The boxes of an event: its root first; each box precedes its children. */
struct flame_event {
	const char *name;
	u32 first, nr;		/* boxes */
	u64 total;
	u32 samples;
	bool off_cpu;		/* it has boxes of kind o */
	u64 left_out;		/* boxes smaller than this are not in the file; 0: none omitted */
};

struct flame_picture {
	struct flame_box *boxes;
	u32 nr, cap;
	struct flame_event *events;
	u32 nr_events, cap_events;
	u32 depth;		/* depth of the deepest visible box */
	bool downwards;		/* the root is at the top */
	bool difference;	/* colours show the change: flame_box.before */
	const char *title, *subtitle;
};

/* flame_picture_create - all stacks as boxes; @hists: as for flame_write(); they own the names */
struct flame_picture *flame_picture_create(struct hists **hists, u32 nr, bool downwards);
void flame_picture_destroy(struct flame_picture *p);

/* flame_event_called - the event of this name; NULL: there is none */
const struct flame_event *flame_event_called(const struct flame_picture *p, const char *name);

/* flame_svg - write the picture; the event with most samples is shown first */
void flame_svg(const struct flame_picture *p, struct outbuf *o);

#endif /* PERF_RENDER_FLAME_H */

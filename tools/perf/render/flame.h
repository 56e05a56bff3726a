/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graphs: all stacks of a profile in one picture, and as folded lines.
 */
#ifndef PERF_RENDER_FLAME_H
#define PERF_RENDER_FLAME_H

#include "hist/hist.h"

struct flame_picture;

/**
 * flame_compare() - compare with another profile
 * @p: the picture
 * @before: that of the other profile
 *
 * A box is compared with the one of the same event, and of the same names from the root on, each as a part
 * of its event. What the other profile alone has is not shown.
 */
void flame_compare(struct flame_picture *p, const struct flame_picture *before);

/**
 * flame_write() - an SVG of all stacks, a graph for each event that has some
 * @hists: finished, with stacks whose first step is the frame next to the root
 * @nr: how many
 * @downwards: the root is at the top
 * @path: of the file; "-" for @o
 * @o: where to with "-"
 * @before: histograms of another profile, which boxes are compared with; NULL: of none
 * @nr_before: how many
 * @nr_frames: set to the number of frames
 *
 * A clock and the event of perf record --off-cpu, both in nanoseconds, have one graph together.
 *
 * The file needs only a browser: the script that zooms, searches and changes from one event
 * to another is in it. What is narrower than a fraction of a pixel is not drawn until it is
 * zoomed to.
 *
 * Return: NULL, or an error when the file cannot be written.
 */
struct error *flame_write(struct hists **hists, u32 nr, bool downwards, const char *path,
			  struct outbuf *o, struct hists **before, u32 nr_before, u32 *nr_frames);

/**
 * flame_folded() - one line a stack: "comm;outermost;...;innermost COUNT"
 * @hists: as for flame_write(); of several events with samples each line begins with its event's name
 * @nr: how many
 * @o: where to
 *
 * No two lines have the same stack. COUNT is samples; in a recording of --off-cpu, microseconds of those
 * events that are in time.
 */
void flame_folded(struct hists **hists, u32 nr, struct outbuf *o);

/* flame_svg.c, for flame.c: a box of the picture. */
struct flame_box {
	const char *name;
	u64 start, total;	/* in units of its event */
	u32 depth;
	u32 samples;
	char kind;		/* k, u, i (inlined), j (jit), o (off-CPU), m (no user half), r (root),
				 * c (comm), f (those too narrow to draw)
				 */
	bool hidden;		/* too narrow to draw before it is zoomed to */
	u64 before;		/* of a difference: @total in the other profile, in this one's units */
};

/* An event's part of the boxes: its root, then each box before what is on it. */
struct flame_event {
	const char *name;
	u32 first, nr;		/* boxes */
	u64 total;
	u32 samples;
	bool off_cpu;		/* there are boxes of kind o */
	u64 left_out;		/* boxes smaller than this are not in the file; 0: all are */
};

struct flame_picture {
	struct flame_box *boxes;
	u32 nr, cap;
	struct flame_event *events;
	u32 nr_events, cap_events;
	u32 depth;		/* of the deepest box that is drawn */
	bool downwards;		/* the root is at the top */
	bool difference;	/* colours show the change: flame_box.before */
	const char *title, *subtitle;
};

/**
 * flame_picture_create() - all stacks as boxes
 * @hists: as for flame_write(); they must live longer, names are theirs
 * @nr: how many
 * @downwards: the root is at the top
 *
 * Return: the picture; flame_picture_destroy() it.
 */
struct flame_picture *flame_picture_create(struct hists **hists, u32 nr, bool downwards);
void flame_picture_destroy(struct flame_picture *p);

/**
 * flame_svg() - write the picture
 * @p: the picture; shown first is the event with most samples
 * @o: where to
 */
void flame_svg(const struct flame_picture *p, struct outbuf *o);

#endif /* PERF_RENDER_FLAME_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graphs: all stacks of a profile in one picture, and as folded lines.
 */
#ifndef PERF_UI_FLAME_H
#define PERF_UI_FLAME_H

#include "hist/hist.h"

/**
 * flame_write() - one SVG of all events' stacks
 * @hists: finished, with stacks from the outermost frame on
 * @nr: how many
 * @path: of the file; "-" for @o
 * @o: where to with "-"
 *
 * The file needs nothing but a browser: the script that zooms and searches is in it. What
 * is narrower than a fraction of a pixel is not drawn.
 *
 * Return: 0, or -1 after diag_error().
 */
int flame_write(struct hists *hists, u32 nr, const char *path, struct outbuf *o);

/**
 * flame_folded() - one line a stack: "comm;outermost;...;innermost COUNT"
 * @h: finished, with stacks from the outermost frame on
 * @o: where to
 */
void flame_folded(struct hists *h, struct outbuf *o);

/* flame_svg.c, for flame.c: a box of the picture. */
struct flame_box {
	const char *name;
	u64 start, total, own;	/* in units of the profile */
	u32 depth;
	u32 samples;
	char kind;		/* k, u, i (inlined), j (jit), m (no user half), r (root), c (comm) */
	bool inlined;
};

struct flame_picture {
	struct flame_box *boxes;
	u32 nr, cap;
	u64 total;
	u32 depth;		/* of the deepest box */
	const char *title, *subtitle, *unit;
};

void flame_svg(const struct flame_picture *p, struct outbuf *o);

#endif /* PERF_UI_FLAME_H */

// SPDX-License-Identifier: GPL-2.0
/* A library that is mapped while it is needed. */
#include "frames.h"

static noinline_ void lib_last(struct trail *t)
{
	trail_enter(t);
	t->at_end(t);
	keep_frame();
	trail_leave(t);
}

noinline_ void lib_descend(struct trail *t, int depth)
{
	volatile char pad[56];

	trail_enter(t);
	pad[depth] = 1;
	if (depth && pad[depth])
		lib_descend(t, depth - 1);
	else
		lib_last(t);
	keep_frame();
	trail_leave(t);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Every instruction of functions without frame pointers, by each compiler and
 * level: the caller and all above it are found, from the instruction and from a
 * signal handler that interrupted it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unwind/stats.h"
#include "../unwind/table.h"
#include "../unwind/test.h"
#include "step.h"

#define TABLES	"/tests/tables"

#ifdef __PIE__
#define ALL_VARIANTS	false
#else
#define ALL_VARIANTS	true
#endif

static void step_scene(const struct variant *v, const struct scene *scene)
{
	struct step_result sum = { .more = true };
	int first;

	for (first = 0; sum.more; first += STEP_MAX) {
		struct step_result res = step_through(scene->run, NULL, first);

		sum.stops += res.stops;
		sum.samples += res.samples;
		sum.wrong += res.wrong;
		sum.cut += res.cut;
		sum.unclear += res.unclear;
		sum.more = res.more;
	}
	ok(sum.samples > sum.cut && !sum.wrong,
	   "%s, %s: %d instructions, %d samples: %d wrong, %d cut where the table has no rule; "
	   "%d instructions unclear", v->name, scene->name, sum.stops, sum.samples, sum.wrong,
	   sum.cut, sum.unclear);
}

TEST(step, "single-stepped functions without frame pointers: the caller is always there")
{
	const struct variant *v;
	int event = add_tables(TABLES), i;

	for (v = variants; v; v = v->next) {
		bool is_o2 = strstr(v->name, "-O2");

		/* All variants once. */
		if (!is_o2 && (!ALL_VARIANTS || !defer_inline() || getenv("SWEEP_SHORT")))
			continue;
		for (i = 0; i < v->nr_scenes; i++)
			if (is_o2 || !v->scene[i].once)
				step_scene(v, &v->scene[i]);
	}
	close(event);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What was counted goes to the browser (tui/).
 *
 * It is given a report that is counted, and owns the list of its events with their titles. The
 * pipe that a recording came from can be read once, so that no command can make it again.
 */
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/progress.h"
#include "cmd/header/header.h"
#include "cmd/report/report.h"
#include "tui/tui.h"

static void put_header(void *ctx, struct outbuf *o)
{
	struct report *r = ctx;

	outbuf_printf(o, "# Total Lost Samples: %llu\n", r->session->stats.lost_samples);
	report_account(r, o);
	report_diagnosis(r, o);
	report_hints(r, o);
	outbuf_puts(o, "#\n");
	header_print(r->session->reader, r->show_info, o);
}

int report_browse(struct report *r)
{
	u32 nr_events = r->session->events->nr, nr = 0, i;
	struct tui_event *events = xcalloc(nr_events, sizeof(*events));
	struct outbuf *titles = xcalloc(nr_events, sizeof(*titles));
	struct tui_report t = {
		.events = events, .cols = &r->cols, .opt = &r->stdio, .argv = r->argv,
		.once = reader_is_pipe(r->session->reader) ? "the recording came through a pipe" : NULL,
		.header = put_header, .ctx = r,
	};
	int status;

	for (i = 0; i < nr_events; i++) {
		struct report_section s;

		outbuf_init(&titles[i], -1);
		s = report_section(r, i, &titles[i]);
		if (!s.nr) {
			free(s.members);
			continue;
		}
		events[nr] = (struct tui_event){
			.members = s.members, .nr = s.nr, .title = outbuf_text(&titles[i]),
		};
		nr++;
	}
	t.nr_events = nr;
	/* From here on ^C is a key. */
	interrupt_release();
	status = tui_run(&t);
	if (status < 0)
		diag_error("--tui: the terminal cannot be used; --stdio prints text");
	for (i = 0; i < nr; i++)
		free(events[i].members);
	for (i = 0; i < nr_events; i++)
		outbuf_deinit(&titles[i]);
	free(titles);
	free(events);
	return status < 0 ? 1 : status;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The recording is read once more when it is over, to count the user callchains that were cut. Given
 * is a file that is complete; nothing is owned. What is said, and when, is cmd/cuts.h's, as in
 * perf report.
 */
#include <stdio.h>

#include "base/error.h"
#include "cmd/cuts.h"
#include "cmd/record/cut.h"

static int on_sample(void *ctx, const struct sample *s, const struct callchain *cc, const struct thread *t)
{
	cuts_count(ctx, s, cc, t);
	return 0;
}

static const char *why(const void *tables, const char *path)
{
	return tables_why(tables, path);
}

void record_cut(const char *path, const struct tables *tables)
{
	/* Nobody waits for a server at the end of a recording. */
	const struct session_config cfg = { .input = path, .force = true, .no_progress = true, .symbols.local = true,
					    .no_chain_warning = true };
	const struct session_ops ops = { .sample = on_sample };
	struct session *s;
	struct error *e = session_open(&cfg, &s);
	struct outbuf text;
	struct cuts *c;

	if (e) {
		error_free(e);
		return;
	}
	c = cuts_create(s);
	outbuf_init(&text, -1);
	if (session_run(s, &ops, c) >= 0 && cuts_percent(c)) {
		cuts_text(c, tables ? why : NULL, tables, &text);
		fprintf(stderr, "[ perf record: %s ]\n", outbuf_text(&text));
	}
	outbuf_deinit(&text);
	cuts_destroy(c);
	session_close(s);
}

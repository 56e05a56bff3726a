// SPDX-License-Identifier: GPL-2.0
/*
 * The recording is read once more when it is over, to count the user callchains that were cut. Given
 * is a file that is complete; nothing is owned. What is said, and when, is cmd/cut_chains.h's, as in
 * perf report. A child process does it, as files that callchains end in may lie in a file system that hangs.
 */
#include <stdio.h>

#include "base/aside.h"
#include "base/error.h"
#include "cmd/cut_chains.h"
#include "cmd/record/cut_summary.h"

#define LOOK_MS 4000	/* files of a file system that hangs are not waited for any longer */

static int on_sample(void *ctx, const struct visit *v)
{
	cuts_count(ctx, v);
	return 0;
}

static const char *why(const void *tables, const char *path)
{
	return tables_why(tables, path);
}

struct cut_question {
	const char *path;
	const struct tables *tables;
	char line[ASIDE_ARG_MAX - 64];	/* set to what there is to say; "": nothing */
};

static int look(void *arg, const int *in, int *out)
{
	struct cut_question *q = arg;
	/* Nobody waits for a server at the end of a recording. */
	const struct session_config cfg = { .input = q->path, .force = true, .no_progress = true, .symbols.local = true,
					    .no_chain_warning = true };
	const struct session_ops ops = { .sample = on_sample };
	struct session *s;
	struct error *e = session_open(&cfg, &s);
	struct outbuf text;
	struct cuts *c;

	if (e) {
		error_free(e);
		return 0;
	}
	c = cuts_create(s);
	outbuf_init(&text, -1);
	if (session_run(s, &ops, c) >= 0 && cuts_percent(c)) {
		cuts_text(c, q->tables ? why : NULL, q->tables, &text);
		snprintf(q->line, sizeof(q->line), "%s", outbuf_text(&text));
	}
	outbuf_deinit(&text);
	cuts_destroy(c);
	session_close(s);
	return 0;
}

void record_cut(const char *path, const struct tables *tables)
{
	struct cut_question q = { .path = path, .tables = tables };
	struct aside_call c = { .fn = look, .arg = &q, .size = sizeof(q) };
	struct aside a = { 0 };

	/* The child is forked now, and has what we have in memory. */
	if (!aside_run(&a, &c, LOOK_MS) && q.line[0])
		fprintf(stderr, "[ perf record: %s ]\n", q.line);
	aside_deinit(&a);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the complete recording once more and counts truncated user callchains. The messages and
 * their threshold are those of perf report (cmd/cut_chains.h). A child process does it, since
 * files at which callchains end may be in a file system that hangs. The file owns nothing.
 */
#include <stdio.h>

#include "base/aside.h"
#include "base/error.h"
#include "cmd/cut_chains.h"
#include "cmd/record/cut_summary.h"

#define LOOK_MS 4000	/* time limit for the child, if a file system hangs */

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
	char line[ASIDE_ARG_MAX - 64];	/* set to the message; "": none */
};

static int look(void *arg, const int *in, int *out)
{
	struct cut_question *q = arg;
	/* .symbols.local: query no debuginfo server at the end of a recording. */
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

	/* The child is forked here and inherits our memory. */
	if (!aside_run(&a, &c, LOOK_MS) && q.line[0])
		fprintf(stderr, "[ perf record: %s ]\n", q.line);
	aside_deinit(&a);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the complete recording once more, in a walker: counts cut user callchains, as perf report
 * does (cmd/cut_chains.h), and collects the files with samples. It owns nothing.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/cut_chains.h"
#include "cmd/record/recorder.h"
#include "host/host.h"
#include "session/sample_files.h"

#define LOOK_MS 4000	/* time limit for the walker, if a file system hangs */
#define MAX_HITS (1u << 20)
/* Larger files are not read for the message: perf report counts truncated callchains. */
#define CUTS_MAX_BYTES	(128ULL << 20)

static const char *why(const void *tables, const char *path)
{
	return tables_why(tables, path);
}

struct cut_question {
	struct session *session;
	struct cuts *cuts;
	const struct tables *tables;
	struct sample_files files;
	u64 nr_hits;			/* set to the number of pairs of keys in the window */
	char line[ASIDE_ARG_MAX - 256];	/* set to the message; "": none */
};

static int count_sample(void *ctx, const struct visit *v)
{
	struct cut_question *q = ctx;

	cuts_count(q->cuts, v);
	sample_files_note(&q->files, q->session->timeline, v);
	return 0;
}

/* In a walker. Return: 0 if all was read. */
static int look(void *arg, const int *in __unused, int *out __unused)
{
	struct cut_question *q = arg;
	const struct session_ops ops = { .sample = count_sample };
	u64 *pair = (u64 *)aside_window(), i;
	struct hash hits = { 0 };
	struct outbuf text = { 0 };
	int err;

	q->files = (struct sample_files){ .fn = sample_files_insert, .arg = &hits };
	err = session_run(q->session, &ops, q);
	if (!err && cuts_percent(q->cuts)) {
		cuts_text(q->cuts, q->tables ? why : NULL, q->tables, &text);
		snprintf(q->line, sizeof(q->line), "%s", outbuf_text(&text));
	}
	for (i = 0; hits.nr && i <= hits.mask && q->nr_hits < MAX_HITS; i++)
		if (hits.slots[i].used)
			memcpy(pair + 2 * q->nr_hits++, &hits.slots[i], 2 * sizeof(u64));
	return err;
}

/* Is it one file with user callchains? Those of --call-graph live were counted while walking. */
static bool cuts_matter(const struct record_options *o, const struct output *out)
{
	bool chains = false, counted = false, bpf = false;
	u32 i;

	if (verbose < 0 || o->switch_output || !out->writer.is_regular || out->writer.err ||
	    output_bytes(out) > CUTS_MAX_BYTES)
		return false;
	for (i = 0; i < o->specs.nr; i++) {
		const struct event_spec *s = o->specs.v[i];
		const struct perf_event_attr *a = &s->attr;

		counted |= s->is_live;
		bpf |= s->is_bpf;
		chains |= (a->sample_type & PERF_SAMPLE_CALLCHAIN && !a->exclude_callchain_user) ||
			  a->sample_type & PERF_SAMPLE_STACK_USER;
	}
	return chains && (!counted || bpf);
}

bool record_look(const struct record_options *opts, const struct output *out,
		 const struct tables *tables, struct hash *hits, char **line)
{
	/* .symbols.local: query no debuginfo server at the end of a recording. */
	const struct session_config cfg = {
		.input = opts->output, .force = true, .no_progress = true,
		.symbols.local = true, .no_chain_warning = true,
	};
	struct cut_question q = { .tables = tables };
	struct aside_call c = { .fn = look, .arg = &q, .size = sizeof(q), .cpu_ms = LOOK_MS };
	struct aside a = { 0 };
	const u64 *pairs;
	struct error *e;
	bool answered;
	u64 i;

	if (!cuts_matter(opts, out))
		return false;
	e = session_open(&cfg, &q.session);
	if (e) {
		error_free(e);
		return false;
	}
	q.cuts = cuts_create(q.session);
	/* The child is forked here and inherits our memory. */
	host_walker_init(out->desc->host, &a);
	answered = !aside_run(&a, &c, LOOK_MS) && q.nr_hits <= MAX_HITS;
	if (answered && q.line[0])
		*line = xstrndup(q.line, sizeof(q.line) - 1);
	pairs = (const u64 *)a.window;
	for (i = 0; answered && i < q.nr_hits; i++)
		hash_insert(hits, pairs[2 * i], pairs[2 * i + 1], NULL);
	aside_free(&a);
	cuts_destroy(q.cuts);
	session_close(q.session);
	return answered && hits->nr;
}

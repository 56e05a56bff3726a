// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the complete recording once more: counts truncated user callchains and collects the files
 * with samples. The messages and their threshold are those of perf report (cmd/cut_chains.h). A
 * child process does it, since files at which callchains end may be in a file system that hangs.
 * The file owns nothing.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/aside.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/io.h"
#include "cmd/cut_chains.h"
#include "cmd/record/cut_summary.h"
#include "session/sample_files.h"

#define LOOK_MS 4000	/* time limit for the child, if a file system hangs */
/* Larger files are not read for the message: perf report counts truncated callchains. */
#define CUTS_MAX_BYTES	(128ULL << 20)

struct look {
	struct session *session;
	struct cuts *cuts;
	struct sample_files files;
};

static int on_sample(void *ctx, const struct visit *v)
{
	struct look *l = ctx;

	cuts_count(l->cuts, v);
	sample_files_note(&l->files, l->session->timeline, v);
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

/* The files with samples go to the parent as pairs of keys, in a file in memory. */
static int send_hits(const struct hash *hits)
{
	int fd = memfd_create("hits", MFD_CLOEXEC);
	struct outbuf pairs;
	size_t i;

	outbuf_init(&pairs, -1);
	for (i = 0; hits->nr && i <= hits->mask; i++)
		if (hits->slots[i].used)
			outbuf_write(&pairs, &hits->slots[i], 2 * sizeof(u64));
	if (fd >= 0 && write_all(fd, pairs.base, outbuf_len(&pairs))) {
		close(fd);
		fd = -1;
	}
	outbuf_deinit(&pairs);
	return fd;
}

static bool receive_hits(int fd, struct hash *hits)
{
	u64 pair[2];
	off_t at;

	for (at = 0; pread(fd, pair, sizeof(pair), at) == sizeof(pair); at += sizeof(pair))
		hash_insert(hits, pair[0], pair[1], NULL);
	return hits->nr;
}

/* Return: 0 if all was read. */
static int look(void *arg, const int *in, int *out)
{
	struct cut_question *q = arg;
	/* .symbols.local: query no debuginfo server at the end of a recording. */
	const struct session_config cfg = { .input = q->path, .force = true, .no_progress = true, .symbols.local = true,
					    .no_chain_warning = true };
	const struct session_ops ops = { .sample = on_sample };
	struct hash hits = { 0 };
	struct look l = { .files = { .fn = sample_files_insert, .arg = &hits } };
	struct error *e = session_open(&cfg, &l.session);
	struct outbuf text;
	int err;

	if (e) {
		error_free(e);
		return -EINVAL;
	}
	l.cuts = cuts_create(l.session);
	outbuf_init(&text, -1);
	err = session_run(l.session, &ops, &l);
	if (!err && cuts_percent(l.cuts)) {
		cuts_text(l.cuts, q->tables ? why : NULL, q->tables, &text);
		snprintf(q->line, sizeof(q->line), "%s", outbuf_text(&text));
	}
	if (!err)
		*out = send_hits(&hits);
	outbuf_deinit(&text);
	cuts_destroy(l.cuts);
	session_close(l.session);
	hash_deinit(&l.files.seen);
	hash_deinit(&hits);
	return err;
}

/*
 * True if the recording is one file with user callchains, by the kernel, a BPF program or from
 * copied stacks. Those of --call-graph live are counted while they are walked.
 */
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
	struct cut_question q = { .path = opts->output, .tables = tables };
	struct aside_call c = { .fn = look, .arg = &q, .size = sizeof(q) };
	struct aside a = { 0 };
	bool answered;

	if (!cuts_matter(opts, out))
		return false;
	/* The child is forked here and inherits our memory. */
	answered = !aside_run(&a, &c, LOOK_MS);
	if (answered && q.line[0])
		*line = xstrdup(q.line);
	answered = answered && c.out >= 0 && receive_hits(c.out, hits);
	if (c.out >= 0)
		close(c.out);
	aside_deinit(&a);
	return answered;
}

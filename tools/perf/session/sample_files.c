// SPDX-License-Identifier: GPL-2.0
/*
 * Mapped files of a recording's samples: for the build-id table (without --buildid-all) and for
 * perf's cache.
 */
#include "base/hash.h"
#include "session/sample_files.h"
#include "session/session.h"

/* @last: the area of the previous address of the span; set to that of this one */
static void note(struct sample_files *f, struct timeline *tl, const struct space *sp, u64 ip,
		 u64 time, struct map_area *last)
{
	const struct map *m;
	bool added;

	/* Most calls are within one file. */
	if (!sp || (ip >= last->start && ip < last->end))
		return;
	m = space_find(tl, sp, ip, time, last);
	if (!m)
		return;
	hash_insert(&f->seen, m->dso->id, 0, &added);
	if (added)
		f->fn(f->arg, m->dso);
}

void sample_files_note(struct sample_files *f, struct timeline *tl, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct sample *s = v->sample;
	struct map_area area = { 0 };
	u32 i, j;

	note(f, tl, timeline_space(tl, v->thread, s->cpumode, cc->time), s->ip, cc->time, &area);
	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *sp;

		sp = timeline_space(tl, v->thread, span->cpumode, span->time);
		area = (struct map_area){ 0 };
		for (j = 0; j < span->nr; j++)
			note(f, tl, sp, span->ips[j], span->time, &area);
	}
}

void sample_files_insert(void *arg, const struct dso *dso)
{
	struct hash *names = arg;

	hash_insert(names, hash_bytes(dso->path, strlen(dso->path)), 0, NULL);
	if (dso->build_id_size)
		hash_insert(names, hash_bytes(dso->build_id, dso->build_id_size), SAMPLE_FILES_BUILD_ID, NULL);
}

struct files_run {
	struct session *session;
	struct sample_files files;
};

static int on_sample(void *ctx, const struct visit *v)
{
	struct files_run *r = ctx;

	sample_files_note(&r->files, r->session->timeline, v);
	return 0;
}

int sample_files_run(struct session *s, void (*fn)(void *arg, const struct dso *dso), void *arg)
{
	const struct session_ops ops = { .sample = on_sample };
	struct files_run r = { .session = s, .files = { .fn = fn, .arg = arg } };
	int err = session_run(s, &ops, &r);

	hash_deinit(&r.files.seen);
	return err;
}

int record_hits(const char *path, struct hash *names)
{
	const struct session_config cfg = { .input = path, .force = true, .no_progress = true, .no_unwind = true,
					    .no_chain_warning = true, .symbols.no_files = true };
	struct session *s;
	int err = error_report(session_open(&cfg, &s));

	if (err)
		return err;
	err = sample_files_run(s, sample_files_insert, names);
	session_close(s);
	return err;
}

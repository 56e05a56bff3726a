// SPDX-License-Identifier: GPL-2.0
/*
 * Which files the samples of a recording lie in: the table of build-ids lists
 * those, unless --buildid-all, and those that no path leads to are copied. The recording is read once
 * more for it, which is why it is done only where map records carry no build-ids, or there are such files.
 */
#include "base/hash.h"
#include "session/sample_files.h"
#include "session/session.h"

struct hits {
	struct session *session;
	struct hash *names;
};

static void hit(struct hash *names, struct timeline *tl, const struct thread *t, u8 cpumode,
		u64 ip, u64 time)
{
	const struct space *sp = timeline_space(tl, t, cpumode, time);
	const struct map *m = sp ? space_find(tl, sp, ip, time, NULL) : NULL;

	if (!m)
		return;
	hash_insert(names, hash_bytes(m->dso->path, strlen(m->dso->path)), 0, NULL);
	if (m->dso->build_id_size)
		hash_insert(names, hash_bytes(m->dso->build_id, m->dso->build_id_size), SAMPLE_FILES_BUILD_ID, NULL);
}

void sample_files_note(struct hash *names, struct timeline *tl, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	u32 i, j;

	hit(names, tl, v->thread, v->sample->cpumode, v->sample->ip, cc->time);
	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];

		for (j = 0; j < span->nr; j++)
			hit(names, tl, v->thread, span->cpumode, span->ips[j], span->time);
	}
}

static int on_sample(void *ctx, const struct visit *v)
{
	struct hits *h = ctx;

	sample_files_note(h->names, h->session->timeline, v);
	return 0;
}

int record_hits(const char *path, struct hash *names)
{
	const struct session_config cfg = { .input = path, .force = true, .no_progress = true, .no_unwind = true,
					    .no_chain_warning = true, .symbols.no_files = true };
	const struct session_ops ops = { .sample = on_sample };
	struct hits h = { .names = names };
	int err = error_report(session_open(&cfg, &h.session));

	if (err)
		return err;
	err = session_run(h.session, &ops, &h);
	session_close(h.session);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses in a recording: of samples, callchains, branches and data. symbol/names_write.c
 * collects their names.
 */
#include "base/diag.h"
#include "session/sample_names.h"
#include "symbol/names.h"

/* limit of cached frames, above that of real programs, against crafted files */
#define MAX_FRAMES	(1u << 18)
/* granularity of data addresses: perf report's key dcacheline */
#define LINE_BYTES	64

struct names_run {
	struct session *s;
	struct frame_cache *frames;
	struct names_writer *writer;
};

void sample_names_config(struct symbol_config *cfg)
{
	cfg->linker_names = true;
	cfg->full_srcline = true;
	cfg->function_starts = true;
	cfg->data = true;
}

static void note(struct names_run *r, const struct thread *t, u8 cpumode, u64 ip, u64 time)
{
	const struct space *sp = timeline_space(r->s->timeline, t, cpumode, time);
	struct frame *f = frame_resolve(r->frames, sp, ip, cpumode, time);

	if (!f->dso || f->user)
		return;
	f->user = r;
	names_note(r->writer, f->dso, f->addr);
}

/* A negative address is a kernel address. */
static void note_any(struct names_run *r, const struct visit *v, u64 addr)
{
	u8 mode = (s64)addr < 0 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	note(r, v->thread, mode, addr, v->chain->time);
}

static int on_sample(void *ctx, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct sample *s = v->sample;
	struct names_run *r = ctx;
	u64 i;
	u32 j;

	if (unlikely(frame_cache_nr(r->frames) > MAX_FRAMES)) {
		frame_cache_destroy(r->frames);
		r->frames = frame_cache_create(r->s->timeline, false);
	}
	note(r, v->thread, s->cpumode, s->ip, cc->time);
	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];

		for (j = 0; j < span->nr; j++)
			note(r, v->thread, span->cpumode, span->ips[j], span->time);
	}
	for (i = 0; i < s->branch_nr; i++) {
		note_any(r, v, s->branch[3 * i]);
		note_any(r, v, s->branch[3 * i + 1]);
	}
	if (s->addr) {
		note_any(r, v, s->addr);
		note_any(r, v, s->addr & -LINE_BYTES);
	}
	return 0;
}

int sample_names(struct session *s, struct outbuf *o)
{
	const struct session_ops ops = { .sample = on_sample };
	struct names_run r = { .s = s, .frames = frame_cache_create(s->timeline, false), .writer = names_writer_create() };
	int err = session_run(s, &ops, &r);

	if (names_write(r.writer, o))
		err = err ?: diag_error("out of memory for the compression of names");
	frame_cache_destroy(r.frames);
	return err;
}

int record_names(const char *path, struct outbuf *o)
{
	struct session_config cfg = {
		.input = path, .force = true, .no_progress = true, .no_chain_warning = true,
		.symbols = { .same_machine = true, .same_host = true, .local = true },
	};
	struct session *s;
	int err;

	sample_names_config(&cfg.symbols);
	err = error_report(session_open(&cfg, &s));
	if (err)
		return err;
	err = sample_names(s, o);
	session_close(s);
	return err;
}

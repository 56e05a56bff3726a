// SPDX-License-Identifier: GPL-2.0
/*
 * JSON in the shape of mainline's "perf data convert --to-json": header facts, then an object
 * for each sample, with its callchain from the innermost frame to the outermost, and the fields
 * of its tracepoint. Written while samples are read. It owns the text of each frame.
 */
#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/text.h"
#include "cmd/data/conversion.h"

struct json_writer {
	struct conv_source *src;
	struct session *s;
	struct frame_cache *frames;
	struct outbuf *o;
	struct outbuf piece;		/* work space */
	struct arena arena;
};

static void key_string(struct outbuf *o, const char *key, const char *value)
{
	if (!value)
		return;
	outbuf_printf(o, ",\n\t\t\"%s\": ", key);
	json_string(o, value);
}

static void put_headers(const struct session *s, struct outbuf *o)
{
	const struct features *f = s->features;
	struct reader_facts facts = reader_facts(s->reader);
	time_t at = facts.captured_on;
	char when[32] = "";
	struct tm tm;
	u32 i;

	if (gmtime_r(&at, &tm))
		strftime(when, sizeof(when), "%FT%TZ", &tm);
	outbuf_printf(o, "\t\"headers\": {\n\t\t\"header-version\": %u,\n\t\t\"captured-on\": \"%s\"",
		      facts.version, when);
	outbuf_printf(o, ",\n\t\t\"data-offset\": %llu,\n\t\t\"data-size\": %llu,\n\t\t\"feat-offset\": %llu",
		      facts.data_offset, facts.data_size, facts.feat_offset);
	key_string(o, "hostname", f->hostname);
	key_string(o, "os-release", f->os_release);
	key_string(o, "arch", f->arch);
	key_string(o, "cpu-desc", f->cpu_desc);
	key_string(o, "cpuid", f->cpuid);
	outbuf_printf(o, ",\n\t\t\"nrcpus-online\": %u,\n\t\t\"nrcpus-avail\": %u", f->nr_cpus_online,
		      f->nr_cpus_avail);
	key_string(o, "perf-version", f->version);
	outbuf_puts(o, ",\n\t\t\"cmdline\": [");
	for (i = 0; i < f->nr_cmdline; i++) {
		outbuf_puts(o, i ? ",\n\t\t\t" : "\n\t\t\t");
		json_string(o, f->cmdline[i]);
	}
	outbuf_puts(o, "\n\t\t]\n\t},\n");
}

/* Make the text of a frame, from the end of its ip on. */
static void make_text(struct json_writer *w, struct frame *f)
{
	struct outbuf *o = &w->piece;

	o->pos = o->base;
	outbuf_putc(o, '"');
	if (f->sym) {
		outbuf_puts(o, ",\n\t\t\t\t\t\"symbol\": ");
		json_string(o, f->sym->name);
		outbuf_puts(o, ",\n\t\t\t\t\t\"dso\": ");
		json_string(o, f->dso->short_name);
	}
	outbuf_puts(o, "\n\t\t\t\t}");
	f->user_len = outbuf_len(o);
	f->user = arena_strndup(&w->arena, o->base, f->user_len);
}

static void put_frame(struct json_writer *w, struct frame *f, bool first)
{
	struct outbuf *o = w->o;

	if (!f->user)
		make_text(w, f);
	if (!first)
		outbuf_putc(o, ',');
	outbuf_puts(o, "\n\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x");
	outbuf_hex(o, f->ip, 0, ' ');
	outbuf_write(o, f->user, f->user_len);
}

static void put_number(struct outbuf *o, const char *key, s64 v)
{
	outbuf_puts(o, key);
	if (v < 0)
		outbuf_putc(o, '-');
	outbuf_dec(o, v < 0 ? -(u64)v : (u64)v, 0, ' ');
}

static void put_callchain(struct json_writer *w, const struct sample *s, const struct callchain *cc,
			  const struct thread *t)
{
	struct timeline *tl = w->s->timeline;
	bool first = true;
	struct frame *f;
	u32 i, j;

	outbuf_puts(w->o, ",\n\t\t\t\"callchain\": [");
	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *sp = timeline_space(tl, t, span->cpumode, span->time);

		for (j = 0; j < span->nr; j++, first = false) {
			f = frame_resolve(w->frames, sp, span->ips[j], span->cpumode, span->time);
			put_frame(w, f, first);
		}
	}
	if (first && !s->callchain) {
		f = frame_resolve(w->frames, timeline_space(tl, t, s->cpumode, cc->time), s->ip,
				  s->cpumode, cc->time);
		put_frame(w, f, true);
	}
	outbuf_puts(w->o, "\n\t\t\t]");
}

static int on_sample(void *ctx, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct thread *t = v->thread;
	const struct sample *s = v->sample;
	struct json_writer *w = ctx;
	struct outbuf *o = w->o;
	char tmp[THREAD_NAME_SIZE];

	if (!filter_visit(w->src->filter, w->s, w->frames, v))
		return 0;
	outbuf_puts(o, w->src->nr_passed++ ? ",\n\t\t{\n" : "\n\t\t{\n");
	put_number(o, "\t\t\t\"timestamp\": ", s->time);
	put_number(o, ",\n\t\t\t\"pid\": ", (s32)s->pid);
	put_number(o, ",\n\t\t\t\"tid\": ", (s32)s->tid);
	if (s->cpu != (u32)-1)
		put_number(o, ",\n\t\t\t\"cpu\": ", s->cpu);
	outbuf_puts(o, ",\n\t\t\t\"comm\": ");
	json_string(o, thread_comm_at(w->s->timeline, t, cc->time, -1, tmp));
	put_callchain(w, s, cc, t);
	conv_fields(s, ",\n\t\t\t", ",\n\t\t\t", o);
	outbuf_puts(o, "\n\t\t}");
	return o->err;
}

int conv_json(struct conv_source *src, struct outbuf *o)
{
	const struct session_ops ops = { .sample = on_sample, .filter = src->filter };
	struct session *s = src->s;
	struct json_writer w = { .src = src, .s = s, .o = o, .frames = frame_cache_create(s->timeline, false) };
	int ret;

	outbuf_init(&w.piece, -1);
	outbuf_puts(o, "{\n\t\"linux-perf-json-version\": 1,\n");
	put_headers(s, o);
	outbuf_puts(o, "\t\"samples\": [");
	ret = session_run(s, &ops, &w);
	outbuf_puts(o, "\n\t]\n}\n");
	outbuf_deinit(&w.piece);
	arena_deinit(&w.arena);
	frame_cache_destroy(w.frames);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A JSON object per line for each sample, for engines that load such files as tables. Written
 * while samples are read. It owns the text of each frame, as an element of the array of frames,
 * and the text common to all lines.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "cmd/data/conversion.h"
#include "cmd/data/names.h"

struct jsonl_writer {
	struct conv_source *src;
	struct session *s;
	struct frame_cache *frames;
	struct outbuf *o;
	struct outbuf origin;		/* the host's fields */
	struct outbuf piece;		/* work space */
	struct arena arena;
	u64 to_wall;			/* time of day minus sample time, in ns; 0: unknown */
};

static void field_string(struct outbuf *o, const char *key, const char *value)
{
	outbuf_puts(o, key);
	json_string(o, value);
}

static void field_number(struct outbuf *o, const char *key, u64 v)
{
	outbuf_puts(o, key);
	outbuf_dec(o, v, 0, ' ');
}

static void field_id(struct outbuf *o, const char *key, u32 id)
{
	outbuf_puts(o, key);
	if (id == (u32)-1)
		outbuf_puts(o, "-1");
	else
		outbuf_dec(o, id, 0, ' ');
}

/* Make the text of the functions at an address, innermost first, each followed by a comma. */
static void make_text(struct jsonl_writer *w, struct frame *f)
{
	char file[FILE_NAME_SIZE];
	u32 i;

	w->piece.pos = w->piece.base;
	for (i = 0; i <= f->nr_inlines; i++) {
		const struct symbol *sym = i < f->nr_inlines ? f->inlines[i].sym : f->sym;

		if (!sym)
			file_name(f->dso, file);
		json_string(&w->piece, sym ? sym->name : file);
		outbuf_putc(&w->piece, ',');
	}
	f->user_len = outbuf_len(&w->piece);
	f->user = arena_strndup(&w->arena, w->piece.base, f->user_len);
}

static void put_frame(struct jsonl_writer *w, struct frame *f)
{
	if (!f->user)
		make_text(w, f);
	outbuf_write(w->o, f->user, f->user_len);
}

static void put_frames(struct jsonl_writer *w, const struct sample *s, const struct callchain *cc,
		       const struct thread *t)
{
	struct timeline *tl = w->s->timeline;
	bool any = false;
	u32 i, j;

	outbuf_puts(w->o, ",\"frames\":[");
	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *sp = timeline_space(tl, t, span->cpumode, span->time);

		for (j = 0; j < span->nr; j++, any = true)
			put_frame(w, frame_resolve(w->frames, sp, span->ips[j], span->cpumode, span->time));
	}
	if (!cc->nr_spans) {
		put_frame(w, frame_resolve(w->frames, timeline_space(tl, t, s->cpumode, cc->time), s->ip,
					   s->cpumode, cc->time));
		any = true;
	}
	w->o->pos -= any;	/* remove the last comma */
	outbuf_puts(w->o, "]}\n");
}

static int on_sample(void *ctx, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct thread *t = v->thread;
	const struct sample *s = v->sample;
	struct jsonl_writer *w = ctx;
	char tmp[THREAD_NAME_SIZE], id[CONTAINER_ID];
	struct outbuf *o = w->o;
	const char *cgroup;

	if (!filter_visit(w->src->filter, w->s, w->frames, v))
		return 0;
	w->src->nr_passed++;
	cgroup = s->cgroup ? timeline_cgroup_name(w->s->timeline, s->cgroup) : NULL;
	field_string(o, "{\"event\":", s->event->name);
	field_number(o, ",\"period\":", s->period);
	if (s->time != (u64)-1) {
		field_number(o, ",\"time\":", s->time);
		if (w->to_wall)
			field_number(o, ",\"wall\":", s->time + w->to_wall);
	}
	field_id(o, ",\"pid\":", s->pid);
	field_id(o, ",\"tid\":", s->tid);
	field_string(o, ",\"comm\":", thread_comm_at(w->s->timeline, t, cc->time, -1, tmp));
	if (s->cpu != (u32)-1)
		field_number(o, ",\"cpu\":", s->cpu);
	if (cgroup)
		field_string(o, ",\"cgroup\":", cgroup);
	if (container_id(cgroup, id))
		field_string(o, ",\"container\":", id);
	outbuf_write(o, w->origin.base, outbuf_len(&w->origin));
	if (conv_fields(s, ",\"fields\":{", ",", o))
		outbuf_putc(o, '}');
	put_frames(w, s, cc, t);
	return o->err;
}

int conv_jsonl(struct conv_source *src, struct outbuf *o)
{
	const struct session_ops ops = { .sample = on_sample, .filter = src->filter };
	struct session *s = src->s;
	const struct features *f = s->features;
	struct jsonl_writer w = {
		.src = src, .s = s, .o = o, .frames = frame_cache_create(s->timeline, src->inlines),
		.to_wall = f->clock_wall_ns ? f->clock_wall_ns - f->clock_ns : 0,
	};
	int ret;

	outbuf_init(&w.origin, -1);
	outbuf_init(&w.piece, -1);
	if (f->hostname)
		field_string(&w.origin, ",\"host\":", f->hostname);
	if (f->os_release)
		field_string(&w.origin, ",\"kernel\":", f->os_release);
	ret = session_run(s, &ops, &w);
	outbuf_deinit(&w.piece);
	outbuf_deinit(&w.origin);
	arena_deinit(&w.arena);
	frame_cache_destroy(w.frames);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * JSON, an object for each sample: in the shape of mainline's "perf data convert --to-json", or one
 * per line, for engines that load such files as tables. Both have the callchain from the innermost
 * frame to the outermost and the fields of a tracepoint, and are written while samples are read. A
 * writer owns the text of each frame.
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
	struct outfile *out;
	struct outbuf *o;		/* the text of @out */
	/* make the text of a frame in .piece, from the end of its ip on */
	void (*frame_text)(struct json_writer *w, const struct frame *f);
	const char *before_ip;		/* written before ip and text of a frame; NULL: no ip */
	struct outbuf piece;		/* work space */
	struct arena arena;
	struct outbuf origin;		/* lines: the host's fields */
	u64 to_wall;			/* lines: time of day - sample time, in ns; 0: unknown */
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
	const struct file_section *data = &s->reader->header.data;
	time_t at = s->reader->mtime_ns / 1000000000;
	char when[32] = "";
	struct tm tm;
	u32 i;

	if (gmtime_r(&at, &tm))
		strftime(when, sizeof(when), "%FT%TZ", &tm);
	outbuf_printf(o, "\t\"headers\": {\n\t\t\"header-version\": 1,\n\t\t\"captured-on\": \"%s\"", when);
	outbuf_printf(o, ",\n\t\t\"data-offset\": %llu,\n\t\t\"data-size\": %llu,\n\t\t\"feat-offset\": %llu",
		      data->offset, data->size, data->offset + data->size);
	key_string(o, "hostname", f->hostname);
	key_string(o, "os-release", f->os_release);
	key_string(o, "arch", f->arch);
	key_string(o, "cpu-desc", f->cpu_desc);
	key_string(o, "cpuid", f->cpuid);
	outbuf_printf(o, ",\n\t\t\"nrcpus-online\": %u,\n\t\t\"nrcpus-avail\": %u", f->nr_cpus_online,
		      f->nr_cpus_avail);
	key_string(o, "perf-version", f->version);
	outbuf_puts(o, ",\n\t\t\"cmdline\": [");
	for (i = 0; i < f->nr_cmdline; i++)
		json_put(o, i ? ",\n\t\t\t" : "\n\t\t\t", f->cmdline[i]);
	outbuf_puts(o, "\n\t\t]\n\t},\n");
}

static void put_frame(struct json_writer *w, struct frame *f)
{
	struct outbuf *o = w->o;

	if (!f->user) {
		w->piece.pos = w->piece.base;
		w->frame_text(w, f);
		f->user_len = outbuf_len(&w->piece);
		f->user = arena_strndup(&w->arena, w->piece.base, f->user_len);
	}
	if (o->pos[-1] != '[')
		outbuf_putc(o, ',');
	if (w->before_ip) {
		outbuf_puts(o, w->before_ip);
		outbuf_hex(o, f->ip, 0, ' ');
	}
	outbuf_write(o, f->user, f->user_len);
}

/* @own: without a callchain, the frame of the sample's own ip */
static void put_frames(struct json_writer *w, const struct visit *v, bool own)
{
	const struct callchain *cc = v->chain;
	const struct sample *s = v->sample;
	const struct space *sp;
	u32 i, j;

	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		struct frame *f = NULL;

		sp = timeline_space(w->s->timeline, v->thread, span->cpumode, span->time);
		for (j = 0; j < span->nr; j++) {
			f = span_frame(w->frames, sp, span, j, f);
			put_frame(w, f);
		}
	}
	if (!cc->nr_spans && own)
		put_frame(w, frame_of(w->frames, v->thread, s->ip, s->cpumode, cc->time));
}

static void put_number(struct outbuf *o, const char *key, u64 v)
{
	outbuf_puts(o, key);
	outbuf_dec(o, v, 0, ' ');
}

static void put_signed(struct outbuf *o, const char *key, s64 v)
{
	outbuf_puts(o, key);
	if (v < 0)
		outbuf_putc(o, '-');
	outbuf_dec(o, v < 0 ? -(u64)v : (u64)v, 0, ' ');
}

static void frame_object(struct json_writer *w, const struct frame *f)
{
	struct outbuf *o = &w->piece;

	outbuf_putc(o, '"');
	if (f->sym) {
		json_put(o, ",\n\t\t\t\t\t\"symbol\": ", f->sym->name);
		json_put(o, ",\n\t\t\t\t\t\"dso\": ", f->dso->short_name);
	}
	outbuf_puts(o, "\n\t\t\t\t}");
}

static int put_object(void *ctx, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct json_writer *w = ctx;
	struct outbuf *o = w->o;
	char tmp[THREAD_NAME_SIZE];

	if (!filter_visit(w->src->filter, w->frames, v))
		return 0;
	outbuf_puts(o, w->src->nr_passed++ ? ",\n\t\t{\n" : "\n\t\t{\n");
	put_signed(o, "\t\t\t\"timestamp\": ", s->time);
	put_signed(o, ",\n\t\t\t\"pid\": ", (s32)s->pid);
	put_signed(o, ",\n\t\t\t\"tid\": ", (s32)s->tid);
	if (s->cpu != (u32)-1)
		put_number(o, ",\n\t\t\t\"cpu\": ", s->cpu);
	json_put(o, ",\n\t\t\t\"comm\": ",
		 thread_comm_at(w->s->timeline, v->thread, v->chain->time, -1, tmp));
	outbuf_puts(o, ",\n\t\t\t\"callchain\": [");
	put_frames(w, v, !s->callchain);
	outbuf_puts(o, "\n\t\t\t]");
	conv_fields(s, ",\n\t\t\t", ",\n\t\t\t", o);
	outbuf_puts(o, "\n\t\t}");
	return outfile_drain(w->out);
}

/* The functions at an address, innermost first. */
static void frame_names(struct json_writer *w, const struct frame *f)
{
	char file[FILE_NAME_SIZE];
	u32 i;

	for (i = 0; i <= f->nr_inlines; i++) {
		const struct symbol *sym = i < f->nr_inlines ? f->inlines[i].sym : f->sym;

		if (!sym)
			file_name(f->dso, file);
		if (i)
			outbuf_putc(&w->piece, ',');
		json_string(&w->piece, sym ? sym->name : file);
	}
}

static int put_line(void *ctx, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct json_writer *w = ctx;
	char tmp[THREAD_NAME_SIZE], id[CONTAINER_ID];
	struct outbuf *o = w->o;
	const char *cgroup;

	if (!filter_visit(w->src->filter, w->frames, v))
		return 0;
	w->src->nr_passed++;
	cgroup = s->cgroup ? timeline_cgroup_name(w->s->timeline, s->cgroup) : NULL;
	json_put(o, "{\"event\":", s->event->name);
	put_number(o, ",\"period\":", s->period);
	if (s->time != (u64)-1) {
		put_number(o, ",\"time\":", s->time);
		if (w->to_wall)
			put_number(o, ",\"wall\":", s->time + w->to_wall);
	}
	put_signed(o, ",\"pid\":", s->pid == (u32)-1 ? -1 : (s64)s->pid);
	put_signed(o, ",\"tid\":", s->tid == (u32)-1 ? -1 : (s64)s->tid);
	json_put(o, ",\"comm\":", thread_comm_at(w->s->timeline, v->thread, v->chain->time, -1, tmp));
	if (s->cpu != (u32)-1)
		put_number(o, ",\"cpu\":", s->cpu);
	if (cgroup)
		json_put(o, ",\"cgroup\":", cgroup);
	if (container_id(cgroup, id))
		json_put(o, ",\"container\":", id);
	outbuf_append(o, &w->origin);
	if (conv_fields(s, ",\"fields\":{", ",", o))
		outbuf_putc(o, '}');
	outbuf_puts(o, ",\"frames\":[");
	put_frames(w, v, true);
	outbuf_puts(o, "]}\n");
	return outfile_drain(w->out);
}

static int write_samples(struct json_writer *w, struct conv_source *src, struct outfile *out,
			 bool inlines, int (*sample)(void *ctx, const struct visit *v))
{
	const struct session_ops ops = { .sample = sample, .filter = src->filter };
	int ret;

	w->src = src;
	w->s = src->s;
	w->out = out;
	w->o = &out->text;
	w->frames = frame_cache_create(src->s->timeline, inlines ? FRAMES_INLINES : 0);
	ret = session_run(src->s, &ops, w);
	outbuf_deinit(&w->piece);
	outbuf_deinit(&w->origin);
	arena_deinit(&w->arena);
	frame_cache_destroy(w->frames);
	return ret;
}

int conv_json(struct conv_source *src, struct outfile *out)
{
	struct json_writer w = {
		.frame_text = frame_object, .before_ip = "\n\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x",
	};
	int ret;

	outbuf_puts(&out->text, "{\n\t\"linux-perf-json-version\": 1,\n");
	put_headers(src->s, &out->text);
	outbuf_puts(&out->text, "\t\"samples\": [");
	ret = write_samples(&w, src, out, false, put_object);
	outbuf_puts(&out->text, "\n\t]\n}\n");
	return ret;
}

int conv_jsonl(struct conv_source *src, struct outfile *out)
{
	const struct features *f = src->s->features;
	struct json_writer w = {
		.frame_text = frame_names,
		.to_wall = f->clock_wall_ns ? f->clock_wall_ns - f->clock_ns : 0,
	};

	if (f->hostname)
		json_put(&w.origin, ",\"host\":", f->hostname);
	if (f->os_release)
		json_put(&w.origin, ",\"kernel\":", f->os_release);
	return write_samples(&w, src, out, src->inlines, put_line);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Description of the events, threads and CPUs: the records that precede all others, and the input
 * of the feature sections. Made once, from the open events, for every file. It owns their ids and
 * the formats of tracepoints; rings and options must outlive it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/sysfs.h"
#include "cmd/plain_sample.h"
#include "cmd/record/describe.h"
#include "cmd/record/recorder.h"
#include "event/event.h"
#include "perfdata/write_features.h"
#include "spec/names.h"

/* Append a file's size, in 32 or 64 bits, and its text. Sizes reported by tracefs are wrong. */
static int put_file(struct outbuf *o, const char *path, u32 size_bytes)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t at = o->pos - o->base;
	u64 size = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	outbuf_write(o, &size, size_bytes);
	while ((n = read(fd, outbuf_reserve(o, 65536), 65536)) > 0)
		o->pos += n;
	size = o->pos - o->base - at - size_bytes;
	memcpy(o->base + at, &size, size_bytes);
	return n < 0 ? -errno : 0;
}

static bool is_tracepoint(const struct event_spec *s)
{
	return s->attr.type == PERF_TYPE_TRACEPOINT;
}

struct find_id {
	u64 id;
	char system[128], name[128];
};

static int match_id(const char *system, const char *name, u64 id, void *arg)
{
	struct find_id *f = arg;

	if (id != f->id)
		return 0;
	snprintf(f->system, sizeof(f->system), "%s", system);
	snprintf(f->name, sizeof(f->name), "%s", name);
	return -EEXIST;		/* found: end the search */
}

/* Find system and name of a tracepoint: from its name, or by its id. */
static bool locate(const struct event_spec *s, struct find_id *f)
{
	const char *colon = strchr(s->name, ':');
	char path[768], text[32];

	f->id = s->attr.config;
	if (colon) {
		snprintf(f->system, sizeof(f->system), "%.*s", (int)(colon - s->name), s->name);
		snprintf(f->name, sizeof(f->name), "%.*s", (int)strcspn(colon + 1, ":/"), colon + 1);
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs_root(), f->system, f->name);
		if (read_text(path, text, sizeof(text)) > 0 && strtoull(text, NULL, 10) == f->id)
			return true;
	}
	return tracepoint_each("*", "*", match_id, f) == -EEXIST;
}

/*
 * The TRACING_DATA section, as in trace-cmd.dat.v6(5): formats of the recorded tracepoints. @out:
 * initialised if there are any. An unreadable format is left out, with a warning.
 */
static void tracing_data(const struct spec_list *specs, struct outbuf *out)
{
	static const u8 magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	static const char *const heads[] = { "header_page", "header_event" };
	u8 endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, long_size = sizeof(long);
	u32 page = sysconf(_SC_PAGESIZE), none = 0, nr = 0, i, one = 1;
	struct find_id f;
	char path[768];
	u64 none64 = 0;
	size_t count_at;

	for (i = 0; i < specs->nr; i++)
		nr += is_tracepoint(specs->v[i]);
	if (!nr)
		return;
	outbuf_init(out);
	outbuf_write(out, magic, sizeof(magic));
	outbuf_write(out, "0.6", 4);
	outbuf_write(out, &endian, 1);
	outbuf_write(out, &long_size, 1);
	outbuf_write(out, &page, sizeof(page));
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		outbuf_write(out, heads[i], strlen(heads[i]) + 1);
		snprintf(path, sizeof(path), "%s/events/%s", tracefs_root(), heads[i]);
		if (put_file(out, path, 8))
			outbuf_write(out, &none64, 8);
	}
	outbuf_write(out, &none, 4);		/* no formats of ftrace events */
	count_at = out->pos - out->base;
	outbuf_write(out, &nr, 4);
	/* A system may be repeated: one entry per event preserves their order. */
	for (nr = 0, i = 0; i < specs->nr; i++) {
		size_t at = out->pos - out->base;

		if (!is_tracepoint(specs->v[i]) || !locate(specs->v[i], &f))
			continue;
		outbuf_write(out, f.system, strlen(f.system) + 1);
		outbuf_write(out, &one, 4);
		snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs_root(), f.system, f.name);
		if (put_file(out, path, 8)) {
			out->pos = out->base + at;
			diag_warn("%s: the format of its fields can't be read: they will not be shown", specs->v[i]->name);
			continue;
		}
		nr++;
	}
	memcpy(out->base + count_at, &nr, 4);
	outbuf_write(out, &none, 4);		/* kallsyms: empty, readers have their own */
	snprintf(path, sizeof(path), "%s/printk_formats", tracefs_root());
	if (put_file(out, path, 4))
		outbuf_write(out, &none, 4);
	outbuf_write(out, &none64, 8);		/* saved_cmdlines: COMM records have them */
}

/* Maximum entries of one record, whose size is a u16. */
#define MAX_ENTRIES	2000
#define MAX_CPUS	16000

u32 description_tracking(const struct description *d)
{
	const struct spec_list *specs = &d->opts->specs;
	u32 i;

	for (i = 0; i < specs->nr; i++)
		if (specs->v[i]->is_tracking)
			return i;
	return 0;
}

const struct perf_event_attr *description_layout(const struct description *d)
{
	return &d->events[0].attr;
}

struct event *description_event(const struct description *d, u32 i, const struct perf_event_attr *attr,
				struct event_list *list)
{
	struct event *ev = event_list_add(list, attr);
	u32 j;

	for (j = 0; j < d->events[i].nr_ids; j++)
		event_add_id(list, ev, d->events[i].ids[j]);
	return ev;
}

void description_init(struct description *d, const struct record_options *opts, const struct rings *rings)
{
	u32 n = rings->cpus.nr * rings->threads.nr, i, j;

	*d = (struct description){ .opts = opts, .rings = rings, .nr_events = opts->specs.nr };
	d->events = xcalloc(d->nr_events, sizeof(*d->events));
	for (i = 0; i < d->nr_events; i++) {
		const struct event_spec *s = opts->specs.v[i];
		struct writer_event *e = &d->events[i];
		u64 *ids = xcalloc(n ?: 1, sizeof(u64));

		*e = (struct writer_event){
			.attr = s->attr, .name = s->name, .unit = s->unit, .scale = s->scale,
			.ids = ids, .leader = s->leader, .group_members = s->group_members,
			.group_name = s->group_name,
		};
		if (s->is_live) {
			e->stack_copied = s->attr.sample_stack_user;
			plain_attr(&e->attr, true);
		} else if (s->is_table) {
			plain_attr(&e->attr, true);
			attr_set_flags(&e->attr, attr_flags(&s->attr));
		} else if (s->is_bpf) {
			e->stack_copied = STACK_IN_PLACE;
		}
		/* It is for the reading of the buffers alone. */
		if (e->attr.watermark)
			e->attr.watermark = e->attr.wakeup_watermark = 0;
		for (j = 0; j < n; j++)
			if (rings->events[i].fds[j] >= 0)
				ids[e->nr_ids++] = rings->events[i].ids[j];
	}
	tracing_data(&opts->specs, &d->tracing);
}

void description_deinit(struct description *d)
{
	u32 i;

	for (i = 0; i < d->nr_events; i++)
		free((void *)d->events[i].ids);
	free(d->events);
	if (d->tracing.base)
		outbuf_deinit(&d->tracing);
}

/* Pad the record to a multiple of 8 bytes. */
static void pad(struct synth *s)
{
	while (outbuf_len(&s->out) % 8)
		synth_put(s, "", 1);
}

/* ID_INDEX: the CPU and thread of each event id. */
static void put_id_index(const struct description *d, struct synth *s)
{
	const struct rings *r = d->rings;
	u32 nr_threads = r->threads.nr, nr_targets = r->cpus.nr * nr_threads, i, k;
	struct { u64 id, idx, cpu, tid; } e;
	u64 nr = 0, zero = 0;
	size_t at = 0;

	for (i = 0; i < d->nr_events; i++) {
		const struct open_event *ev = &r->events[i];

		for (k = 0; k < nr_targets; k++) {
			u32 c = k / nr_threads, t = k % nr_threads;

			if (ev->fds[k] < 0)
				continue;
			if (!nr) {
				at = synth_begin(s, REC_ID_INDEX, 0);
				synth_put(s, &zero, sizeof(zero));
			}
			e.id = ev->ids[k];
			e.idx = d->opts->ring.per_thread ? t : c;
			e.cpu = (s64)r->cpus.v[c];
			e.tid = (s64)r->threads.v[t];
			synth_put(s, &e, sizeof(e));
			nr++;
			memcpy(s->out.base + at + 8, &nr, sizeof(nr));
			if (nr == MAX_ENTRIES) {
				synth_end(s, at, false);
				nr = 0;
			}
		}
	}
	if (nr)
		synth_end(s, at, false);
}

/* EVENT_UPDATE: a property of an event. */
static void put_update(const struct writer_event *e, u64 type, const void *p, size_t size, struct synth *s)
{
	struct { u64 type, id; } u = { type, e->nr_ids ? e->ids[0] : 0 };
	size_t at = synth_begin(s, REC_EVENT_UPDATE, 0);

	synth_put(s, &u, sizeof(u));
	synth_put(s, p, size);
	pad(s);
	synth_end(s, at, false);
}

/* Units and scales from sysfs. */
static void put_updates(const struct description *d, struct synth *s)
{
	u32 i;

	for (i = 0; i < d->nr_events; i++) {
		const struct writer_event *e = &d->events[i];

		if (e->unit)
			put_update(e, UPDATE_UNIT, e->unit, strlen(e->unit) + 1, s);
		if (e->scale != 1)
			put_update(e, UPDATE_SCALE, &e->scale, sizeof(e->scale), s);
	}
}

/* THREAD_MAP and CPU_MAP: the measured threads and CPUs. */
static void put_targets(const struct description *d, struct synth *s)
{
	const struct rings *r = d->rings;
	u64 nr = r->threads.nr;
	size_t at;
	u32 i;

	if (nr <= MAX_ENTRIES) {
		at = synth_begin(s, REC_THREAD_MAP, 0);
		synth_put(s, &nr, sizeof(nr));
		for (i = 0; i < nr; i++) {
			struct { u64 pid; char comm[16]; } e = { (s64)r->threads.v[i], "" };

			synth_put(s, &e, sizeof(e));
		}
		synth_end(s, at, false);
	}
	if (r->cpus.v[0] >= 0 && r->cpus.nr < MAX_CPUS) {
		u16 head[2] = { 0 /* a list */, r->cpus.nr };

		at = synth_begin(s, REC_CPU_MAP, 0);
		synth_put(s, head, sizeof(head));
		for (i = 0; i < r->cpus.nr; i++) {
			u16 cpu = r->cpus.v[i];

			synth_put(s, &cpu, sizeof(cpu));
		}
		pad(s);
		synth_end(s, at, false);
	}
}

void description_records(const struct description *d, struct synth *s)
{
	put_id_index(d, s);
	put_updates(d, s);
	put_targets(d, s);
}

void description_features(const struct description *d, struct feature_input *in)
{
	const struct record_options *o = d->opts;
	u32 i;

	*in = (struct feature_input){
		.argv = o->argv, .argc = o->argc, .events = d->events, .nr_events = d->nr_events,
		.first_time = d->rings->stats.first_time, .last_time = d->rings->stats.last_time,
		.use_clockid = o->ring.use_clockid, .clockid = o->ring.clockid,
		.compress_level = o->compress_level, .data_size = d->rings->data_size,
	};
	for (i = 0; i < d->nr_events; i++) {
		const struct perf_event_attr *a = &d->events[i].attr;

		/* Readers show branches if it is set; --call-graph lbr records callchains. */
		in->has_branch_stack |= a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
					!attr_lbr_chains(a);
	}
}

void description_pipe_records(const struct description *d, const struct outbuf *sections, struct synth *s)
{
	size_t at;
	u32 i;

	for (i = 0; i < d->nr_events; i++) {
		at = synth_begin(s, REC_HEADER_ATTR, 0);
		synth_put(s, &d->events[i].attr, sizeof(d->events[i].attr));
		synth_put(s, d->events[i].ids, d->events[i].nr_ids * sizeof(u64));
		synth_end(s, at, false);
	}
	for (i = 0; i < FEAT_MAX; i++)
		if (sections[i].base)
			feature_records(i, &sections[i], &s->out);
	for (i = 0; i < d->nr_events; i++)
		/* Mainline ignores names in the features of a pipe. */
		put_update(&d->events[i], UPDATE_NAME, d->events[i].name, strlen(d->events[i].name) + 1, s);
	if (d->tracing.base)
		tracing_data_record(&d->tracing, &s->out);
}

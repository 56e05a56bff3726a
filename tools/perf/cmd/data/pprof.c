// SPDX-License-Identifier: GPL-2.0
/*
 * The format of pprof: a gzipped protobuf message Profile (github.com/google/pprof,
 * proto/profile.proto). Each event has two columns, samples and periods. A sample is one stack of
 * one thread in one control group; its labels name these, and the machine. The string table is
 * collected while the message, in memory, is made, and written last.
 */
#include <stdio.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cmd/data/conversion.h"
#include "cmd/data/proto.h"

/* Numbers of fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION,
	PROFILE_STRING_TABLE, PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS, PROFILE_COMMENT = 13,
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM };
enum {
	MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES, MAPPING_HAS_LINES, MAPPING_HAS_INLINES,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

struct pprof {
	const struct conversion *c;
	struct outbuf out;		/* the message */
	struct proto_strings strings;
	struct outbuf sample, part;	/* work space: a sample, and a part of it */
};

static u64 text(struct pprof *p, const char *s)
{
	return proto_string(&p->strings, PROFILE_STRING_TABLE, s);
}

static void value_types(struct pprof *p)
{
	const struct event_list *events = p->c->s->events;
	_cleanup_outbuf_ struct outbuf m = { 0 };
	char name[512];
	u32 i;

	for (i = 0; i < events->nr; i++) {
		const struct event *ev = events->events[i];
		const char *unit = conversion_unit(ev);

		snprintf(name, sizeof(name), events->nr > 1 ? "%s:samples" : "samples", ev->name);
		proto_number(&m, TYPE_TYPE, text(p, name));
		proto_number(&m, TYPE_UNIT, text(p, "count"));
		proto_message(&p->out, PROFILE_SAMPLE_TYPE, &m);
		proto_number(&m, TYPE_TYPE, text(p, ev->name));
		proto_number(&m, TYPE_UNIT, text(p, strcmp(unit, "none") ? unit : "count"));
		proto_message(&p->out, PROFILE_SAMPLE_TYPE, &m);
	}
}

/* A label of p->sample. */
static void label(struct pprof *p, const char *key, const char *str, u64 num)
{
	proto_number(&p->part, LABEL_KEY, text(p, key));
	if (str)
		proto_number(&p->part, LABEL_STR, text(p, str));
	else
		proto_number(&p->part, LABEL_NUM, num);
	proto_message(&p->sample, SAMPLE_LABEL, &p->part);
}

/* Sums of the samples of one thread, in one control group, with one stack. */
struct pprof_sum {
	u32 node, track, cgroup;
};

/* Add labels that distinguish samples after profiles of many machines are merged. */
static void put_origin(struct pprof *p, const struct pprof_sum *sum)
{
	const struct features *f = p->c->s->features;
	const char *cgroup = p->c->cgroups[sum->cgroup];
	const struct dso *d = sum->node ? p->c->frames[p->c->nodes[sum->node].frame].dso : NULL;
	char id[CONTAINER_ID], hex[ELF_BUILD_ID_HEX];

	if (f->hostname)
		label(p, "host", f->hostname, 0);
	if (f->os_release)
		label(p, "kernel", f->os_release, 0);
	if (cgroup)
		label(p, "cgroup", cgroup, 0);
	if (container_id(cgroup, id))
		label(p, "container", id, 0);
	if (d && d->build_id_size) {
		build_id_hex(d->build_id, d->build_id_size, hex);
		label(p, "build_id", hex, 0);
	}
}

static void put_sample(struct pprof *p, const struct pprof_sum *sum, const u64 *values, u32 *frames)
{
	const struct conv_track *t = &p->c->tracks[sum->track];
	u32 nr = conversion_stack(p->c, sum->node, frames), i;

	for (i = nr; i-- > 0;)
		proto_varint(&p->part, frames[i] + 1);
	proto_message(&p->sample, SAMPLE_LOCATION, &p->part);
	for (i = 0; i < 2 * p->c->s->events->nr; i++)
		proto_varint(&p->part, values[i]);
	proto_message(&p->sample, SAMPLE_VALUE, &p->part);
	label(p, "comm", t->comm, 0);
	label(p, "pid", NULL, (s32)t->pid);
	label(p, "tid", NULL, (s32)t->tid);
	put_origin(p, sum);
	proto_message(&p->out, PROFILE_SAMPLE, &p->sample);
}

static void samples(struct pprof *p)
{
	const struct conversion *c = p->c;
	u32 *frames = xmalloc(CONV_DEPTH * sizeof(*frames)), width = 2 * c->s->events->nr;
	struct pprof_sum *sums = NULL;
	u64 *values = NULL;
	size_t nr = 0, cap = 0, cap_values = 0, i;
	_cleanup_hash_ struct hash by_stack = { 0 };

	for (i = 0; i < c->nr_points; i++) {
		const struct conv_point *pt = &c->points[i];
		u64 *slot = hash_insert(&by_stack, pt->node, (u64)pt->cgroup << 32 | pt->track, NULL), *v;

		if (!*slot) {
			GROW(sums, nr, cap);
			GROW_TO(values, (nr + 1) * width, cap_values);
			memset(values + nr * width, 0, width * sizeof(*values));
			sums[nr++] = (struct pprof_sum){ pt->node, pt->track, pt->cgroup };
			*slot = nr;
		}
		v = values + (*slot - 1) * width + 2 * pt->event;
		v[0] += pt->nr;
		v[1] += pt->period;
	}
	for (i = 0; i < nr; i++)
		put_sample(p, &sums[i], values + i * width, frames);
	free(sums);
	free(values);
	free(frames);
}

static void put_mapping(struct pprof *p, const struct dso *d, u64 id, struct outbuf *m)
{
	char hex[ELF_BUILD_ID_HEX];

	proto_number(m, MAPPING_ID, id);
	proto_number(m, MAPPING_FILENAME, text(p, d->name));
	if (d->build_id_size) {
		build_id_hex(d->build_id, d->build_id_size, hex);
		proto_number(m, MAPPING_BUILD_ID, text(p, hex));
	}
	proto_number(m, MAPPING_HAS_FUNCTIONS, 1);
	proto_number(m, MAPPING_HAS_FILENAMES, 1);
	proto_number(m, MAPPING_HAS_LINES, 1);
	proto_number(m, MAPPING_HAS_INLINES, 1);
	proto_message(&p->out, PROFILE_MAPPING, m);
}

/*
 * pprof takes the first mapping for the main program: the one in most samples, if the files of
 * other mappings are libraries. Return: NULL if there is none.
 */
static const struct dso *main_program(const struct conversion *c)
{
	u64 *samples = xcalloc(c->nr_nodes, sizeof(*samples)), *v, most = 0;
	const struct dso *d, *best = NULL, *outer;
	_cleanup_hash_ struct hash sums = { 0 };
	size_t k;
	u32 i;

	for (k = 0; k < c->nr_points; k++)
		samples[c->points[k].node] += c->points[k].nr;
	/* A node is behind its parent. */
	for (i = c->nr_nodes; i-- > 1;) {
		u32 parent = c->nodes[i].parent;

		samples[parent] += samples[i];
		d = c->frames[c->nodes[i].frame].dso;
		outer = parent ? c->frames[c->nodes[parent].frame].dso : NULL;
		/* Neither a library nor code that a program made */
		if (!d || d->kind != DSO_USER || strstr(d->short_name, ".so") || d == outer)
			continue;
		v = hash_insert(&sums, d->id, 1, NULL);
		*v += samples[i];
		if (*v > most) {
			most = *v;
			best = d;
		}
	}
	free(samples);
	return best;
}

/* A location and a function for each frame, a mapping for each file. */
static void places(struct pprof *p)
{
	const struct conversion *c = p->c;
	const struct dso *main = main_program(c);
	_cleanup_outbuf_ struct outbuf m = { 0 }, line = { 0 };
	_cleanup_hash_ struct hash mappings = { 0 };
	u32 i;

	if (main) {
		*hash_insert(&mappings, main->id, 1, NULL) = 1;
		put_mapping(p, main, 1, &m);
	}
	for (i = 0; i < c->nr_frames; i++) {
		const struct conv_frame *f = &c->frames[i];
		u64 *mapping = f->dso ? hash_insert(&mappings, f->dso->id, 1, NULL) : NULL;

		if (mapping && !*mapping) {
			*mapping = mappings.nr;
			put_mapping(p, f->dso, *mapping, &m);
		}
		proto_number(&line, LINE_FUNCTION, i + 1);
		proto_number(&line, LINE_LINE, f->line);
		proto_number(&m, LOCATION_ID, i + 1);
		if (mapping)
			proto_number(&m, LOCATION_MAPPING, *mapping);
		proto_message(&m, LOCATION_LINE, &line);
		proto_message(&p->out, PROFILE_LOCATION, &m);
		proto_number(&m, FUNCTION_ID, i + 1);
		proto_number(&m, FUNCTION_NAME, text(p, f->name));
		/* pprof takes the arguments of templates from a name that is equal to it. */
		if (f->linkage)
			proto_number(&m, FUNCTION_SYSTEM_NAME, text(p, f->linkage));
		if (f->file)
			proto_number(&m, FUNCTION_FILENAME, text(p, f->file));
		proto_message(&p->out, PROFILE_FUNCTION, &m);
	}
}

static void put_gzip(const struct outbuf *from, struct outfile *out)
{
	struct outbuf *o = &out->text;
	z_stream z = { .next_in = (void *)from->base };
	size_t left = outbuf_len(from);
	int ret = Z_OK;

	/* 15: the largest window; + 16: gzip format */
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		out->err = -ENOMEM;
		return;
	}
	while (ret == Z_OK) {
		if (!z.avail_in) {
			z.avail_in = min(left, (size_t)1 << 30);
			left -= z.avail_in;
		}
		z.next_out = (void *)outbuf_reserve(o, 1 << 16);
		z.avail_out = 1 << 16;
		ret = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
		o->pos += (1 << 16) - z.avail_out;
		outfile_drain(out);
	}
	deflateEnd(&z);
}

void conv_pprof(const struct conversion *c, struct outfile *o)
{
	const struct session *s = c->s;
	struct pprof p = { .c = c };

	text(&p, "");
	value_types(&p);
	samples(&p);
	places(&p);
	if (s->features->clock_wall_ns)
		proto_number(&p.out, PROFILE_TIME_NANOS,
		       s->features->clock_wall_ns + s->first_time - s->features->clock_ns);
	if (s->first_time < s->last_time)
		proto_number(&p.out, PROFILE_DURATION_NANOS, s->last_time - s->first_time);
	if (s->features->hostname)
		proto_number(&p.out, PROFILE_COMMENT, text(&p, s->features->hostname));
	outbuf_append(&p.out, &p.strings.out);
	put_gzip(&p.out, o);
	proto_strings_deinit(&p.strings);
	outbuf_deinit(&p.part);
	outbuf_deinit(&p.sample);
	outbuf_deinit(&p.out);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * OpenTelemetry profiles: a protobuf message ProfilesData (opentelemetry-proto 1.10.0,
 * profiles/v1development), which has the fields of a request to a collector, too. Each event has
 * two profiles: samples and periods. Index 0 of each table means "none".
 *
 * It is given a conversion; the writer owns the message.
 */
#include <stdio.h>

#include "base/arena.h"
#include "cmd/data/conversion.h"
#include "cmd/data/proto.h"

/* Numbers of fields. */
enum { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY };
enum { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPE_PROFILES };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES };
enum { SCOPE_NAME = 1 };
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLES, PROFILE_TIME, PROFILE_DURATION };
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4 };
enum {
	DICTIONARY_MAPPINGS = 1, DICTIONARY_LOCATIONS, DICTIONARY_FUNCTIONS, DICTIONARY_LINKS,
	DICTIONARY_STRINGS, DICTIONARY_ATTRIBUTES, DICTIONARY_STACKS,
};
enum { MAPPING_FILENAME = 4, MAPPING_ATTRIBUTES };
enum { LOCATION_MAPPING = 1, LOCATION_LINES = 3 };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };
enum { STACK_LOCATIONS = 1 };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum { VALUE_STRING = 1, VALUE_INT = 3 };

struct otlp {
	const struct conversion *c;
	struct outbuf profiles;		/* ScopeProfiles */
	struct outbuf tables;		/* the dictionary without strings */
	struct proto_strings strings;
	u32 nr_attributes, nr_stacks, nr_mappings;
	u32 *stacks;			/* by node: index + 1; 0: not written yet */
	u32 *containers;		/* by control group: the attribute; 0: none */
	u32 *frames;			/* work space */
	struct outbuf message, part, value;	/* work space */
};

static u64 text(struct otlp *p, const char *s)
{
	return proto_string(&p->strings, DICTIONARY_STRINGS, s);
}

/* Add an attribute: a text, or a number if @s is NULL. Return: its index */
static u32 attribute(struct otlp *p, const char *key, const char *s, s64 v)
{
	proto_number(&p->message, KEY_VALUE_KEY, text(p, key));
	if (s)
		proto_text(&p->part, VALUE_STRING, s);
	else
		proto_number(&p->part, VALUE_INT, v);
	proto_message(&p->message, KEY_VALUE_VALUE, &p->part);
	proto_message(&p->tables, DICTIONARY_ATTRIBUTES, &p->message);
	return p->nr_attributes++;
}

#define TRACK_ATTRIBUTES 3	/* of each thread, from 1 + 3 * its number on */

static void put_origins(struct otlp *p)
{
	const struct conversion *c = p->c;
	char id[CONTAINER_ID];
	u32 i;

	for (i = 0; i < c->nr_tracks; i++) {
		attribute(p, "thread.name", c->tracks[i].comm, 0);
		attribute(p, "process.pid", NULL, (s32)c->tracks[i].pid);
		attribute(p, "thread.id", NULL, (s32)c->tracks[i].tid);
	}
	for (i = 0; i < c->nr_cgroups; i++)
		if (container_id(c->cgroups[i], id))
			p->containers[i] = attribute(p, "container.id", id, 0);
}

/* The index of a stack, which is added if it is new. */
static u32 stack(struct otlp *p, u32 node)
{
	u32 nr = p->stacks[node] ? 0 : conversion_stack(p->c, node, p->frames);

	if (!p->stacks[node]) {
		p->stacks[node] = ++p->nr_stacks;
		while (nr-- > 0)
			proto_varint(&p->part, p->frames[nr] + 1);
		if (outbuf_len(&p->part))
			proto_message(&p->message, STACK_LOCATIONS, &p->part);
		proto_message(&p->tables, DICTIONARY_STACKS, &p->message);
	}
	return p->stacks[node] - 1;
}

static void put_sample(struct otlp *p, const struct conv_point *pt, u64 value,
		       struct outbuf *profile)
{
	u32 at = stack(p, pt->node), i;

	proto_number(&p->message, SAMPLE_STACK, at);
	for (i = 0; i < TRACK_ATTRIBUTES; i++)
		proto_varint(&p->part, 1 + TRACK_ATTRIBUTES * pt->track + i);
	if (p->containers[pt->cgroup])
		proto_varint(&p->part, p->containers[pt->cgroup]);
	proto_message(&p->message, SAMPLE_ATTRIBUTES, &p->part);
	proto_varint(&p->value, value);
	proto_message(&p->message, SAMPLE_VALUES, &p->value);
	proto_message(profile, PROFILE_SAMPLES, &p->message);
}

/* The samples of both profiles of each event: [2 * event], and [2 * event + 1] with periods. */
static struct outbuf *put_samples(struct otlp *p)
{
	struct outbuf *profiles = xcalloc(2 * p->c->s->events->nr, sizeof(*profiles));
	size_t i;

	for (i = 0; i < p->c->nr_points; i++) {
		const struct conv_point *pt = &p->c->points[i];

		put_sample(p, pt, pt->nr, &profiles[2 * pt->event]);
		put_sample(p, pt, pt->period, &profiles[2 * pt->event + 1]);
	}
	return profiles;
}

/* The numbers of samples of an event, or their periods. @profile: has the samples */
static void put_profile(struct otlp *p, const struct event *ev, bool periods,
			struct outbuf *profile)
{
	const struct session *s = p->c->s;
	const char *unit = conversion_unit(ev);
	char name[512];

	snprintf(name, sizeof(name), s->events->nr > 1 ? "%s:samples" : "samples", ev->name);
	proto_number(&p->part, TYPE_TYPE, text(p, periods ? ev->name : name));
	proto_number(&p->part, TYPE_UNIT, text(p, periods && strcmp(unit, "none") ? unit : "count"));
	proto_message(profile, PROFILE_SAMPLE_TYPE, &p->part);
	if (s->features->clock_wall_ns)
		proto_fixed64(profile, PROFILE_TIME,
			      s->features->clock_wall_ns + s->first_time - s->features->clock_ns);
	if (s->first_time < s->last_time)
		proto_number(profile, PROFILE_DURATION, s->last_time - s->first_time);
	proto_message(&p->profiles, SCOPE_PROFILES_PROFILES, profile);
	outbuf_deinit(profile);
}

static void put_mapping(struct otlp *p, const struct dso *d)
{
	struct outbuf *m = &p->value;
	char hex[ELF_BUILD_ID_HEX];

	proto_number(m, MAPPING_FILENAME, text(p, d->name));
	if (d->build_id_size) {
		build_id_hex(d->build_id, d->build_id_size, hex);
		proto_varint(&p->part, p->nr_attributes);
		proto_message(m, MAPPING_ATTRIBUTES, &p->part);
		attribute(p, "process.executable.build_id.gnu", hex, 0);
	}
	proto_message(&p->tables, DICTIONARY_MAPPINGS, m);
	p->nr_mappings++;
}

/* A location and a function for each frame, a mapping for each file. */
static void put_places(struct otlp *p)
{
	_cleanup_hash_ struct hash mappings = { 0 };
	struct outbuf *m = &p->message;
	u32 i;

	for (i = 0; i < p->c->nr_frames; i++) {
		const struct conv_frame *f = &p->c->frames[i];
		u64 *mapping = f->dso ? hash_insert(&mappings, f->dso->id, 1, NULL) : NULL;

		if (mapping && !*mapping) {
			*mapping = p->nr_mappings;
			put_mapping(p, f->dso);
		}
		if (mapping)
			proto_number(m, LOCATION_MAPPING, *mapping);
		proto_number(&p->part, LINE_FUNCTION, i + 1);
		proto_number(&p->part, LINE_LINE, f->line);
		proto_message(m, LOCATION_LINES, &p->part);
		proto_message(&p->tables, DICTIONARY_LOCATIONS, m);
		proto_number(m, FUNCTION_NAME, text(p, f->name));
		proto_number(m, FUNCTION_SYSTEM_NAME, text(p, f->linkage ?: ""));
		proto_number(m, FUNCTION_FILENAME, text(p, f->file ?: ""));
		proto_message(&p->tables, DICTIONARY_FUNCTIONS, m);
	}
}

/* An attribute of the machine: these are not in the dictionary. */
static void put_resource(struct otlp *p, struct outbuf *resource, const char *key, const char *s)
{
	if (!s)
		return;
	proto_text(&p->part, VALUE_STRING, s);
	proto_text(&p->message, KEY_VALUE_KEY, key);
	proto_message(&p->message, KEY_VALUE_VALUE, &p->part);
	proto_message(resource, RESOURCE_ATTRIBUTES, &p->message);
}

void conv_otlp(const struct conversion *c, struct outfile *out)
{
	_cleanup_outbuf_ struct outbuf resource = { 0 }, profiles = { 0 };
	struct otlp p = { .c = c, .nr_attributes = 1, .nr_mappings = 1, .nr_stacks = 1 };
	struct outbuf *samples;
	u32 i;

	p.stacks = xcalloc(c->nr_nodes, sizeof(*p.stacks));
	p.containers = xcalloc(c->nr_cgroups, sizeof(*p.containers));
	p.frames = xmalloc(CONV_DEPTH * sizeof(*p.frames));
	p.stacks[0] = 1;
	text(&p, "");
	for (i = DICTIONARY_MAPPINGS; i <= DICTIONARY_STACKS; i++)
		if (i != DICTIONARY_STRINGS)
			proto_bytes(&p.tables, i, NULL, 0);
	put_origins(&p);
	proto_text(&p.part, SCOPE_NAME, "perf");
	proto_message(&p.profiles, SCOPE_PROFILES_SCOPE, &p.part);
	samples = put_samples(&p);
	for (i = 0; i < 2 * c->s->events->nr; i++)
		put_profile(&p, c->s->events->events[i / 2], i % 2, &samples[i]);
	put_places(&p);
	put_resource(&p, &resource, "host.name", c->s->features->hostname);
	put_resource(&p, &resource, "os.version", c->s->features->os_release);
	proto_message(&profiles, RESOURCE_PROFILES_RESOURCE, &resource);
	proto_message(&profiles, RESOURCE_PROFILES_SCOPE_PROFILES, &p.profiles);
	proto_message(&out->text, DATA_RESOURCE_PROFILES, &profiles);
	outbuf_append(&p.tables, &p.strings.out);
	proto_message(&out->text, DATA_DICTIONARY, &p.tables);
	outfile_drain(out);
	proto_strings_deinit(&p.strings);
	outbuf_deinit(&p.profiles);
	outbuf_deinit(&p.tables);
	outbuf_deinit(&p.message);
	outbuf_deinit(&p.part);
	outbuf_deinit(&p.value);
	free(samples);
	free(p.stacks);
	free(p.containers);
	free(p.frames);
}

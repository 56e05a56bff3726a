// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes feature sections. A string: u32 length, that many bytes with a NUL; a list: u32 count,
 * items.
 */
#include <stdio.h>

#include "base/text.h"
#include "event/format.h"
#include "event/records.h"
#include "perfdata/perfdata_private.h"

bool feature_open(const struct features *f, u32 bit, struct feature_cursor *c)
{
	const struct feature_section *s = &f->sections[bit];

	c->p = s->data;
	c->end = s->data ? s->data + s->size : NULL;
	c->swap = f->swap;
	c->bad = false;
	return s->data != NULL;
}

static const void *take(struct feature_cursor *c, u64 size)
{
	const u8 *p = c->p;

	if (size > (u64)(c->end - c->p)) {
		c->bad = true;
		c->p = c->end;
		return NULL;
	}
	c->p += size;
	return p;
}

u32 feature_u32(struct feature_cursor *c)
{
	const void *p = take(c, sizeof(u32));
	u32 v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return c->swap ? bswap_32(v) : v;
}

u64 feature_u64(struct feature_cursor *c)
{
	const void *p = take(c, sizeof(u64));
	u64 v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return c->swap ? bswap_64(v) : v;
}

const char *feature_string(struct feature_cursor *c)
{
	u32 len = feature_u32(c);
	const char *s = c->bad ? NULL : take(c, len);

	if (!s)
		return NULL;
	if (!memchr(s, 0, len)) {
		c->bad = true;
		return NULL;
	}
	return s;
}

void feature_attr(struct feature_cursor *c, u32 size, struct perf_event_attr *attr)
{
	const void *p = take(c, size);

	memset(attr, 0, sizeof(*attr));
	if (!p)
		return;
	memcpy(attr, p, min((size_t)size, sizeof(*attr)));
	if (c->swap)
		swap_attr((u8 *)attr, min((size_t)size, sizeof(*attr)));
}

static void decode_cmdline(struct features *f, struct feature_cursor *c)
{
	u32 nr = feature_u32(c), i;

	/* A string has at least its length. */
	c->bad |= nr > (u64)(c->end - c->p) / sizeof(u32);
	if (c->bad)
		return;
	f->cmdline = arena_alloc(&f->arena, nr * sizeof(*f->cmdline));
	for (i = 0; i < nr && !c->bad; i++)
		f->cmdline[i] = feature_string(c);
	f->nr_cmdline = c->bad ? 0 : nr;
}

/* Names of events; the first id identifies the event. */
static void decode_event_desc(struct feature_cursor *c, struct event_list *events)
{
	u32 nr = feature_u32(c), attr_size = feature_u32(c), i, j;

	for (i = 0; i < nr && !c->bad; i++) {
		struct event *ev = i < events->nr ? events->events[i] : NULL;
		u32 nr_ids;
		const char *name;

		take(c, attr_size);
		nr_ids = feature_u32(c);
		name = feature_string(c);
		for (j = 0; j < nr_ids && !c->bad; j++) {
			u64 id = feature_u64(c);
			struct event *by_id = j ? NULL : event_list_by_id(events, id);

			if (by_id)
				ev = by_id;
		}
		if (ev && name && !c->bad)
			event_set_name(events, ev, name, strlen(name));
	}
}

static void decode_groups(struct feature_cursor *c, struct event_list *events)
{
	u32 nr = feature_u32(c), i, j, end = 0;

	for (i = 0; i < nr && !c->bad; i++) {
		const char *name = feature_string(c);
		u32 leader = feature_u32(c), members = feature_u32(c);

		if (c->bad || leader < end || leader >= events->nr || members > events->nr - leader)
			break;
		end = leader + members;
		events->events[leader]->group_members = members;
		if (name && strcmp(name, "{anon_group}"))
			events->events[leader]->group_name =
				printable_copy(&events->arena, name);
		for (j = 0; j < members; j++)
			events->events[leader + j]->leader = leader;
	}
}

/* Two lists of siblings, then core and socket of each CPU, then a third list and the dies. */
static void decode_topology(struct features *f, struct feature_cursor *c)
{
	u32 list, nr, i, cpus = f->nr_cpus_avail;

	for (list = 0; list < 2; list++)
		for (nr = feature_u32(c), i = 0; i < nr && !c->bad; i++)
			feature_string(c);
	if (c->bad || !cpus || cpus > (u64)(c->end - c->p) / 8)
		return;
	f->topology = arena_alloc(&f->arena, cpus * sizeof(*f->topology));
	for (i = 0; i < cpus; i++) {
		f->topology[i].core = feature_u32(c);
		f->topology[i].socket = feature_u32(c);
		f->topology[i].die = -1;
	}
	f->nr_topology = cpus;
	if (c->p >= c->end)
		return;
	for (nr = feature_u32(c), i = 0; i < nr && !c->bad; i++)
		feature_string(c);
	for (i = 0; i < cpus && !c->bad && c->p < c->end; i++)
		f->topology[i].die = feature_u32(c);
}

/* Add a BUILD_ID record, possibly unaligned. @misc, @size: from its header, in host byte order */
static bool add_build_id(struct features *f, const u8 *p, u16 misc, u16 size, bool swap)
{
	const size_t name = offsetof(struct build_id_record, filename);
	struct build_id_entry *e;
	struct build_id_record b;

	if (size <= name || !memchr(p + name, 0, size - name))
		return false;
	memcpy(&b, p, name);
	GROW(f->build_ids, f->nr_build_ids, f->cap_build_ids);
	e = &f->build_ids[f->nr_build_ids++];
	e->pid = swap ? bswap_32(b.pid) : b.pid;
	e->misc = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	/* Before Linux 5.15 the size was not stored and is 20. */
	e->size = misc & MISC_BUILD_ID_SIZE ? min(b.size, (u8)BUILD_ID_MAX) : BUILD_ID_MAX;
	memcpy(e->build_id, b.build_id, sizeof(b.build_id));
	e->name = arena_strndup(&f->arena, (const char *)p + name, size - name);
	return true;
}

void feature_build_id(struct features *f, const struct perf_event_header *h)
{
	add_build_id(f, (const u8 *)h, h->misc, h->size, false);
}

static void decode_build_ids(struct features *f, struct feature_cursor *c)
{
	while ((size_t)(c->end - c->p) >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;
		const u8 *p = c->p;

		memcpy(&h, p, sizeof(h));
		if (c->swap)
			swap_header(&h);
		if (!take(c, h.size) || !add_build_id(f, p, h.misc, h.size, c->swap)) {
			c->bad = true;
			return;
		}
	}
}

void feature_decode(struct features *f, u32 bit, bool swap, struct event_list *events)
{
	const char **const strings[] = {
		[FEAT_HOSTNAME] = &f->hostname, [FEAT_OSRELEASE] = &f->os_release,
		[FEAT_VERSION] = &f->version, [FEAT_ARCH] = &f->arch,
		[FEAT_CPUDESC] = &f->cpu_desc, [FEAT_CPUID] = &f->cpuid,
	};
	struct feature_cursor c;
	u32 nr, i;

	f->swap = swap;
	if (!feature_open(f, bit, &c))
		return;
	if (bit < ARRAY_SIZE(strings) && strings[bit])
		*strings[bit] = feature_string(&c);
	switch (bit) {
	case FEAT_TRACING_DATA:
		c.bad = tracepoints_load(events, c.p, c.end - c.p) != 0;
		break;
	case FEAT_BUILD_ID:
		decode_build_ids(f, &c);
		break;
	case FEAT_NRCPUS:
		f->nr_cpus_avail = feature_u32(&c);
		f->nr_cpus_online = feature_u32(&c);
		break;
	case FEAT_TOTAL_MEM:
		f->total_mem = feature_u64(&c);
		break;
	case FEAT_CMDLINE:
		decode_cmdline(f, &c);
		break;
	case FEAT_EVENT_DESC:
		decode_event_desc(&c, events);
		break;
	case FEAT_CPU_TOPOLOGY:
		decode_topology(f, &c);
		break;
	case FEAT_GROUP_DESC:
		decode_groups(&c, events);
		break;
	case FEAT_SAMPLE_TIME:
		f->first_sample = feature_u64(&c);
		f->last_sample = feature_u64(&c);
		break;
	case FEAT_CLOCKID:
		feature_u64(&c);
		break;
	case FEAT_CLOCK_DATA:
		feature_u32(&c);
		f->clockid = feature_u32(&c);
		f->clock_wall_ns = feature_u64(&c);
		f->clock_ns = feature_u64(&c);
		break;
	case FEAT_STACK_COPIES:
		for (i = 0, nr = feature_u32(&c); i < nr && i < events->nr; i++)
			events->events[i]->stack_copied = feature_u32(&c);
		break;
	case FEAT_COMPRESSED:
		feature_u32(&c);		/* version */
		feature_u32(&c);		/* type: zstd */
		f->compress_level = feature_u32(&c);
		f->compress_ratio = feature_u32(&c);
		break;
	}
	if (c.bad && !f->bad) {
		f->bad = "a feature section is shorter than its content";
		f->bad_bit = bit;
	}
}

void features_decode(struct reader *r)
{
	struct features *f = &r->features;
	u32 bit;

	f->swap = r->swap;
	/* The features of a pipe were decoded when read. */
	if (!r->pipe_format)
		for (bit = 0; bit < FEAT_MAX; bit++)
			feature_decode(f, bit, r->swap, &r->events);
	if (f->bad)
		damage_in(r, r->files, f->sections[f->bad_bit].offset, "%s (feature %u)", f->bad, f->bad_bit);
}

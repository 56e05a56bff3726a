// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of a recording as a tree of stacks. It is given an open session; a conversion
 * owns frames, nodes, threads and samples; names of symbols and files are the session's. Equal
 * frames and equal stacks are stored once, so that memory depends on the number of different
 * stacks; for formats that show samples a sample takes 40 bytes. And names and fields, for formats
 * with a line for each sample, too.
 */
#include <ctype.h>
#include <stdio.h>
#include <traceevent/event-parse.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/text.h"
#include "cmd/data/conversion.h"
#include "event/format.h"

void file_name(const struct dso *dso, char name[FILE_NAME_SIZE])
{
	const char *s = dso ? dso->short_name : "[unknown]";

	snprintf(name, FILE_NAME_SIZE, s[0] == '[' ? "%s" : "[%s]", s);
}

bool container_id(const char *cgroup, char id[CONTAINER_ID])
{
	const char *p = cgroup ?: "";
	bool any = false;

	/* For nested containers the last id is the innermost one. */
	while (*p) {
		size_t nr = 0;

		while (isxdigit((u8)p[nr]))
			nr++;
		if (nr == 64) {
			memcpy(id, p, CONTAINER_ID - 1);
			id[CONTAINER_ID - 1] = '\0';
			any = true;
		}
		p += nr ?: 1;
	}
	return any;
}

u32 conv_fields(const struct sample *s, const char *before, const char *between, struct outbuf *o)
{
	const struct tep_event *tep = s->event->tp_format;
	const struct tep_format_field *f;
	_cleanup_outbuf_ struct outbuf text = { 0 };
	u32 nr = 0;

	if (!tep || !s->raw)
		return 0;
	for (f = tep->format.fields; f; f = f->next) {
		text.pos = text.base;
		if (!tracepoint_print_field(s, f, &text))
			continue;
		json_put(o, nr++ ? between : before, f->name);
		json_put(o, ": ", outbuf_text(&text));
	}
	return nr;
}

/* The state while samples are read. */
struct builder {
	struct conversion c;
	struct conv_source *src;
	struct frame_cache *cache;
	struct hash by_frame, by_node, by_track, by_cgroup;
	u32 cap_frames, cap_nodes, cap_tracks, cap_cgroups;
	size_t cap_points;
	struct frame **stack;		/* of the sample's current span */
	u32 cap_stack;
	struct slots sums;		/* points by their other members: index + 1 */
	struct arena arena;
};

static u32 add_frame(struct builder *b, const struct conv_frame *f)
{
	u64 place = hash_mix(f->file ? hash_bytes(f->file, strlen(f->file)) : 0, f->line);
	u64 key = hash_mix(place, f->dso ? f->dso->id + 1 : 0);
	u64 *slot = hash_insert(&b->by_frame, hash_bytes(f->name, strlen(f->name)), key ^ f->inlined, NULL);

	if (!*slot) {
		GROW(b->c.frames, b->c.nr_frames, b->cap_frames);
		b->c.frames[b->c.nr_frames++] = *f;
		*slot = b->c.nr_frames;
	}
	return *slot - 1;
}

static u32 child(struct builder *b, u32 parent, u32 frame)
{
	u64 *slot = hash_insert(&b->by_node, parent, frame, NULL);

	if (!*slot) {
		GROW(b->c.nodes, b->c.nr_nodes, b->cap_nodes);
		b->c.nodes[b->c.nr_nodes] = (struct conv_node){ parent, frame };
		*slot = b->c.nr_nodes++;
	}
	return *slot;
}

/* "FILE:LINE" */
static void set_place(struct builder *b, struct conv_frame *f, const char *place)
{
	const char *colon = place ? strrchr(place, ':') : NULL;

	if (!colon)
		return;
	f->file = utf8_copy(&b->arena, arena_strndup(&b->arena, place, colon - place));
	f->line = strtoul(colon + 1, NULL, 10);
}

static const char *unknown(struct builder *b, const struct dso *dso)
{
	char name[FILE_NAME_SIZE];

	file_name(dso, name);
	return utf8_copy(&b->arena, arena_strndup(&b->arena, name, sizeof(name)));
}

/* Add the frames of an address, each the child of the previous; .user caches their numbers. */
static u32 add_address(struct builder *b, u32 node, struct frame *f)
{
	u32 i, *known = f->user, nr = f->nr_inlines + 1;

	if (!known) {
		known = arena_alloc(&b->arena, nr * sizeof(*known));
		for (i = 0; i < nr; i++) {
			const struct inline_frame *in = i ? &f->inlines[nr - 1 - i] : NULL;
			const struct symbol *sym = in ? in->sym : f->sym;
			struct conv_frame cf = {
				.name = sym ? utf8_copy(&b->arena, sym->name) : unknown(b, f->dso),
				.dso = f->dso, .inlined = in,
			};
			const char *linkage = sym ? symbol_linkage(f->dso, sym) : NULL;

			cf.linkage = linkage ? utf8_copy(&b->arena, linkage) : NULL;

			if (in)
				set_place(b, &cf, dso_inline_line(f->dso, f->code, nr - 1 - i));
			else if (f->nr_inlines)
				set_place(b, &cf, dso_inline_line(f->dso, f->code, nr - 1));
			known[i] = add_frame(b, &cf);
		}
		f->user = known;
	}
	for (i = 0; i < nr; i++)
		node = child(b, node, known[i]);
	return node;
}

static u32 add_stack(struct builder *b, const struct sample *s, const struct callchain *cc,
		     const struct thread *t)
{
	struct timeline *tl = b->c.s->timeline;
	u32 node = 0, i, j;

	for (i = cc->nr_spans; i-- > 0;) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *sp = timeline_space(tl, t, span->cpumode, span->time);
		struct frame *f = NULL;

		GROW_TO(b->stack, span->nr, b->cap_stack);
		for (j = 0; j < span->nr; j++)
			b->stack[j] = f = span_frame(b->cache, sp, span, j, f);
		while (j-- > 0)
			node = add_address(b, node, b->stack[j]);
	}
	if (!cc->nr_spans)
		node = add_address(b, 0, frame_of(b->cache, t, s->ip, s->cpumode, cc->time));
	return node;
}

static u32 add_track(struct builder *b, u32 pid, u32 tid, const char *comm)
{
	u64 *slot = hash_insert(&b->by_track, (u64)pid << 32 | tid, hash_bytes(comm, strlen(comm)), NULL);

	if (!*slot) {
		GROW(b->c.tracks, b->c.nr_tracks, b->cap_tracks);
		b->c.tracks[b->c.nr_tracks++] = (struct conv_track){
			pid, tid, utf8_copy(&b->arena, arena_strndup(&b->arena, comm, strlen(comm))),
		};
		*slot = b->c.nr_tracks;
	}
	return *slot - 1;
}

/* The index of a cgroup in c.cgroups. */
static u32 add_cgroup(struct builder *b, u64 id)
{
	const char *name = timeline_cgroup_name(b->c.s->timeline, id);
	u64 *slot;

	if (!name)
		return 0;
	slot = hash_insert(&b->by_cgroup, id, 0, NULL);
	if (!*slot) {
		GROW(b->c.cgroups, b->c.nr_cgroups, b->cap_cgroups);
		b->c.cgroups[b->c.nr_cgroups] = utf8_copy(&b->arena, arena_strndup(&b->arena, name, strlen(name)));
		*slot = b->c.nr_cgroups++;
	}
	return *slot;
}

static u64 point_hash(const struct conv_point *p)
{
	return hash_mix((u64)p->node << 32 | p->track, (u64)p->event << 32 | p->cgroup);
}

static u64 hash_of(const void *ctx, u32 nr)
{
	const struct builder *b = ctx;

	return point_hash(&b->c.points[nr - 1]);
}

/* Add a sample to the sum of equal ones. Return: false: it is the first. */
static bool add_to_sum(struct builder *b, const struct conv_point *p)
{
	u64 hash = point_hash(p);
	struct conv_point *sum;
	u32 *at;

	slots_each(&b->sums, hash, at) {
		sum = &b->c.points[*at - 1];
		if (sum->node != p->node || sum->track != p->track || sum->event != p->event ||
		    sum->cgroup != p->cgroup)
			continue;
		sum->period += p->period;
		sum->nr++;
		return true;
	}
	slots_add(&b->sums, hash, b->c.nr_points + 1, hash_of, b);
	return false;
}

static int on_sample(void *ctx, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct thread *t = v->thread;
	const struct sample *s = v->sample;
	struct builder *b = ctx;
	bool by_name = b->src->keep == CONV_NAMES;
	char tmp[THREAD_NAME_SIZE];
	struct conv_point p;
	const char *comm;

	if (!filter_visit(b->src->filter, b->cache, v))
		return 0;
	b->src->nr_passed++;
	comm = thread_comm_at(b->c.s->timeline, t, cc->time, -1, tmp);
	p = (struct conv_point){
		.time = s->time == (u64)-1 ? 0 : s->time, .period = s->period, .nr = 1,
		.node = add_stack(b, s, cc, t), .event = s->event->idx,
		.track = by_name ? add_track(b, 0, 0, comm) : add_track(b, s->pid, s->tid, comm),
		.cgroup = s->cgroup && !by_name ? add_cgroup(b, s->cgroup) : 0,
	};
	if (b->src->keep != CONV_SAMPLES && add_to_sum(b, &p))
		return 0;
	GROW_BY_HALF(b->c.points, b->c.nr_points, b->cap_points);
	b->c.points[b->c.nr_points++] = p;
	return 0;
}

int conversion_run(struct conv_source *src, struct conversion **c)
{
	const struct session_ops ops = { .sample = on_sample, .filter = src->filter };
	struct builder *b = xcalloc(1, sizeof(*b));

	b->src = src;
	b->c.s = src->s;
	b->cache = frame_cache_create(src->s->timeline, src->inlines ? FRAMES_INLINES : 0);
	child(b, 0, UINT32_MAX);	/* node 0 */
	GROW(b->c.cgroups, b->c.nr_cgroups, b->cap_cgroups);
	b->c.cgroups[b->c.nr_cgroups++] = NULL;
	*c = &b->c;
	return session_run(src->s, &ops, b);
}

void conversion_free(struct conversion *c)
{
	struct builder *b = container_of(c, struct builder, c);

	frame_cache_destroy(b->cache);
	hash_deinit(&b->by_frame);
	hash_deinit(&b->by_node);
	hash_deinit(&b->by_track);
	hash_deinit(&b->by_cgroup);
	slots_deinit(&b->sums);
	arena_deinit(&b->arena);
	free(c->frames);
	free(c->nodes);
	free(c->tracks);
	free(c->cgroups);
	free(c->points);
	free(b->stack);
	free(b);
}

u32 conversion_stack(const struct conversion *c, u32 node, u32 *frames)
{
	u32 nr = 0, n, i;

	for (n = node; n && nr < CONV_DEPTH; n = c->nodes[n].parent)
		nr++;
	for (n = node, i = nr; i-- > 0; n = c->nodes[n].parent)
		frames[i] = c->nodes[n].frame;
	return nr;
}

size_t *conversion_profiles(const struct conversion *c, bool *first)
{
	size_t *next = xcalloc(c->nr_points + 1, sizeof(*next)), i;
	_cleanup_hash_ struct hash last = { 0 };

	for (i = 0; i < c->nr_points; i++) {
		u64 *slot = hash_insert(&last, c->points[i].track, c->points[i].event, NULL);

		first[i] = !*slot;
		if (*slot)
			next[*slot - 1] = i + 1;
		*slot = i + 1;
	}
	return next;
}

const char *conversion_unit(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && (ev->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
						       ev->attr.config == PERF_COUNT_SW_TASK_CLOCK) ?
	       "nanoseconds" : "none";
}

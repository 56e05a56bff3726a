// SPDX-License-Identifier: GPL-2.0
/*
 * A trace for Perfetto: protobuf packets (perfetto.dev, protos/perfetto/trace). Each event is a
 * sequence, whose first packet has its name; a sample is a packet, which also has its stack and
 * frames if they are new in the sequence. Threads are tracks; with perf record --off-cpu their
 * waits, and what is between them, are slices.
 *
 * It is given a conversion with its samples in the order of time.
 */
#include "base/hash.h"
#include "cmd/data/conversion.h"
#include "cmd/data/proto.h"

/* Numbers of fields. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT, PACKET_INTERNED,
	PACKET_FLAGS, PACKET_DEFAULTS = 59, PACKET_TRACK, PACKET_PERF_SAMPLE = 66,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE };
enum {
	INTERNED_FUNCTIONS = 5, INTERNED_FRAMES, INTERNED_CALLSTACKS, INTERNED_PATHS = 17,
	INTERNED_MAPPINGS = 19,
};
enum { STRING_ID = 1, STRING_TEXT };
enum { FRAME_ID = 1, FRAME_FUNCTION, FRAME_MAPPING, FRAME_PC };
enum { CALLSTACK_ID = 1, CALLSTACK_FRAMES };
enum { MAPPING_ID = 1, MAPPING_PATH = 7 };
enum { DEFAULTS_PERF_SAMPLE = 12, PERF_SAMPLE_DEFAULTS_TIMEBASE = 1, TIMEBASE_NAME = 10 };
enum { SAMPLE_PID = 2, SAMPLE_TID, SAMPLE_CALLSTACK };
enum { TRACK_UUID = 1, TRACK_PROCESS = 3, TRACK_THREAD };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID, THREAD_NAME = 5 };
enum { TRACK_EVENT_TYPE = 9, TRACK_EVENT_TRACK = 11, TRACK_EVENT_NAME = 23 };
enum { SLICE_BEGIN = 1, SLICE_END };

struct perfetto {
	const struct conversion *c;
	struct outfile *out;
	struct outbuf packet, part, part2;	/* work space */
	struct hash shown;		/* tid -> its track in the trace + 1 */
	struct hash ran;		/* tid -> end of its last wait */
	struct hash mappings, seen_frames, seen_stacks;	/* event, number: written */
	u32 *frames;			/* work space */
};

static void put_packet(struct perfetto *p, u32 event, u32 flags)
{
	proto_number(&p->packet, PACKET_SEQUENCE, event + 1);
	proto_number(&p->packet, PACKET_FLAGS, flags);
	proto_message(&p->out->text, TRACE_PACKET, &p->packet);
	outfile_drain(p->out);
}

static void put_string(struct perfetto *p, struct outbuf *tables, u32 field, u64 id, const char *s)
{
	proto_number(&p->part, STRING_ID, id);
	proto_text(&p->part, STRING_TEXT, s);
	proto_message(tables, field, &p->part);
}

/* Is it new in an event's sequence? Frames and stacks are written once for each. */
static bool is_new(struct hash *seen, u32 event, u32 nr)
{
	bool added;

	hash_insert(seen, event, nr, &added);
	return added;
}

/* A frame with the names of its function and file; ids are numbers + 1. */
static void put_frame(struct perfetto *p, struct outbuf *tables, u32 event, u32 i)
{
	const struct conv_frame *f = &p->c->frames[i];
	u64 mapping = f->dso ? f->dso->id + 1ULL : 0;

	if (mapping && is_new(&p->mappings, event, f->dso->id)) {
		put_string(p, tables, INTERNED_PATHS, mapping, f->dso->name);
		proto_number(&p->part, MAPPING_ID, mapping);
		proto_number(&p->part, MAPPING_PATH, mapping);
		proto_message(tables, INTERNED_MAPPINGS, &p->part);
	}
	put_string(p, tables, INTERNED_FUNCTIONS, i + 1, f->name);
	proto_number(&p->part, FRAME_ID, i + 1);
	proto_number(&p->part, FRAME_FUNCTION, i + 1);
	if (mapping) {
		/* Addresses are not known here; the field must be there. */
		proto_number(&p->part, FRAME_MAPPING, mapping);
		proto_number(&p->part, FRAME_PC, 0);
	}
	proto_message(tables, INTERNED_FRAMES, &p->part);
}

/* A stack that is new, and its new frames, in the packet of its sample; the id is its node. */
static void put_stack(struct perfetto *p, u32 event, u32 node)
{
	u32 nr = conversion_stack(p->c, node, p->frames), i;

	for (i = 0; i < nr; i++)
		if (is_new(&p->seen_frames, event, p->frames[i]))
			put_frame(p, &p->part2, event, p->frames[i]);
	proto_number(&p->part, CALLSTACK_ID, node);
	for (i = 0; i < nr; i++)
		proto_number(&p->part, CALLSTACK_FRAMES, p->frames[i] + 1);
	proto_message(&p->part2, INTERNED_CALLSTACKS, &p->part);
	proto_message(&p->packet, PACKET_INTERNED, &p->part2);
}

/* The first packet of an event: its name. */
static void put_event(struct perfetto *p, const struct event *ev)
{
	proto_text(&p->part, TIMEBASE_NAME, ev->name);
	proto_message(&p->part2, PERF_SAMPLE_DEFAULTS_TIMEBASE, &p->part);
	proto_message(&p->part, DEFAULTS_PERF_SAMPLE, &p->part2);
	proto_message(&p->packet, PACKET_DEFAULTS, &p->part);
	put_packet(p, ev->idx, FLAG_CLEARED);
}

/* The track of a thread, which has another name after exec. */
static u64 track(struct perfetto *p, u32 nr)
{
	const struct conv_track *t = &p->c->tracks[nr];
	u64 *shown = hash_insert(&p->shown, t->tid, 0, NULL), uuid = t->tid + 1ULL;

	if (*shown == nr + 1)
		return uuid;
	*shown = nr + 1;
	if (t->tid == t->pid) {
		proto_number(&p->part, PROCESS_PID, t->pid);
		proto_text(&p->part, PROCESS_NAME, t->comm);
		proto_number(&p->part2, TRACK_UUID, 1ULL << 32 | t->pid);
		proto_message(&p->part2, TRACK_PROCESS, &p->part);
		proto_message(&p->packet, PACKET_TRACK, &p->part2);
		put_packet(p, 0, FLAG_NEEDS_STATE);
	}
	proto_number(&p->part, THREAD_PID, t->pid);
	proto_number(&p->part, THREAD_TID, t->tid);
	proto_text(&p->part, THREAD_NAME, t->comm);
	proto_number(&p->part2, TRACK_UUID, uuid);
	proto_message(&p->part2, TRACK_THREAD, &p->part);
	proto_message(&p->packet, PACKET_TRACK, &p->part2);
	put_packet(p, 0, FLAG_NEEDS_STATE);
	return uuid;
}

static void put_slice(struct perfetto *p, u64 uuid, const char *name, u64 from, u64 to)
{
	u32 type;

	for (type = SLICE_BEGIN; type <= SLICE_END; type++) {
		proto_number(&p->packet, PACKET_TIMESTAMP, type == SLICE_BEGIN ? from : to);
		proto_number(&p->part, TRACK_EVENT_TYPE, type);
		proto_number(&p->part, TRACK_EVENT_TRACK, uuid);
		if (type == SLICE_BEGIN)
			proto_text(&p->part, TRACK_EVENT_NAME, name);
		proto_message(&p->packet, PACKET_TRACK_EVENT, &p->part);
		put_packet(p, 0, FLAG_NEEDS_STATE);
	}
}

static void put_sample(struct perfetto *p, const struct conv_point *pt)
{
	const struct conv_track *t = &p->c->tracks[pt->track];
	u64 uuid = track(p, pt->track), *ran;

	if (pt->node && is_new(&p->seen_stacks, pt->event, pt->node))
		put_stack(p, pt->event, pt->node);
	proto_number(&p->packet, PACKET_TIMESTAMP, pt->time);
	proto_number(&p->part, SAMPLE_PID, t->pid);
	proto_number(&p->part, SAMPLE_TID, t->tid);
	if (pt->node)
		proto_number(&p->part, SAMPLE_CALLSTACK, pt->node);
	proto_message(&p->packet, PACKET_PERF_SAMPLE, &p->part);
	put_packet(p, pt->event, FLAG_NEEDS_STATE);
	if (strcmp(p->c->s->events->events[pt->event]->name, OFF_CPU_EVENT))
		return;
	ran = hash_insert(&p->ran, t->tid, 0, NULL);
	if (*ran && *ran < pt->time)
		put_slice(p, uuid, "on CPU or ready", *ran, pt->time);
	*ran = pt->time + pt->period;
	put_slice(p, uuid, "off CPU", pt->time, *ran);
}

void conv_perfetto(const struct conversion *c, struct outfile *out)
{
	struct perfetto p = {
		.c = c, .out = out, .frames = xmalloc(CONV_DEPTH * sizeof(*p.frames)),
	};
	size_t i;

	for (i = 0; i < c->s->events->nr; i++)
		put_event(&p, c->s->events->events[i]);
	for (i = 0; i < c->nr_points; i++)
		put_sample(&p, &c->points[i]);
	outbuf_deinit(&p.packet);
	outbuf_deinit(&p.part);
	outbuf_deinit(&p.part2);
	hash_deinit(&p.shown);
	hash_deinit(&p.ran);
	hash_deinit(&p.mappings);
	hash_deinit(&p.seen_frames);
	hash_deinit(&p.seen_stacks);
	free(p.frames);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a recording: attributes, the ids that the kernel gave their instances, and the
 * layout of their samples.
 */
#ifndef PERF_EVENT_EVENT_H
#define PERF_EVENT_EVENT_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/types.h"
#include "event/abi.h"

/* Where the fixed-size head of a sample has its fields, as byte offsets from
 * the record's header; 0: the sample has no such field.
 */
struct sample_layout {
	u16 identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	u16 variable;		/* where the first field of variable size stands */
	/* The same for sample_id at the end of other records, counted back
	 * from the record's end (0: absent); id_size 0: sample_id_all is off.
	 */
	u16 id_size;
	u16 id_tid, id_time, id_id, id_stream_id, id_cpu, id_identifier;
};

/* In place of the bytes of copies: stacks were walked where they are, by a BPF program, up to so many frames. */
#define STACK_IN_PLACE	UINT32_MAX
#define IN_PLACE_FRAMES	1024

struct event {
	struct perf_event_attr attr;	/* host byte order, zero-extended or cut to our size */
	u32 attr_size;			/* as the file has it */
	u32 idx;			/* position in the list */
	const char *name;		/* e.g. "cpu-clock", "sched:sched_switch"; never NULL */
	bool named;			/* the recording named it, not event_attr_name() */
	const char *unit;		/* from EVENT_UPDATE; NULL: none */
	double scale;
	u64 *ids;
	u32 nr_ids;
	u32 leader;			/* idx of the group's leader; == idx when not in a group */
	u32 group_members;		/* for a leader: members, itself included */
	const char *group_name;
	u32 stack_copied;		/* its callchains were walked by call frame information, in copies of so
					 * many bytes, or STACK_IN_PLACE; 0: not that it is known
					 */
	struct sample_layout layout;
	void *tp_format;		/* struct tep_event *, for tracepoints, when known */
	u8 tp_print;			/* enum print_kind: may its text be printed? */
};

struct event_list {
	struct event **events;
	u32 nr, cap;
	struct hash by_id;		/* (id, 0) -> struct event * */
	struct arena arena;		/* events, names */
	void *tep;			/* struct tep_handle *; NULL: no formats */
	/* One place for all: an id can be found without knowing the event. */
	bool has_ids;			/* samples carry an id */
	u16 id_pos;			/* where, in a sample */
	u16 id_pos_end;			/* in other records: back from their end; 0: nowhere */
	u16 time_pos;			/* of the time in every event's samples; 0: they differ */
	u16 id_size, time_pos_end;	/* sample_id, if it is the same for every event; 0: not */
	bool mixed_samples, mixed_sample_ids;	/* layouts differ */
	/* The id stands elsewhere in some event's records than in the first event's: the
	 * event of a record is then looked up as if the record were like the first event's.
	 */
	bool mixed_ids;
	u64 sample_type;		/* of all events or'ed */
	u64 branch_sample_type;
	bool sample_id_all;
};

/* What perf record --off-cpu calls its event, as mainline does, too. */
#define OFF_CPU_EVENT	"offcpu-time"

/* event_off_cpu - are this event's periods times in which a thread did not run? */
static inline bool event_off_cpu(const struct event *ev)
{
	return ev->named && !strcmp(ev->name, OFF_CPU_EVENT);
}

/* attr_lbr_chains - is the user half of an event's callchains a branch stack (--call-graph lbr)? */
static inline bool attr_lbr_chains(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_CALLCHAIN && attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/**
 * event_list_add() - append an event
 * @list: the list; all zeroes is an empty one
 * @attr: attributes in host byte order
 *
 * Computes the event's layout. @list->mixed_ids becomes true when this event's records
 * cannot be distinguished from those of the events before: the caller reports that.
 * Consumers size arrays by @list->nr: a reader adds no event once it is open.
 *
 * Return: the new event, owned by the list.
 */
struct event *event_list_add(struct event_list *list, const struct perf_event_attr *attr);

/**
 * event_set_name() - give an event the name that the recording has for it
 * @list: the list
 * @ev: the event
 * @name: copied
 * @len: at most this many bytes
 */
void event_set_name(struct event_list *list, struct event *ev, const char *name, size_t len);

/**
 * event_list_by_id() - which event an id belongs to
 * @list: the list
 * @id: as samples carry it
 *
 * Return: the event, or NULL. An id of 0, which the tool's own records carry, is the first
 * event's.
 */
struct event *event_list_by_id(const struct event_list *list, u64 id);

/**
 * event_add_id() - add an id of an event
 * @list: the list
 * @ev: the event
 * @id: as PERF_EVENT_IOC_ID gives it and samples carry it
 */
void event_add_id(struct event_list *list, struct event *ev, u64 id);

/**
 * event_list_find() - which event a record belongs to
 * @list: the list
 * @rec: a whole record in host byte order, sample or not
 *
 * The positions of the id are the first event's; a record that is too short for them has no
 * event.
 *
 * Return: the event; the first one when records carry no ids; NULL when the id
 * is unknown.
 */
struct event *event_list_find(const struct event_list *list,
			      const struct perf_event_header *rec);

/**
 * event_attr_name() - a name for an event without a name in the file
 * @attr: its attributes
 * @buf: where to write it
 * @size: of @buf
 *
 * Return: @buf.
 */
const char *event_attr_name(const struct perf_event_attr *attr, char *buf, size_t size);

/**
 * event_list_deinit() - free the events
 * @list: the list, empty afterwards
 */
void event_list_deinit(struct event_list *list);

#endif /* PERF_EVENT_EVENT_H */

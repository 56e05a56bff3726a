/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a recording: attributes, the ids of their instances, the layout of their samples.
 */
#ifndef PERF_EVENT_EVENT_H
#define PERF_EVENT_EVENT_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/types.h"
#include "event/abi.h"

/* Positions in the fixed-size head of a sample, in bytes from the record's start; 0: absent. */
struct sample_layout {
	u16 identifier, ip, tid, time, addr, id, stream_id, cpu, period;
	u16 variable;		/* position of the first field of variable size */
	/* in the sample_id of other records: bytes before its end; 0: absent */
	u16 id_size;
	u16 id_tid, id_time, id_id, id_stream_id, id_cpu, id_identifier;
};

/* .stack_copied: a BPF program walked the stacks in place, up to IN_PLACE_FRAMES frames */
#define STACK_IN_PLACE	UINT32_MAX
#define IN_PLACE_FRAMES	1024

struct event {
	struct perf_event_attr attr;	/* host byte order, zero-extended or cut to our struct */
	u32 attr_size;			/* size in the file */
	u32 idx;			/* position in the list */
	const char *name;		/* e.g. "cpu-clock", "sched:sched_switch"; never NULL */
	bool named;			/* the name is from the recording, not event_attr_name() */
	const char *unit;		/* from EVENT_UPDATE; NULL: none */
	double scale;
	u64 *ids;
	u32 nr_ids;
	u32 leader;			/* idx of the group's leader; == idx when not in a group */
	u32 group_members;		/* for a leader: number of members, itself included */
	const char *group_name;
	u32 stack_copied;		/*
					 * its callchains were unwound by call frame information
					 * from stack copies of this size in bytes, or
					 * STACK_IN_PLACE; 0: no, or unknown
					 */
	struct sample_layout layout;
	void *tp_format;		/* struct tep_event *, for tracepoints; NULL: unknown */
	u8 tp_print;			/* enum print_kind: may its text be printed? */
};

struct event_list {
	struct event **events;
	u32 nr, cap;
	struct hash by_id;		/* (id, 0) -> struct event * */
	struct arena arena;		/* events, names */
	void *tep;			/* struct tep_handle *; NULL: no formats */
	bool has_kernel_symbols;	/* they are beside the formats */
	/* tracepoints_resolve() */
	char *(*kernel_symbol)(void *ctx, unsigned long long *addr, char **module);
	void *kernel_symbol_ctx;
	/* Positions that are equal for all events: an id is found without knowing the event */
	bool has_ids;			/* samples carry an id */
	u16 id_pos;			/* its position in a sample */
	u16 id_pos_end;			/* in other records: bytes before the end; 0: none */
	u16 time_pos;			/* position of the time in all samples; 0: it differs */
	u16 id_size, time_pos_end;	/* sample_id, if equal for all events; else 0 */
	bool mixed_samples, mixed_sample_ids;	/* layouts differ */
	/* Some have the id at another position: the event is looked up at the first event's */
	bool mixed_ids;
	u64 sample_type;		/* of all events or'ed */
	u64 branch_sample_type;
	bool sample_id_all;
};

/* The event name of perf record --off-cpu, as in mainline. */
#define OFF_CPU_EVENT	"offcpu-time"

/* event_off_cpu - are this event's periods off-CPU times? */
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

/* attr_leads_walks - do user halves only lead the walks of copies (--call-graph live)? */
static inline bool attr_leads_walks(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER && !attr->exclude_callchain_user &&
	       !(attr_flags(attr) & ATTR_DEFER_CALLCHAIN);
}

/*
 * event_list_add - append an event with its layout; .mixed_ids is set if its records cannot be told
 * from those of earlier events. None is added after a reader was opened: users size arrays by .nr.
 */
struct event *event_list_add(struct event_list *list, const struct perf_event_attr *attr);

/* event_set_name - copy an event's name from the recording, @len bytes at most */
void event_set_name(struct event_list *list, struct event *ev, const char *name, size_t len);

/* event_list_by_id - the event of an id, or NULL; 0, of synthesised records: the first one */
struct event *event_list_by_id(const struct event_list *list, u64 id);

/* event_add_id - add an id to an event; @id: as from PERF_EVENT_IOC_ID and in samples */
void event_add_id(struct event_list *list, struct event *ev, u64 id);

/*
 * event_list_find - the event of a whole record; the first one if records have no ids. Return:
 * NULL: the id is unknown, or the record too short.
 */
struct event *event_list_find(const struct event_list *list,
			      const struct perf_event_header *rec);

struct event_name {
	const char *name;
	const char *alias;	/* a second name; NULL: none */
	u32 type;
	u64 config;
	const char *what;	/* a short description */
};

/* Software and hardware events; ended by a NULL name. */
extern const struct event_name event_names[];

/* event_attr_name - set @buf to a name for an event without a name in the file. Return: @buf. */
const char *event_attr_name(const struct perf_event_attr *attr, char *buf, size_t size);

/* event_list_deinit - free the events; @list: the list, empty afterwards */
void event_list_deinit(struct event_list *list);

#endif /* PERF_EVENT_EVENT_H */

// SPDX-License-Identifier: GPL-2.0
/* Decoding samples in place. Order of the fields: perf_event_open(2). */
#include "event/sample.h"

/* The rest of a record, in 64-bit words. */
struct words {
	const u64 *p, *end;
	bool swapped;		/* each word was swapped, so its halves have changed places */
};

static inline bool take(struct words *w, u64 *v)
{
	if (w->p >= w->end)
		return false;
	/* (behind a stack of a 32-bit task words may be halfway between those of the record) */
	memcpy(v, w->p++, sizeof(*v));
	return true;
}

/* Take @n words; false if the record has fewer. */
static inline bool take_run(struct words *w, u64 n, const u64 **run)
{
	if (n > (u64)(w->end - w->p))
		return false;
	*run = w->p;
	w->p += n;
	return true;
}

static bool take_read(struct words *w, u64 format, struct sample *s)
{
	u64 nr = 1, head = 0, per = 1;
	const u64 *start = w->p, *run;

	if (format & PERF_FORMAT_ID)
		per++;
	if (format & PERF_FORMAT_LOST)
		per++;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		head++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		head++;
	if (format & PERF_FORMAT_GROUP) {
		head++;
		if (w->p >= w->end)
			return false;
		nr = *w->p;
		if (nr > (u64)(w->end - w->p))
			return false;
	}
	if (!take_run(w, head + nr * per, &run))
		return false;
	s->read_format = start;
	s->read_size = (w->p - start) * sizeof(u64);
	return true;
}

static bool take_callchain(struct words *w, struct sample *s)
{
	u64 nr;

	if (!take(w, &nr) || !take_run(w, nr, &s->callchain))
		return false;
	s->callchain_nr = nr;
	if (nr >= 2 && s->callchain[nr - 2] == CONTEXT_USER_DEFERRED) {
		s->deferred = true;
		s->cookie = s->callchain[nr - 1];
	}
	return true;
}

/* A u32 size, bytes after it, padded so that the next field is aligned. */
static bool take_raw(struct words *w, struct sample *s)
{
	const u64 *run;
	u32 size;

	if (w->p >= w->end)
		return false;
	size = w->swapped ? *w->p >> 32 : *(const u32 *)w->p;
	if (!take_run(w, ((u64)size + sizeof(u32) + 7) / 8, &run))
		return false;
	s->raw = (const char *)run + sizeof(u32);
	s->raw_size = size;
	return true;
}

static bool take_branches(struct words *w, u64 type, struct sample *s)
{
	u64 nr;

	if (!take(w, &nr))
		return false;
	if ((type & PERF_SAMPLE_BRANCH_HW_INDEX) && !take(w, &s->branch_hw_idx))
		return false;
	if (nr > (u64)(w->end - w->p) || !take_run(w, nr * 3, &s->branch))
		return false;
	s->branch_nr = nr;
	if (type & BRANCH_SAMPLE_COUNTERS)
		return take_run(w, nr, &s->branch_counters);
	return true;
}

static bool take_regs(struct words *w, u64 mask, struct regs_dump *r)
{
	if (!take(w, &r->abi))
		return false;
	r->mask = mask;
	if (!r->abi)
		return true;
	return take_run(w, __builtin_popcountll(mask), &r->regs);
}

static bool take_user_stack(struct words *w, struct sample *s)
{
	u64 size;

	s->user_stack_at = (const char *)w->p - (const char *)s->header;
	if (!take(w, &size))
		return false;
	if (!size)
		return true;
	s->user_stack_full = size;
	s->user_stack = w->p;
	if (size % 4 || size > (u64)((const char *)w->end - (const char *)w->p) + size % 8)
		return false;
	/* Of a 32-bit task it may be half a word more than words: up to the highest address. */
	w->p = (const u64 *)((const char *)w->p + size);
	w->end = (const u64 *)((const char *)w->end + size % 8);
	if (!take(w, &s->user_stack_size))
		return false;
	/* The kernel never reports more valid bytes than it dumped. */
	return s->user_stack_size <= size;
}

static bool take_aux(struct words *w, struct sample *s)
{
	const u64 *run;
	u64 size;

	if (!take(w, &size))
		return false;
	if (size > (u64)(w->end - w->p) * 8 || !take_run(w, (size + 7) / 8, &run))
		return false;
	s->aux = run;
	s->aux_size = size;
	return true;
}

/* The fields in front of the copy of the stack. */
static bool take_before_stack(const struct perf_event_attr *attr, struct words *w, struct sample *s)
{
	u64 type = attr->sample_type;

	if ((type & PERF_SAMPLE_READ) && !take_read(w, attr->read_format, s))
		return false;
	if ((type & PERF_SAMPLE_CALLCHAIN) && !take_callchain(w, s))
		return false;
	if ((type & PERF_SAMPLE_RAW) && !take_raw(w, s))
		return false;
	if ((type & PERF_SAMPLE_BRANCH_STACK) && !take_branches(w, attr->branch_sample_type, s))
		return false;
	return !(type & PERF_SAMPLE_REGS_USER) || take_regs(w, attr->sample_regs_user, &s->user_regs);
}

static bool take_variable(const struct perf_event_attr *attr, struct words *w, struct sample *s)
{
	u64 type = attr->sample_type, v;

	if (!take_before_stack(attr, w, s))
		return false;
	if (!(type & ~(u64)(PERF_SAMPLE_RAW * 2 - 1 + PERF_SAMPLE_BRANCH_STACK + PERF_SAMPLE_REGS_USER +
			    PERF_SAMPLE_IDENTIFIER)))
		return true;
	if ((type & PERF_SAMPLE_STACK_USER) && !take_user_stack(w, s))
		return false;
	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		if (!take(w, &v))
			return false;
		s->weight = (u32)v;
		s->ins_lat = v >> 32;
		s->p_stage_cyc = v >> 48;
	} else if ((type & PERF_SAMPLE_WEIGHT) && !take(w, &s->weight)) {
		return false;
	}
	if ((type & PERF_SAMPLE_DATA_SRC) && !take(w, &s->data_src))
		return false;
	if ((type & PERF_SAMPLE_TRANSACTION) && !take(w, &s->transaction))
		return false;
	if ((type & PERF_SAMPLE_REGS_INTR) && !take_regs(w, attr->sample_regs_intr, &s->intr_regs))
		return false;
	if ((type & PERF_SAMPLE_PHYS_ADDR) && !take(w, &s->phys_addr))
		return false;
	if ((type & PERF_SAMPLE_CGROUP) && !take(w, &s->cgroup))
		return false;
	if ((type & PERF_SAMPLE_DATA_PAGE_SIZE) && !take(w, &s->data_page_size))
		return false;
	if ((type & PERF_SAMPLE_CODE_PAGE_SIZE) && !take(w, &s->code_page_size))
		return false;
	return !(type & PERF_SAMPLE_AUX) || take_aux(w, s);
}

static inline u64 word_at(const void *rec, u16 pos)
{
	return *(const u64 *)((const char *)rec + pos);
}

static inline u32 half_at(const void *rec, u16 pos)
{
	return *(const u32 *)((const char *)rec + pos);
}

int sample_decode(const struct event *ev, const struct perf_event_header *rec, u64 offset,
		  struct sample *s)
{
	const struct sample_layout *l = &ev->layout;
	struct words w = { .swapped = false };

	memset(s, 0, sizeof(*s));
	s->header = rec;
	s->offset = offset;
	s->event = ev;
	s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->pid = s->tid = s->cpu = -1;
	s->time = s->branch_hw_idx = s->id = s->stream_id = -1;
	s->period = 1;
	if (rec->size < l->variable)
		return -EINVAL;

	if (l->ip)
		s->ip = word_at(rec, l->ip);
	if (l->tid) {
		s->pid = half_at(rec, l->tid);
		s->tid = half_at(rec, l->tid + 4);
	}
	if (l->time)
		s->time = word_at(rec, l->time);
	if (l->addr)
		s->addr = word_at(rec, l->addr);
	if (l->identifier)
		s->id = word_at(rec, l->identifier);
	if (l->id)
		s->id = word_at(rec, l->id);
	if (l->stream_id)
		s->stream_id = word_at(rec, l->stream_id);
	if (l->cpu)
		s->cpu = half_at(rec, l->cpu);
	/* A fixed period is in the attributes, not in the samples. */
	if (l->period)
		s->period = word_at(rec, l->period);
	else if (!ev->attr.freq && ev->attr.sample_period)
		s->period = ev->attr.sample_period;

	w.p = (const u64 *)((const char *)rec + l->variable);
	w.end = (const u64 *)rec + rec->size / sizeof(u64);
	return take_variable(&ev->attr, &w, s) ? 0 : -EINVAL;
}

void sample_decode_swapped(const struct event *ev, const struct perf_event_header *rec,
			   struct sample *s)
{
	struct words w = {
		.p = (const u64 *)((const char *)rec + ev->layout.variable),
		.end = (const u64 *)rec + rec->size / sizeof(u64), .swapped = true,
	};

	*s = (struct sample){ .header = rec, .event = ev };
	take_variable(&ev->attr, &w, s);
}

u32 sample_stack_at(const struct event *ev, const struct perf_event_header *rec)
{
	struct sample s = { .header = rec };
	struct words w = { .p = (const u64 *)((const char *)rec + ev->layout.variable) };

	w.end = (const u64 *)rec + rec->size / sizeof(u64);
	if (w.p >= w.end || !take_before_stack(&ev->attr, &w, &s) || w.p >= w.end)
		return 0;
	return (const char *)w.p - (const char *)rec;
}

int sample_id_decode(const struct event *ev, const struct perf_event_header *rec,
		     struct sample *s)
{
	const struct sample_layout *l = &ev->layout;
	const char *end = (const char *)rec + rec->size;

	memset(s, 0, sizeof(*s));
	s->header = rec;
	s->event = ev;
	s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->pid = s->tid = s->cpu = -1;
	s->time = s->id = s->stream_id = -1;
	if (!l->id_size)
		return 0;
	if (rec->size < sizeof(*rec) + l->id_size)
		return -EINVAL;
	if (l->id_tid) {
		s->pid = half_at(end - l->id_tid, 0);
		s->tid = half_at(end - l->id_tid, 4);
	}
	if (l->id_time)
		s->time = word_at(end - l->id_time, 0);
	if (l->id_id)
		s->id = word_at(end - l->id_id, 0);
	if (l->id_stream_id)
		s->stream_id = word_at(end - l->id_stream_id, 0);
	if (l->id_cpu)
		s->cpu = half_at(end - l->id_cpu, 0);
	if (l->id_identifier)
		s->id = word_at(end - l->id_identifier, 0);
	return 0;
}

u64 record_time(const struct event_list *list, const struct perf_event_header *rec)
{
	const struct event *ev;
	u16 pos;

	if (likely(rec->type == PERF_RECORD_SAMPLE)) {
		pos = list->time_pos;
		if (unlikely(list->mixed_samples)) {
			ev = event_list_find(list, rec);
			pos = ev ? ev->layout.time : 0;
		}
		if (!pos || rec->size < pos + sizeof(u64))
			return -1;
		return word_at(rec, pos);
	}
	if (rec->type >= REC_HEADER_ATTR)
		return -1;
	pos = list->time_pos_end;
	if (unlikely(list->mixed_sample_ids)) {
		ev = event_list_find(list, rec);
		pos = ev && ev->layout.id_size ? ev->layout.id_time : 0;
	}
	if (!pos || rec->size < sizeof(*rec) + pos)
		return -1;
	return word_at((const char *)rec + rec->size - pos, 0);
}

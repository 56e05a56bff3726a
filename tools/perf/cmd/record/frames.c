// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program writes a sample's callchain into the same buffer, before the sample; a nested
 * sample's may be in between, so a sample gets the latest unused one. Some remain unused, as the
 * event's filter drops their samples; after a LOST record all are dropped. A sample without
 * callchain keeps the innermost frame of the kernel's. Where tables do not suffice, as for a 32-bit
 * task, a copy of the stack comes with the callchain, and is put into the sample for the next stage
 * (live.h).
 *
 * The stage owns the unused callchains of each buffer: the sample may be read a round later.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "bpf/layout.h"
#include "cmd/plain_sample.h"
#include "cmd/record/recorder.h"
#include "cmd/record/walk.h"
#include "event/records.h"
#include "event/sample.h"
#include "event/spans.h"
#include "measure/attr.h"

#define MAX_NESTED 4			/* kernel contexts that can interrupt each other */
#define MAX_RECORD (UINT16_MAX & ~7u)

_Static_assert(WALK_MAX_FRAMES == IN_PLACE_FRAMES, "the limit that recordings are judged by");

struct chains_left {
	struct perf_event_header *chains[MAX_NESTED];	/* each with room for any record, or NULL */
	u32 nr;
};

struct frames {
	struct bpf_walk *walk;
	const struct description *desc;
	struct event_list events;	/* in the kernel's format */
	u64 copy_regs;			/* registers that a copy has */
	const struct spec_list *specs;
	struct plain_plan plan;
	struct chains_left *rings;
	struct outbuf out;
	struct python_names *python;
	bool is_pipe;
	u64 joined, whole;
	u64 cut;		/* by a buffer without room */
	u64 with_python, without_python, unsent_python;
	u64 not_told;			/* chains of .unsent that LOST records do not tell */
};

/* Return: the callchain in a sample of the BPF program's event; NULL: an ordinary sample. */
static const struct walk_record *as_chain(const struct perf_event_header *h)
{
	const struct walk_record *r = (const void *)(h + 1);

	return h->size >= sizeof(*h) + offsetof(struct walk_record, ips) && r->magic == WALK_MAGIC ? r : NULL;
}

static void keep(struct chains_left *w, const struct perf_event_header *h)
{
	struct perf_event_header *oldest = w->chains[0];

	if (w->nr == MAX_NESTED) {
		memmove(&w->chains[0], &w->chains[1], sizeof(w->chains) - sizeof(w->chains[0]));
		w->chains[--w->nr] = oldest;
	}
	if (!w->chains[w->nr])
		w->chains[w->nr] = xmalloc(UINT16_MAX + 1);
	memcpy(w->chains[w->nr++], h, h->size);
}

/* The copy of the stack that came with a callchain: registers and stack, as in a sample. */
static const u64 *copy_of(const struct frames *f, const struct perf_event_header *chain,
			  const struct walk_record *r)
{
	const char *copy = (const char *)r + sizeof(r->raw_size) + r->raw_size;
	const u64 *words = (const u64 *)copy;

	if (copy >= (const char *)chain + chain->size || !words[0] ||
	    !words[1 + __builtin_popcountll(f->copy_regs)])
		return NULL;
	return words;
}

/* Name the Python functions that came with a callchain and a copy. Return: their words. */
static u32 name_behind(struct frames *f, struct walk_record *r, const struct sample *s)
{
	const u32 nr = (r->raw_size - WALK_HEAD) / sizeof(u64) - r->nr;
	u64 *run = r->ips + r->nr, *last = run + nr - 1;

	for (; nr && run < last; run += 2 + run[1])
		python_names_ips(f->python, run + 2, run[1], s, &f->out);
	return nr;
}

/*
 * Put a copy of the stack into its sample, the last record of the output, at @at, as far as there
 * is room. @ev: the sample's event; @copy: from copy_of()
 */
static void put_copy(struct frames *f, const struct event *ev, size_t at, const u64 *copy)
{
	const u32 regs = 1 + __builtin_popcountll(f->copy_regs);
	const u64 full = copy[regs], *stack = copy + regs + 1;
	u32 size = ((struct perf_event_header *)(f->out.base + at))->size, place, kept, more;
	struct event with_stack = *ev;
	struct perf_event_header *h;
	u64 valid;
	char *to;

	/* Of a 32-bit task there may be half a word more than words. */
	kept = min(full & ~7ULL, (u64)MAX_RECORD - size - (regs + 2) * sizeof(u64));
	memcpy(&valid, (const char *)stack + full, sizeof(valid));
	valid = min(valid, (u64)kept);
	more = kept + (regs + 2) * sizeof(u64);
	outbuf_reserve(&f->out, more);
	h = (struct perf_event_header *)(f->out.base + at);
	with_stack.attr.sample_type |= PERF_SAMPLE_STACK_USER;
	place = sample_stack_at(&with_stack, h) ?: size;
	to = (char *)h + place;
	memmove(to + more, to, size - place);
	to = mempcpy(to, copy, regs * sizeof(u64));
	*(u64 *)to = kept;
	to = mempcpy(to + sizeof(u64), stack, kept);
	*(u64 *)to = valid;
	f->out.pos += more;
	h->size += more;
	h->misc |= WALK_COPIED;
}

/* The first frame of the kernel's user callchain: the others, by frame pointers, may be wrong. */
static struct chain_span innermost(const struct sample *s)
{
	u64 i = sample_user_half(s);

	return (struct chain_span){ .ips = s->callchain + i + 1, .nr = i + 1 < s->callchain_nr };
}

/* Return: true if the sample was written with its callchain. */
static bool join_chain(struct frames *f, struct chains_left *w, const struct perf_event_header *h)
{
	const struct event *ev = event_list_find(&f->events, h);
	struct callchain cc = { .nr_spans = 1, .user_half = USER_HALF_UNWOUND };
	struct perf_event_header *chain = NULL;
	struct walk_record *r = NULL;
	const u64 *copy = NULL;
	bool of_python = false;
	struct sample s;
	size_t at;

	if (!ev || !f->specs->v[ev->idx]->is_bpf || sample_decode(ev, h, 0, &s))
		return false;
	if (w->nr) {
		chain = w->chains[--w->nr];
		r = (struct walk_record *)as_chain(chain);
	} else {
		f->cut++;
	}
	cc.spans[0] = innermost(&s);
	if (r && r->nr)
		cc.spans[0] = (struct chain_span){ .ips = r->ips, .nr = r->nr };
	if (r && r->python & WALK_PYTHON_READ)
		of_python = python_names_ips(f->python, r->ips, r->nr, &s, &f->out);
	if (r)
		copy = copy_of(f, chain, r);
	if (copy && r->nr)
		cc.spans[0].nr += name_behind(f, r, &s);
	if (r) {
		f->with_python += r->python & WALK_PYTHON_READ || cc.spans[0].nr > r->nr;
		f->without_python += r->python == WALK_PYTHON_FAILED;
		f->unsent_python += !!(r->python & WALK_PYTHON_UNSENT);
	}
	at = outbuf_len(&f->out);
	plain_sample(&f->out, &s, &cc, &f->plan);
	if (copy) {
		put_copy(f, ev, at, copy);
		return true;
	}
	if (r) {
		f->joined += r->nr != 0;
		f->whole += r->whole;
		f->cut += r->no_room;
		if (of_python)
			python_names_set_ip(&s, f->out.base + at, r->ips[0]);
	}
	if (!cc.spans[0].nr)
		f->out.pos = f->out.base + at;
	return cc.spans[0].nr;
}

/*
 * Write a LOST record without the callchains that it counts. In front of a callchain it has the id
 * of their event, which is not in the file: it gets the first event's.
 */
static void put_lost(struct frames *f, const struct perf_event_header *h)
{
	const u32 id_size = f->events.events[0]->layout.id_size;
	struct lost_record r = *(const struct lost_record *)h;
	u64 chains = min(r.lost, bpf_walk_counts(f->walk).unsent - f->not_told);

	f->not_told += chains;
	r.lost -= chains;
	if (!r.lost)
		return;
	if (h->size > sizeof(r)) {
		outbuf_write(&f->out, &r, sizeof(r));
		outbuf_write(&f->out, (const char *)h + sizeof(r), h->size - sizeof(r));
		return;
	}
	r.header.size += id_size;
	r.id = f->events.events[0]->nr_ids ? f->events.events[0]->ids[0] : 0;
	outbuf_write(&f->out, &r, sizeof(r));
	outbuf_fill(&f->out, 0, id_size);
}

const struct outbuf *frames_join(struct frames *f, u32 ring, const struct iovec *iov, u32 nr)
{
	static u64 room[SPAN_ROOM / sizeof(u64)];
	struct span_walk walk = { .iov = iov, .nr = nr };
	struct chains_left *w = &f->rings[ring];
	const struct perf_event_header *h;

	f->out.pos = f->out.base;
	while ((h = span_record(&walk, true, room))) {
		const bool is_sample = h->type == PERF_RECORD_SAMPLE;

		if (is_sample && as_chain(h)) {
			keep(w, h);
			continue;
		}
		if (h->type == PERF_RECORD_LOST) {
			w->nr = 0;
			put_lost(f, h);
			continue;
		}
		if (h->type == REC_FINISHED_ROUND)
			python_names_round(f->python);
		python_names_note(f->python, &f->events, h);
		if (is_sample && join_chain(f, w, h))
			continue;
		outbuf_write(&f->out, h, h->size);
	}
	/* Whoever reads a pipe looks the names up at once. */
	if (f->is_pipe)
		python_names_write(f->python);
	return &f->out;
}

void frames_file_ends(struct frames *f)
{
	if (!f)
		return;
	python_names_write(f->python);
	python_names_again(f->python);
}

void frames_text(const struct frames *f, struct outbuf *o)
{
	const u64 throttled = bpf_walk_counts(f->walk).throttled;

	if (f->with_python)
		diag_info(1, "%llu callchains have Python functions", f->with_python);
	if (f->without_python)
		outbuf_printf(o, "%llu callchains of Python programs show the interpreter, as their Python "
			      "functions could not be read\n", f->without_python);
	if (f->unsent_python)
		outbuf_printf(o, "%llu callchains have [unknown Python function]s: more new functions came than "
			      "there was room for\n", f->unsent_python);
	if (throttled)
		outbuf_printf(o, "%llu samples were left out: walking all stacks would have taken more than %llu %% "
			      "of a CPU's time. Fewer samples (lower -F, higher -c) cost less\n", throttled,
			      100 * WALK_BUSY_NS / WALK_SLICE_NS);
	diag_info(1, "%llu user callchains were walked by BPF, %llu are cut", f->joined, f->joined - f->whole);
	if (f->cut)
		outbuf_printf(o, "%llu user callchains are cut: the buffers had no room. "
			      "Larger ones (-m) or fewer samples (lower -F, higher -c) help\n", f->cut);
}

int frames_begin(struct frames *f)
{
	const struct rings *rings = f->desc->rings;
	u32 n = rings->cpus.nr * rings->threads.nr, i, j;
	int err = 0;

	for (i = 0; i < rings->nr && !err; i++)
		err = bpf_walk_buffer(f->walk, rings->v[i].cpu, rings->v[i].fd,
				      &f->specs->v[0]->attr, rings->options->bpf_copy);
	if (err)
		return diag_error("--call-graph bpf: the kernel's buffers cannot take callchains: %s", strerror(-err));
	for (i = 0; i < f->specs->nr; i++) {
		const struct event_spec *spec = f->specs->v[i];

		for (j = 0; spec->is_bpf && j < n; j++) {
			err = rings->events[i].fds[j] < 0 ? 0 :
			      bpf_walk_attach(f->walk, rings->events[i].fds[j], spec->attr.type == PERF_TYPE_TRACEPOINT);
			if (err)
				return diag_error("--call-graph bpf: %s: the event runs no BPF program: %s", spec->name,
						  strerror(-err));
		}
	}
	return 0;
}

struct frames *frames_create(const struct record_options *opts, const struct description *desc, struct bpf_walk *walk)
{
	struct perf_event_attr copy = { 0 };
	struct frames *f;
	u32 i;

	if (!walk)
		return NULL;
	attr_copy_stack(&copy, 0);
	f = xcalloc(1, sizeof(*f));
	*f = (struct frames){
		.walk = walk, .desc = desc, .specs = &opts->specs,
		.copy_regs = copy.sample_regs_user, .is_pipe = !strcmp(opts->output, "-"),
		.python = python_names_create(bpf_walk_codes, walk),
	};
	f->rings = xcalloc(desc->rings->nr, sizeof(*f->rings));
	outbuf_init(&f->out);
	for (i = 0; i < opts->specs.nr; i++)
		description_event(desc, i, &opts->specs.v[i]->attr, &f->events);
	return f;
}

void frames_free(struct frames *f)
{
	u32 i, j;

	if (!f)
		return;
	for (i = 0; i < f->desc->rings->nr; i++)
		for (j = 0; j < MAX_NESTED; j++)
			free(f->rings[i].chains[j]);
	outbuf_deinit(&f->out);
	python_names_free(f->python);
	event_list_deinit(&f->events);
	free(f->rings);
	free(f);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program writes the callchain of a sample into the same buffer, in front of the sample. Between the two there may be
 * both records of another sample, whose event interrupted; so a sample takes the last callchain that is left. Where
 * records were lost all that are left are dropped, as it is not known whose they are. A sample without one keeps the
 * kernel's callchain, by frame pointers: that of a 32-bit task, for one.
 *
 * Owned are the callchains that wait for their samples, for each buffer: a sample may come a round later.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "cmd/plain_sample.h"
#include "cmd/record/frames.h"
#include "event/records.h"
#include "event/sample.h"
#include "event/spans.h"

#define MAX_NESTED 4			/* contexts of the kernel that interrupt each other */

_Static_assert(WALK_MAX_FRAMES == IN_PLACE_FRAMES, "the limit that recordings are judged by");

struct waiting {
	struct walk_record chains[MAX_NESTED];
	u32 nr;
};

struct frames {
	const struct bpf_walk *walk;
	struct event_list events;	/* as the kernel has them */
	const struct spec_list *specs;
	struct plain_plan plan;
	struct waiting *rings;
	struct outbuf out;
	void *room;			/* for a record that wraps */
	u64 joined, ended[WALK_ENDS];
};

/* Return: the callchain that a sample is; NULL: it is another sample. */
static const struct walk_record *as_chain(const struct perf_event_header *h)
{
	const struct walk_record *r = (const void *)(h + 1);

	return h->size >= sizeof(*h) + offsetof(struct walk_record, ips) && r->magic == WALK_MAGIC ? r : NULL;
}

static void keep(struct waiting *w, const struct walk_record *r)
{
	if (w->nr == MAX_NESTED) {
		memmove(&w->chains[0], &w->chains[1], sizeof(w->chains) - sizeof(w->chains[0]));
		w->nr--;
	}
	memcpy(&w->chains[w->nr++], r, offsetof(struct walk_record, ips) + min(r->nr, (u32)WALK_MAX_FRAMES) * sizeof(u64));
}

/* Return: whether it was written with the callchain that waits for it. */
static bool join(struct frames *f, struct waiting *w, const struct perf_event_header *h)
{
	const struct event *ev = event_list_find(&f->events, h);
	struct callchain cc = { .nr_spans = 1, .user_half = USER_HALF_UNWOUND };
	const struct walk_record *r;
	struct sample s;

	if (!w->nr || !ev || !f->specs->v[ev->idx]->is_bpf || sample_decode(ev, h, 0, &s))
		return false;
	r = &w->chains[--w->nr];
	cc.spans[0] = (struct chain_span){ .ips = r->ips, .nr = r->nr };
	plain_sample(&f->out, &s, &cc, &f->plan);
	f->joined++;
	f->ended[min(r->ended, (u32)WALK_CUT)]++;
	return true;
}

const struct outbuf *frames_join(struct frames *f, u32 ring, const struct iovec *iov, u32 nr)
{
	struct span_walk walk = { .iov = iov, .nr = nr };
	struct waiting *w = &f->rings[ring];
	const struct perf_event_header *h;

	f->out.pos = f->out.base;
	while ((h = span_record(&walk, true, f->room))) {
		if (h->type == PERF_RECORD_SAMPLE) {
			if (as_chain(h)) {
				keep(w, as_chain(h));
				continue;
			}
			if (join(f, w, h))
				continue;
		} else if (record_lost(h)) {
			w->nr = 0;
		}
		outbuf_write(&f->out, h, h->size);
	}
	return &f->out;
}

void frames_text(const struct frames *f, struct outbuf *o)
{
	u64 unsent = bpf_walk_unsent(f->walk);

	diag_info(1, "%llu user callchains were walked by BPF, %llu are cut", f->joined, f->joined - f->ended[WALK_WHOLE]);
	if (unsent)
		outbuf_printf(o, "%llu user callchains are by frame pointers alone, as the buffers had no room for others. "
			      "Larger ones (-m) or fewer samples (lower -F, higher -c) help\n", unsent);
}

/* Every event that wants it runs the program; callchains go into the buffers of its samples. */
static int attach(const struct record_options *opts, const struct rings *rings, struct bpf_walk *walk)
{
	u32 n = rings->cpus.nr * rings->threads.nr, i, j;
	int err = 0;

	for (i = 0; i < rings->nr && !err; i++)
		err = bpf_walk_buffer(walk, rings->v[i].cpu, rings->v[i].fd, &opts->specs.v[0]->attr);
	if (err)
		return diag_error("--call-graph bpf: the kernel's buffers cannot take callchains: %s", strerror(-err));
	for (i = 0; i < opts->specs.nr; i++) {
		for (j = 0; opts->specs.v[i]->is_bpf && j < n; j++) {
			err = rings->events[i].fds[j] < 0 ? 0 : bpf_walk_attach(walk, rings->events[i].fds[j]);
			if (err)
				return diag_error("--call-graph bpf: %s: the event runs no BPF program: %s",
						  opts->specs.v[i]->name, strerror(-err));
		}
	}
	return 0;
}

int frames_create(const struct record_options *opts, const struct description *desc, struct bpf_walk *walk,
		  struct frames **frames)
{
	struct frames *f;
	u32 i, j;

	*frames = NULL;
	if (!walk)
		return 0;
	if (attach(opts, desc->rings, walk))
		return -1;
	f = xcalloc(1, sizeof(*f));
	f->walk = walk;
	f->specs = &opts->specs;
	f->rings = xcalloc(desc->rings->nr, sizeof(*f->rings));
	f->room = xmalloc(UINT16_MAX + 1);
	outbuf_init(&f->out, -1);
	for (i = 0; i < opts->specs.nr; i++) {
		struct event *ev = event_list_add(&f->events, &opts->specs.v[i]->attr);

		for (j = 0; j < desc->events[i].nr_ids; j++)
			event_add_id(&f->events, ev, desc->events[i].ids[j]);
	}
	*frames = f;
	return 0;
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	outbuf_deinit(&f->out);
	event_list_deinit(&f->events);
	free(f->rings);
	free(f->room);
	free(f);
}

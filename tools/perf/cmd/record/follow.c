// SPDX-License-Identifier: GPL-2.0
/*
 * --switch-output: each file is readable on its own, so it begins with the running tasks, from
 * /proc. FORK and EXIT records tell which of them are measured, as a child may have lost its
 * parent.
 *
 * Tasks change while /proc is read: meanwhile the buffers go to the old file, up to a last round
 * after it, and the new one begins with what was read and a copy of these rounds' side-band
 * records. struct follow owns the list of measured processes and the copied records.
 */
#include <unistd.h>

#include "base/arena.h"
#include "cmd/record/recorder.h"

/* Thread count of a process older than the recording: unknown. */
#define FROM_BEFORE	(1ULL << 32)

void follow_init(struct follow *f, const struct thread_list *threads, bool children)
{
	u32 i;

	*f = (struct follow){ .children = children, .everyone = threads->v[0] == -1 };
	if (f->everyone)
		return;
	for (i = 0; i < threads->nr; i++)
		*hash_insert(&f->processes, synth_process_of(threads->v[i]), 0, NULL) = FROM_BEFORE;
}

void follow_note(struct follow *f, const struct perf_event_header *h)
{
	const u32 *task = (const u32 *)(h + 1);	/* pid, ppid, tid, ptid */
	u64 *threads;

	switch (h->type) {
	case PERF_RECORD_FORK:
		if (!f->everyone && f->children)
			++*hash_insert(&f->processes, task[0], 0, NULL);
		break;
	case PERF_RECORD_EXIT:
		threads = hash_find(&f->processes, task[0], 0);
		if (threads && *threads)
			--*threads;
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_TEXT_POKE:
		break;
	default:
		return;
	}
	if (f->carrying)
		outbuf_write(&f->carry, h, h->size);
}

void follow_list(struct follow *f)
{
	struct hash *h = &f->processes;
	size_t i;

	f->nr_listed = 0;
	for (i = 0; h->nr && i <= h->mask; i++) {
		if (!h->slots[i].used || !h->slots[i].value)
			continue;
		GROW(f->listed, f->nr_listed, f->cap_listed);
		f->listed[f->nr_listed++] = (struct follow_process){ .pid = h->slots[i].a };
	}
}

void follow_synth(struct follow *f, struct synth *s)
{
	struct follow_process *p;
	size_t before;

	for (p = f->listed; p < f->listed + f->nr_listed; p++) {
		before = s->out.pos - s->out.base;
		synth_process(s, p->pid, true);
		p->gone = (size_t)(s->out.pos - s->out.base) == before;
	}
}

void follow_listed(struct follow *f)
{
	u32 i;

	/* A process that exited, and whose EXIT was lost. */
	for (i = 0; i < f->nr_listed; i++)
		if (f->listed[i].gone)
			*hash_insert(&f->processes, f->listed[i].pid, 0, NULL) = 0;
}

void follow_carry(struct follow *f, bool on)
{
	f->carrying = on;
	if (on)
		f->carry.pos = f->carry.base;
}

void follow_deinit(struct follow *f)
{
	hash_deinit(&f->processes);
	free(f->listed);
	outbuf_deinit(&f->carry);
}

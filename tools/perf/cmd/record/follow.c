// SPDX-License-Identifier: GPL-2.0
/*
 * State passed from one file of --switch-output to the next. Each file must be readable on its
 * own, so each begins with the running tasks. They are read from /proc. The FORK and EXIT records
 * determine which of them are measured, since a child may have lost its parent.
 *
 * struct follow owns the list of measured processes and the records copied from one file into the
 * next.
 *
 * Tasks change while /proc is read. The order is therefore: read /proc; write the kernel's buffers
 * to the old file; start the new file with the records from /proc and the side-band records of
 * that last round. A task that started or exited in between is known in both files.
 */
#include <unistd.h>

#include "cmd/record/follow.h"

/* Thread count of a process older than the recording: unknown. */
#define FROM_BEFORE	(1ULL << 32)

void follow_init(struct follow *f, const struct thread_list *threads, bool children)
{
	u32 i;

	*f = (struct follow){ .children = children, .everyone = threads->v[0] == -1 };
	outbuf_init(&f->carry, -1);
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

void follow_synth(struct follow *f, struct synth *s)
{
	struct hash *h = &f->processes;
	struct outbuf *o = &s->out;
	size_t i;

	for (i = 0; h->nr && i <= h->mask; i++) {
		struct hash_slot *slot = &h->slots[i];
		size_t before = o->pos - o->base;

		if (!slot->used || !slot->value)
			continue;
		synth_process(s, slot->a, true);
		if ((size_t)(o->pos - o->base) == before)
			slot->value = 0;	/* exited; its EXIT was lost */
	}
}

void follow_carry(struct follow *f, bool on)
{
	f->carrying = on;
	if (on)
		f->carry.pos = f->carry.base;
}

const struct outbuf *follow_carried(const struct follow *f)
{
	return f->carry.pos > f->carry.base ? &f->carry : NULL;
}

void follow_deinit(struct follow *f)
{
	hash_deinit(&f->processes);
	outbuf_deinit(&f->carry);
}

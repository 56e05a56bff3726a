// SPDX-License-Identifier: GPL-2.0
/*
 * From one file of --switch-output to the next. Each is to be readable by
 * itself, so each begins with the tasks that are there at its beginning. /proc
 * has them; which of them are measured, only the FORK and EXIT records tell,
 * for a child may have lost its parent meanwhile.
 *
 * Reading /proc takes a while and tasks go on. So the order is: /proc is read,
 * then what is in the kernel's buffers goes to the old file, then the new one
 * begins with what /proc said and with the side-band records of that last round.
 * A task that came or went in between is known in both.
 */
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cmd/record/record.h"

/* Threads of a process that was there before us: how many is not known. */
#define FROM_BEFORE	(1ULL << 32)

struct follow {
	struct hash processes;		/* pid -> threads that run */
	struct outbuf carry;
	bool carrying;
};

void follow_begin(struct record *rec)
{
	const struct thread_list *t = &rec->rings.threads;
	struct hash *h;
	u32 i;

	if (!rec->switch_output)
		return;
	rec->follow = xcalloc(1, sizeof(*rec->follow));
	outbuf_init(&rec->follow->carry, -1);
	if (t->v[0] == -1)
		return;			/* all are measured: no list is needed */
	h = &rec->follow->processes;
	for (i = 0; i < t->nr; i++)
		*hash_insert(h, synth_process_of(t->v[i]), 0, NULL) = FROM_BEFORE;
}

void follow_note(struct record *rec, const struct perf_event_header *h)
{
	struct follow *f = rec->follow;
	const u32 *task = (const u32 *)(h + 1);	/* pid, ppid, tid, ptid */
	u64 *threads;

	if (!f)
		return;
	switch (h->type) {
	case PERF_RECORD_FORK:
		if (rec->rings.threads.v[0] != -1 && !rec->ring.per_thread && !rec->ring.no_inherit)
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

void follow_synth(struct record *rec, struct synth *s)
{
	struct hash *h = &rec->follow->processes;
	struct outbuf *o = &s->out;
	size_t i;

	for (i = 0; h->nr && i <= h->mask; i++) {
		struct hash_slot *slot = &h->slots[i];
		size_t before = o->pos - o->base;

		if (!slot->used || !slot->value)
			continue;
		synth_process(s, slot->a, true);
		if ((size_t)(o->pos - o->base) == before)
			slot->value = 0;	/* gone, whatever its EXIT was lost to */
	}
}

void follow_carry(struct record *rec, bool on)
{
	rec->follow->carrying = on;
	if (on)
		rec->follow->carry.pos = rec->follow->carry.base;
}

const struct outbuf *follow_carried(struct record *rec)
{
	return rec->follow && rec->follow->carry.pos > rec->follow->carry.base ? &rec->follow->carry : NULL;
}

void follow_end(struct record *rec)
{
	if (!rec->follow)
		return;
	hash_deinit(&rec->follow->processes);
	outbuf_deinit(&rec->follow->carry);
	free(rec->follow);
	rec->follow = NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz-live PERF.DATA...: recordings whose copied stacks, registers and mappings are damaged, through the stage of
 * perf record --call-graph live, in one process built with AddressSanitizer and UndefinedBehaviorSanitizer. TAP.
 * A measured program decides these; the rest of a record is the kernel's.
 *
 * FUZZ_SEED and FUZZ_FLIPS search further than the test does.
 *
 * What must hold: no report of the sanitizers (they abort); as many records come out as went in, each whole.
 */
#include "base/diag.h"
#include "base/error.h"
#include "random.h"
#include "stage.h"

#define TURNS 40
#define FIELDS 64		/* bytes of a sample beside its callchain, at most */

/* @long_chains: set to the samples with more than ten addresses in their callchains */
static u64 records_in(const struct outbuf *o, u64 *long_chains)
{
	const struct perf_event_header *h;
	const char *p = o->base;
	u64 nr = 0;

	*long_chains = 0;
	for (; o->pos - p >= (long)sizeof(*h); p += h->size, nr++) {
		h = (const struct perf_event_header *)p;
		if (h->size < sizeof(*h) || h->size > o->pos - p)
			return -1;
		*long_chains += h->type == PERF_RECORD_SAMPLE && h->size > FIELDS + 10 * sizeof(u64);
	}
	return p == o->pos ? nr : (u64)-1;
}

/* Damage what a program decides of the record at @h, a copy of that at @rec. */
static void damage(struct perf_event_header *h, const struct event *ev, const struct record *rec)
{
	struct sample s;

	if (rec->header->type == PERF_RECORD_MMAP || rec->header->type == PERF_RECORD_MMAP2) {
		fuzz_damage((u8 *)h + 16, 24);		/* address, length, offset */
		return;
	}
	if (rec->header->type != PERF_RECORD_SAMPLE || sample_decode(ev, rec->header, rec->offset, &s) || !s.user_regs.mask)
		return;
	fuzz_damage((u8 *)h + ((u8 *)s.user_regs.regs - (u8 *)rec->header), 8 * __builtin_popcountll(s.user_regs.mask));
	if (s.user_stack_size)
		fuzz_damage((u8 *)h + ((u8 *)s.user_stack - (u8 *)rec->header), s.user_stack_size);
}

/* Return: what is wrong, or NULL. @turn: 0: nothing is damaged */
static const char *check(struct reader *r, u32 turn)
{
	const struct event *ev = r->events.events[0];
	const char *why = NULL;
	struct outbuf round;
	struct record rec;
	u64 nr = 0, long_chains;
	struct stage s;

	stage_make(&s, ev);
	outbuf_init(&round);
	if (live_begin(s.live, &round))
		abort();
	while (reader_next(r, &rec)) {
		if (rec.header->type >= REC_HEADER_ATTR && rec.header->type != REC_FINISHED_ROUND)
			continue;
		outbuf_write(&round, rec.header, rec.header->size);
		if (turn && rnd() & 1)
			damage((struct perf_event_header *)(round.pos - rec.header->size), ev, &rec);
		if (++nr % (turn % 9 + 2) == 0)
			stage_give(&s, &round, turn + nr);
	}
	stage_give(&s, &round, 0);
	stage_end(&s);
	if (records_in(&s.out, &long_chains) != nr)
		why = "not the records that went in";
	else if (!turn && long_chains < 10)
		why = "too few callchains to damage";
	stage_free(&s);
	outbuf_deinit(&round);
	return why;
}

int main(int argc, char **argv)
{
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");
	int turns = fuzz_flips(TURNS), failed = 0, i, j;
	const char *why;
	struct reader *r;

	fuzz_seed();
	fprintf(out, "1..%d\n", argc - 1);
	fflush(out);
	for (i = 1; i < argc; i++) {
		if (error_report(reader_open(argv[i], true, &r)))
			return 1;
		why = r->events.nr == 1 ? NULL : "more than one event";
		for (j = 0; j < turns && !why; j++) {
			why = check(r, j);
			if (!why && reader_rewind(r))
				why = "it cannot be read again";
		}
		failed |= why != NULL;
		fuzz_result(out, i, "damaged", argv[i], why);
		reader_close(r);
	}
	fclose(out);
	return failed;
}

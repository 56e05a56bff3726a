// SPDX-License-Identifier: GPL-2.0
/*
 * The lines at the end of a report that name what would make the profile better: missing symbols,
 * missing frame pointers, lost records, a clock as the only event. A hint is printed only when
 * the recording shows that it applies.
 */
#include <stdarg.h>
#include <stdio.h>

#include "cmd/chain_end.h"
#include "cmd/report/report.h"
#include "symbol/dso.h"

static void hint(struct outbuf *o, const char *fmt, ...) __printf(2, 3);

static void hint(struct outbuf *o, const char *fmt, ...)
{
	char s[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	outbuf_printf(o, "# (Tip: %s)\n", s);
}

/* The files that samples were taken in. */
struct file_counts {
	struct hist_file *v;
	u32 nr;
	u64 samples;
	u64 ends, cut;		/* user callchains: all, and those that were cut */
	u64 nowhere;		/* these end in no file: cut, too, where others are */
	u64 most_cut;		/* in one file ... */
	struct dso *most_cut_in;	/* ... this one; NULL: none was cut */
};

struct end_counts {
	struct chain_ends *ends;
	struct file_counts *f;
	struct hash by_dso;	/* callchains that were cut in a file */
};

/* Most of a profile's callchains end at a few places. */
static void count_end(void *ctx, const struct hist_end *end)
{
	/* Only in an innermost frame it is no return address: one in a thousand. */
	struct end_counts *c = ctx;
	u64 cut = chain_end_is_start(end->dso) ? end->single : end->nr, *in_file;

	c->f->ends += end->nr;
	switch (chain_end(c->ends, end->dso, end->off, true)) {
	case CHAIN_NOWHERE:
		c->f->nowhere += cut;
		break;
	case CHAIN_CUT:
		c->f->cut += cut;
		in_file = hash_insert(&c->by_dso, (uintptr_t)end->dso, 0, NULL);
		*in_file += cut;
		if (*in_file > c->f->most_cut) {
			c->f->most_cut = *in_file;
			c->f->most_cut_in = end->dso;
		}
		break;
	default:
		break;
	}
}

static void count_cut(const struct report *r, struct file_counts *f)
{
	struct end_counts c = { .ends = chain_ends_create(), .f = f };

	hists_ends(r->hists, r->session->events->nr, count_end, &c);
	chain_ends_destroy(c.ends);
	hash_deinit(&c.by_dso);
}

static void hint_symbols(const struct file_counts *f, struct outbuf *o)
{
	u64 without = 0, hidden = 0, worst = 0;
	struct dso *d = NULL;
	const char *why;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		why = f->v[i].samples ? dso_why_no_symbols(f->v[i].dso) : NULL;
		if (!why)
			continue;
		if (!strcmp(why, DSO_KERNEL_HIDDEN)) {
			hidden += f->v[i].samples;
			continue;
		}
		without += f->v[i].samples;
		if (f->v[i].samples > worst) {
			worst = f->v[i].samples;
			d = f->v[i].dso;
		}
	}
	if (hidden)
		hint(o, "the kernel's symbols are hidden from %.0f %% of the samples: as root, sysctl "
		     "kernel.kptr_restrict=0, or give --kallsyms or -k vmlinux",
		     100.0 * hidden / f->samples);
	if (!d || 100 * without < f->samples)
		return;
	why = dso_why_no_symbols(d);
	if (d->build_id_size) {
		char id[41];

		for (i = 0; i < d->build_id_size; i++)
			sprintf(id + 2 * i, "%02x", d->build_id[i]);
		hint(o, "%.0f %% of the samples are in files without symbols, most in %s (%s): "
		     "install its debug package or the file with build-id %s",
		     100.0 * without / f->samples, d->name, why, id);
	} else {
		hint(o, "%.0f %% of the samples are in files without symbols, most in %s (%s)",
		     100.0 * without / f->samples, d->name, why);
	}
}

/*
 * Callchains that were cut hide who called whom: this matters most. Return: whether there are
 * such.
 */
static bool hint_cut(const struct report *r, const struct file_counts *f, struct outbuf *o)
{
	const struct event_list *list = r->session->events;
	bool defers = false;
	char how[128];
	u32 i;

	if (f->cut < 10 || 100 * f->cut <= f->ends)
		return false;
	for (i = 0; i < list->nr; i++)
		defers |= !!(attr_flags(&list->events[i]->attr) & ATTR_DEFER_CALLCHAIN);
	if (list->sample_type & PERF_SAMPLE_STACK_USER)
		snprintf(how, sizeof(how), "record larger copies of the stack (--call-graph dwarf,SIZE)");
	else if (defers)
		snprintf(how, sizeof(how), "record with --call-graph table; where that was done, perf unwind "
			 "FILE says what its table has");
	else
		snprintf(how, sizeof(how), "without frame pointers they need --call-graph table, or dwarf where "
			 "the kernel takes no unwind tables");
	hint(o, "%.0f %% of the user stacks are cut, most in %s: %s", 100.0 * (f->cut + f->nowhere) / f->ends,
	     f->most_cut_in->name, how);
	return true;
}

/* Only code that keeps a frame pointer can be unwound by it. */
static void hint_frame_pointers(const struct file_counts *f, struct outbuf *o)
{
	const struct hist_file *worst = NULL;
	const struct dso *d = NULL;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		const struct hist_file *c = &f->v[i];

		if (c->chains < 10 || 2 * c->single_chains <= c->chains ||
		    (worst && c->single_chains <= worst->single_chains))
			continue;
		worst = c;
		d = f->v[i].dso;
	}
	if (worst)
		hint(o, "%.0f %% of the user stacks in %s are one frame long: it seems to be built "
		     "without frame pointers, which perf record --call-graph dwarf does not need",
		     100.0 * worst->single_chains / worst->chains, d->name);
}

static void hint_files(const struct report *r, struct outbuf *o)
{
	struct file_counts f = { 0 };
	bool cut;

	f.nr = hists_files(r->hists, r->session->events->nr, &f.v, &f.samples);
	count_cut(r, &f);
	cut = hint_cut(r, &f, o);
	hint_symbols(&f, o);
	if (!cut && !(r->session->events->sample_type & PERF_SAMPLE_STACK_USER))
		hint_frame_pointers(&f, o);
	free(f.v);
}

void report_hints(struct report *r, struct outbuf *o)
{
	const struct session_stats *st = &r->session->stats;
	const struct event_list *list = r->session->events;
	bool clock_only = list->nr > 0;
	u32 i;

	hint_files(r, o);
	if (st->lost_events || st->lost_samples)
		hint(o, "%llu records were lost: record with a larger buffer (-m) or a lower "
		     "frequency (-F)", max(st->lost_events, st->lost_samples));
	for (i = 0; i < list->nr; i++)
		clock_only &= list->events[i]->attr.type == PERF_TYPE_SOFTWARE &&
			      (list->events[i]->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
			       list->events[i]->attr.config == PERF_COUNT_SW_TASK_CLOCK ||
			       list->events[i]->attr.config == PERF_COUNT_SW_DUMMY);
	if (clock_only)
		hint(o, "a clock was the only event: it shows time, not cycles or cache misses, and "
		     "parts that run with interrupts off where they end");
}

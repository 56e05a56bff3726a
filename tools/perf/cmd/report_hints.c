// SPDX-License-Identifier: GPL-2.0
/*
 * report_hints.c - what would make the profile better, one line each, only when true
 */
#include <stdarg.h>
#include <stdio.h>

#include "cmd/report.h"

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

/* Samples of the event's own rows in files without any symbols. */
static void hint_symbols(struct report *r, struct outbuf *o)
{
	struct hash by_dso = { 0 };
	u64 total = 0, without = 0, worst = 0;
	struct dso *worst_dso = NULL;
	const char *why = NULL;
	size_t i;
	u32 e;

	for (e = 0; e < r->session->events->nr; e++) {
		const struct hists *h = &r->hists[e];

		for (i = 0; i < h->nr_entries; i++) {
			const struct dso *d = h->env->fkey_dso[h->entries[i].fkey];

			total += h->entries[i].nr;
			if (d)
				*hash_insert(&by_dso, (uintptr_t)d, 0, NULL) += h->entries[i].nr;
		}
	}
	for (i = 0; by_dso.slots && i <= by_dso.mask; i++) {
		struct dso *d = (struct dso *)(uintptr_t)by_dso.slots[i].a;

		if (!by_dso.slots[i].used || !dso_why_no_symbols(d))
			continue;
		without += by_dso.slots[i].value;
		if (by_dso.slots[i].value > worst) {
			worst = by_dso.slots[i].value;
			worst_dso = d;
			why = dso_why_no_symbols(d);
		}
	}
	hash_deinit(&by_dso);
	if (!worst_dso || 100 * without < total)
		return;
	if (worst_dso->kind == DSO_KERNEL && strstr(why, "kptr_restrict")) {
		hint(o, "kernel symbols are hidden: as root, sysctl kernel.kptr_restrict=0, or give "
		     "--kallsyms or -k vmlinux");
		return;
	}
	if (worst_dso->build_id_size) {
		char id[41];

		for (i = 0; i < worst_dso->build_id_size; i++)
			sprintf(id + 2 * i, "%02x", worst_dso->build_id[i]);
		hint(o, "%.0f %% of the samples are in files without symbols, most in %s (%s): "
		     "install its debug package or the file with build-id %s",
		     100.0 * without / total, worst_dso->name, why, id);
	} else {
		hint(o, "%.0f %% of the samples are in files without symbols, most in %s (%s)",
		     100.0 * without / total, worst_dso->name, why);
	}
}

void report_hints(struct report *r, struct outbuf *o)
{
	const struct session_stats *st = &r->session->stats;
	const struct event_list *list = r->session->events;
	bool clock_only = list->nr > 0, stacks = list->sample_type & PERF_SAMPLE_STACK_USER;
	u32 i;

	hint_symbols(r, o);
	if (r->user_chains >= 10 && !stacks && 2 * r->short_user_chains > r->user_chains)
		hint(o, "%.0f %% of the user stacks are one frame long: programs built without frame "
		     "pointers want perf record --call-graph dwarf",
		     100.0 * r->short_user_chains / r->user_chains);
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

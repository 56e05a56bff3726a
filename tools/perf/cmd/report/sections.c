// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of a report: groups the events by table and creates its title. The input is a report
 * with its rows. The caller owns the array of a section's histograms.
 */
#include "base/arena.h"
#include "cmd/report/report.h"

/* Collect the group members shown with an event. Return: their number; 0: shown with the leader. */
static u32 members_of(const struct report_run *r, u32 first, struct hists ***members)
{
	const struct event_list *list = r->session->events;
	u32 end = first + max(list->events[first]->group_members, 1u), i, nr = 0;
	bool all = r->opt->group > 0;

	/* --group makes one group of all events if there is none. */
	for (i = 0; all && i < list->nr; i++)
		all = list->events[i]->leader == i;
	if (all)
		end = first ? first : list->nr;
	else if (!r->opt->group)
		end = first + 1;
	*members = xcalloc(max(end - first, 1u), sizeof(**members));
	for (i = first; i < end; i++)
		if (all || !r->opt->group || list->events[i]->leader == first)
			(*members)[nr++] = r->hists[i];
	return nr;
}

/* As in mainline, the title says group even if empty members are omitted. */
static void put_group_title(const struct report_run *r, const struct event *leader, bool many,
			    struct hists **members, u32 nr, struct outbuf *o)
{
	bool real = leader->group_members > 1;
	u32 i;

	outbuf_puts(o, many ? "events '" : "event '");
	if (many && real)
		outbuf_printf(o, "%s { ", leader->group_name ? leader->group_name : "anon group");
	for (i = 0; i < nr; i++)
		outbuf_printf(o, "%s%s", i ? ", " : "", hists_event_name(members[i]));
	outbuf_puts(o, many && real ? " }'" : "'");
	if (r->filter.time)
		outbuf_printf(o, " (time slices: %s)", r->filter.time);
}

void report_account(const struct report_run *r, struct outbuf *o)
{
	const struct deferred_account *d = &r->session->stats.deferred;

	if (!d->deferred && !d->records)
		return;
	outbuf_printf(o, "# Deferred callchains: %llu asked for, %llu joined, %llu never returned "
		      "to user space, %llu lost, %llu unreadable; %llu records, %llu of no sample\n",
		      d->deferred, d->joined, d->never_returned, d->lost, d->unreadable,
		      d->records, d->orphan_records);
}

struct report_section report_section(const struct report_run *r, u32 event, struct outbuf *title)
{
	struct report_section s = { 0 };
	const struct event *leader;
	u64 samples = 0;
	u32 m, all;

	s.nr = members_of(r, event, &s.members);
	for (m = 0; m < s.nr; m++)
		samples += s.members[m]->total.nr;
	if (!samples && r->opt->skip_empty)
		s.nr = 0;
	if (!s.nr)
		return s;
	leader = s.members[0]->event;
	for (all = s.nr, s.nr = 0, m = 0; m < all; m++)
		if (s.members[m]->total.nr || !r->opt->skip_empty)
			s.members[s.nr++] = s.members[m];
	if (s.nr > 1)
		hists_link(s.members, s.nr);
	hists_sort(s.members[0], &r->cols, s.nr, r->opt->group_sort_idx);
	put_group_title(r, leader, all > 1, s.members, s.nr, title);
	return s;
}

void report_print_section(struct report_run *r, u32 event, struct outfile *o)
{
	struct stdio_view v = { .cols = &r->cols, .opt = &r->stdio, .out = o };
	struct report_section s;
	_cleanup_outbuf_ struct outbuf title = { 0 };

	s = report_section(r, event, &title);
	v.members = s.members;
	v.nr = s.nr;
	v.title = outbuf_text(&title);
	if (s.nr)
		stdio_print(&v);
	free(s.members);
}

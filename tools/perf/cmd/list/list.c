// SPDX-License-Identifier: GPL-2.0
/*
 * perf list: the events that -e accepts on this machine, from the kernel's tables, sysfs,
 * libpfm4's tables and tracefs. Each is printed when found; owns nothing.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "base/argparse.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "event/pmu.h"
#include "spec/names.h"

/* The selection of events: kinds, and a glob or part of a name. */
struct listing {
	const char *pattern;
	u32 shown;
	bool what, details;		/* --desc, --details */
	struct outbuf *json;		/* NULL: as text */
	bool first;			/* the JSON array is empty so far */
	bool counters;			/* the CPUs have a PMU */
};

static bool wanted(const struct listing *l, const char *name)
{
	return !l->pattern || !fnmatch(l->pattern, name, FNM_CASEFOLD) ||
	       (!strpbrk(l->pattern, "*?[") && strcasestr(name, l->pattern));
}

static void put_member(struct outbuf *o, const char *key, const char *value)
{
	outbuf_printf(o, "\t\"%s\": ", key);
	json_string(o, value);
}

/* An event. @what: its description (NULL: unknown). @details: an equivalent for -e. */
struct shown {
	const char *name, *alias, *kind, *what, *details;
};

/* Print an event as a JSON object with the keys of mainline's perf list -j. */
static void show_json(struct listing *l, const struct shown *e)
{
	const struct { const char *key, *value; } members[] = {
		{ "EventAlias", e->alias }, { "EventType", e->kind },
		{ "BriefDescription", l->what ? e->what : NULL },
		{ "Encoding", l->details ? e->details : NULL },
	};
	u32 i;

	outbuf_puts(l->json, l->first ? "{\n" : ",\n{\n");
	l->first = false;
	put_member(l->json, "EventName", e->name);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		if (!members[i].value)
			continue;
		outbuf_puts(l->json, ",\n");
		put_member(l->json, members[i].key, members[i].value);
	}
	outbuf_puts(l->json, "\n}");
}

static void show_event(struct listing *l, const struct shown *e)
{
	char text[1024];

	if (!wanted(l, e->name) && !(e->alias && wanted(l, e->alias)))
		return;
	l->shown++;
	if (l->json) {
		show_json(l, e);
		return;
	}
	snprintf(text, sizeof(text), e->alias ? "%s OR %s" : "%s", e->name, e->alias);
	printf("  %-50s [%s]\n", text, e->kind);
	if (l->what && e->what)
		printf("       %s\n", e->what);
	if (l->details && e->details)
		printf("       %s\n", e->details);
}

/* @e: with no details yet: those of type and number */
static void show(struct listing *l, struct shown e, u32 type, u64 config)
{
	char details[64];

	snprintf(details, sizeof(details), "type=%u,config=%#llx", type, config);
	e.details = details;
	show_event(l, &e);
}

static void show_names(struct listing *l, u32 type, const char *kind)
{
	const struct event_name *e;

	for (e = event_names; e->name; e++)
		if (e->type == type)
			show(l, (struct shown){ e->name, e->alias, kind, e->what, NULL }, type,
			     e->config);
}

static void show_cache(const char *name, u64 config, void *arg)
{
	show(arg, (struct shown){ .name = name, .kind = "Hardware cache event" },
	     PERF_TYPE_HW_CACHE, config);
}

static void show_vendor_event(const char *name, const char *pmu, const char *what, void *arg)
{
	struct perf_event_attr attr = { 0 };
	const char *why;
	char kind[128], details[128];

	/* This cannot fail: the event was just encoded. */
	pfm_event(name, &attr, &why);
	snprintf(kind, sizeof(kind), "Hardware event of %s", pmu);
	snprintf(details, sizeof(details), "type=%u,config=%#llx,config1=%#llx", attr.type, attr.config, attr.config1);
	show_event(arg, &(struct shown){ name, NULL, kind, what, details });
}

static void show_pmu_event(const char *pmu, const char *event, const char *terms, void *arg)
{
	char name[256], details[1024];

	snprintf(name, sizeof(name), "%s/%s/", pmu, event);
	snprintf(details, sizeof(details), "%s/%s/", pmu, terms);
	show_event(arg, &(struct shown){ name, NULL, "Kernel PMU event", NULL, details });
}

static void show_pmu(const char *name, u32 type __unused, void *arg)
{
	char terms[512], text[700];

	pmu_event_each(name, show_pmu_event, arg);
	if (!strcmp(name, "software") || !strcmp(name, "tracepoint") || !strcmp(name, "breakpoint"))
		return;
	pmu_terms_text(name, terms, sizeof(terms));
	snprintf(text, sizeof(text), "%s/%s/modifier", name, terms);
	show_event(arg, &(struct shown){ text, NULL, "Raw hardware event descriptor", NULL, NULL });
}

static int show_tracepoint(const char *system, const char *name, u64 id, void *arg)
{
	char text[256];

	snprintf(text, sizeof(text), "%s:%s", system, name);
	show(arg, (struct shown){ .name = text, .kind = "Tracepoint event" },
	     PERF_TYPE_TRACEPOINT, id);
	return 0;
}

static void list_tracepoints(struct listing *l)
{
	int nr = tracepoint_each("*", "*", show_tracepoint, l);
	char why[1024];

	if (nr < 0)
		diag_warn("tracepoints can't be listed: %s", tracefs_why(nr, why, sizeof(why)));
}

/* The kinds of events, in the order of the list. */
enum { HARDWARE, SOFTWARE, CACHES, PMUS, VENDOR, TRACEPOINTS, NR_KINDS };

static const struct { const char *word, *also; } kinds[NR_KINDS] = {
	[HARDWARE] = { "hw", "hardware" }, [SOFTWARE] = { "sw", "software" },
	[CACHES] = { "cache", "hwcache" }, [PMUS] = { "pmu", "pmu" }, [VENDOR] = { "pfm", "pfm" },
	[TRACEPOINTS] = { "tracepoint", "tracepoint" },
};

static void list_kind(struct listing *l, u32 kind)
{
	if (kind == HARDWARE && l->counters)
		show_names(l, PERF_TYPE_HARDWARE, "Hardware event");
	else if (kind == SOFTWARE)
		show_names(l, PERF_TYPE_SOFTWARE, "Software event");
	else if (kind == CACHES && l->counters)
		cache_names_each(show_cache, l);
	else if (kind == PMUS)
		pmu_each(show_pmu, l);
	/* The variable is for looking up another machine's events. */
	else if (kind == VENDOR && (l->counters || getenv("LIBPFM_FORCE_PMU")))
		pfm_event_each(show_vendor_event, l);
	else if (kind == TRACEPOINTS)
		list_tracepoints(l);
}

static const char no_counters[] = "hardware events are not listed: the kernel has no PMU for the counters of the CPUs";

static void list_one(struct listing *l, const char *word)
{
	u32 i;

	l->pattern = NULL;
	l->shown = 0;
	for (i = 0; word && i < NR_KINDS; i++) {
		if (strcmp(word, kinds[i].word) && strcmp(word, kinds[i].also))
			continue;
		list_kind(l, i);
		if (!l->shown && !l->counters && i != TRACEPOINTS)
			diag_warn("%s: %s", word, no_counters);
		return;
	}
	l->pattern = word;
	for (i = 0; i < NR_KINDS; i++) {
		if (!word && !l->json && i == TRACEPOINTS) {
			if (l->counters)
				printf("  %-50s [Raw hardware event descriptor]\n", "rNNN");
			printf("  %-50s [Hardware breakpoint]\n", "mem:<addr>[/len][:access]");
		}
		list_kind(l, i);
	}
	if (word && !l->shown)
		diag_warn("no event matches '%s'%s%s", word, l->counters ? "" : "; ",
			  l->counters ? "" : no_counters);
}

int cmd_list(int argc, char **argv)
{
	struct listing l = { .first = true, .counters = core_counters() };
	struct outfile out;
	bool json = false;
	const struct opt opts[] = {
		{ OPT_BOOL, 'j', "json", &json, .help = "as a JSON array" },
		{ OPT_BOOL, 'd', "desc", &l.what, .help = "a description of each event, if known" },
		{ OPT_BOOL, 0, "long-desc", &l.what, .help = "the same", .hidden = true },
		{ OPT_BOOL, 0, "details", &l.details, .help = "the numbers or terms of each name" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "say more" },
		{ .kind = OPT_END },
	};
	int i;

	if (error_report(argparse(argc, argv, opts,
				  "perf list [hw|sw|cache|pmu|pfm|tracepoint|GLOB|PART]...", false, &i)))
		return 129;
	outfile_init(&out, STDOUT_FILENO);
	if (json) {
		l.json = &out.text;
		outbuf_puts(&out.text, "[\n");
	}
	if (i == argc)
		list_one(&l, NULL);
	for (; i < argc; i++)
		list_one(&l, argv[i]);
	if (json)
		outbuf_puts(&out.text, "\n]\n");
	outfile_deinit(&out);
	return 0;
}

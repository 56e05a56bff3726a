/* SPDX-License-Identifier: GPL-2.0 */
/* Sample filters: options that perf report and perf script share. */
#ifndef PERF_SESSION_FILTER_H
#define PERF_SESSION_FILTER_H

#include "base/argparse.h"
#include "event/event.h"
#include "event/sample.h"
#include "session/session.h"

struct event_switch {
	const char *on, *off;	/* event names; NULL: not given */
	bool show;		/* show samples of the two events too */
};

struct name_list {
	char **names;		/* sorted */
	u32 nr, cap;
	const char *arg;	/* as given; NULL: not given */
};

/*
 * name_list_parse - replace @l by "a,b,file://names", split by list_entry(); @arg: outlives it;
 * @option: for messages. Return: NULL, or an error.
 */
struct error *name_list_parse(const char *option, const char *arg, struct name_list *l);
bool name_list_has(const struct name_list *l, const char *name);

/* name_list_has_function - true if a function is listed, with or without parameters */
bool name_list_has_function(const struct name_list *l, const char *shown);
void name_list_deinit(struct name_list *l);

struct number_span {
	u64 from, to;		/* both inclusive */
};

/* Numbers: spans, ascending and disjoint. */
struct number_list {
	struct number_span *spans;
	u32 nr, cap;
	const char *arg;	/* as given; NULL: not given */
};

/* number_list_parse - replace @l by "1,3-5", or "-1", a task unknown to the kernel; or an error */
struct error *number_list_parse(const char *option, const char *arg, struct number_list *l);
bool number_list_has(const struct number_list *l, u64 v);
void number_list_deinit(struct number_list *l);

/*
 * time_list_parse - parse --time: "start,stop" in seconds, each may be empty (or a stop of 0); or
 * "10%" (the first tenth), "10%/2" (the second), "0%-10%"; several separated by blanks or, of
 * percentages, commas. @first, @last: times of samples in ns; -1: unknown. Return: NULL, or an
 * error.
 */
struct error *time_list_parse(const char *arg, u64 first, u64 last, struct number_list *l);

/* The options; zeroed: every sample passes. */
struct filter {
	struct name_list comms, cgroups, dsos, symbols;
	struct number_list pids, tids, cpus;
	struct number_list parallelism;	/* perf report only */
	struct number_list times;	/* set by filter_setup() */
	const char *time;		/* as given; NULL: not given */
	struct event_switch between;	/* perf report and perf script */
	u64 addr_range;			/* bytes */
	u64 *addresses;			/* numeric -S arguments, ascending; set by filter_setup() */
	u32 nr_addresses;
};

/* Options for a struct filter @f; @d: short name of --dsos; 0: none */
#define FILTER_OPTIONS(f, d)								\
	{ OPT_CALLBACK, 'c', "comms", &(f).comms, "name,...",				\
	  "of tasks with these names", .call = filter_opt_names },			\
	{ OPT_CALLBACK, 0, "cgroups", &(f).cgroups, "name,...", "in these cgroups",	\
	  .call = filter_opt_names },							\
	{ OPT_CALLBACK, d, "dsos", &(f).dsos, "name,...", "in these files",		\
	  .call = filter_opt_names },							\
	{ OPT_CALLBACK, 'S', "symbols", &(f).symbols, "name,...",			\
	  "in these functions or at these addresses", .call = filter_opt_names },	\
	{ OPT_U64, 0, "addr-range", &(f).addr_range, "bytes",				\
	  .help = "with -S ADDRESS: so many bytes from there" },				\
	{ OPT_CALLBACK, 0, "pid", &(f).pids, "pid,...", "of these processes",		\
	  .call = filter_opt_numbers },							\
	{ OPT_CALLBACK, 0, "tid", &(f).tids, "tid,...", "of these threads",		\
	  .call = filter_opt_numbers },							\
	{ OPT_CALLBACK, 'C', "cpu", &(f).cpus, "cpu,...", "on these CPUs: 0,2-3",	\
	  .call = filter_opt_numbers },							\
	{ OPT_STRING, 0, "time", &(f).time, "start,stop",				\
	  .help = "in this time (seconds), or this part: 10%, 10%/2, 0%-10%" }

struct error *filter_opt_names(const struct opt *opt, const char *arg, bool unset);
struct error *filter_opt_numbers(const struct opt *opt, const char *arg, bool unset);

/* filter_setup - resolve the options for a recording. Return: NULL, or an error: it lacks data. */
struct error *filter_setup(struct filter *f, const struct session *s);
void filter_deinit(struct filter *f);

/* filter_forget - free the results of filter_setup() in a copy of a filter; the options remain */
void filter_forget(struct filter *f);

/* filter_given - true if any filter option was given */
bool filter_given(const struct filter *f);

/* filter_sample - check a sample's time and CPU. Samples that fail are excluded from totals too. */
static inline bool filter_sample(const struct filter *f, const struct sample *s)
{
	return (!f->times.arg || number_list_has(&f->times, s->time)) &&
	       (!f->cpus.arg || number_list_has(&f->cpus, s->cpu));
}

/* filter_cgroup - does a timeline_cgroup_name(), or a directory of it, match --cgroups? */
bool filter_cgroup(const struct filter *f, const char *path);

/* filter_task - check a sample's process, thread, parallelism and, if the filter has some, names */
static inline bool filter_task(const struct filter *f, const struct sample *s, const char *comm, const char *cgroup)
{
	return (!f->pids.arg || number_list_has(&f->pids, s->pid)) &&
	       (!f->tids.arg || number_list_has(&f->tids, s->tid)) &&
	       (!f->parallelism.arg || number_list_has(&f->parallelism, s->parallelism)) &&
	       (!f->comms.arg || name_list_has(&f->comms, comm)) &&
	       (!f->cgroups.arg || filter_cgroup(f, cgroup));
}

/* filter_wants_frame - true if filter_frame() depends on the frame */
static inline bool filter_wants_frame(const struct filter *f)
{
	return f->dsos.arg || f->symbols.arg;
}

/*
 * filter_frame - check a frame's file and function, or for a numeric -S its address and its
 * function's; @inl: an inlined function instead of the frame's own; NULL: none
 */
bool filter_frame(const struct filter *f, const struct frame *fr, const struct inline_frame *inl);

/* filter_visit - apply the whole filter to a sample; @frames: to look up its frame */
bool filter_visit(const struct filter *f, struct frame_cache *frames, const struct visit *v);

/* filter_nothing_passed - the error for an empty result; @more: options, each behind a blank */
struct error *filter_nothing_passed(const struct filter *f, const struct session *s, const char *more);

/* Entries for a command's option table. @s: its struct event_switch */
#define EVENT_SWITCH_OPTIONS(s)								\
	{ OPT_STRING, 0, "switch-on", &(s).on, "event",					\
	  .help = "Only from where this event comes" },					\
	{ OPT_STRING, 0, "switch-off", &(s).off, "event",				\
	  .help = "Only up to where this event comes" },				\
	{ OPT_BOOL, 0, "show-on-off-events", &(s).show, .help = "These two, too" }

static inline bool event_switch_given(const struct event_switch *s)
{
	return s->on || s->off;
}

/*
 * event_switch_passes - is a sample between the two events? For every sample, in time order; @off:
 * state, at first whether @sw->on is given
 */
bool event_switch_passes(const struct event_switch *sw, bool *off, const struct event *ev);

#endif /* PERF_SESSION_FILTER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which samples of a recording a command looks at: the options that perf report and
 * perf script have in common, read in one way and applied with one meaning.
 */
#ifndef PERF_SESSION_FILTER_H
#define PERF_SESSION_FILTER_H

#include "base/argparse.h"
#include "event/sample.h"
#include "session/event_switch.h"
#include "session/session.h"

struct name_list {
	char **names;		/* sorted */
	u32 nr, cap;
	const char *arg;	/* as given; NULL: not given */
};

/**
 * name_list_parse() - read "a,b,file://names"
 * @option: for messages
 * @arg: the list, divided as by list_entry(); an entry file://PATH stands for the lines of that file. Not copied: it must outlive the list
 * @l: the list; all zeroes is an empty one. What it held is replaced
 *
 * Return: NULL, or what is wrong.
 */
struct error *name_list_parse(const char *option, const char *arg, struct name_list *l);
bool name_list_has(const struct name_list *l, const char *name);

/* name_list_has_function - the same of a function, which may stand there without its parameters (function_base()) */
bool name_list_has_function(const struct name_list *l, const char *shown);
void name_list_deinit(struct name_list *l);

struct number_span {
	u64 from, to;		/* both inclusive */
};

/* Numbers: spans, ascending and apart from each other. */
struct number_list {
	struct number_span *spans;
	u32 nr, cap;
	const char *arg;	/* as given; NULL: not given */
};

/**
 * number_list_parse() - read "1,3-5"
 * @option: for messages
 * @arg: decimal numbers and ranges of them; a lone "-1" stands for the number of a task that
 *	 the kernel did not know. Not copied: it must outlive the list
 * @l: the list; all zeroes is an empty one. What it held is replaced
 *
 * Return: NULL, or what is wrong.
 */
struct error *number_list_parse(const char *option, const char *arg, struct number_list *l);
bool number_list_has(const struct number_list *l, u64 v);
void number_list_deinit(struct number_list *l);

/**
 * time_list_parse() - read the argument of --time
 * @arg: "start,stop" in seconds, either end left out (or a stop of 0), several separated by
 *	 blanks; or parts of the recording, "10%" (the first tenth), "10%/2" (the second),
 *	 "0%-10%", several separated by commas or blanks. A part ends before the next one begins.
 *	 Not copied: it must outlive the list
 * @first: time of the recording's first sample, nanoseconds; -1: not known
 * @last: likewise of the last one
 * @l: as for number_list_parse()
 *
 * Return: NULL, or what is wrong.
 */
struct error *time_list_parse(const char *arg, u64 first, u64 last, struct number_list *l);

/* The options; all zeroes: every sample passes. */
struct filter {
	struct name_list comms, dsos, symbols;
	struct number_list pids, tids, cpus;
	struct number_list parallelism;	/* of perf report alone */
	struct number_list times;	/* set by filter_setup() */
	const char *time;		/* as given; NULL: not given */
	struct event_switch between;	/* of perf report and perf script */
	u64 addr_range;			/* bytes */
	u64 *addresses;			/* among the symbols; ascending, set by filter_setup() */
	u32 nr_addresses;
};

/*
 * FILTER_OPTIONS - the entries of a command's table
 * @f: its struct filter
 * @d: the short name of --dsos, 0: none
 */
#define FILTER_OPTIONS(f, d)								\
	{ OPT_CALLBACK, 'c', "comms", &(f).comms, "name,...",				\
	  "of tasks with these names", .call = filter_opt_names },			\
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

/**
 * filter_setup() - fit the options to a recording
 * @f: the options
 * @s: the session, opened
 *
 * Return: NULL, or why not: the recording does not have what an option is about.
 */
struct error *filter_setup(struct filter *f, const struct session *s);
void filter_deinit(struct filter *f);

/* filter_forget - free what filter_setup() has made; the options stay. For a copy of a filter */
void filter_forget(struct filter *f);

/* filter_given - is there any filter at all? */
bool filter_given(const struct filter *f);

/**
 * filter_sample() - do a sample's time and CPU pass?
 * @f: the filter
 * @s: the sample
 *
 * What does not pass does not count at all, not even for a report's totals.
 */
static inline bool filter_sample(const struct filter *f, const struct sample *s)
{
	return (!f->times.arg || number_list_has(&f->times, s->time)) &&
	       (!f->cpus.arg || number_list_has(&f->cpus, s->cpu));
}

/* filter_task - do a sample's process, thread, the name of its task and how many ran beside it pass? */
static inline bool filter_task(const struct filter *f, const struct sample *s, const char *comm)
{
	return (!f->pids.arg || number_list_has(&f->pids, s->pid)) &&
	       (!f->tids.arg || number_list_has(&f->tids, s->tid)) &&
	       (!f->parallelism.arg || number_list_has(&f->parallelism, s->parallelism)) &&
	       (!f->comms.arg || name_list_has(&f->comms, comm));
}

/* filter_wants_frame - does filter_frame() depend on the frame? */
static inline bool filter_wants_frame(const struct filter *f)
{
	return f->dsos.arg || f->symbols.arg;
}

/**
 * filter_frame() - do a frame's file and function, or its address, pass?
 * @f: the filter
 * @fr: the frame; -S takes its address, and that of its function's start
 * @inl: a function inlined there, to which -S refers then; NULL: the frame's own
 */
bool filter_frame(const struct filter *f, const struct frame *fr, const struct inline_frame *inl);

/**
 * filter_visit() - does a sample pass the whole filter?
 * @f: the filter
 * @s: the session
 * @frames: to look up the frame that the sample was taken in, if the filter is about it
 * @v: the sample
 */
bool filter_visit(const struct filter *f, const struct session *s, struct frame_cache *frames, const struct visit *v);

/**
 * filter_nothing_passed() - the error that nothing is left to show
 * @f: the filter
 * @s: the session
 * @more: further options that took samples away, each with a blank before it; "": none
 */
struct error *filter_nothing_passed(const struct filter *f, const struct session *s, const char *more);

#endif /* PERF_SESSION_FILTER_H */

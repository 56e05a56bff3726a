// SPDX-License-Identifier: GPL-2.0
/*
 * Sample filters: lists of names, numbers and times from options, .arg NULL if not given; the last
 * one given counts. Samples between two events (struct event_switch) depend on earlier ones: one
 * thread must read them all.
 */
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/function.h"
#include "base/outbuf.h"
#include "base/sort.h"
#include "session/filter.h"
#include "session/session.h"

static void name_add(struct name_list *l, const char *name)
{
	GROW(l->names, l->nr, l->cap);
	l->names[l->nr++] = xstrdup(name);
}

static struct error *name_file(const char *option, const char *path, struct name_list *l)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	if (!f)
		return error_create(errno, "--%s: cannot read %s: %m", option, path);
	while ((len = getline(&line, &cap, f)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = 0;
		if (len)
			name_add(l, line);
	}
	return NULL;
}

struct error *name_list_parse(const char *option, const char *arg, struct name_list *l)
{
	struct error *err = NULL;
	const char *rest;

	name_list_deinit(l);
	l->arg = arg;
	for (rest = arg; rest && !err; ) {
		_cleanup_free_ char *name = list_entry(rest, &rest);

		if (!strncmp(name, "file://", 7))
			err = name_file(option, name + 7, l);
		else if (*name)
			name_add(l, name);
	}
	if (err)
		return err;
	if (!l->nr)
		return error_create(EINVAL, "--%s: the list is empty", option);
	sort_strings(l->names, l->nr);
	return NULL;
}

/* Does @name, of @len bytes, sort before @listed (< 0), equal (0), or after it (> 0)? */
static int name_cmp(const char *listed, const char *name, size_t len)
{
	int cmp = strncmp(listed, name, len);

	return cmp ? -cmp : listed[len] ? -1 : 0;
}

static bool has_part(const struct name_list *l, const char *name, size_t len)
{
	size_t at = LOWER_BOUND(0, l->nr, i, name_cmp(l->names[i], name, len) > 0);

	return at < l->nr && !name_cmp(l->names[at], name, len);
}

bool name_list_has(const struct name_list *l, const char *name)
{
	return has_part(l, name, strlen(name));
}

bool name_list_has_function(const struct name_list *l, const char *shown)
{
	struct function_base b;

	return name_list_has(l, shown) ||
	       (function_base(shown, &b) && (has_part(l, b.start, b.end - b.start) ||
					     has_part(l, b.start, b.end_plain - b.start)));
}

void name_list_deinit(struct name_list *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		free(l->names[i]);
	free(l->names);
	memset(l, 0, sizeof(*l));
}

static void span_add(struct number_list *l, u64 from, u64 to)
{
	GROW(l->spans, l->nr, l->cap);
	l->spans[l->nr].from = from;
	l->spans[l->nr++].to = to;
}

static bool span_before(const struct number_span *a, const struct number_span *b)
{
	return a->from < b->from;
}

DEFINE_MERGE_SORT(sort_spans, struct number_span, span_before)

/* Sort, and merge spans that touch or overlap. */
static void spans_order(struct number_list *l)
{
	struct sort_room room = { 0 };
	u32 i, nr = 0;

	sort_spans(l->spans, l->nr, &room);
	sort_room_deinit(&room);
	for (i = 0; i < l->nr; i++) {
		if (nr && l->spans[i].from <= l->spans[nr - 1].to)
			l->spans[nr - 1].to = max(l->spans[nr - 1].to, l->spans[i].to);
		else
			l->spans[nr++] = l->spans[i];
	}
	l->nr = nr;
}

bool number_list_has(const struct number_list *l, u64 v)
{
	size_t at = LOWER_BOUND(0, l->nr, i, l->spans[i].to < v);

	return at < l->nr && l->spans[at].from <= v;
}

void number_list_deinit(struct number_list *l)
{
	free(l->spans);
	*l = (struct number_list){ 0 };
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* A decimal number of 32 bits, possibly surrounded by blanks. */
static bool parse_number(const char **at, u64 *v)
{
	const char *p = skip_blanks(*at);
	char *end;

	if (*p == '-')
		return false;
	errno = 0;
	*v = strtoull(p, &end, 10);
	*at = skip_blanks(end);
	return end != p && !errno && *v <= UINT32_MAX;
}

struct error *number_list_parse(const char *option, const char *arg, struct number_list *l)
{
	const char *p = arg;
	u64 from, to;

	number_list_deinit(l);
	l->arg = arg;
	if (!strcmp(arg, "-1")) {
		span_add(l, UINT32_MAX, UINT32_MAX);
		return NULL;
	}
	do {
		if (!parse_number(&p, &from))
			goto wrong;
		to = from;
		if (*p == '-' && (p++, !parse_number(&p, &to) || to < from))
			goto wrong;
		span_add(l, from, to);
	} while (*p == ',' && *++p);
	if (!*p) {
		spans_order(l);
		return NULL;
	}
wrong:
	return error_create(EINVAL, "--%s: '%s' is not a list of numbers like 0,2-4", option, arg);
}

/* Seconds with decimals, converted exactly: "12.000000345". */
static bool parse_time(const char **at, u64 *ns)
{
	const char *p = *at + (**at == '+'), *start = p;
	u64 sec = 0, nsec = 0, scale = 100000000;

	for (; *p >= '0' && *p <= '9'; p++) {
		sec = sec * 10 + (*p - '0');
		if (sec >= UINT64_MAX / 1000000000)
			return false;
	}
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++, scale /= 10)
			nsec += (*p - '0') * scale;
	}
	*ns = sec * 1000000000 + nsec;
	*at = p;
	return p != start;
}

/* Start of the stop time after a comma: "1, 2" is one span, "1, 2,3" are two. */
static const char *stop_time(const char *p)
{
	const char *word = skip_blanks(p);

	return word[strcspn(word, ", ")] == ',' ? p : word;
}

static bool parse_times(const char *p, struct number_list *l)
{
	u64 from, to;

	while (*(p = skip_blanks(p))) {
		from = to = 0;
		if (*p != ',' && !parse_time(&p, &from))
			return false;
		if (*p++ != ',')
			return false;
		p = stop_time(p);
		if (*p && *p != ' ' && !parse_time(&p, &to))
			return false;
		if (*p && *p != ' ')
			return false;
		/* As in mainline, a stop of 0 means no limit. */
		if (!to)
			to = -1;
		if (to < from)
			return false;
		span_add(l, from, to);
	}
	return l->nr;
}

/* "12.5%" */
static bool parse_percent(const char **at, double *v)
{
	const char *p = skip_blanks(*at);
	char *end;

	if (!((*p >= '0' && *p <= '9') || *p == '.'))
		return false;
	*v = strtod(p, &end);
	p = skip_blanks(end);
	if (end == *at || *p != '%' || !isfinite(*v))
		return false;
	*at = skip_blanks(p + 1);
	return true;
}

/* The same percentages give the same limits in every notation. */
static void part_add(struct number_list *l, double from, double to, u64 first, u64 last)
{
	double span = last - first;
	u64 a = first + to_u64(span * from / 100), b;

	b = to >= 100 ? last : first + to_u64(span * to / 100);
	if (b != last && b > a)
		b--;
	span_add(l, a, b);
}

static bool parse_parts(const char *p, u64 first, u64 last, struct number_list *l)
{
	double a, b;
	u64 n;

	while (*(p += strspn(p, " \t,"))) {
		if (!parse_percent(&p, &a))
			return false;
		if (*p == '-') {
			p++;
			if (!parse_percent(&p, &b))
				return false;
		} else if (*p == '/') {
			p++;
			if (!parse_number(&p, &n) || !n || !a)
				return false;
			b = a * n;
			a = a * (n - 1);
		} else {
			/* Only alone: "10%,20%" could also mean 10% to 20%. */
			if (l->nr || *p || !a)
				return false;
			b = a;
			a = 0;
		}
		/* Tolerance for rounding: "14.2858%/7" is accepted. */
		if (b > 100.001 || a > b)
			return false;
		part_add(l, a, b, first, last);
	}
	return l->nr;
}

struct error *time_list_parse(const char *arg, u64 first, u64 last, struct number_list *l)
{
	bool good;

	number_list_deinit(l);
	l->arg = arg;
	if (strchr(arg, '%'))
		good = parse_parts(arg, first, last, l);
	else
		good = parse_times(arg, l);
	if (!good)
		return error_create(EINVAL, "--time: '%s' is neither start,stop in seconds (either may be left "
				    "out) nor a part like 10%%, 10%%/2 or 0%%-10%%", arg);
	spans_order(l);
	return NULL;
}

struct error *filter_opt_names(const struct opt *opt, const char *arg, bool unset)
{
	if (unset) {
		name_list_deinit(opt->value);
		return NULL;
	}
	return name_list_parse(opt->long_name, arg, opt->value);
}

struct error *filter_opt_numbers(const struct opt *opt, const char *arg, bool unset)
{
	if (unset) {
		number_list_deinit(opt->value);
		return NULL;
	}
	return number_list_parse(opt->long_name, arg, opt->value);
}

/* Parse the -S names that may be addresses. They remain function names too. */
static void find_addresses(struct filter *f)
{
	u32 i;

	f->addresses = xcalloc(f->symbols.nr, sizeof(*f->addresses));
	for (i = 0; i < f->symbols.nr; i++) {
		const char *name = f->symbols.names[i];
		char *end;
		u64 v = strtoull(name, &end, 16);

		if (end != name && !*end && *name != '-' && *name != '+')
			f->addresses[f->nr_addresses++] = v;
	}
	sort_u64(f->addresses, f->nr_addresses);
}

static struct error *setup_time(struct filter *f, const struct session *s)
{
	const char *path = s->reader->path;
	bool known = s->first_time != (u64)-1;

	if (!s->has_time)
		return error_create(EINVAL, "--time: the samples of %s have no times", path);
	if (!known && strchr(f->time, '%') && s->reader->pipe_format)
		return error_create(EINVAL, "--time %s: the length of %s is not known before its end: store it in "
				    "a file first (perf record -o FILE)", f->time, path);
	return time_list_parse(f->time, known ? s->first_time : 0, s->last_time, &f->times);
}

static struct error *check_event(const struct session *s, const char *name, const char *option)
{
	u32 i;

	for (i = 0; name && i < s->events->nr; i++)
		if (!strcmp(s->events->events[i]->name, name))
			return NULL;
	return name ? error_create(EINVAL, "--%s: the recording has no event '%s'", option, name) : NULL;
}

struct error *filter_setup(struct filter *f, const struct session *s)
{
	const char *path = s->reader->path;
	u64 have = s->events->sample_type;
	struct error *err = check_event(s, f->between.on, "switch-on") ?:
			    check_event(s, f->between.off, "switch-off");

	if (!err && f->time)
		err = setup_time(f, s);
	if (err)
		return err;
	if (f->cpus.arg && !(have & PERF_SAMPLE_CPU))
		return error_create(EINVAL, "--cpu: the samples of %s do not say on which CPU they were taken: "
				    "record with perf record --sample-cpu", path);
	if ((f->pids.arg || f->tids.arg) && !(have & PERF_SAMPLE_TID))
		return error_create(EINVAL, "--%s: the samples of %s do not say of which task they are",
				    f->pids.arg ? "pid" : "tid", path);
	if (f->cgroups.arg && !(have & PERF_SAMPLE_CGROUP))
		return error_create(EINVAL, "--cgroups: the samples of %s do not say in which cgroup they are: record "
				    "with perf record --all-cgroups", path);
	if (f->parallelism.arg && !s->has_parallelism)
		return error_create(EINVAL, "--parallelism: %s does not say how many threads ran when: record "
				    "with --latency, into a file", path);
	if (f->symbols.nr && !f->addresses)
		find_addresses(f);
	return NULL;
}

void filter_forget(struct filter *f)
{
	number_list_deinit(&f->times);
	free(f->addresses);
	f->addresses = NULL;
	f->nr_addresses = 0;
}

void filter_deinit(struct filter *f)
{
	filter_forget(f);
	name_list_deinit(&f->comms);
	name_list_deinit(&f->cgroups);
	name_list_deinit(&f->dsos);
	name_list_deinit(&f->symbols);
	number_list_deinit(&f->pids);
	number_list_deinit(&f->tids);
	number_list_deinit(&f->cpus);
	number_list_deinit(&f->parallelism);
	*f = (struct filter){ 0 };
}

bool filter_given(const struct filter *f)
{
	return f->comms.arg || f->cgroups.arg || f->dsos.arg || f->symbols.arg || f->pids.arg || f->tids.arg ||
	       f->cpus.arg || f->parallelism.arg || f->time || event_switch_given(&f->between);
}

/* Names have no escapes: systemd writes \x2d for a dash. */
static bool name_matches(const struct name_list *l, const char *name)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (!strcmp(l->names[i], name) || !fnmatch(l->names[i], name, FNM_NOESCAPE))
			return true;
	return false;
}

bool filter_cgroup(const struct filter *f, const char *path)
{
	const char *p, *end;
	char name[NAME_MAX + 1];

	if (name_matches(&f->cgroups, path))
		return true;
	for (p = path; *p; p = end + !!*end) {
		end = strchrnul(p, '/');
		snprintf(name, sizeof(name), "%.*s", (int)(end - p), p);
		if (*name && name_matches(&f->cgroups, name))
			return true;
	}
	return false;
}

/* True if an address of -S is at most @range below @at. */
static bool address_near(const struct filter *f, u64 at, u64 range)
{
	size_t above = LOWER_BOUND(0, f->nr_addresses, i, f->addresses[i] <= at);

	return above && at - f->addresses[above - 1] <= range;
}

/* True if the frame's address, or its function's start, is an address of -S. */
static bool at_address(const struct filter *f, const struct frame *fr)
{
	if (!f->nr_addresses)
		return false;
	return address_near(f, fr->ip, f->addr_range) ||
	       (fr->sym && address_near(f, fr->ip - (fr->addr - fr->sym->start), 0));
}

bool filter_frame(const struct filter *f, const struct frame *fr, const struct inline_frame *inl)
{
	const struct symbol *sym = inl ? inl->sym : fr->sym;
	const struct dso *dso = fr->dso;

	if (f->dsos.arg && !(dso ? name_list_has(&f->dsos, dso->short_name) ||
				   name_list_has(&f->dsos, dso->name) :
				   name_list_has(&f->dsos, "[unknown]")))
		return false;
	return !f->symbols.arg || at_address(f, fr) || (sym && name_list_has_function(&f->symbols, sym->name));
}

bool filter_visit(const struct filter *f, struct frame_cache *frames, const struct visit *v)
{
	const struct sample *s = v->sample;

	if (!v->passes || !filter_wants_frame(f))
		return v->passes;
	return filter_frame(f, frame_of(frames, v->thread, s->ip, s->cpumode, v->chain->time),
			    NULL);
}

struct error *filter_nothing_passed(const struct filter *f, const struct session *s, const char *more)
{
	const struct { const char *name, *arg; } given[] = {
		{ "comms", f->comms.arg }, { "cgroups", f->cgroups.arg }, { "dsos", f->dsos.arg }, { "symbols", f->symbols.arg },
		{ "pid", f->pids.arg }, { "tid", f->tids.arg }, { "cpu", f->cpus.arg },
		{ "parallelism", f->parallelism.arg }, { "time", f->time },
	};
	_cleanup_outbuf_ struct outbuf o = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i].arg)
			outbuf_printf(&o, " --%s %s", given[i].name, given[i].arg);
	outbuf_puts(&o, more);
	if (f->between.on)
		outbuf_printf(&o, " --switch-on %s", f->between.on);
	if (f->between.off)
		outbuf_printf(&o, " --switch-off %s", f->between.off);
	return error_file(s->reader->path, 0,
			  "no sample passes the filters:%s (of %llu samples)", outbuf_text(&o),
			  s->stats.nr_samples);
}

bool event_switch_passes(const struct event_switch *sw, bool *off, const struct event *ev)
{
	const char *turn = *off ? sw->on : sw->off;

	if (!turn || strcmp(ev->name, turn))
		return !*off;
	*off = !*off;
	return sw->show;
}

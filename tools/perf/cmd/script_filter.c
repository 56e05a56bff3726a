// SPDX-License-Identifier: GPL-2.0
/*
 * perf script: which samples are shown.
 */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "cmd/script.h"

struct name_set {
	char **names;
	u32 nr, cap;
};

struct number_set {
	u32 *numbers;
	u32 nr, cap;
};

struct time_range {
	u64 from, to;		/* inclusive */
};

bool name_set_has(const struct name_set *set, const char *name)
{
	u32 i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->names[i], name))
			return true;
	return false;
}

static int add_names_of_file(struct name_set *set, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char line[4096];

	if (!f)
		return diag_error("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line)
			continue;
		GROW(set->names, set->nr, set->cap);
		set->names[set->nr++] = xstrdup(line);
	}
	return 0;
}

int script_filter_names(struct name_set **out, const char *arg)
{
	struct name_set *set = *out ? *out : xcalloc(1, sizeof(*set));
	char *list = xstrdup(arg), *save = NULL, *word;

	*out = set;
	if (!strncmp(arg, "file://", 7)) {
		free(list);
		return add_names_of_file(set, arg + 7);
	}
	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		GROW(set->names, set->nr, set->cap);
		set->names[set->nr++] = xstrdup(word);
	}
	free(list);
	return 0;
}

int script_filter_numbers(struct number_set **out, const char *name, const char *arg)
{
	struct number_set *set = *out ? *out : xcalloc(1, sizeof(*set));
	const char *p = arg;
	char *end;

	*out = set;
	for (;;) {
		long v = strtol(p, &end, 10);

		if (end == p || (*end && *end != ','))
			return diag_error("%s wants numbers with commas between them, not '%s'",
					  name, arg);
		GROW(set->numbers, set->nr, set->cap);
		set->numbers[set->nr++] = v;
		if (!*end)
			return 0;
		p = end + 1;
	}
}

int script_filter_cpus(struct script_options *o, const char *arg)
{
	const char *p = arg;
	char *end;

	while (*p) {
		unsigned long first = strtoul(p, &end, 10), last = first;

		if (end == p)
			goto bad;
		if (*end == '-') {
			p = end + 1;
			last = strtoul(p, &end, 10);
			if (end == p)
				goto bad;
		}
		if ((*end && *end != ',') || last < first || last > 1 << 20)
			goto bad;
		if (last >= o->nr_cpus) {
			u32 nr = ALIGN_UP(last + 1, 64);

			o->cpus = xrealloc(o->cpus, nr / 8);
			memset((char *)o->cpus + o->nr_cpus / 8, 0, (nr - o->nr_cpus) / 8);
			o->nr_cpus = nr;
		}
		for (; first <= last; first++)
			o->cpus[first / 64] |= 1ULL << first % 64;
		p = *end ? end + 1 : end;
	}
	return 0;
bad:
	return diag_error("-C wants CPUs like 0,2-3, not '%s'", arg);
}

/* "5251.3719" in nanoseconds; *end behind it. */
static bool parse_time(const char *s, const char **end, u64 *time)
{
	u64 sec = 0, nsec = 0, scale = 100000000;
	const char *p = s;

	for (; *p >= '0' && *p <= '9'; p++)
		sec = sec * 10 + (*p - '0');
	if (p == s)
		return false;
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++, scale /= 10)
			nsec += (*p - '0') * scale;
	}
	*time = sec * 1000000000 + nsec;
	*end = p;
	return true;
}

static void add_range(struct script_options *o, u64 from, u64 to)
{
	o->ranges = xrealloc(o->ranges, (o->nr_ranges + 1) * sizeof(*o->ranges));
	o->ranges[o->nr_ranges++] = (struct time_range){ from, to };
}

static int percent_range(struct script_options *o, const char *word, const struct session *s)
{
	u64 span = s->last_time - s->first_time;
	double a, b;
	int n, used = 0;

	if (s->first_time == (u64)-1)
		return diag_error("--time %s: the recording has no times (or is a pipe)", word);
	if (sscanf(word, "%lf%%/%d%n", &a, &n, &used) == 2 && !word[used] && n > 0) {
		b = a * n;
		a = a * (n - 1);
	} else if (sscanf(word, "%lf%%-%lf%%%n", &a, &b, &used) != 2 || word[used]) {
		return diag_error("--time wants 10%%/2 or 0%%-10%%, not '%s'", word);
	}
	if (a < 0 || b > 100.001 || a > b)
		return diag_error("--time %s is not within 0%% and 100%%", word);
	add_range(o, s->first_time + (u64)(a / 100 * span),
		  b >= 100 ? s->last_time : s->first_time + (u64)(b / 100 * span) - 1);
	return 0;
}

int script_time_ranges(struct script_options *o, const char *arg, const struct session *s)
{
	_cleanup_free_ char *list = xstrdup(arg);
	char *save = NULL, *word;
	const char *p;
	bool percent = strchr(arg, '%');
	u64 from, to;

	for (word = strtok_r(list, percent ? ", " : " ", &save); word;
	     word = strtok_r(NULL, percent ? ", " : " ", &save)) {
		if (percent) {
			if (percent_range(o, word, s))
				return -1;
			continue;
		}
		p = word;
		from = 0;
		to = -1;
		if (*p != ',' && !parse_time(p, &p, &from))
			goto bad;
		if (*p == ',' && p[1] && (p++, !parse_time(p, &p, &to)))
			goto bad;
		else if (*p == ',' && !p[1])
			p++;
		if (*p || from > to)
			goto bad;
		add_range(o, from, to);
	}
	return 0;
bad:
	return diag_error("--time wants start,stop in seconds like 12.5,13 (either may be left out), "
			  "not '%s'", word);
}

static bool has_number(const struct number_set *set, u32 n)
{
	u32 i;

	for (i = 0; i < set->nr; i++)
		if (set->numbers[i] == n)
			return true;
	return false;
}

static bool in_ranges(const struct script_options *o, u64 time)
{
	u32 i;

	for (i = 0; i < o->nr_ranges; i++)
		if (time >= o->ranges[i].from && time <= o->ranges[i].to)
			return true;
	return false;
}

/* -S: a name, a symbol's start, any address, or one within --addr-range of it */
static bool symbol_wanted(const struct script_options *o, const struct frame *f)
{
	const struct name_set *set = o->symbols;
	u32 i;

	if (f->sym && name_set_has(set, f->sym->name))
		return true;
	for (i = 0; i < set->nr; i++) {
		char *end;
		u64 addr = strtoull(set->names[i], &end, 16);

		if (*end || end == set->names[i])
			continue;
		if (addr == f->ip || (f->sym && f->ip - (f->addr - f->sym->start) == addr))
			return true;
		if (o->addr_range && f->ip >= addr && f->ip - addr <= o->addr_range)
			return true;
	}
	return false;
}

static int has_event(const struct session *s, const char *name, const char *option)
{
	u32 i;

	for (i = 0; name && i < s->events->nr; i++)
		if (!strcmp(s->events->events[i]->name, name))
			return 0;
	return name ? diag_error("--%s: the recording has no event '%s'", option, name) : 0;
}

int script_switch_check(const struct script_options *o, const struct session *s)
{
	return has_event(s, o->switch_on, "switch-on") ?: has_event(s, o->switch_off, "switch-off");
}

/* Between the events that switch printing on and off? */
static bool switched_on(const struct script_options *o, struct printer *p, const struct event *ev)
{
	const char *turn = p->switched_off ? o->switch_on : o->switch_off;

	if (!turn || strcmp(ev->name, turn))
		return !p->switched_off;
	p->switched_off = !p->switched_off;
	return o->show_on_off;
}

bool script_wants(const struct script_options *o, struct printer *p, const struct sample *s,
		  const struct callchain *cc, const struct thread *t)
{
	char tmp[THREAD_NAME_SIZE];
	struct frame *f;

	if ((o->switch_on || o->switch_off) && !switched_on(o, p, s->event))
		return false;
	if (o->ranges && !in_ranges(o, s->time))
		return false;
	if (o->cpus && (s->cpu >= o->nr_cpus || !(o->cpus[s->cpu / 64] >> s->cpu % 64 & 1)))
		return false;
	if (o->pids && !has_number(o->pids, s->pid))
		return false;
	if (o->tids && !has_number(o->tids, s->tid))
		return false;
	if (o->comms &&
	    !name_set_has(o->comms, thread_comm_at(p->s->timeline, t, cc->time, -1, tmp)))
		return false;
	if (!o->dsos && !o->symbols)
		return true;
	f = frame_resolve(p->frames, timeline_space(p->s->timeline, t, s->cpumode, cc->time),
			  s->ip, s->cpumode, cc->time);
	if (o->dsos && (!f->dso || (!name_set_has(o->dsos, f->dso->name) &&
				    !name_set_has(o->dsos, f->dso->short_name))))
		return false;
	return !o->symbols || symbol_wanted(o, f);
}

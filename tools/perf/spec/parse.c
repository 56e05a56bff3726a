// SPDX-License-Identifier: GPL-2.0
/*
 * The -e language:
 *
 *	list      = item { "," item }
 *	item      = [ name ":" ] "{" event { "," event } "}" [ ":" modifiers ] | event
 *	event     = "r" HEX [ mods ] | "mem:" ADDR [ "/" LEN ] [ ":" ACCESS ] [ mods ]
 *		  | NUM ":" NUM [ mods ] | pmu "/" terms "/" [ modifiers ]
 *		  | name [ "/" terms "/" ] [ mods ] | system ":" name [ "/" terms "/" ] [ mods ]
 *	mods      = ":" modifiers
 *
 * The text is parsed in one pass. Whether a word is a PMU, a tracepoint system or an event name
 * depends on this machine's sysfs and tracefs.
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <linux/hw_breakpoint.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "event/pmu.h"
#include "spec/names.h"
#include "spec/parse.h"

static size_t word_len(const char *s)
{
	return strcspn(s, ",/{}: \t\n");
}

static void skip_space(struct parse *p)
{
	while (isspace((unsigned char)*p->pos))
		p->pos++;
}

static bool event_ends(const char *s)
{
	return !*s || *s == ',' || *s == '}' || isspace((unsigned char)*s);
}

/*
 * Name events as typed, with terms and modifiers (@tail). Tracepoints of a pattern have their own
 * names in front; events of each kind of CPU are named as by mainline:
 * "cpu_core/cycles,period=77/u".
 */
static void name_events(struct parse *p, u32 first, const char *begin, const char *tail)
{
	int word = tail - begin, rest = p->pos - tail;
	bool several = p->list->nr > first + 1;
	struct event_spec *s;
	size_t size;
	char *name;
	u32 i;

	for (i = first; i < p->list->nr; i++) {
		s = p->list->v[i];
		if (s->name_set)
			continue;
		size = strlen(s->name) + strlen(s->core ?: "") + word + rest + 3;
		name = xmalloc(size);
		if (s->one_of && several)
			snprintf(name, size, "%s/%.*s%c%.*s", s->core, word, begin,
				 *tail == '/' ? ',' : '/', rest ? rest - 1 : 0, tail + 1);
		else if (s->attr.type == PERF_TYPE_TRACEPOINT)
			snprintf(name, size, "%s%.*s", s->name, rest, tail);
		else
			snprintf(name, size, "%.*s", word + rest, begin);
		free(s->name);
		s->name = name;
	}
}

/* Parse ":modifiers", both optional, up to the end of an event; the colon may be missing after @terms. */
static int parse_end(struct parse *p, u32 first, bool terms)
{
	if (*p->pos == ':' || (terms && !event_ends(p->pos))) {
		p->pos += *p->pos == ':';
		if (parse_modifiers(p, first, false))
			return -1;
	}
	return event_ends(p->pos) ? 0 : parse_error(p, p->pos, NULL, "unexpected '%c' after an event", *p->pos);
}

/* Parse the end of an event: "/terms/" and ":modifiers", both optional. */
static int parse_tail(struct parse *p, u32 first, const char *begin)
{
	const char *tail = p->pos;
	u32 i;

	if (*p->pos == '/') {
		for (i = first; i < p->list->nr; i++) {
			p->pos = tail + 1;
			if (parse_terms(p, NULL, p->list->v[i]))
				return -1;
		}
	}
	if (parse_end(p, first, *tail == '/'))
		return -1;
	name_events(p, first, begin, tail);
	return 0;
}

/* Add an event of the CPUs: one event for each kind of CPU. */
static void add_event(struct parse *p, u32 type, u64 config, const char *name)
{
	struct event_spec *s;
	struct core_pmu *pmus;
	u32 nr, i;

	pmus = core_pmus(&nr);
	if (!nr)
		spec_list_add(p->list, type, config, name);
	for (i = 0; i < nr; i++) {
		if (type == PERF_TYPE_RAW)
			s = spec_list_add(p->list, pmus[i].type, config, name);
		else
			s = spec_list_add(p->list, type, config | (u64)pmus[i].type << 32, name);
		pmu_finish(pmus[i].name, s);
		s->one_of = true;
	}
	core_pmus_free(pmus, nr);
}

static int parse_raw(struct parse *p, size_t len)
{
	char name[32];
	u32 first = p->list->nr;
	const char *begin = p->pos;

	snprintf(name, sizeof(name), "%.*s", (int)len, begin);
	add_event(p, PERF_TYPE_RAW, strtoull(begin + 1, NULL, 16), name);
	p->pos += len;
	return parse_tail(p, first, begin);
}

static int parse_breakpoint(struct parse *p)
{
	const char *begin = p->pos;
	u32 first = p->list->nr, type = 0, len = 0;
	struct event_spec *s;
	char *end;
	u64 addr = strtoull(begin + 4, &end, 0);

	if (end == begin + 4)
		return parse_error(p, begin + 4, NULL, "mem: needs an address");
	if (*end == '/') {
		p->pos = end + 1;
		len = strtoul(p->pos, &end, 0);
		if (end == p->pos || (len != 1 && len != 2 && len != 4 && len != 8))
			return parse_error(p, p->pos, NULL,
					   "the length of a breakpoint is 1, 2, 4 or 8");
	}
	p->pos = end;
	if (*p->pos == ':' && strchr("rwx", p->pos[1]) && p->pos[1]) {
		for (p->pos++; *p->pos && strchr("rwx", *p->pos); p->pos++) {
			u32 bit = *p->pos == 'r' ? HW_BREAKPOINT_R :
				  *p->pos == 'w' ? HW_BREAKPOINT_W : HW_BREAKPOINT_X;

			if (type & bit)
				return parse_error(p, p->pos, NULL, "'%c' is given twice",
						   *p->pos);
			type |= bit;
		}
	}
	if (type & HW_BREAKPOINT_X && type & HW_BREAKPOINT_RW)
		return parse_error(p, p->pos - 1, NULL, "a breakpoint is on execution (x) or on data (r, w, rw)");
	s = spec_list_add(p->list, PERF_TYPE_BREAKPOINT, 0, "mem");
	s->attr.bp_addr = addr;
	s->attr.bp_type = type ?: HW_BREAKPOINT_RW;
	s->attr.bp_len = len ?: s->attr.bp_type == HW_BREAKPOINT_X ? sizeof(long) :
				HW_BREAKPOINT_LEN_4;
	return parse_tail(p, first, begin);
}

static void offer_event(const char *pmu, const char *event, const char *terms __unused, void *arg)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/%s/", pmu, event);
	nearest_offer(arg, name);
}

static void offer_pmu(const char *name, u32 type __unused, void *arg)
{
	nearest_offer(arg, name);
}

static void offer_pmu_events(const char *name, u32 type __unused, void *arg)
{
	pmu_event_each(name, offer_event, arg);
}

static void offer_cache(const char *name, u64 config __unused, void *arg)
{
	nearest_offer(arg, name);
}

static void offer_vendor_event(const char *name, const char *pmu __unused, const char *what __unused, void *arg)
{
	nearest_offer(arg, name);
}

static int offer_tracepoint(const char *system, const char *name, u64 id __unused, void *arg)
{
	char full[256];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	nearest_offer(arg, full);
	return 0;
}

static int no_such_event(struct parse *p, const char *name, size_t len)
{
	struct nearest near = { .wanted = name, .len = len };
	struct perf_event_attr attr;
	const struct event_name *e;
	const char *why = NULL;

	/* A name with a dot may be a vendor's name: add the reason why libpfm4 cannot be used. */
	if (!memchr(name, '.', len) || pfm_event("", &attr, &why) != -ENOSYS)
		why = NULL;
	for (e = event_names; e->name; e++) {
		nearest_offer(&near, e->name);
		if (e->alias)
			nearest_offer(&near, e->alias);
	}
	cache_names_each(offer_cache, &near);
	pmu_each(offer_pmu_events, &near);
	pfm_event_each(offer_vendor_event, &near);
	if (memchr(name, ':', len) || !near.nr)
		tracepoint_each("*", "*", offer_tracepoint, &near);
	return parse_error(p, name, &near, "no event is called '%.*s' ('perf list' shows all%s%s)",
			   (int)len, name, why ? "; " : "", why ?: "");
}

static int parse_pmu(struct parse *p, const char *name, size_t len, u32 type)
{
	u32 first = p->list->nr;
	char pmu[128];
	struct event_spec *s;

	snprintf(pmu, sizeof(pmu), "%.*s", (int)len, name);
	s = spec_list_add(p->list, type, 0, pmu);
	p->pos = name + len + 1;
	pmu_finish(pmu, s);
	if (parse_terms(p, pmu, s) || parse_end(p, first, true))
		return -1;
	if (!s->name_set) {
		free(s->name);
		s->name = xstrndup(name, p->pos - name);
	}
	return 0;
}

static int add_tracepoint(const char *system, const char *name, u64 id, void *arg)
{
	struct parse *p = arg;
	char full[256];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	spec_list_add(p->list, PERF_TYPE_TRACEPOINT, id, full);
	return 0;
}

static int parse_tracepoint(struct parse *p, const char *begin, size_t system_len)
{
	_cleanup_free_ char *system = xstrndup(begin, system_len);
	const char *name = begin + system_len + 1;
	size_t name_len = word_len(name);
	_cleanup_free_ char *glob = xstrndup(name, name_len);
	u32 first = p->list->nr;
	char why[1024];
	int nr = tracepoint_each(system, glob, add_tracepoint, p);

	if (nr == -EACCES || nr == -ENOENT)
		return parse_error(p, begin, NULL, "tracepoints can't be read: %s",
				   tracefs_why(nr, why, sizeof(why)));
	if (nr <= 0)
		return no_such_event(p, begin, system_len + 1 + name_len);
	p->pos = name + name_len;
	return parse_tail(p, first, begin);
}

static bool all_digits(const char *s, size_t len, bool hex)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (hex ? !isxdigit((unsigned char)s[i]) : !isdigit((unsigned char)s[i]))
			return false;
	return len > 0;
}

static int parse_numeric(struct parse *p)
{
	const char *begin = p->pos;
	u32 first = p->list->nr;
	char name[64];
	char *end;
	u64 config;
	u32 type = strtoul(begin, &end, 10);

	p->pos = end + 1;
	config = strtoull(p->pos, &end, 0);
	if (end == p->pos)
		return parse_error(p, p->pos, NULL, "TYPE:CONFIG needs a number here");
	snprintf(name, sizeof(name), "%.*s", (int)(end - begin), begin);
	spec_list_add(p->list, type, config, name);
	p->pos = end;
	return parse_tail(p, first, begin);
}

/* Set the CPUs of an event of libpfm4, which gives its PMU by number. */
static void find_core(struct event_spec *s)
{
	struct core_pmu *pmus;
	u32 nr, i;

	pmus = core_pmus(&nr);
	for (i = 0; i < nr; i++)
		if (pmus[i].type == s->attr.type)
			pmu_finish(pmus[i].name, s);
	core_pmus_free(pmus, nr);
}

/* Parse an event by its vendor's name. Return: 1; 0 if it is not one; -1 on error. */
static int parse_vendor_event(struct parse *p, const char *begin, size_t len)
{
	_cleanup_free_ char *name = xstrndup(begin, len);
	struct nearest near = { .wanted = begin, .len = len };
	struct perf_event_attr attr = { 0 };
	u32 first = p->list->nr;
	struct event_spec *s;
	const char *why;
	int err = pfm_event(name, &attr, &why);

	if (err == -EINVAL) {
		pfm_event_each(offer_vendor_event, &near);
		return parse_error(p, begin, &near, "%s: libpfm4: %s", name, why);
	}
	if (err)
		return 0;
	s = spec_list_add(p->list, attr.type, attr.config, name);
	s->attr.config1 = attr.config1;
	s->attr.config2 = attr.config2;
	find_core(s);
	p->pos = begin + len;
	return parse_tail(p, first, begin) ? -1 : 1;
}

/* "mem-loads" without a PMU: on each kind of CPU that has it, else on the first such PMU. */
struct alias_search {
	struct parse *p;
	const char *name;
	size_t len;
	u32 first;		/* index of the first event found */
};

static void alias_event(const char *pmu, const char *event, const char *terms __unused, void *arg)
{
	struct alias_search *s = arg;
	struct spec_list *list = s->p->list;
	char full[256];

	if (strlen(event) != s->len || memcmp(event, s->name, s->len) || s->p->error)
		return;
	if (list->nr > s->first && !list->v[list->nr - 1]->core)
		return;
	snprintf(full, sizeof(full), "%s/%s/", pmu, event);
	s->p->error = spec_parse(full, list);
}

static void alias_pmu(const char *name, u32 type __unused, void *arg)
{
	pmu_event_each(name, alias_event, arg);
}

static int parse_alias(struct parse *p, const char *begin, size_t len)
{
	u32 first = p->list->nr, i;
	struct alias_search search = { p, begin, len, first };

	pmu_each(alias_pmu, &search);
	if (p->error)
		return -1;
	if (p->list->nr == first)
		return 0;
	for (i = first; i < p->list->nr; i++)
		p->list->v[i]->one_of = p->list->v[i]->core;
	p->pos = begin + len;
	return parse_tail(p, first, begin) ? -1 : 1;
}

static int parse_event(struct parse *p)
{
	const char *begin, *next;
	const struct event_name *e;
	u32 first = p->list->nr, type;
	size_t len;
	u64 config;
	int err;

	skip_space(p);
	begin = p->pos;
	len = word_len(begin);
	next = begin + len;
	if (!len)
		return parse_error(p, begin, NULL, *begin ? "an event is missing before '%c'" :
				   "an event is missing at the end", *begin);
	if (!strncmp(begin, "mem:", 4))
		return parse_breakpoint(p);
	e = event_name_find(begin, len);
	if (e) {
		if (e->type == PERF_TYPE_SOFTWARE)
			spec_list_add(p->list, e->type, e->config, e->name);
		else
			add_event(p, e->type, e->config, e->name);
		p->pos = next;
		return parse_tail(p, first, begin);
	}
	if (cache_name_parse(begin, len, &config)) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)len, begin);
		add_event(p, PERF_TYPE_HW_CACHE, config, name);
		p->pos = next;
		return parse_tail(p, first, begin);
	}
	if (*next == '/' && pmu_exists(begin, len, &type))
		return parse_pmu(p, begin, len, type);
	if (begin[0] == 'r' && all_digits(begin + 1, len - 1, true))
		return parse_raw(p, len);
	if (*next == ':' && all_digits(begin, len, false))
		return parse_numeric(p);
	err = parse_alias(p, begin, len);
	if (!err && !(*next == ':' && tracepoint_system(begin, len)))
		err = parse_vendor_event(p, begin, len);
	if (err)
		return err > 0 ? 0 : -1;
	if (*next == ':' && next[1])
		return parse_tracepoint(p, begin, len);
	if (*next == '/') {
		struct nearest near = { .wanted = begin, .len = len };

		pmu_each(offer_pmu, &near);
		for (e = event_names; e->name; e++)
			nearest_offer(&near, e->name);
		return parse_error(p, begin, &near,
				   "neither a PMU of this machine nor an event is called '%.*s' "
				   "('perf list' shows all)", (int)len, begin);
	}
	return no_such_event(p, begin, len);
}

/* Do events count on different kinds of CPU? */
static bool several_cores(struct event_spec **v, u32 nr)
{
	const char *core = NULL;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!v[i]->core)
			continue;
		if (core && strcmp(v[i]->core, core))
			return true;
		core = v[i]->core;
	}
	return false;
}

/* A group for each kind of CPU, and for software events: it is opened on its leader's CPUs. */
static void make_groups(struct parse *p, u32 first, const char *name, size_t name_len)
{
	struct event_spec **v = p->list->v, *s;
	u32 end = p->list->nr, next, i;
	bool several = several_cores(v + first, end - first);

	for (; first < end; first = next) {
		for (i = next = first; i < end; i++) {
			s = v[i];
			if (several && strcmp(s->core ?: "", v[first]->core ?: ""))
				continue;
			memmove(&v[next + 1], &v[next], (i - next) * sizeof(*v));
			v[next] = s;
			s->leader = first;
			/* only a group as a whole can be pinned or exclusive */
			if (next++ > first)
				s->attr.pinned = s->attr.exclusive = 0;
		}
		v[first]->group_members = next - first;
		if (name_len)
			v[first]->group_name = xstrndup(name, name_len);
	}
}

static int parse_group(struct parse *p, const char *name, size_t name_len)
{
	const char *open = p->pos++;
	u32 first = p->list->nr;

	for (;;) {
		if (parse_event(p))
			return -1;
		skip_space(p);
		if (*p->pos == '}')
			break;
		if (*p->pos != ',')
			return parse_error(p, open, NULL, "this group is not closed by '}'");
		p->pos++;
	}
	p->pos++;
	make_groups(p, first, name, name_len);
	if (*p->pos == ':') {
		p->pos++;
		if (parse_modifiers(p, first, true))
			return -1;
	}
	return 0;
}

struct error *spec_parse(const char *str, struct spec_list *list)
{
	struct parse p = { .str = str, .pos = str, .list = list };
	size_t len;
	int err;

	for (;;) {
		skip_space(&p);
		len = word_len(p.pos);
		if (p.pos[len] == ':' && p.pos[len + 1] == '{') {
			const char *name = p.pos;

			p.pos += len + 1;
			err = parse_group(&p, name, len);
		} else if (*p.pos == '{') {
			err = parse_group(&p, NULL, 0);
		} else {
			err = parse_event(&p);
		}
		if (err)
			break;
		skip_space(&p);
		if (!*p.pos)
			return NULL;
		if (*p.pos != ',') {
			parse_error(&p, p.pos, NULL, "unexpected '%c'", *p.pos);
			break;
		}
		p.pos++;
	}
	assert(p.error);	/* every failure calls parse_error() */
	return p.error;
}

static int parse_pfm_event(struct parse *p)
{
	size_t len = strcspn(p->pos, ",{}");
	_cleanup_free_ char *name = xstrndup(p->pos, len);
	struct nearest near = { .wanted = name, .len = len };
	struct perf_event_attr attr = { 0 };
	struct event_spec *s;
	const char *why;

	if (!len)
		return parse_error(p, p->pos, NULL, "an event is missing here");
	if (pfm_event(name, &attr, &why)) {
		pfm_event_each(offer_vendor_event, &near);
		return parse_error(p, p->pos, &near, "%s: libpfm4: %s", name, why);
	}
	s = spec_list_add(p->list, attr.type, 0, name);
	attr.size = s->attr.size;
	s->attr = attr;
	s->exclude_given = attr.exclude_user || attr.exclude_kernel;
	find_core(s);
	p->pos += len;
	return 0;
}

struct error *spec_parse_pfm(const char *str, struct spec_list *list)
{
	struct parse p = { .str = str, .pos = str, .list = list };
	u32 first = 0;
	bool group = false;

	for (;;) {
		if (*p.pos == '{' && !group) {
			p.pos++;
			group = true;
			first = list->nr;
		}
		if (parse_pfm_event(&p))
			return p.error;
		if (*p.pos == '}' && group) {
			p.pos++;
			group = false;
			make_groups(&p, first, NULL, 0);
		}
		if (!*p.pos && !group)
			return NULL;
		if (*p.pos != ',') {
			parse_error(&p, p.pos, NULL, *p.pos ? "unexpected '%c'" : "this group is not closed by '}'", *p.pos);
			return p.error;
		}
		p.pos++;
	}
}

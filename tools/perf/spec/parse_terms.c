// SPDX-License-Identifier: GPL-2.0
/* Terms between slashes, of the PMU and of every event, modifiers after the colon, and errors. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "spec/names.h"
#include "spec/parse.h"
#include "spec/spec.h"

#define CONFIG_TERMS "config,config1,config2,"
#define COMMON_TERMS CONFIG_TERMS "name,period,freq,call-graph,stack-size,max-stack," \
		     "inherit,no-inherit,overwrite,no-overwrite,time"

/* A caret is under the wrong word. The first error is kept. */
int parse_error(struct parse *p, const char *at, const struct nearest *near,
		const char *fmt, ...)
{
	char what[512], hint[512] = "";
	size_t len = 0;
	va_list ap;
	u32 i;

	if (p->error)
		return -1;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (i = 0; near && i < near->nr && len < sizeof(hint); i++)
		len += snprintf(hint + len, sizeof(hint) - len, "%s%s",
				i ? ", " : "  nearest: ", near->best[i].name);
	p->error = error_create(EINVAL, "%s", what);
	error_add_line(p->error, "  %s", p->str);
	error_add_line(p->error, "  %*s^", (int)(at - p->str), "");
	if (*hint)
		error_add_line(p->error, "%s", hint);
	return -1;
}

/* One term: name[=value]. */
struct term {
	const char *at;		/* its position, for the caret */
	const char *value_at;
	char name[128];
	char value[512];
	bool has_value;
};

static int term_number(struct parse *p, const struct term *t, u64 max, u64 *v)
{
	char *end;

	if (!t->has_value) {
		*v = 1;
		return 0;
	}
	errno = 0;
	*v = strtoull(t->value, &end, 0);
	if (end == t->value || *end || errno || t->value[0] == '-')
		return parse_error(p, t->value_at, NULL, "term '%s' needs a number, not '%s'",
				   t->name, t->value);
	if (*v > max)
		return parse_error(p, t->value_at, NULL, "%s is too large for term '%s'",
				   t->value, t->name);
	return 0;
}

/* Parse a term that every event accepts. Return: 1 if it was one, 0 if not, -1 on error. */
static int common_term(struct parse *p, const struct term *t, struct event_spec *s)
{
	const struct call_graph_mode *mode;
	char modes[128];
	u64 v;

	if (!strcmp(t->name, "name")) {
		if (!t->has_value || !t->value[0])
			return parse_error(p, t->at, NULL, "name= needs a name");
		free(s->name);
		s->name = xstrdup(t->value);
		s->name_set = true;
		return 1;
	}
	if (!strcmp(t->name, "call-graph")) {
		mode = call_graph_mode(t->value, strlen(t->value));
		if (!mode)
			return parse_error(p, t->value_at, NULL, "call-graph= is one of %s; stack-size= sets the size",
					   call_graph_modes(modes, sizeof(modes), true));
		s->chain = mode->chain;
		return 1;
	}
	if (!strcmp(t->name, "inherit") || !strcmp(t->name, "no-inherit")) {
		s->inherit = t->name[0] == 'i';
		return 1;
	}
	if (!strcmp(t->name, "overwrite") || !strcmp(t->name, "no-overwrite")) {
		s->overwrite = t->name[0] == 'o';
		return 1;
	}
	if (!strcmp(t->name, "period") || !strcmp(t->name, "freq")) {
		if (!t->has_value)
			return parse_error(p, t->at, NULL, "%s= needs a number", t->name);
		if (term_number(p, t, -1ULL, &v))
			return -1;
		if (!v)
			return parse_error(p, t->value_at, NULL, "%s=0 would take no sample",
					   t->name);
		if (t->name[0] == 'p') {
			s->period = v;
			s->period_set = true;
		} else {
			s->freq = v;
			s->freq_set = true;
		}
		return 1;
	}
	if (!strcmp(t->name, "stack-size") || !strcmp(t->name, "max-stack")) {
		if (!t->has_value)
			return parse_error(p, t->at, NULL, "%s= needs a number", t->name);
		if (term_number(p, t, t->name[0] == 's' ? 65528 : 65535, &v))
			return -1;
		if (t->name[0] == 's')
			s->stack_size = ALIGN_UP(v, 8u);
		else
			s->max_stack = v;
		return 1;
	}
	if (!strcmp(t->name, "time")) {
		if (term_number(p, t, 1, &v))
			return -1;
		s->time = v;
		return 1;
	}
	if (!strcmp(t->name, "config") || !strcmp(t->name, "config1") ||
	    !strcmp(t->name, "config2")) {
		if (term_number(p, t, -1ULL, &v))
			return -1;
		pmu_term("", t->name, v, &s->attr);
		return 1;
	}
	return 0;
}

/* Parse the next term and advance the parser past it. */
static int next_term(struct parse *p, struct term *t)
{
	size_t len = strcspn(p->pos, "=,/");
	char quote = 0;

	t->at = p->pos;
	t->has_value = false;
	t->value[0] = 0;
	t->value_at = p->pos;
	if (!len || len >= sizeof(t->name))
		return parse_error(p, p->pos, NULL, "a term is missing here");
	memcpy(t->name, p->pos, len);
	t->name[len] = 0;
	p->pos += len;
	if (*p->pos != '=')
		return 0;
	p->pos++;
	t->has_value = true;
	t->value_at = p->pos;
	if (*p->pos == '\'' || *p->pos == '"') {
		quote = *p->pos++;
		len = strcspn(p->pos, quote == '"' ? "\"" : "'");
	} else {
		len = strcspn(p->pos, ",/");
	}
	/* "fp,defer" is the only value with a comma */
	if (!strcmp(t->name, "call-graph") && !strncmp(p->pos, "fp,defer", 8) && strchr(",/", p->pos[8]))
		len = 8;
	if (len >= sizeof(t->value))
		return parse_error(p, p->pos, NULL, "this value is too long");
	memcpy(t->value, p->pos, len);
	t->value[len] = 0;
	p->pos += len;
	if (quote && *p->pos++ != quote)
		return parse_error(p, t->value_at, NULL, "this quote is not closed");
	return 0;
}

static int pmu_terms(struct parse *p, const char *pmu, char *terms, struct event_spec *s,
		     const struct term *from);

/* Is it an event of a CPU's PMU: cpu_core/cycles/, cpu_core/L1-dcache-loads/, cpu_core/r1a8/? */
static bool core_event(const char *pmu, const char *name, struct event_spec *s)
{
	u64 config, ext = s->core ? (u64)s->attr.type << 32 : 0;
	const struct event_name *e = event_name_find(name, strlen(name));
	char *end;

	if (!s->core && strcmp(pmu, "cpu"))
		return false;
	if (e && e->type == PERF_TYPE_HARDWARE) {
		s->attr.type = e->type;
		s->attr.config = e->config | ext;
		return true;
	}
	if (cache_name_parse(name, strlen(name), &config)) {
		s->attr.type = PERF_TYPE_HW_CACHE;
		s->attr.config = config | ext;
		return true;
	}
	if (name[0] == 'r' && isxdigit((unsigned char)name[1])) {
		config = strtoull(name + 1, &end, 16);
		if (!*end) {
			s->attr.config = config;
			return true;
		}
	}
	return false;
}

/* Accept a vendor's event name as a term of a CPU's PMU. */
static bool vendor_event(const char *pmu, const char *name, struct event_spec *s)
{
	struct perf_event_attr attr;
	const char *why;

	if ((!s->core && strcmp(pmu, "cpu")) || pfm_event(name, &attr, &why) || attr.type != s->attr.type)
		return false;
	s->attr.config = attr.config;
	s->attr.config1 = attr.config1;
	s->attr.config2 = attr.config2;
	return true;
}

static int apply(struct parse *p, const char *pmu, const struct term *t, struct event_spec *s,
		 bool may_be_event)
{
	char terms[512], known[512];
	u64 v;
	int err = common_term(p, t, s);

	if (err)
		return err < 0 ? -1 : 0;
	may_be_event &= pmu && !t->has_value;
	if (may_be_event && !pmu_event_terms(pmu, t->name, terms, sizeof(terms), s))
		return pmu_terms(p, pmu, terms, s, t);
	if (may_be_event && core_event(pmu, t->name, s))
		return 0;
	if (pmu) {
		if (term_number(p, t, -1ULL, &v))
			return -1;
		err = pmu_term(pmu, t->name, v, &s->attr);
		if (!err || (may_be_event && vendor_event(pmu, t->name, s)))
			return 0;
		if (err == -ERANGE)
			return parse_error(p, t->value_at, NULL, "%s is too large for term '%s'",
					   t->value, t->name);
		pmu_terms_text(pmu, known, sizeof(known));
		return parse_error(p, t->at, NULL, "PMU %s has neither a term nor an event '%s'; "
				   "terms: %s,%s", pmu, t->name, known, &COMMON_TERMS[strlen(CONFIG_TERMS)]);
	}
	return parse_error(p, t->at, NULL, "'%s' is no term; terms: %s", t->name, COMMON_TERMS);
}

/* Apply the terms of a PMU's named event: "event=0x3c,umask=0x1". */
static int pmu_terms(struct parse *p, const char *pmu, char *terms, struct event_spec *s,
		     const struct term *from)
{
	char *save = NULL, *word, *eq;
	struct term t;

	for (word = strtok_r(terms, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		t = (struct term){ .at = from->at, .value_at = from->at };
		eq = strchr(word, '=');
		if (eq) {
			*eq = 0;
			t.has_value = true;
			snprintf(t.value, sizeof(t.value), "%s", eq + 1);
			/* "?" is a value that the user must give */
			if (!strcmp(t.value, "?"))
				continue;
		}
		snprintf(t.name, sizeof(t.name), "%s", word);
		if (apply(p, pmu, &t, s, false))
			return -1;
	}
	return 0;
}

int parse_terms(struct parse *p, const char *pmu, struct event_spec *spec)
{
	const char *open = p->pos - 1;
	struct term t;

	while (*p->pos != '/') {
		if (!*p->pos)
			return parse_error(p, open, NULL, "these terms are not closed by '/'");
		if (next_term(p, &t) || apply(p, pmu, &t, spec, true))
			return -1;
		if (*p->pos == ',')
			p->pos++;
		else if (*p->pos && *p->pos != '/')
			return parse_error(p, p->pos, NULL, "unexpected '%c' in terms", *p->pos);
	}
	p->pos++;
	if (spec->period_set && spec->freq_set)
		return parse_error(p, open, NULL, "period= and freq= exclude each other");
	return 0;
}

static void exclude(struct event_spec *s, char mod)
{
	if (strchr("ukh", mod)) {
		if (!s->exclude_given)
			s->attr.exclude_user = s->attr.exclude_kernel = s->attr.exclude_hv = 1;
		s->exclude_given = true;
		if (mod == 'u')
			s->attr.exclude_user = 0;
		else if (mod == 'k')
			s->attr.exclude_kernel = 0;
		else
			s->attr.exclude_hv = 0;
		return;
	}
	if (!s->guest_given)
		s->attr.exclude_guest = s->attr.exclude_host = 1;
	s->guest_given = true;
	if (mod == 'G')
		s->attr.exclude_guest = 0;
	else
		s->attr.exclude_host = 0;
}

int parse_modifiers(struct parse *p, u32 first, bool members)
{
	const char *start = p->pos;
	struct event_spec *s;
	u32 i;

	for (; *p->pos && !strchr(",} \t\n", *p->pos); p->pos++) {
		for (i = first; i < p->list->nr; i++) {
			s = p->list->v[i];
			switch (*p->pos) {
			case 'u': case 'k': case 'h': case 'G': case 'H':
				exclude(s, *p->pos);
				break;
			case 'p':
				if (s->attr.precise_ip == 3)
					return parse_error(p, p->pos, NULL,
							   "at most three 'p' are possible");
				s->attr.precise_ip++;
				break;
			case 'P':
				s->precise_max = true;
				break;
			case 'I':
				s->attr.exclude_idle = 1;
				break;
			case 'D':
				if (s->leader == i)
					s->attr.pinned = 1;
				break;
			case 'e':
				if (s->leader == i)
					s->attr.exclusive = 1;
				break;
			case 'S':
				s->sample_read = true;
				break;
			case 'W':
				if (!members)
					return parse_error(p, p->pos, NULL,
							   "'W' (weak) is for groups: {a,b}:W");
				s->weak_group = true;
				break;
			default:
				return parse_error(p, p->pos, NULL,
						   "'%c' is no modifier; modifiers: u k h G H p P D S W I e",
						   *p->pos);
			}
		}
	}
	if (p->pos == start)
		return parse_error(p, start, NULL, "a modifier is missing after ':'");
	return 0;
}

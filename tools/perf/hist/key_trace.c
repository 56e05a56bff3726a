// SPDX-License-Identifier: GPL-2.0
/*
 * key_trace.c - keys of tracepoints: text and fields
 */
#include <traceevent/event-parse.h>

#include "base/arena.h"
#include "event/format.h"
#include "hist/hist_private.h"

/* Format the event, or one field, by its format file; "" if it has no format. */
static const char *put_text(struct hist_env *env, const struct sample *s,
			    const struct tep_format_field *field, struct outbuf *o)
{
	o->pos = o->base;
	if (field)
		tracepoint_print_field(s, field, o);
	else if (env->cfg.raw_trace)
		tracepoint_print_fields(env->session->events, s, o);
	else
		tracepoint_print(env->session->events, s, o);
	return outbuf_text(o);
}

/* Limit of all texts together: this many times the size of the raw data. It is rarely reached. */
#define TEXT_RATIO 16
#define TEXTS_MIN (64 << 20)

/* Intern a text within the limit: a format can make long texts of a few bytes of each sample. */
static const char *keep_text(struct hist_env *env, const char *text)
{
	if (env->string_bytes > TEXTS_MIN + TEXT_RATIO * env->raw_bytes)
		text = "[left out]";
	return hist_string(env, text);
}

/* The cache slot of a tracepoint's raw data. It may hold the text of other data. */
static struct hist_trace *trace_slot(struct hist_env *env, const struct sample *s)
{
	if (!s->raw || s->raw_size > HIST_TRACE_RAW)
		return NULL;
	if (!env->traces)
		env->traces = xcalloc(HIST_TRACES, sizeof(*env->traces));
	return &env->traces[hash_bytes(s->raw, s->raw_size) % HIST_TRACES];
}

static u64 value_trace(struct hist_env *env, const struct sort_key *k,
		       const struct hist_point *p)
{
	const struct sample *s = p->sample;
	struct hist_trace *t;
	_cleanup_outbuf_ struct outbuf o = { 0 };
	const char *text;

	if (!s->event->tp_format)
		return (uintptr_t)hist_string(env, "N/A");
	env->raw_bytes += s->raw_size;
	t = trace_slot(env, s);
	if (t && t->event == s->event && t->size == s->raw_size && !memcmp(t->raw, s->raw, t->size))
		return (uintptr_t)t->text;
	text = keep_text(env, put_text(env, s, NULL, &o));
	if (t) {
		*t = (struct hist_trace){ .event = s->event, .text = text, .size = s->raw_size };
		memcpy(t->raw, s->raw, s->raw_size);
	}
	return (uintptr_t)text;
}

/* Find the field's formatted value: the text after "name=" in the event's text. */
static bool find_pretty(const char *text, const char *name, char *out, size_t size)
{
	size_t len = strlen(name), n;
	const char *at = text;

	while ((at = strstr(at, name))) {
		if ((at == text || at[-1] == ' ' || at[-1] == '(') && at[len] == '=') {
			at += len + 1;
			n = strcspn(at, " ");
			snprintf(out, size, "%.*s", (int)n, at);
			return true;
		}
		at += len;
	}
	return false;
}

static u64 value_field(struct hist_env *env, const struct sort_key *k,
		       const struct hist_point *p)
{
	const struct tep_format_field *field = k->field;
	char pretty[256];
	const char *s;
	_cleanup_outbuf_ struct outbuf o = { 0 };

	env->raw_bytes += p->sample->raw_size;
	if (k->event != p->sample->event)
		s = "";
	else if (!env->cfg.raw_trace && !(field->flags & TEP_FIELD_IS_STRING) &&
		 find_pretty(put_text(env, p->sample, NULL, &o), field->name, pretty,
			     sizeof(pretty)))
		s = pretty;
	else
		s = put_text(env, p->sample, field, &o);
	s = keep_text(env, s);
	return (uintptr_t)s;
}

static int cmp_text(const struct hist_env *env, const struct sort_key *k,
		    u64 a, u64 b)
{
	const char *sa = (const char *)(uintptr_t)a, *sb = (const char *)(uintptr_t)b;
	char *ea, *eb;
	long long na, nb;

	if (a == b)
		return 0;
	na = strtoll(sa, &ea, 0);
	nb = strtoll(sb, &eb, 0);
	if (ea != sa && eb != sb && !*ea && !*eb && na != nb)
		return na < nb ? -1 : 1;
	return strcmp(sa, sb);
}

/* As mainline: compare the recorded bytes of the field, descending. */
static int cmp_field(const struct hist_env *env, const struct sort_key *k,
		     u64 a, u64 b)
{
	const char *sa = (const char *)(uintptr_t)a, *sb = (const char *)(uintptr_t)b;
	u64 na, nb;
	char *ea, *eb;

	if (a == b)
		return 0;
	na = __builtin_bswap64(strtoull(sa, &ea, 0));
	nb = __builtin_bswap64(strtoull(sb, &eb, 0));
	if (ea != sa && eb != sb && !*ea && !*eb && na != nb)
		return na > nb ? -1 : 1;
	return strcmp(sb, sa);
}

static struct sort_key *make_field(struct hist_env *env, const struct event *ev,
				   const struct tep_format_field *f)
{
	struct sort_key *k = arena_alloc(&env->arena, sizeof(*k));
	int size = f->size < 0 ? 0 : min(f->size, 200);

	k->name = k->header = f->name;
	k->right = true;
	k->min_width = f->flags & TEP_FIELD_IS_STRING ? (f->flags & TEP_FIELD_IS_DYNAMIC ? 0 :
		       size) : min(2 + 2 * size, 200);
	k->value = value_field;
	k->cmp = cmp_field;
	k->text = sort_string_text;
	k->event = ev;
	k->field = f;
	return k;
}

static bool is_event(const struct event *ev, u32 idx, const char *name, size_t len)
{
	size_t i;

	if (name[0] == '%')
		return strtoul(name + 1, NULL, 10) == idx + 1;
	for (i = 0; ev->name && strlen(ev->name + i) >= len; i++)
		if (!strncmp(ev->name + i, name, len))
			return true;
	return false;
}

struct sort_key *sort_key_trace(struct hist_env *env, const char *name)
{
	const struct event_list *list = env->session->events;
	const char *dot = strchr(name, '.'), *field = dot ? dot + 1 : name;
	struct tep_format_field *f;
	char plain[256];
	u32 i;

	snprintf(plain, sizeof(plain), "%s", field);
	if (strlen(plain) > 4 && !strcmp(plain + strlen(plain) - 4, "/raw"))
		plain[strlen(plain) - 4] = 0;
	if (!strcmp(name, "trace")) {
		struct sort_key *k = arena_alloc(&env->arena, sizeof(*k));

		*k = (struct sort_key){ .name = "trace", .header = "Trace output", .ragged = true,
			.value = value_trace, .cmp = cmp_text, .text = sort_string_text };
		return k;
	}
	for (i = 0; i < list->nr; i++) {
		const struct event *ev = list->events[i];

		if (!ev->tp_format || (dot && !is_event(ev, i, name, dot - name)))
			continue;
		f = tep_find_any_field(ev->tp_format, plain);
		if (f)
			return make_field(env, ev, f);
	}
	return NULL;
}

u32 sort_trace_fields(struct hist_env *env, struct sort_key ***keys)
{
	const struct event_list *list = env->session->events;
	u32 nr = 0, cap = 0, i;

	*keys = NULL;
	for (i = 0; i < list->nr; i++) {
		const struct tep_event *tep = list->events[i]->tp_format;
		const struct tep_format_field *f;

		for (f = tep ? tep->format.fields : NULL; f; f = f->next) {
			GROW(*keys, nr, cap);
			(*keys)[nr++] = make_field(env, list->events[i], f);
		}
	}
	return nr;
}

bool sort_all_tracepoints(const struct hist_env *env)
{
	const struct event_list *list = env->session->events;
	u32 i;

	for (i = 0; i < list->nr; i++)
		if (list->events[i]->attr.type != PERF_TYPE_TRACEPOINT)
			return false;
	return list->nr > 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * filter.c - lists of names, numbers and times
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "hist/filter.h"

static int cmp_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void name_add(struct name_list *l, const char *name)
{
	GROW(l->names, l->nr, l->cap);
	l->names[l->nr++] = xstrdup(name);
}

static int name_file(const char *option, const char *path, struct name_list *l)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	if (!f)
		return diag_error("%s: cannot read %s: %s", option, path, strerror(errno));
	while ((len = getline(&line, &cap, f)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = 0;
		if (len && line[0] != '#')
			name_add(l, line);
	}
	return 0;
}

int name_list_parse(const char *option, const char *arg, struct name_list *l)
{
	_cleanup_free_ char *copy = xstrdup(arg);
	char *save = NULL, *w;

	for (w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		if (strncmp(w, "file://", 7))
			name_add(l, w);
		else if (name_file(option, w + 7, l))
			return -1;
	}
	if (!l->nr)
		return diag_error("%s: the list is empty", option);
	qsort(l->names, l->nr, sizeof(*l->names), cmp_names);
	return 0;
}

bool name_list_has(const struct name_list *l, const char *name)
{
	return l->nr && bsearch(&name, l->names, l->nr, sizeof(*l->names), cmp_names);
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

int number_list_parse(const char *option, const char *arg, struct number_list *l)
{
	const char *p = arg;
	char *end;

	for (;; p = end + 1) {
		u64 from, to;

		errno = 0;
		from = to = strtoull(p, &end, 0);
		if (end == p || *p == '-' || errno)
			break;
		if (*end == '-') {
			p = end + 1;
			to = strtoull(p, &end, 0);
			if (end == p || *p == '-' || errno || to < from)
				break;
		}
		span_add(l, from, to);
		if (!*end)
			return 0;
		if (*end != ',')
			break;
	}
	return diag_error("%s: '%s' is not a list of numbers like 0,2-4", option, arg);
}

/* Seconds with decimals, exact: "12.000000345". */
static bool parse_time(const char *s, const char *stop, u64 *ns)
{
	u64 v = 0;
	int decimals = -1;

	if (s == stop)
		return false;
	for (; s < stop; s++) {
		if (*s == '.' && decimals < 0) {
			decimals = 0;
		} else if (*s >= '0' && *s <= '9' && v < (u64)1 << 59) {
			if (decimals >= 9)
				continue;
			v = v * 10 + *s - '0';
			decimals += decimals >= 0;
		} else {
			return false;
		}
	}
	for (decimals = max(decimals, 0); decimals < 9; decimals++)
		v *= 10;
	*ns = v;
	return true;
}

static bool parse_percents(const char *w, u64 first, u64 last, struct number_list *l)
{
	double a, b, span = last - first;
	char *end;
	int n = 0;

	if (sscanf(w, "%lf%%/%lf%n", &a, &b, &n) == 2 && !w[n] && a > 0 && a <= 100 && b >= 1 &&
	    (b - 1) * a < 100) {
		span_add(l, first + (u64)(span * a * (b - 1) / 100),
			 min(last, first + (u64)(span * a * b / 100)));
		return true;
	}
	n = 0;
	if (sscanf(w, "%lf%%-%lf%%%n", &a, &b, &n) == 2 && n && !w[n] && a >= 0 && b <= 100 && a <= b) {
		span_add(l, first + (u64)(span * a / 100), first + (u64)(span * b / 100));
		return true;
	}
	a = strtod(w, &end);
	if (end != w && !strcmp(end, "%") && a > 0 && a <= 100) {
		span_add(l, first, first + (u64)(span * a / 100));
		return true;
	}
	return false;
}

int time_list_parse(const char *arg, u64 first, u64 last, struct number_list *l)
{
	_cleanup_free_ char *copy = xstrdup(arg);
	bool percents = strchr(arg, '%');
	char *save = NULL, *w, *comma;

	for (w = strtok_r(copy, percents ? ", " : " ", &save); w;
	     w = strtok_r(NULL, percents ? ", " : " ", &save)) {
		u64 from = 0, to = (u64)-1;

		if (percents) {
			if (!parse_percents(w, first, last, l))
				goto wrong;
			continue;
		}
		comma = strchr(w, ',');
		if (!comma)
			comma = w + strlen(w);
		if ((comma != w && !parse_time(w, comma, &from)) ||
		    (*comma && comma[1] && !parse_time(comma + 1, comma + strlen(comma), &to)) ||
		    to < from)
			goto wrong;
		span_add(l, from, to);
	}
	if (l->nr)
		return 0;
wrong:
	return diag_error("--time: '%s' is neither start,stop in seconds nor a part like 10%%/2 or "
			  "0%%-10%%", arg);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Errors as values. An error owns its strings. It is made on failing paths only, so that its
 * two allocations are cheap enough.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/error.h"

static struct error *create(const char *path, u64 offset, int err)
{
	struct error *e = xcalloc(1, sizeof(*e));

	e->err = err;
	e->path = path ? xstrdup(path) : NULL;
	e->offset = offset;
	return e;
}

static void __printf(3, 0) set_text(struct error *e, const char *place, const char *fmt, va_list ap)
{
	char *what;

	errno = e->err;
	if (vasprintf(&what, fmt, ap) < 0)
		diag_fatal("out of memory");
	e->text = xmalloc(strlen(place) + strlen(what) + 1);
	strcpy(e->text, place);
	strcat(e->text, what);
	free(what);
}

struct error *error_create(int err, const char *fmt, ...)
{
	struct error *e = create(NULL, -1, err);
	va_list ap;

	va_start(ap, fmt);
	set_text(e, "", fmt, ap);
	va_end(ap);
	return e;
}

struct error *error_file(const char *path, int err, const char *fmt, ...)
{
	struct error *e = create(path, -1, err);
	char place[4200];
	va_list ap;

	snprintf(place, sizeof(place), "%s: ", path);
	va_start(ap, fmt);
	set_text(e, place, fmt, ap);
	va_end(ap);
	return e;
}

struct error *error_at(const char *path, u64 offset, int err, const char *fmt, ...)
{
	struct error *e = create(path, offset, err);
	char place[4200];
	va_list ap;

	snprintf(place, sizeof(place), "%s: offset %#llx: ", path, offset);
	va_start(ap, fmt);
	set_text(e, place, fmt, ap);
	va_end(ap);
	return e;
}

void error_add_line(struct error *e, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		diag_fatal("out of memory");
	va_end(ap);
	e->more = xrealloc(e->more, (e->nr_more + 1) * sizeof(*e->more));
	e->more[e->nr_more++] = line;
}

struct error *error_reported(int err)
{
	struct error *e = create(NULL, -1, err);

	e->text = xstrdup("");
	return e;
}

void error_free(struct error *e)
{
	if (!e)
		return;
	while (e->nr_more)
		free(e->more[--e->nr_more]);
	free(e->more);
	free((char *)e->path);
	free(e->text);
	free(e);
}

int error_report(struct error *e)
{
	u32 i;

	if (!e)
		return 0;
	if (*e->text)
		diag_error("%s", e->text);
	for (i = 0; i < e->nr_more; i++)
		diag_more("%s", e->more[i]);
	error_free(e);
	return -1;
}

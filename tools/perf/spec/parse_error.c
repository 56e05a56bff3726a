// SPDX-License-Identifier: GPL-2.0
/* Errors of -e, with a caret under the wrong word. The first one is kept. */
#include <stdarg.h>
#include <stdio.h>

#include "spec/parse.h"

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

// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement names for missing or overlong ones: files instead of functions, and containers.
 * Fields of tracepoints as members of a JSON object. Owns nothing.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/text.h"
#include "cmd/data/conversion.h"
#include "event/format.h"
#include "session/session.h"

void file_name(const struct dso *dso, char name[FILE_NAME_SIZE])
{
	const char *s = dso ? dso->short_name : "[unknown]";

	snprintf(name, FILE_NAME_SIZE, s[0] == '[' ? "%s" : "[%s]", s);
}

bool container_id(const char *cgroup, char id[CONTAINER_ID])
{
	const char *p = cgroup ?: "";
	bool any = false;

	/* For nested containers the last id is the innermost one. */
	while (*p) {
		size_t nr = 0;

		while (isxdigit((u8)p[nr]))
			nr++;
		if (nr == 64) {
			memcpy(id, p, CONTAINER_ID - 1);
			id[CONTAINER_ID - 1] = '\0';
			any = true;
		}
		p += nr ?: 1;
	}
	return any;
}

u32 conv_fields(const struct sample *s, const char *before, const char *between, struct outbuf *o)
{
	const struct tep_event *tep = s->event->tp_format;
	const struct tep_format_field *f;
	_cleanup_outbuf_ struct outbuf text = { 0 };
	u32 nr = 0;

	if (!tep || !s->raw)
		return 0;
	for (f = tep->format.fields; f; f = f->next) {
		text.pos = text.base;
		if (!tracepoint_print_field(s, f, &text))
			continue;
		json_put(o, nr++ ? between : before, f->name);
		json_put(o, ": ", outbuf_text(&text));
	}
	return nr;
}

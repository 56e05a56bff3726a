// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of tracepoints as members of a JSON object. It is given a sample; owns nothing.
 */
#include <traceevent/event-parse.h>

#include "base/text.h"
#include "cmd/data/conversion.h"
#include "event/format.h"

u32 conv_fields(const struct sample *s, const char *before, const char *between, struct outbuf *o)
{
	const struct tep_event *tep = s->event->tp_format;
	const struct tep_format_field *f;
	struct outbuf text;
	u32 nr = 0;

	if (!tep || !s->raw)
		return 0;
	outbuf_init(&text, -1);
	for (f = tep->format.fields; f; f = f->next) {
		text.pos = text.base;
		if (!tracepoint_print_field(s, f, &text))
			continue;
		outbuf_puts(o, nr++ ? between : before);
		json_string(o, f->name);
		outbuf_puts(o, ": ");
		json_string(o, outbuf_text(&text));
	}
	outbuf_deinit(&text);
	return nr;
}

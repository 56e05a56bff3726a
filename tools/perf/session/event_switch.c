// SPDX-License-Identifier: GPL-2.0
/*
 * Samples between two events. The caller owns the options and the state, one state for each pass
 * over a recording. The result depends on earlier samples, so one thread must read them all.
 */
#include "base/error.h"
#include "session/event_switch.h"
#include "session/session.h"

static struct error *check(const struct session *s, const char *name, const char *option)
{
	u32 i;

	for (i = 0; name && i < s->events->nr; i++)
		if (!strcmp(s->events->events[i]->name, name))
			return NULL;
	return name ? error_create(EINVAL, "--%s: the recording has no event '%s'", option, name) : NULL;
}

struct error *event_switch_setup(const struct event_switch *sw, const struct session *s)
{
	return check(s, sw->on, "switch-on") ?: check(s, sw->off, "switch-off");
}

bool event_switch_passes(const struct event_switch *sw, bool *off, const struct event *ev)
{
	const char *turn = *off ? sw->on : sw->off;

	if (!turn || strcmp(ev->name, turn))
		return !*off;
	*off = !*off;
	return sw->show;
}

void event_switch_text(const struct event_switch *sw, struct outbuf *o)
{
	if (sw->on)
		outbuf_printf(o, " --switch-on %s", sw->on);
	if (sw->off)
		outbuf_printf(o, " --switch-off %s", sw->off);
}

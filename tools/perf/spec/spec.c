// SPDX-License-Identifier: GPL-2.0
/*
 * The list of events of -e, which owns them and their strings. A new one leads a group of its own.
 */
#include <stdio.h>

#include "base/arena.h"
#include "spec/spec.h"

struct event_spec *spec_list_add(struct spec_list *list, u32 type, u64 config,
				 const char *name)
{
	struct event_spec *s = xcalloc(1, sizeof(*s));

	s->attr.type = type;
	s->attr.config = config;
	s->attr.size = sizeof(s->attr);
	s->name = xstrdup(name);
	s->scale = 1;
	s->leader = list->nr;
	s->group_members = 1;
	s->inherit = s->overwrite = s->time = -1;
	GROW(list->v, list->nr, list->cap);
	list->v[list->nr++] = s;
	return s;
}

void spec_list_deinit(struct spec_list *list)
{
	u32 i;

	for (i = 0; i < list->nr; i++) {
		free(list->v[i]->name);
		free(list->v[i]->unit);
		free(list->v[i]->cpumask);
		free(list->v[i]->core);
		free(list->v[i]->filter);
		free(list->v[i]->cgroup);
		free(list->v[i]->group_name);
		free(list->v[i]);
	}
	free(list->v);
	memset(list, 0, sizeof(*list));
}

static const struct call_graph_mode modes[] = {
	{ .name = "table", .chain = SPEC_CHAIN_TABLE, .late = true },
	{ .name = "bpf", .chain = SPEC_CHAIN_BPF },
	{ .name = "live", .chain = SPEC_CHAIN_LIVE, .sized = true },
	{ .name = "fp", .chain = SPEC_CHAIN_FP },
	{ .name = "fp,defer", .chain = SPEC_CHAIN_FP_DEFER, .late = true },
	{ .name = "dwarf", .chain = SPEC_CHAIN_DWARF, .sized = true },
	{ .name = "lbr", .chain = SPEC_CHAIN_LBR },
	{ .name = "no", .chain = SPEC_CHAIN_NO },
};

const struct call_graph_mode *call_graph_mode(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (strlen(modes[i].name) == len && !memcmp(name, modes[i].name, len))
			return &modes[i];
	return NULL;
}

const char *call_graph_modes(char *buf, size_t size, bool late)
{
	size_t n = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (late || !modes[i].late)
			n += snprintf(buf + n, size - n, "%s%s%s", n ? ", " : "", modes[i].name,
				      modes[i].sized ? "[,size]" : "");
	return buf;
}

// SPDX-License-Identifier: GPL-2.0
/* The PMUs of this machine: folders of /sys/bus/event_source/devices, read at each call. */
#include <stdio.h>

#include "base/arena.h"
#include "base/sysfs.h"
#include "event/pmu.h"

int pmu_read(const char *pmu, const char *file, char *text, size_t size)
{
	char path[768];

	snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", sysfs_root(), pmu, file);
	return read_text(path, text, size);
}

bool pmu_exists(const char *name, size_t len, u32 *type)
{
	char pmu[128], text[32];

	if (!len || len >= sizeof(pmu) || memchr(name, '/', len) || name[0] == '.')
		return false;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)len, name);
	if (pmu_read(pmu, "type", text, sizeof(text)) <= 0)
		return false;
	if (type)
		*type = strtoul(text, NULL, 10);
	return true;
}

void pmu_each(void (*fn)(const char *name, u32 type, void *arg), void *arg)
{
	char path[512];
	char **names;
	u32 nr, i, type;

	snprintf(path, sizeof(path), "%s/bus/event_source/devices", sysfs_root());
	names = sysfs_list(path, &nr);
	for (i = 0; i < nr; i++)
		if (pmu_exists(names[i], strlen(names[i]), &type))
			fn(names[i], type, arg);
	sysfs_list_free(names, nr);
}

struct core_list {
	struct core_pmu *v;
	u32 nr, cap;
};

static void add_core(const char *name, u32 type, void *arg)
{
	struct core_list *l = arg;
	char cpus[256];

	if (pmu_read(name, "cpus", cpus, sizeof(cpus)) <= 0)
		return;
	GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = (struct core_pmu){ xstrdup(name), type, xstrdup(cpus) };
}

struct core_pmu *core_pmus(u32 *nr)
{
	struct core_list l = { 0 };

	pmu_each(add_core, &l);
	if (l.nr == 1) {
		core_pmus_free(l.v, l.nr);
		l = (struct core_list){ 0 };
	}
	*nr = l.nr;
	return l.v;
}

bool core_counters(void)
{
	struct core_list l = { 0 };

	pmu_each(add_core, &l);
	core_pmus_free(l.v, l.nr);
	return l.nr || pmu_exists("cpu", 3, NULL);
}

void core_pmus_free(struct core_pmu *pmus, u32 nr)
{
	while (nr--) {
		free(pmus[nr].name);
		free(pmus[nr].cpus);
	}
	free(pmus);
}

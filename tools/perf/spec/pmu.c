// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs in sysfs (Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}):
 * format/TERM is where a term is in a config word, events/NAME the terms of an event.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/sysfs.h"
#include "event/pmu.h"
#include "spec/names.h"

static void pmu_path(char *path, size_t size, const char *pmu, const char *file)
{
	snprintf(path, size, "%s/bus/event_source/devices/%s/%s", sysfs_root(), pmu, file);
}

/* Files such as cpu-clock.unit and cpu-clock.scale are properties of an event, not events. */
static bool describes(const char *name)
{
	static const char *const suffixes[] = { ".unit", ".scale", ".snapshot", ".per-pkg" };
	size_t i, len = strlen(name), n;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		n = strlen(suffixes[i]);
		if (len > n && !strcmp(name + len - n, suffixes[i]))
			return true;
	}
	return false;
}

void pmu_event_each(const char *pmu, void (*fn)(const char *pmu, const char *event,
						const char *terms, void *arg), void *arg)
{
	char path[512], file[1024], terms[512];
	char **names;
	u32 nr, i;

	pmu_path(path, sizeof(path), pmu, "events");
	names = sysfs_list(path, &nr);
	for (i = 0; i < nr; i++) {
		if (describes(names[i]))
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		if (read_text(file, terms, sizeof(terms)) > 0)
			fn(pmu, names[i], terms, arg);
	}
	sysfs_list_free(names, nr);
}

/* "config:0-7,21,32-35": the value's low bits go to the first range, and so on. */
static int put_bits(const char *format, u64 value, struct perf_event_attr *attr)
{
	const char *colon = strchr(format, ':'), *p;
	u64 *word, mask;
	char *end;
	u32 lo, hi, width;

	if (!colon)
		return -ENOENT;
	if (!strncmp(format, "config:", 7))
		word = (u64 *)&attr->config;
	else if (!strncmp(format, "config1:", 8))
		word = (u64 *)&attr->config1;
	else if (!strncmp(format, "config2:", 8))
		word = (u64 *)&attr->config2;
	else
		return -ENOENT;		/* a config word unknown to this version */
	for (p = colon + 1; *p;) {
		lo = hi = strtoul(p, &end, 10);
		if (end == p)
			return -ENOENT;
		if (*end == '-')
			hi = strtoul(end + 1, &end, 10);
		if (hi > 63 || lo > hi)
			return -ENOENT;
		width = hi - lo + 1;
		mask = width == 64 ? ~0ULL : (1ULL << width) - 1;
		*word = (*word & ~(mask << lo)) | (value & mask) << lo;
		value = width == 64 ? 0 : value >> width;
		p = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			break;
	}
	return value ? -ERANGE : 0;
}

int pmu_term(const char *pmu, const char *term, u64 value, struct perf_event_attr *attr)
{
	char file[160], format[128];

	if (!strcmp(term, "config") || !strcmp(term, "config1") || !strcmp(term, "config2")) {
		snprintf(format, sizeof(format), "%s:0-63", term);
		return put_bits(format, value, attr);
	}
	if (strchr(term, '/') || strlen(term) > 100)
		return -ENOENT;
	snprintf(file, sizeof(file), "format/%s", term);
	return pmu_read(pmu, file, format, sizeof(format)) <= 0 ? -ENOENT : put_bits(format, value, attr);
}

int pmu_event_terms(const char *pmu, const char *event, char *terms, size_t size,
		    struct event_spec *spec)
{
	char file[160], text[64];

	if (strchr(event, '/') || strlen(event) > 100)
		return -ENOENT;
	snprintf(file, sizeof(file), "events/%s", event);
	if (pmu_read(pmu, file, terms, size) <= 0)
		return -ENOENT;
	snprintf(file, sizeof(file), "events/%s.unit", event);
	if (pmu_read(pmu, file, text, sizeof(text)) > 0) {
		free(spec->unit);
		spec->unit = xstrdup(text);
	}
	snprintf(file, sizeof(file), "events/%s.scale", event);
	if (pmu_read(pmu, file, text, sizeof(text)) > 0)
		spec->scale = strtod(text, NULL);
	return 0;
}

void pmu_finish(const char *pmu, struct event_spec *spec)
{
	char text[256];

	if (pmu_read(pmu, "cpumask", text, sizeof(text)) <= 0) {
		if (pmu_read(pmu, "cpus", text, sizeof(text)) <= 0)
			return;
		spec->core = xstrdup(pmu);
	}
	free(spec->cpumask);
	spec->cpumask = xstrdup(text);
}

void pmu_terms_text(const char *pmu, char *buf, size_t size)
{
	char path[512];
	char **names;
	size_t len = 0;
	u32 nr, i;

	pmu_path(path, sizeof(path), pmu, "format");
	names = sysfs_list(path, &nr);
	for (i = 0; i < nr && len < size; i++)
		len += snprintf(buf + len, size - len, "%s%s", i ? "," : "", names[i]);
	if (len < size)
		snprintf(buf + len, size - len, "%sconfig,config1,config2", len ? "," : "");
	sysfs_list_free(names, nr);
}

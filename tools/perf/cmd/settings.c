// SPDX-License-Identifier: GPL-2.0
/*
 * The settings that this perf uses, in one table with their allowed values: perf config and the
 * commands refuse the same values.
 */
#include "base/config.h"
#include "base/diag.h"
#include "cmd/values.h"
#include "spec/spec.h"

static int check_record_mode(const char *value)
{
	struct ring_options o;

	return value_call_graph(value, NULL, &o);
}

static int check_dump_size(const char *value)
{
	u32 size;

	return value_dump_size(value, NULL, &size);
}

static int check_build_id(const char *value)
{
	static const char *const values[] = { "cache", "no-cache", "skip", "mmap" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		if (!strcmp(value, values[i]))
			return 0;
	return -1;
}

static int check_interface(const char *value)
{
	return strcmp(value, "auto") && strcmp(value, "tui") && strcmp(value, "stdio") ? -1 : 0;
}

static int check_size(const char *value)
{
	u64 size;

	return value_size(value, &size);
}

static int check_any(const char *value)
{
	return *value ? 0 : -1;
}

static int check_bool(const char *value)
{
	bool on;

	return value_bool(value, &on);
}

static const struct setting {
	const char *key;
	int (*check)(const char *value);
	const char *allowed;		/* allowed values, for messages; NULL: callchain modes */
	const char *example;		/* a valid value, for the suggested command */
} settings[] = {
	{ "buildid.dir", check_any, "a folder", "~/.debug" },
	{ "buildid.cache-size", check_size, "bytes, or a number with K, M or G", "2G" },
	{ "call-graph.record-mode", check_record_mode, NULL, "fp" },
	{ "call-graph.dump-size", check_dump_size, "bytes of user stack, 1 to 65528", "8192" },
	{ "unwind.cache-size", check_size, "bytes, or a number with K, M or G", "512M" },
	{ "report.function-starts", check_bool, "true; false", "true" },
	{ "report.ui", check_interface, "auto; tui; stdio", "auto" },
	{ "record.build-id", check_build_id, "cache; no-cache; skip; mmap", "cache" },
};

static const struct setting *find(const char *key)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].key, key))
			return &settings[i];
	return NULL;
}

static const char *allowed(const struct setting *s, char *buf, size_t size)
{
	return s->allowed ?: call_graph_modes(buf, size, true);
}

int setting_check(const char *key, const char *value)
{
	const struct setting *s = find(key);
	char buf[128];

	if (!s || !s->check(value))
		return 0;
	return diag_error("%s: '%s' is not one of its values: %s", key, value,
			  allowed(s, buf, sizeof(buf)));
}

int setting_get(const char *key, const char **value)
{
	const struct config_setting *c = config_get(key);
	const struct setting *s = find(key);
	char buf[128];
	bool system;

	*value = c ? c->value : NULL;
	if (!c || !s || !s->check(c->value))
		return 0;
	system = !strcmp(c->path, config_system_file());
	return diag_error("%s:%u: %s: '%s' is not one of its values: %s; 'perf config %s%s=%s' repairs it",
			  c->path, c->line, key, c->value, allowed(s, buf, sizeof(buf)),
			  system ? "--system " : "", key, s->example);
}

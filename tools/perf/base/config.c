// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the settings files once, in order of precedence. The settings, with file and line, live
 * until the program ends.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/config.h"
#include "base/config_text.h"
#include "base/diag.h"
#include "base/io.h"

static struct {
	struct config_setting *v;
	u32 nr, cap;
	bool loaded;
} config;

const char *config_system_file(void)
{
	return "/etc/perfconfig";
}

const char *config_user_file(void)
{
	static char path[4096];
	const char *env = getenv("PERF_CONFIG"), *home = getenv("HOME");

	if (env)
		return env;
	if (!home || !*home)
		return NULL;
	snprintf(path, sizeof(path), "%s/.perfconfig", home);
	return path;
}

static void read_elements(const char *path, const char *text, size_t size,
			  void (*fn)(const struct config_setting *s, void *arg), void *arg)
{
	char section[CONFIG_NAME_MAX] = "", key[2 * CONFIG_NAME_MAX];
	struct config_element e;
	size_t at, n, i;
	u32 line = 1;

	for (at = 0; at < size; at += n) {
		n = config_element_next(text + at, size - at, &e);
		if (e.kind == CONFIG_SECTION) {
			strcpy(section, e.name);
		} else if (e.kind == CONFIG_BAD || (e.kind == CONFIG_SETTING && !*section)) {
			diag_warn(text[at + strspn(text + at, " \t")] == '[' ?
				  "%s:%u: not a section: expected [name]" :
				  "%s:%u: not a setting: expected NAME = VALUE below a [section]", path, line);
		} else if (e.kind == CONFIG_SETTING) {
			_cleanup_free_ char *value = e.value ?
				config_unquote(text + at + e.value, e.value_end - e.value) : xstrdup("true");
			struct config_setting s = { key, value, path, line };

			snprintf(key, sizeof(key), "%s.%s", section, e.name);
			fn(&s, arg);
		}
		for (i = at; i < at + n; i++)
			line += text[i] == '\n';
	}
}

int config_each_in(const char *path, void (*fn)(const struct config_setting *s, void *arg), void *arg)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);
	_cleanup_free_ char *text = NULL;
	size_t size;
	int err;

	/* /dev/null: no settings */
	if (fd < 0)
		return fd == -ENOEXEC && S_ISCHR(st.st_mode) ? 0 : fd;
	err = config_read(fd, &text, &size);
	if (!err)
		read_elements(path, text, size, fn, arg);
	return err;
}

const char *config_error(int err)
{
	return err == -ENOEXEC ? "no regular file" : strerror(-err);
}

static void keep(const struct config_setting *s, void *arg __unused)
{
	GROW(config.v, config.nr, config.cap);
	config.v[config.nr++] = (struct config_setting){ xstrdup(s->key), xstrdup(s->value), s->path, s->line };
}

static void load_file(const char *path)
{
	struct stat st;
	int err = config_each_in(path, keep, NULL);

	/* The home of another user may not be readable: its settings do not apply then. */
	if (err && !stat(path, &st))
		diag_warn("%s: %s: its settings are not used", path,
			  config_error(err));
}

static void load(void)
{
	const char *user = config_user_file();

	if (config.loaded)
		return;
	config.loaded = true;
	if (!getenv("PERF_CONFIG"))
		load_file(config_system_file());
	if (user)
		load_file(user);
}

const struct config_setting *config_get(const char *key)
{
	u32 i;

	load();
	for (i = config.nr; i > 0; i--)
		if (!strcmp(config.v[i - 1].key, key))
			return &config.v[i - 1];
	return NULL;
}

void config_each(void (*fn)(const struct config_setting *s, void *arg), void *arg)
{
	u32 i;

	load();
	for (i = 0; i < config.nr; i++)
		fn(&config.v[i], arg);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf config: shows and changes settings. All words of the command line are checked before the
 * first setting is written, so that a wrong one leaves the file unchanged.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/argparse.h"
#include "base/config.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include "cmd/values.h"

static void show(const struct config_setting *s, void *arg __unused)
{
	printf("%s=%s\n", s->key, s->value);
}

/* Read one file, which may be absent. Return: the exit status. */
static int each_in(const char *path, void (*fn)(const struct config_setting *s, void *arg),
		   void *arg)
{
	int err = config_each_in(path, fn, arg);

	return err && err != -ENOENT ? diag_error("%s: %s", path, config_error(err)), 1 : 0;
}

struct wanted {
	const char *key;
	char *value;		/* the last one; NULL: none */
};

static void find(const struct config_setting *s, void *arg)
{
	struct wanted *w = arg;

	if (strcmp(s->key, w->key))
		return;
	free(w->value);
	w->value = xstrdup(s->value);
}

/* Print a setting, of one file if @path is given. Return: the exit status. */
static int print(const char *path, const char *key)
{
	const struct config_setting *s;
	struct wanted w = { .key = key };

	if (!path) {
		s = config_get(key);
		if (s)
			show(s, NULL);
		return !s;
	}
	if (each_in(path, find, &w) || !w.value)
		return 1;
	printf("%s=%s\n", key, w.value);
	free(w.value);
	return 0;
}

int cmd_config(int argc, char **argv)
{
	bool list = false, system = false, user = false;
	const struct opt opts[] = {
		{ OPT_BOOL, 'l', "list", &list, .help = "show all settings" },
		{ OPT_BOOL, 0, "system", &system, .help = "settings of /etc/perfconfig" },
		{ OPT_BOOL, 0, "user", &user, .help = "settings of ~/.perfconfig" },
		{ .kind = OPT_END },
	};
	const char *path;
	int status = 0, i, j;
	char *value;

	if (error_report(argparse(argc, argv, opts,
				  "perf config [--user|--system] [-l | SECTION.NAME[=VALUE]...]", false, &i)))
		return 129;
	if (system && user)
		return diag_error("--system and --user exclude each other"), 129;
	path = system ? config_system_file() : config_user_file();
	if (!path)
		return diag_error("there is no ~/.perfconfig: HOME is not set"), 1;
	if (list || i == argc) {
		if (i < argc)
			return diag_error("-l takes no settings"), 129;
		if (!system && !user) {
			config_each(show, NULL);
			return 0;
		}
		return each_in(path, show, NULL);
	}
	/* Check all settings before writing the first. */
	for (j = i; j < argc; j++) {
		value = strchr(argv[j], '=');
		if (value)
			*value++ = 0;
		if (error_report(config_key(argv[j])) || (value && setting_check(argv[j], value)))
			return 1;
		if (value)
			value[-1] = '=';
	}
	for (; i < argc; i++) {
		value = strchr(argv[i], '=');
		if (value)
			*value++ = 0;
		if (!value)
			status |= print(system || user ? path : NULL, argv[i]);
		else if (error_report(config_set(path, argv[i], value)))
			return 1;
	}
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf config: shows and changes settings.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/argparse.h"
#include "base/config.h"
#include "base/diag.h"
#include "cmd/cmd.h"

static void show(const char *key, const char *value, void *arg __unused)
{
	printf("%s=%s\n", key, value);
}

struct wanted {
	const char *key;
	const char *value;
	char text[4096];
};

static void find(const char *key, const char *value, void *arg)
{
	struct wanted *w = arg;

	if (strcmp(key, w->key))
		return;
	snprintf(w->text, sizeof(w->text), "%s", value);
	w->value = w->text;
}

int cmd_config(int argc, char **argv)
{
	bool list = false, system = false, user = false;
	const struct opt opts[] = {
		{ OPT_BOOL, 'l', "list", &list, .help = "show all settings" },
		{ OPT_BOOL, 0, "system", &system, .help = "those of /etc/perfconfig" },
		{ OPT_BOOL, 0, "user", &user, .help = "those of ~/.perfconfig" },
		{ OPT_END },
	};
	int i = argparse(argc, argv, opts, "perf config [--user|--system] [-l | SECTION.NAME[=VALUE]...]", false);
	const char *path;
	int err, status = 0;

	if (i < 0)
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
		err = config_each_in(path, show, NULL);
		if (err && err != -ENOENT)
			return diag_error("%s: %s", path, strerror(-err)), 1;
		return 0;
	}
	for (; i < argc; i++) {
		char *eq = strchr(argv[i], '=');
		struct wanted w = { .key = argv[i] };

		if (eq) {
			*eq = 0;
			if (config_set(path, argv[i], eq + 1))
				return 1;
			continue;
		}
		if (!strchr(argv[i], '.'))
			return diag_error("'%s' is no setting: want SECTION.NAME", argv[i]), 1;
		if (system || user)
			config_each_in(path, find, &w);
		else
			w.value = config_get(argv[i]);
		if (w.value)
			printf("%s=%s\n", argv[i], w.value);
		else
			status = 1;
	}
	return status;
}

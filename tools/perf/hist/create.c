// SPDX-License-Identifier: GPL-2.0
/*
 * create.c - creates and frees environments and histograms
 *
 * It is given the options and owns nothing: an environment owns its keys, its cache of frames
 * and its tables. A worker's environment has the keys of the main one.
 */
#include <assert.h>

#include "hist/hist_private.h"

static struct hist_env *env_create(const struct hist_config *cfg, struct session *s)
{
	struct hist_env *env = xcalloc(1, sizeof(*env));

	env->cfg = *cfg;
	env->session = s;
	return env;
}

/* Do labels depend on the address at which a file is mapped? */
static bool differs_by_ip(const struct hist_env *env)
{
	u32 i;

	for (i = 0; i < env->nr_keys; i++)
		if (env->keys[i]->by_ip)
			return true;
	return env->cfg.filter && env->cfg.filter->nr_addresses;
}

/* With more events, each has few of all frame keys. */
#define MANY_EVENTS 16

static void env_ready(struct hist_env *env)
{
	bool inlines = env->cfg.inlines && (env->cfg.use_chains || env->cfg.children);

	hist_env_init(env);
	env->many_events = env->session->events->nr > MANY_EVENTS;
	env->frames_cache = frame_cache_create(env->session->timeline,
					       (inlines ? FRAMES_INLINES : 0) |
					       (differs_by_ip(env) ? FRAMES_BY_IP : 0));
}

struct error *hist_env_create(const struct hist_config *cfg, struct session *s,
			      const struct hist_column_opt *opt, struct hist_columns *cols,
			      struct hist_env **env)
{
	struct hist_env *new = env_create(cfg, s);
	struct error *e = columns_setup(new, opt, cols);

	if (e) {
		hist_env_destroy(new);
		return e;
	}
	env_ready(new);
	*env = new;
	return NULL;
}

struct hist_env *hist_env_create_part(struct hist_env *main)
{
	struct hist_env *env = env_create(&main->cfg, main->session);

	assert(!main->main);
	env->main = main;
	env->keys = main->keys;
	env->nr_keys = main->nr_keys;
	env_ready(env);
	return env;
}

void hist_env_destroy(struct hist_env *env)
{
	if (!env)
		return;
	frame_cache_destroy(env->frames_cache);
	if (!env->main)
		free(env->keys);
	hist_env_deinit(env);
	free(env);
}

bool hist_env_one_thread(const struct hist_env *env)
{
	u32 i;

	for (i = 0; i < env->nr_keys; i++)
		if (env->keys[i]->event || !strcmp(env->keys[i]->name, "trace"))
			return true;
	return false;
}

struct hists *hists_create(struct hist_env *env, const struct event *event)
{
	struct hists *h = xmalloc(sizeof(*h));

	hists_init(h, env, event);
	return h;
}

void hists_destroy(struct hists *h)
{
	if (!h)
		return;
	hists_deinit(h);
	free(h);
}

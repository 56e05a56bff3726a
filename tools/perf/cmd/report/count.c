// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the samples into histograms, on several CPUs. A worker counts each chunk of samples into
 * histograms and labels of its own. These partial results are merged in the order of the chunks,
 * so that the result is the same as with one worker.
 */
#include "cmd/report/report.h"

#define CHUNK 512		/* samples in a chunk */
#define MANY_EVENTS 1000	/* above it, histograms for each chunk take too much memory */

struct worker {
	const struct report_run *r;
	struct hists **hists;	/* by event: where it counts */
	struct cuts *cuts;	/* NULL: callchains are not shown */
	/* Of a team */
	struct hist_env *env;
	struct count_team *team;
	struct part *part;	/* current chunk */
};

static bool on_socket(const struct report_run *r, const struct sample *s)
{
	const struct features *f = r->session->features;

	return r->opt->socket < 0 || (s->cpu < f->nr_topology && f->topology[s->cpu].socket == r->opt->socket);
}

static int count_sample(void *ctx, const struct visit *v)
{
	struct worker *w = ctx;

	if (!v->counts || !on_socket(w->r, v->sample))
		return 0;
	hists_collect(w->hists[v->sample->event->idx], v);
	if (w->cuts && v->passes)
		cuts_count(w->cuts, v);
	return 0;
}

static int count_alone(struct report_run *r)
{
	const struct session_ops ops = { .sample = count_sample, .filter = &r->filter, .keep_threads = true };
	struct worker w = { .r = r, .hists = r->hists, .cuts = r->cuts };

	return session_run(r->session, &ops, &w);
}

/* The result of one chunk. */
struct part {
	struct hists **hists;	/* by event */
	struct worker *worker;
	struct hist_marks marks;	/* of the worker's environment at the chunk's end */
};

struct count_team {
	struct report_run *r;
	struct worker workers[SESSION_WORKERS];
	u32 nr;
	struct part parts[2 * SESSION_CHUNKS];	/* those being counted and those being merged */
};

static void end_part(struct worker *w)
{
	if (w->part)
		w->part->marks = hist_env_marks(w->env);
	w->part = NULL;
}

static void team_chunk(void *ctx, u32 chunk)
{
	struct worker *w = ctx;
	u32 i;

	end_part(w);
	w->part = &w->team->parts[chunk];
	w->part->worker = w;
	w->hists = w->part->hists;
	for (i = 0; i < w->team->r->session->events->nr; i++)
		w->part->hists[i]->env = w->env;
}

/* Merge the new labels of the workers, which they use while they count the next chunks. */
static void team_settle(void *ctx, u32 first, u32 nr)
{
	struct count_team *t = ctx;
	u32 i;

	for (i = 0; i < t->nr; i++)
		end_part(&t->workers[i]);
	for (i = first; i < first + nr; i++)
		hist_env_merge(t->r->env, t->parts[i].worker->env, &t->parts[i].marks);
}

static int team_gather(void *ctx, u32 first, u32 nr)
{
	struct count_team *t = ctx;
	u32 i, e;

	for (i = first; i < first + nr; i++)
		for (e = 0; e < t->r->session->events->nr; e++)
			hists_merge(t->r->hists[e], t->parts[i].hists[e]);
	return 0;
}

static int count_team(struct report_run *r, u32 nr)
{
	const struct session_ops ops = {
		.sample = count_sample, .chunk = team_chunk,
		.settle = team_settle, .gather = team_gather,
		.filter = &r->filter, .chunk_records = CHUNK, .keep_threads = true,
	};
	struct count_team *t = xcalloc(1, sizeof(*t));
	u32 nr_events = r->session->events->nr, i, e;
	void *workers[SESSION_WORKERS];
	int ret;

	t->r = r;
	t->nr = nr;
	for (i = 0; i < nr; i++) {
		t->workers[i] = (struct worker){
			.r = r, .team = t, .env = hist_env_create_part(r->env),
			.cuts = r->cuts ? cuts_create(r->session) : NULL,
		};
		workers[i] = &t->workers[i];
	}
	for (i = 0; i < ARRAY_SIZE(t->parts); i++) {
		t->parts[i].hists = xcalloc(nr_events, sizeof(struct hists *));
		for (e = 0; e < nr_events; e++)
			t->parts[i].hists[e] = hists_create(r->env, r->session->events->events[e]);
	}
	ret = session_run_team(r->session, &ops, workers, nr, t);
	for (i = 0; i < nr; i++) {
		struct worker *w = &t->workers[i];

		hist_env_merge_end(r->env, w->env);
		hist_env_destroy(w->env);
		if (r->cuts)
			cuts_merge(r->cuts, w->cuts);
		cuts_destroy(w->cuts);
	}
	for (i = 0; i < ARRAY_SIZE(t->parts); i++) {
		for (e = 0; e < nr_events; e++)
			hists_destroy(t->parts[i].hists[e]);
		free(t->parts[i].hists);
	}
	free(t);
	return ret;
}

int report_count(struct report_run *r)
{
	const struct hist_config *h = &r->hist;
	u32 nr = session_workers(r->session, r->opt->jobs);

	if (!h->branches && (h->use_chains || h->children || h->parent_regex || h->ignore_callees))
		r->cuts = cuts_create(r->session);
	if (nr <= 1 || (!r->opt->jobs && r->session->events->nr > MANY_EVENTS) ||
	    hist_env_one_thread(r->env) || event_switch_given(&r->filter.between))
		return count_alone(r);
	return count_team(r, nr);
}

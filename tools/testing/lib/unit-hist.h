/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made-up histograms for the unit tests of hist/ and ui/: comm is the scope, the symbol is the
 * frame's key, functions are the letters from a to p.
 */
#ifndef UNIT_HIST_H
#define UNIT_HIST_H

#include "hist/hist_private.h"

/* A histogram with comm as scope and the symbol as frame key; labels made by name. */
struct made {
	struct session session;
	struct event event;
	struct hist_env env;
	struct hists h;
	struct symbol syms[16];
	struct map map;
	struct frame frames[16];
	u32 labels[16], fkeys[16];
	char names[16][2];
};

static u64 key_comm(struct hist_env *env, const struct sort_key *k __unused,
		    const struct hist_point *p)
{
	return (uintptr_t)hist_string(env, p->comm);
}

static u64 key_sym(struct hist_env *env, const struct sort_key *k __unused,
		   const struct hist_point *p)
{
	return hist_sym(env, p);
}

static void text_name(const struct hist_cell *c, struct outbuf *o)
{
	outbuf_puts(o, (const char *)(uintptr_t)c->value);
}

static void text_sym(const struct hist_cell *c, struct outbuf *o)
{
	const u64 *row = tuple_row(&c->env->syms, c->value);

	outbuf_puts(o, ((const struct symbol *)(uintptr_t)row[0])->name);
}

static void make(struct made *m, bool children, bool caller)
{
	static struct sort_key comm = {
		.name = "comm", .header = "Command", .value = key_comm, .text = text_name,
	};
	static struct sort_key sym = {
		.name = "symbol", .header = "Symbol", .value = key_sym, .text = text_sym,
		.half = KEY_OF_FRAME,
	};
	static struct sort_key *keys[] = { &comm, &sym };
	struct hist_point p = { 0 };
	u32 i;

	memset(m, 0, sizeof(*m));
	m->env.keys = keys;
	m->env.nr_keys = 2;
	m->env.cfg.children = children;
	m->env.cfg.use_chains = true;
	m->env.cfg.chain = (struct chain_opt){ .mode = CHAIN_GRAPH, .caller = caller };
	hist_env_init(&m->env);
	for (i = 0; i < 16; i++) {
		m->names[i][0] = 'a' + i;
		m->syms[i] = (struct symbol){ .start = 16 * i, .end = 16 * i + 16, .name = m->names[i] };
		m->frames[i] = (struct frame){ .ip = 16 * i, .addr = 16 * i, .map = &m->map,
					       .sym = &m->syms[i] };
		p.frame = &m->frames[i];
		m->labels[i] = hist_label(&m->env, &p);
		m->fkeys[i] = hist_frame_key(&m->env, &p);
	}
	m->env.session = &m->session;
	m->event.name = "cycles";
	hists_init(&m->h, &m->env, &m->event);
}

/* "main calls foo" is "mf": outermost first; the last is where the sample is. */
static void sample_of(struct made *m, const struct thread *thread, const char *stack, u64 period)
{
	struct hist_point p = { .comm = "test" };
	struct hist_record at = {
		.nr = 1, .period = period, .cpumode = PERF_RECORD_MISC_USER, .thread = thread,
	};
	u32 labels[64], n = strlen(stack), i;

	at.scope = hist_scope_key(&m->env, &p);
	at.fkey = m->fkeys[stack[n - 1] - 'a'];
	at.first.counted = at.first.taken = m->h.total.nr;
	for (i = 0; i < n; i++)
		labels[m->env.cfg.chain.caller ? i : n - 1 - i] = m->labels[stack[i] - 'a'];
	m->h.filtered.period += period;
	m->h.filtered.nr++;
	hists_add(&m->h, &at, labels, NULL, n);
}

static void sample(struct made *m, const char *stack, u64 period)
{
	sample_of(m, NULL, stack, period);
}

static void unmake(struct made *m)
{
	hists_deinit(&m->h);
	hist_env_deinit(&m->env);
}

#endif /* UNIT_HIST_H */

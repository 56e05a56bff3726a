// SPDX-License-Identifier: GPL-2.0
/*
 * collect.c - turns a sample of the session into labels and adds it to its histogram
 */
#include "hist/hist_private.h"

/* Cached with each frame of the frame cache. */
struct frame_labels {
	u32 own;		/* for a sample's own ip; NO_LABEL: not made yet, see own_of() */
	u32 branch[2];		/* as a branch's source, target; NO_LABEL: see history_label() */
	u64 ip;			/* of the first look-up */
	bool varies;		/* another process maps the file at another address */
	u32 nr;
	u32 labels[];		/* inlined functions first, then the function itself */
};

#define NO_LABEL ((u32)-1)

static struct frame_labels *labels_of(struct hist_env *env, struct frame *f)
{
	struct frame_labels *fl = f->user;
	struct hist_point p = { .frame = f };
	u32 i;

	if (likely(fl != NULL)) {
		/* No symbol, and another process maps the file at another address. */
		if (unlikely(fl->ip != f->ip && !f->sym && !fl->varies)) {
			fl->varies = true;
			hist_sym(env, &p);
		}
		return fl;
	}
	fl = arena_alloc(&env->arena, sizeof(*fl) + (f->nr_inlines + 1) * sizeof(u32));
	fl->ip = f->ip;
	for (i = 0; i < f->nr_inlines; i++) {
		p.inl = &f->inlines[i];
		fl->labels[fl->nr++] = hist_label(env, &p);
	}
	p.inl = NULL;
	fl->labels[fl->nr] = hist_label(env, &p);
	fl->own = f->sym ? fl->labels[fl->nr] : NO_LABEL;
	fl->branch[0] = fl->branch[1] = NO_LABEL;
	fl->nr++;
	f->user = fl;
	return fl;
}

/* The label of a frame as a sample's own ip. Without a symbol it differs from a caller's label. */
static u32 own_of(struct hist_env *env, struct frame *f)
{
	const struct hist_point p = { .frame = f, .own = true };
	struct frame_labels *fl = labels_of(env, f);

	if (fl->own == NO_LABEL)
		fl->own = hist_label(env, &p);
	return fl->own;
}

/* The cache slot of an ip. It may hold a different ip. */
static inline struct hist_seen *seen_slot(struct hist_env *env, u32 space, u64 ip)
{
	return &env->seen[((ip ^ space) * 0x9e3779b97f4a7c15ULL >> 40) % HIST_SEEN];
}

static inline bool seen_is(const struct hist_seen *seen, u32 space, u64 ip, u8 cpumode, u64 time)
{
	return seen->ip == ip && seen->space == space && seen->cpumode == cpumode &&
	       time - seen->from < seen->span;
}

/* Resolve an ip that is not cached. It is cached if it has a single label. */
static struct frame *resolve(struct hist_env *env, const struct space *sp, u64 ip, u8 cpumode,
			     u64 time)
{
	u32 space = sp ? sp->id : (u32)-1;
	u64 valid[2];
	struct frame *f = frame_resolve_span(env->frames_cache, sp, ip, cpumode, time, valid);
	const struct frame_labels *fl = labels_of(env, f);

	if (fl->nr == 1)
		*seen_slot(env, space, ip) = (struct hist_seen){
			.ip = ip, .from = valid[0], .span = valid[1] - valid[0], .space = space,
			.label = fl->labels[0], .cpumode = cpumode, .sigreturn = f->sigreturn,
			.own_differs = fl->own != fl->labels[0],
		};
	return f;
}

/* Append a span's labels. Used if no option depends on a frame's content. */
static u32 collect_span(struct hist_env *env, const struct chain_span *span,
			const struct space *sp, u32 nr)
{
	u32 space = sp ? sp->id : (u32)-1, *to, i, k;
	const struct frame_labels *fl;
	u8 mode = span->cpumode;
	struct frame *f;

	GROW_TO(env->chain, (u64)nr + span->nr, env->chain_cap);
	to = env->chain + nr;
	for (i = 0; i < span->nr; i++) {
		u64 ip = span->ips[i];
		const struct hist_seen *seen = seen_slot(env, space, ip);

		if (likely(seen_is(seen, space, ip, mode, span->time))) {
			*to++ = seen->label;
			mode = likely(!seen->sigreturn) ? span->caller : span->interrupted;
			continue;
		}
		f = resolve(env, sp, ip, mode, span->time);
		fl = f->user;
		mode = f->sigreturn ? span->interrupted : span->caller;
		nr = to - env->chain;
		GROW_TO(env->chain, (u64)nr + fl->nr + span->nr, env->chain_cap);
		for (k = 0, to = env->chain + nr; k < fl->nr; k++)
			*to++ = fl->labels[k];
	}
	return to - env->chain;
}

/* The label of a sample's own ip. */
static u32 own_label(struct hist_env *env, const struct space *sp, const struct sample *s, u64 time)
{
	u32 space = sp ? sp->id : (u32)-1;
	const struct hist_seen *seen = seen_slot(env, space, s->ip);
	u32 own;

	if (likely(seen_is(seen, space, s->ip, s->cpumode, time) && !seen->own_differs))
		return seen->label;
	own = own_of(env, frame_resolve(env->frames_cache, sp, s->ip, s->cpumode, time));
	resolve(env, sp, s->ip, s->cpumode, time);
	return own;
}

/* Remove frames without a symbol from the chain. Return: the number of remaining frames. */
static u32 drop_unresolved(struct hist_env *env, u32 nr)
{
	u32 i, left = 0;

	for (i = 0; i < nr; i++)
		if (env->labels[env->chain[i]].sym)
			env->chain[left++] = env->chain[i];
	return left;
}

static void push(struct hist_env *env, u32 *nr, u32 label)
{
	GROW(env->chain, *nr, env->chain_cap);
	env->chain[(*nr)++] = label;
}

/* The label of a cookie, which replaces a missing user half. */
static u32 cookie_label(struct hist_env *env, u64 cookie)
{
	struct frame f = { .ip = cookie, .cpumode = PERF_RECORD_MISC_USER };
	struct hist_point p = { .frame = &f };
	u32 label = hist_label(env, &p);

	env->labels[label].cookie = true;
	return label;
}

static bool sym_matches(const regex_t *regex, const struct symbol *sym)
{
	return sym && !regexec(regex, sym->name, 0, NULL, 0);
}

/* The sample's chain, innermost first, in env->chain. */
static u32 collect_chain(struct hist_env *env, const struct callchain *cc, const struct thread *t,
			 struct frame **leaf, const char **parent)
{
	u32 nr = 0, steps = 0, skip = 0, i, j, k;
	bool user = false, cut = false, plain = !env->cfg.max_stack && !env->cfg.ignore_callees &&
				  !env->cfg.parent_regex;

	/* --max-stack counts from the root: with caller order the innermost are cut. */
	if (env->cfg.max_stack && env->cfg.chain.caller) {
		for (i = 0; i < cc->nr_spans; i++)
			steps += cc->spans[i].nr;
		skip = steps > env->cfg.max_stack ? steps - env->cfg.max_stack : 0;
		steps = 0;
	}

	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *sp = timeline_space(env->session->timeline, t, span->cpumode,
							span->time);
		bool kernel = span->cpumode == PERF_RECORD_MISC_KERNEL;
		struct frame *f = NULL;

		if ((env->cfg.user_only && kernel) || (env->cfg.kernel_only && !kernel))
			continue;
		user |= !kernel && span->nr;
		if (plain) {
			nr = collect_span(env, span, sp, nr);
			continue;
		}
		if (!env->cfg.chain.caller && span_is_unwound(cc, i))
			steps = 0;
		for (j = 0; j < span->nr; j++) {
			const struct frame_labels *fl;

			cut = env->cfg.max_stack && steps++ >= env->cfg.max_stack + skip;
			if (cut)
				break;
			f = span_frame(env->frames_cache, sp, span, j, f);
			if (steps <= skip && env->cfg.max_stack)
				continue;
			fl = labels_of(env, f);
			if (env->cfg.ignore_callees && sym_matches(env->cfg.ignore_callees, f->sym)) {
				*leaf = f;
				nr = 0;
			}
			/* As mainline: the first match in call graph order. */
			if (env->cfg.parent_regex && (!*parent || env->cfg.chain.caller) &&
			    sym_matches(env->cfg.parent_regex, f->sym))
				*parent = f->sym->name;
			for (k = 0; k < fl->nr; k++)
				push(env, &nr, fl->labels[k]);
		}
	}
	if (!cc->deferred || cut || env->cfg.kernel_only)
		return nr;
	if (env->cfg.one_cookie) {
		if (!cc->joined || !user)
			push(env, &nr, cookie_label(env, 0));
	} else if (!cc->joined && cc->cookie) {
		push(env, &nr, cookie_label(env, cc->cookie));
	}
	return nr;
}

static void reverse(u32 *v, u32 nr)
{
	u32 i;

	for (i = 0; i < nr / 2; i++) {
		u32 t = v[i];

		v[i] = v[nr - 1 - i];
		v[nr - 1 - i] = t;
	}
}

/* The scope half of a sample's key. */
static u32 scope_of(struct hist_env *env, const struct hist_point *p)
{
	struct hist_task *t;
	u32 id = p->thread->id;

	if (!env->scope_of_task)
		return hist_scope_key(env, p);
	GROW_ZEROED(env->tasks, id, env->cap_tasks);
	t = &env->tasks[id];
	if (t->comm != p->comm) {
		t->comm = p->comm;
		t->scope = hist_scope_key(env, p);
	}
	return t->scope;
}

/*
 * The label of a branch's source or target in a stack. It differs from the label of a caller at the
 * same address. With inlined functions it is the function that comes first in call graph order.
 */
static u32 history_label(struct hist_env *env, struct frame *f, bool target)
{
	const struct hist_point p = {
		.frame = f, .history = true, .target = target,
		.inl = f->nr_inlines && !env->cfg.chain.caller ? &f->inlines[0] : NULL,
	};
	struct frame_labels *fl = labels_of(env, f);

	if (fl->branch[target] == NO_LABEL)
		fl->branch[target] = hist_label(env, &p);
	return fl->branch[target];
}

static bool side_wanted(const struct hist_env *env, const struct frame *f)
{
	bool kernel = f->cpumode == PERF_RECORD_MISC_KERNEL;

	return !(env->cfg.kernel_only && !kernel) && !(env->cfg.user_only && kernel);
}

static struct branch_tally tally_of(const struct branch_step *b, bool target)
{
	if (target)
		return (struct branch_tally){ .predicted = !!(b->flags & BRANCH_PREDICTED),
					      .aborts = !!(b->flags & BRANCH_ABORT) };
	return (struct branch_tally){ .cycles = branch_cycles(b->flags),
				      .pass_cycles = b->pass_cycles, .passes = b->pass };
}

static void push_tally(struct hist_env *env, u32 *nr, u32 label, struct branch_tally tally)
{
	GROW(env->tallies, *nr, env->tallies_cap);
	env->tallies[*nr] = tally;
	push(env, nr, label);
}

/* As mainline: the other inlined functions at a branch's source or target follow it as callers. */
static void push_inlined(struct hist_env *env, u32 *nr, struct frame *f)
{
	const struct frame_labels *fl = labels_of(env, f);
	u32 i;

	for (i = 1; i < fl->nr; i++)
		push_tally(env, nr, fl->labels[env->cfg.chain.caller ? fl->nr - 1 - i : i],
			   (struct branch_tally){ .passes = 0 });
}

/* Move the first @first of the chain's @nr labels to its end. */
static void rotate(struct hist_env *env, u32 first, u32 nr)
{
	u32 *v = xmalloc(first * sizeof(*v));

	memcpy(v, env->chain, first * sizeof(*v));
	memmove(env->chain, env->chain + first, (nr - first) * sizeof(*v));
	memcpy(env->chain + nr - first, v, first * sizeof(*v));
	memmove(env->tallies, env->tallies + first, (nr - first) * sizeof(*env->tallies));
	memset(env->tallies + nr - first, 0, first * sizeof(*env->tallies));
	free(v);
}

/*
 * Insert the sample's branches before the @nr labels of its stack, in call graph order. As
 * mainline: in both orders a branch's target precedes its source, and the branches precede the
 * callers. Return: the number of labels.
 */
static u32 add_history(struct hist_env *env, const struct sample *s, u64 time, const struct thread *thread,
		       u32 nr)
{
	u32 branches = history_steps(env, s), stack = nr, i, end;

	GROW_TO(env->tallies, nr, env->tallies_cap);
	if (nr)
		memset(env->tallies, 0, nr * sizeof(*env->tallies));
	for (i = 0; i < branches; i++) {
		const struct branch_step *b = &env->branches[i];

		for (end = 2; end-- > 0;) {
			struct frame *f = frame_by_sign(env->frames_cache, thread,
							end ? b->to : b->from, time);

			if (!side_wanted(env, f))
				continue;
			push_tally(env, &nr, history_label(env, f, end), tally_of(b, end));
			push_inlined(env, &nr, f);
		}
	}
	if (stack && nr > stack)
		rotate(env, stack, nr);
	return nr;
}

/* Count each branch of a sample in a row. */
static void collect_branches(struct hists *h, const struct visit *v)
{
	const struct thread *thread = v->thread;
	const u64 time = v->chain->time;
	const struct sample *s = v->sample;
	struct hist_env *env = h->env;
	struct hist_branch b;
	struct hist_point p = {
		.sample = s, .thread = thread, .time = time, .branch = &b, .own = true,
		.comm = thread_comm(env->session->timeline, thread, time),
	};
	struct hist_record at = {
		.nr = 1, .period = 1, .latency = 1, .first = { time, time }, .thread = thread,
		.cpumode = s->cpumode,
		.scope = scope_of(env, &p),
	};
	const u64 samples = h->total.nr, filtered = h->filtered.nr;
	u64 i;

	for (i = 0; i < s->branch_nr; i++) {
		const struct hist_label *l;
		u32 label;

		b.from = frame_by_sign(env->frames_cache, thread, s->branch[3 * i], time);
		b.to = frame_by_sign(env->frames_cache, thread, s->branch[3 * i + 1], time);
		p.frame = b.to;
		b.flags = s->branch[3 * i + 2];
		/* As mainline: not counted in the totals, either. */
		if (env->cfg.hide_unresolved && (!b.from->sym || !b.to->sym))
			continue;
		branch_count(&h->branches, s->branch[3 * i], s->branch[3 * i + 1], b.flags);
		label = hist_label(env, &p);	/* may move them all */
		l = &env->labels[label];
		/* A branch's target decides on --kernel, --user and the filters by name. */
		if (!v->passes || env->cfg.exclude_other || !side_wanted(env, b.to) || !l->passes) {
			hist_sums_add(&h->total, 1, 1, 1);
			continue;
		}
		at.fkey = l->fkey;
		hist_sums_add(&h->filtered, 1, 1, 1);
		hists_add_row(h, &at, NULL, 0);
	}
	/* The number of events counts this sample once, not once per branch. */
	h->total.nr = min(h->total.nr, samples + 1);
	h->filtered.nr = min(h->filtered.nr, filtered + 1);
}

void hists_collect(struct hists *h, const struct visit *v)
{
	const struct thread *thread = v->thread;
	const struct callchain *cc = v->chain;
	const struct sample *s = v->sample;
	struct hist_env *env = h->env;
	struct timeline *tl = env->session->timeline;
	const struct space *sp = timeline_space(tl, thread, s->cpumode, cc->time);
	struct hist_point p = {
		.sample = s, .thread = thread, .time = cc->time, .comm = thread_comm(tl, thread, cc->time),
	};
	struct hist_record at = {
		.nr = 1, .period = s->period, .first = { cc->time, cc->time }, .thread = thread,
		.cpumode = s->cpumode,
	};
	bool kernel = s->cpumode == PERF_RECORD_MISC_KERNEL;
	bool chains = env->cfg.use_chains || env->cfg.children || env->cfg.parent_regex ||
		      env->cfg.ignore_callees;
	struct frame *leaf = NULL;
	u32 nr = 0, own;

	if (env->cfg.branches) {
		collect_branches(h, v);
		return;
	}
	if (env->cfg.mem_mode)
		at.period = max(s->weight, 1ULL);
	at.latency = at.period / s->parallelism;
	if (unlikely(env->cfg.hide_unresolved)) {
		own = own_label(env, sp, s, cc->time);	/* may move them all */
		if (!env->labels[own].sym)
			return;
	}
	/* Samples that other filters drop are part of the total that is 100 %. */
	if (!v->passes) {
		hist_sums_add(&h->total, at.period, at.latency, 1);
		return;
	}
	if (chains)
		nr = collect_chain(env, cc, thread, &leaf, &p.parent);
	if (unlikely(env->cfg.hide_unresolved))
		nr = drop_unresolved(env, nr);
	if (leaf)
		at.cpumode = leaf->cpumode;
	own = leaf ? own_of(env, leaf) : own_label(env, sp, s, cc->time);
	at.fkey = env->labels[own].fkey;
	if ((env->cfg.exclude_other && !p.parent) ||
	    (env->cfg.kernel_only && !kernel) || (env->cfg.user_only && kernel && !nr) ||
	    (!env->cfg.children && hist_filters_places(&env->cfg) && !env->labels[own].passes)) {
		hist_sums_add(&h->total, at.period, at.latency, 1);
		return;
	}
	if (env->cfg.user_only && kernel) {
		/* With --user the row is that of the innermost user frame. */
		at.fkey = env->labels[env->chain[0]].fkey;
		at.cpumode = PERF_RECORD_MISC_USER;
	}
	at.scope = scope_of(env, &p);
	/*
	 * Rows are made in the order in which samples become complete: a deferred sample at its
	 * deferred record, or after all others if it is not joined.
	 */
	if (cc->deferred && !cc->joined)
		at.first.counted = (u64)-1;
	else if (cc->nr_spans)
		at.first.counted = max(at.first.counted, cc->spans[cc->nr_spans - 1].time);
	hist_sums_add(&h->filtered, at.period, at.latency, 1);
	if (!env->cfg.use_chains) {
		hists_add_row(h, &at, env->chain, env->cfg.children ? nr : 0);
		return;
	}
	if (env->cfg.chain.caller)
		reverse(env->chain, nr);
	if (env->cfg.branch_history)
		nr = add_history(env, s, cc->time, thread, nr);
	hists_add(h, &at, env->chain, env->cfg.branch_history ? env->tallies : NULL, nr);
}

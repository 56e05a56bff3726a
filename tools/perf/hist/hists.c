// SPDX-License-Identifier: GPL-2.0
/*
 * hists.c - samples become records
 */
#include "base/hash.h"
#include "hist/hist.h"
#include "hist/sort.h"

void hist_env_init(struct hist_env *env)
{
	u32 i;

	env->nr_scope_keys = env->nr_frame_keys = 0;
	env->scope_of_task = true;
	for (i = 0; i < env->nr_keys; i++) {
		struct sort_key *k = env->keys[i];

		k->slot = k->half == KEY_OF_FRAME ? env->nr_frame_keys++ : env->nr_scope_keys++;
		if (k->half == KEY_OF_SAMPLE && !k->of_task)
			env->scope_of_task = false;
	}
	env->seen = xcalloc(HIST_SEEN, sizeof(*env->seen));
	pthread_mutex_init(&env->lock, NULL);
	tuple_init(&env->scopes, env->nr_scope_keys);
	tuple_init(&env->frames, env->nr_frame_keys);
	tuple_init(&env->steps, 3);
	tuple_init(&env->label_ids, 3);
	tuple_init(&env->syms, 2);
}

void hist_env_init_part(struct hist_env *env, struct hist_env *main)
{
	*env = (struct hist_env){
		.cfg = main->cfg, .session = main->session, .keys = main->keys,
		.nr_keys = main->nr_keys, .main = main,
	};
	hist_env_init(env);
}

void hist_env_deinit(struct hist_env *env)
{
	tuple_deinit(&env->scopes);
	tuple_deinit(&env->frames);
	tuple_deinit(&env->steps);
	tuple_deinit(&env->label_ids);
	tuple_deinit(&env->syms);
	hash_deinit(&env->strings);
	arena_deinit(&env->arena);
	free(env->fkey_passes);
	free(env->fkey_dso);
	free(env->addresses);
	free(env->labels);
	free(env->chain);
	free(env->seen);
	free(env->tasks);
	pthread_mutex_destroy(&env->lock);
}

struct interned {
	struct interned *next;
	const char *s;
};

/* A part keeps what it has asked for: equal strings have equal pointers everywhere. */
static const char *string_copy(struct hist_env *env, const char *s, size_t len)
{
	const char *copy;

	if (!env->main)
		return arena_strndup(&env->arena, s, len);
	pthread_mutex_lock(&env->main->lock);
	copy = hist_string(env->main, s);
	pthread_mutex_unlock(&env->main->lock);
	return copy;
}

const char *hist_string(struct hist_env *env, const char *s)
{
	size_t len = strlen(s);
	u64 *v = hash_insert(&env->strings, hash_bytes(s, len), len, NULL);
	struct interned *i;

	for (i = (struct interned *)(uintptr_t)*v; i; i = i->next)
		if (!strcmp(i->s, s))
			return i->s;
	i = arena_alloc(&env->arena, sizeof(*i));
	i->s = string_copy(env, s, len);
	i->next = (struct interned *)(uintptr_t)*v;
	*v = (uintptr_t)i;
	return i->s;
}

static u32 half_key(struct hist_env *env, const struct hist_point *p, enum key_half half,
		    struct tuple_table *t)
{
	u64 row[t->width + 1];
	u32 i;

	for (i = 0; i < env->nr_keys; i++)
		if (env->keys[i]->half == half)
			row[env->keys[i]->slot] = env->keys[i]->value(env, env->keys[i], p);
	return tuple_intern(t, row);
}

u32 hist_frame_key(struct hist_env *env, const struct hist_point *p)
{
	return half_key(env, p, KEY_OF_FRAME, &env->frames);
}

u32 hist_scope_key(struct hist_env *env, const struct hist_point *p)
{
	return half_key(env, p, KEY_OF_SAMPLE, &env->scopes);
}

u64 hist_value(const struct hist_env *env, const struct hist_entry *e, const struct sort_key *k)
{
	if (k->half == KEY_OF_FRAME)
		return tuple_row(&env->frames, e->fkey)[k->slot];
	return tuple_row(&env->scopes, e->scope)[k->slot];
}

const char *hist_srcline(const struct hist_env *env, const struct frame *f)
{
	if (!f->dso)
		return NULL;
	return dso_srcline(f->dso, f->addr, env->cfg.full_srcline);
}

u32 hist_sym_number(struct hist_env *env, const struct symbol *sym, u64 dso, u64 addr, u64 ip)
{
	struct hist_address *a;
	u32 known = env->syms.nr, nr;
	u64 row[2];

	if (sym && sym->inlined) {
		/* Inlined functions have a symbol a place: the first one of a name stands for all. */
		const char *name = hist_string(env, sym->name);
		bool added;
		u64 *first = hash_insert(&env->strings, (uintptr_t)name, (u64)-1, &added);

		if (added)
			*first = (uintptr_t)sym;
		sym = (const struct symbol *)(uintptr_t)*first;
	}
	row[0] = sym ? (uintptr_t)sym : dso;
	row[1] = sym ? (u64)-1 : addr;
	nr = tuple_intern(&env->syms, row);
	if (sym)
		return nr;
	if (nr >= env->cap_addresses)
		GROW_TO(env->addresses, (u64)nr + 64, env->cap_addresses);
	a = &env->addresses[nr];
	if (nr == known)
		*a = (struct hist_address){ .ip = ip, .addr = row[1] };
	else if (a->ip != ip)
		a->varies = true;
	return nr;
}

u32 hist_sym(struct hist_env *env, const struct hist_point *p)
{
	const struct symbol *sym = p->inl ? p->inl->sym : p->frame->sym;
	const struct frame *f = p->frame;

	return hist_sym_number(env, sym, f->dso ? f->dso->id + 1 : 0,
			       f->dso ? min(f->addr, (u64)-2) : f->ip, f->ip);
}

/* The identity of a step under the key that -g asks for. */
static u32 step_of(struct hist_env *env, const struct frame *f, const struct symbol *sym,
		   u32 sym_nr, const char *srcline)
{
	u64 row[3] = { (uintptr_t)f->dso, 0, 0 };

	switch (env->cfg.chain.key) {
	case CHAIN_KEY_ADDRESS:
		row[1] = f->dso ? f->addr : f->ip;
		row[2] = sym && sym->inlined ? (uintptr_t)sym->name : 0;
		break;
	case CHAIN_KEY_SRCLINE:
		if (srcline) {
			row[1] = (uintptr_t)srcline;
			row[2] = sym ? (uintptr_t)sym->name : 1;
			break;
		}
		/* fall through */
	case CHAIN_KEY_FUNCTION:
		row[1] = (u64)-1;
		row[2] = sym_nr;
		break;
	}
	return tuple_intern(&env->steps, row);
}

static bool names_match(const struct hist_env *env, const struct hist_label *l)
{
	const struct hist_config *c = &env->cfg;

	if (c->hide_unresolved && !l->sym)
		return false;
	if (c->filter && !filter_place(c->filter, l->dso, l->sym, l->at_address))
		return false;
	return !c->symbol_filter || (l->sym && strstr(l->sym->name, c->symbol_filter));
}

u32 hist_label_add(struct hist_env *env, const u64 id[3], const struct hist_label *l)
{
	u32 nr = tuple_intern(&env->label_ids, id);

	if (nr < env->nr_labels)
		return nr;
	GROW(env->labels, env->nr_labels, env->cap_labels);
	env->labels[env->nr_labels++] = *l;
	if (l->fkey >= env->cap_fkey) {
		u32 old = env->cap_fkey;

		env->cap_fkey = grown_capacity(old, (u64)l->fkey + 256, UINT32_MAX);
		env->fkey_passes = xrealloc(env->fkey_passes, env->cap_fkey);
		memset(env->fkey_passes + old, 0, env->cap_fkey - old);
		env->fkey_dso = xrealloc(env->fkey_dso, env->cap_fkey * sizeof(*env->fkey_dso));
		memset(env->fkey_dso + old, 0, (env->cap_fkey - old) * sizeof(*env->fkey_dso));
	}
	if (!env->fkey_dso[l->fkey])
		env->fkey_dso[l->fkey] = l->dso;
	env->fkey_passes[l->fkey] |= l->passes;
	return nr;
}

u32 hist_label(struct hist_env *env, const struct hist_point *p)
{
	const struct frame *f = p->frame;
	const struct symbol *sym = p->inl ? p->inl->sym : f->sym;
	const char *srcline = NULL;
	u32 sym_nr = hist_sym(env, p);
	struct hist_label l;
	u64 id[3];

	if (env->cfg.chain.key != CHAIN_KEY_FUNCTION && f->dso) {
		srcline = p->inl ? p->inl->srcline : hist_srcline(env, f);
		if (srcline)
			srcline = hist_string(env, srcline);
	}
	id[0] = step_of(env, f, sym, sym_nr, srcline);
	id[1] = hist_frame_key(env, p);
	l = (struct hist_label){
		.step = id[0], .fkey = id[1], .dso = f->dso, .sym = sym, .map = f->map,
		.srcline = srcline, .sym_nr = sym_nr, .ip = f->ip, .level = f->level,
		.inlined = p->inl != NULL,
		.at_address = env->cfg.filter && filter_address(env->cfg.filter, f),
	};
	id[2] = hist_label_kind(&l);
	l.order = sym && env->cfg.chain.key == CHAIN_KEY_FUNCTION ? sym->start :
		  f->dso ? f->addr : f->ip;
	l.passes = names_match(env, &l);
	return hist_label_add(env, id, &l);
}

void hists_init(struct hists *h, struct hist_env *env, const struct event *event)
{
	memset(h, 0, sizeof(*h));
	h->env = env;
	h->event = event;
}

void hists_reset(struct hists *h)
{
	h->nr_pool = 0;
	h->nr_records = h->nr_entries = 0;
	h->total_period = h->nr_samples = h->filtered_period = h->filtered_samples = 0;
	if (h->record_slots)
		memset(h->record_slots, 0, ((size_t)h->record_mask + 1) * sizeof(*h->record_slots));
	if (h->by_key.all.nr)
		memset(h->by_key.all.slots, 0, (h->by_key.all.mask + 1) * sizeof(*h->by_key.all.slots));
	h->by_key.all.nr = 0;
	if (h->by_key.cap)
		memset(h->by_key.scope, 0, h->by_key.cap * sizeof(*h->by_key.scope));
}

void hists_deinit(struct hists *h)
{
	free(h->pool);
	free(h->records);
	free(h->record_slots);
	free(h->entries);
	hash_deinit(&h->by_key.all);
	free(h->by_key.scope);
	free(h->by_key.row);
	free(h->rows);
	free(h->stacks);
	free(h->sum);
	free(h->count);
	free(h->own);
	free(h->places);
}

static void grow_records(struct hists *h)
{
	size_t size = h->record_slots ? 2 * ((size_t)h->record_mask + 1) : 1024;
	u32 i, n;

	free(h->record_slots);
	h->record_slots = xcalloc(size, sizeof(*h->record_slots));
	h->record_mask = size - 1;
	for (n = 0; n < h->nr_records; n++) {
		i = h->records[n].hash & h->record_mask;
		while (h->record_slots[i])
			i = (i + 1) & h->record_mask;
		h->record_slots[i] = n + 1;
	}
}

/* Return: where it stands in the pool. */
static size_t add_stack(struct hists *h, u32 scope, const u32 *labels, u32 nr)
{
	size_t at = h->nr_pool;

	if (h->nr_pool + nr + 1 > h->cap_pool) {
		h->cap_pool = max(h->cap_pool + h->cap_pool / 2, h->nr_pool + nr + 4096);
		h->pool = xrealloc(h->pool, h->cap_pool * sizeof(*h->pool));
	}
	h->pool[at] = scope;
	if (nr)
		memcpy(h->pool + at + 1, labels, nr * sizeof(*labels));
	h->nr_pool += nr + 1;
	return at;
}

void hists_add(struct hists *h, const struct hist_record *at, const u32 *labels, u32 nr)
{
	u64 hash = hash_mix((u64)at->scope << 32 | at->fkey, at->level);
	struct hist_record *r;
	u32 i, short_hash;

	for (i = 0; i < nr; i++)
		hash = (hash ^ labels[i]) * 0x9fb21c651e98df25ULL;
	short_hash = hash >> 32;

	h->total_period += at->period;
	h->nr_samples += at->nr;
	/* At most half full; the largest table up to the last of its 32-bit numbers. */
	if (unlikely(2 * (u64)h->nr_records >= h->record_mask && h->record_mask != UINT32_MAX))
		grow_records(h);
	for (i = short_hash & h->record_mask; h->record_slots[i]; i = (i + 1) & h->record_mask) {
		r = &h->records[h->record_slots[i] - 1];
		if (r->hash != short_hash || r->fkey != at->fkey || r->scope != at->scope ||
		    r->level != at->level || r->len != nr ||
		    (nr && memcmp(h->pool + r->at + 1, labels, nr * sizeof(*labels))))
			continue;
		r->period += at->period;
		r->nr += at->nr;
		if (rank_before(at->first, r->first)) {
			r->first = at->first;
			r->thread = at->thread;
		}
		return;
	}
	GROW(h->records, h->nr_records, h->cap_records);
	r = &h->records[h->nr_records];
	*r = *at;
	r->hash = short_hash;
	r->at = add_stack(h, at->scope, labels, nr);
	r->len = nr;
	h->record_slots[i] = ++h->nr_records;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * env.c - the shared data of the histograms of all events: numbers for strings, symbols, the
 * two halves of a row's key, steps and labels of stacks
 *
 * It is given the keys, and owns the tables of the numbers. Equal objects have equal
 * numbers, dense from 0 in the order of first sight; a number never changes its meaning.
 */
#include "hist/hist_private.h"

void tuple_init(struct tuple_table *t, u32 width)
{
	memset(t, 0, sizeof(*t));
	t->width = width;
}

void tuple_deinit(struct tuple_table *t)
{
	free(t->rows);
	slots_deinit(&t->slots);
	tuple_init(t, t->width);
}

static u64 row_hash(const u64 *row, u32 width)
{
	u64 h = width;
	u32 i;

	for (i = 0; i < width; i++)
		h = hash_mix(h, row[i]);
	return h;
}

static u64 hash_of(const void *ctx, u32 slot)
{
	const struct tuple_table *t = ctx;

	return row_hash(tuple_row(t, slot - 1), t->width);
}

u32 tuple_intern(struct tuple_table *t, const u64 *row)
{
	size_t bytes = t->width * sizeof(u64);
	u64 hash = row_hash(row, t->width);
	u32 *at;

	slots_each(&t->slots, hash, at)
		if (!memcmp(tuple_row(t, *at - 1), row, bytes))
			return *at - 1;
	if (t->nr >= t->cap) {
		t->cap = grown_capacity(t->cap, (u64)t->nr + 1, UINT32_MAX);
		t->rows = xrealloc(t->rows, max(t->cap * bytes, (size_t)1));
	}
	if (bytes)
		memcpy(t->rows + (size_t)t->nr * t->width, row, bytes);
	slots_add(&t->slots, hash, t->nr + 1, hash_of, t);
	return t->nr++;
}

void hist_env_init(struct hist_env *env)
{
	u32 i;

	env->nr_scope_keys = env->nr_frame_keys = 0;
	env->scope_of_task = true;
	for (i = 0; i < env->nr_keys; i++) {
		struct sort_key *k = env->keys[i];

		if (k->half == KEY_OF_ROW)
			continue;
		k->slot = k->half == KEY_OF_FRAME ? env->nr_frame_keys++ : env->nr_scope_keys++;
		if (k->half == KEY_OF_SAMPLE && !k->of_task)
			env->scope_of_task = false;
	}
	env->row = xcalloc(env->nr_keys + 1, sizeof(*env->row));
	env->seen = xcalloc(HIST_SEEN, sizeof(*env->seen));
	pthread_mutex_init(&env->lock, NULL);
	tuple_init(&env->scopes, env->nr_scope_keys);
	tuple_init(&env->frames, env->nr_frame_keys);
	tuple_init(&env->steps, 3);
	tuple_init(&env->label_ids, 3);
	tuple_init(&env->syms, 2);
}

void hist_env_deinit(struct hist_env *env)
{
	tuple_deinit(&env->scopes);
	tuple_deinit(&env->frames);
	tuple_deinit(&env->steps);
	tuple_deinit(&env->label_ids);
	tuple_deinit(&env->syms);
	hash_deinit(&env->strings);
	hash_deinit(&env->key_columns);
	arena_deinit(&env->arena);
	free(env->fkeys);
	free(env->addresses);
	free(env->labels);
	free(env->chain);
	free(env->row);
	free(env->tallies);
	free(env->branches);
	free(env->seen);
	free(env->traces);
	free(env->tasks);
	pthread_mutex_destroy(&env->lock);
}

struct interned {
	struct interned *next;
	const char *s;
};

/* A worker caches the main environment's strings: equal ones have equal pointers everywhere. */
static const char *string_copy(struct hist_env *env, const char *s, size_t len)
{
	const char *copy;

	env->string_bytes += len;
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
	u64 *row = env->row;
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

const char *hist_srcline(const struct hist_env *env, const struct frame *f)
{
	return f->dso ? dso_srcline(f->dso, f->code, env->cfg.full_srcline) : NULL;
}

u32 hist_sym_number(struct hist_env *env, const struct symbol *sym, u64 dso, u64 addr, u64 ip)
{
	struct hist_address *a;
	u32 known = env->syms.nr, nr;
	u64 row[2];

	if (sym && sym->inlined) {
		/* Each place of an inlined function has its own symbol: use the first for all. */
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
	GROW_TO(env->addresses, (u64)nr + 1, env->cap_addresses);
	a = &env->addresses[nr];
	if (nr == known)
		*a = (struct hist_address){
			.ip = ip, .addr = row[1], .varies = dso & HIST_OWN_ADDRESS,
		};
	else if (a->ip != ip)
		a->varies = true;
	return nr;
}

/* The offset in the file; the address itself if the mapping has no file. */
static u64 own_address(const struct frame *f)
{
	switch (f->dso->kind) {
	case DSO_USER:
		if (f->dso->memory)
			return f->ip;
		/* fall through */
	case DSO_VDSO:
	case DSO_MODULE:
	case DSO_GUEST_MODULE:
		return f->ip - f->map->start + f->map->pgoff;
	default:
		return f->ip;
	}
}

u32 hist_sym(struct hist_env *env, const struct hist_point *p)
{
	const struct symbol *sym = p->inl ? p->inl->sym : p->frame->sym;
	const struct frame *f = p->frame;
	u64 addr;

	if (p->own && !sym && f->dso) {
		addr = own_address(f);
		if (addr != f->ip)
			return hist_sym_number(env, NULL, (f->dso->id + 1) | HIST_OWN_ADDRESS,
					       min(addr, (u64)-2), f->ip);
	}
	return hist_sym_number(env, sym, f->dso ? f->dso->id + 1 : 0,
			       f->dso ? min(f->addr, (u64)-2) : f->ip, f->ip);
}

/* The identity of a step under the key that -g asks for. */
static u32 step_of(struct hist_env *env, const struct hist_point *p, const struct symbol *sym,
		   u32 sym_nr, const char *srcline)
{
	const struct frame *f = p->frame;
	u64 row[3] = { (uintptr_t)f->dso, 0, 0 };

	switch (env->cfg.chain.key) {
	case CHAIN_KEY_ADDRESS:
		row[1] = f->dso ? f->addr : f->ip;
		row[2] = sym && sym->inlined ? (uintptr_t)sym->name : p->history;
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

/* @sym: of @inl, or of the frame itself */
static bool names_match(const struct hist_env *env, const struct frame *f, const struct inline_frame *inl,
			const struct symbol *sym)
{
	const struct hist_config *c = &env->cfg;

	if (c->hide_unresolved && !sym)
		return false;
	if (c->filter && !filter_frame(c->filter, f, inl))
		return false;
	return !c->symbol_filter || (sym && strstr(sym->name, c->symbol_filter));
}

bool hist_env_is_called(const struct hist_env *env, const char *name)
{
	u32 i;

	for (i = 0; i < env->nr_labels; i++)
		if (env->labels[i].passes && env->labels[i].sym && strcmp(env->labels[i].sym->name, name))
			return false;
	return true;
}

u32 hist_label_add(struct hist_env *env, const u64 id[3], const struct hist_label *l)
{
	u32 nr = tuple_intern(&env->label_ids, id);
	struct hist_fkey *f;

	if (nr < env->nr_labels)
		return nr;
	GROW(env->labels, env->nr_labels, env->cap_labels);
	env->labels[env->nr_labels++] = *l;
	GROW_ZEROED(env->fkeys, l->fkey, env->cap_fkeys);
	f = &env->fkeys[l->fkey];
	if (l->fkey >= env->nr_fkeys) {
		env->nr_fkeys = l->fkey + 1;
		f->nameless = !l->sym;
	}
	f->dso = f->dso ?: l->dso;
	f->passes |= l->passes;
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
		/* The own line of a function with inlined ones is that of the call to them. */
		if (f->nr_inlines)
			srcline = dso_inline_line(f->dso, f->code,
						  p->inl ? p->inl - f->inlines : f->nr_inlines);
		else
			srcline = hist_srcline(env, f);
		if (srcline)
			srcline = hist_string(env, srcline);
	}
	id[0] = step_of(env, p, sym, sym_nr, srcline);
	id[1] = hist_frame_key(env, p);
	l = (struct hist_label){
		.step = id[0], .fkey = id[1], .dso = f->dso, .sym = sym, .map = f->map,
		.srcline = srcline, .sym_nr = sym_nr, .ip = f->ip, .cpumode = f->cpumode,
		.inlined = p->inl != NULL, .branch = p->history, .target = p->target,
		.passes = names_match(env, f, p->inl, sym),
	};
	id[2] = hist_label_kind(&l);
	l.order = sym && env->cfg.chain.key == CHAIN_KEY_FUNCTION ? sym->start :
		  f->dso ? f->addr : f->ip;
	return hist_label_add(env, id, &l);
}

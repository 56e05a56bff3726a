// SPDX-License-Identifier: GPL-2.0
/*
 * cursor.c - reads a finished histogram: sums, rows, columns, stacks
 *
 * It is given histograms after hists_finish() and, for rows, hists_sort(). It owns and changes
 * nothing. render/ needs no other function.
 */
#include <assert.h>

#include "event/records.h"
#include "hist/hist_private.h"

const struct hist_config *hists_config(const struct hists *h)
{
	return &h->env->cfg;
}

void hists_set_full_names(struct hists *h, bool full)
{
	h->env->cfg.full_names = full;
}

struct hist_origin hists_origin(const struct hists *h)
{
	const struct session *s = h->env->session;

	return (struct hist_origin){
		.hostname = s->features ? s->features->hostname : NULL,
		.seconds = s->has_time && s->last_time > s->first_time ?
			   (s->last_time - s->first_time) / 1e9 : 0,
		.deferred = s->stats.deferred.deferred, .joined = s->stats.deferred.joined,
	};
}

enum hist_time hists_time(const struct hists *h)
{
	const struct perf_event_attr *a = &h->event->attr;

	if (event_off_cpu(h->event))
		return HIST_OFF_CPU;
	if (a->type == PERF_TYPE_SOFTWARE &&
	    (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK))
		return HIST_ON_CPU;
	return HIST_NO_TIME;
}

const char *hists_event_name(const struct hists *h)
{
	return h->event->name;
}

u64 hists_total(const struct hists *h)
{
	return h->env->cfg.relative ? h->filtered.period : h->total.period;
}

u64 hists_column_total(const struct hists *h, enum overhead_kind k)
{
	if (k != OV_LATENCY && k != OV_LATENCY_CHILDREN)
		return hists_total(h);
	return h->env->cfg.relative ? h->filtered.latency : h->total.latency;
}

bool hists_any_row(const struct hists *h)
{
	u32 i;

	for (i = 0; i < h->nr_rows; i++)
		if (!h->rows[i].filtered)
			return true;
	return false;
}

const struct hist_row *hists_row_at(const struct hists *h, u32 i)
{
	assert(i < h->nr_sorted);
	return h->sorted[i];
}

void hists_prefetch(const struct hists *h, u32 i)
{
	if (i >= h->nr_sorted)
		return;
	__builtin_prefetch(h->sorted[i]);
	/* A row is larger than a cache line, and hist_row_number() reads its last members. */
	__builtin_prefetch(&h->sorted[i]->pairs);
}

static u64 row_number(const struct hist_row *row, enum overhead_kind k)
{
	static const u8 at[OV_MAX] = {
#define AT(member) offsetof(struct hist_row, member)
		[OV_CHILDREN] = AT(period_children), [OV_LATENCY_CHILDREN] = AT(latency_children),
		[OV_SELF] = AT(period), [OV_LATENCY] = AT(latency), [OV_SYS] = AT(sys),
		[OV_US] = AT(us), [OV_GUEST_SYS] = AT(guest_sys), [OV_GUEST_US] = AT(guest_us),
		[OV_SAMPLES] = AT(nr), [OV_PERIOD] = AT(period),
#undef AT
	};

	return *(const u64 *)((const char *)row + at[k]);
}

u64 hist_row_number(const struct hist_row *row, u32 member, enum overhead_kind k)
{
	if (row->pairs)
		row = row->pairs[member];
	return row ? row_number(row, k) : 0;
}

static struct hist_cell put_cell(const struct hists *h, const struct hist_row *row,
				 const struct hist_column *col, struct outbuf *o)
{
	const struct hist_cell c = {
		.env = h->env, .value = hist_value(h->env, row, col->key), .samples = row->nr,
		.thread = row->thread, .time = row->first.taken, .cpumode = row->cpumode,
	};
	const struct step_branches none = { 0 };
	size_t at = row - h->rows;

	if (col->key->half != KEY_OF_ROW)
		col->key->text(&c, o);
	else	/* A row that hists_link() made has none of its own. */
		col->key->branches(at < h->nr_row_branches ? &h->row_branches[at] : &none, o);
	return c;
}

void hist_row_text(const struct hists *h, const struct hist_row *row,
		   const struct hist_column *col, struct outbuf *o)
{
	put_cell(h, row, col, o);
}

u32 hist_row_extent(const struct hists *h, const struct hist_row *row,
		    const struct hist_column *col, struct outbuf *o)
{
	struct hist_cell c;

	o->pos = o->base;
	c = put_cell(h, row, col, o);
	return col->key->extent ? col->key->extent(&c, o) : outbuf_len(o);
}

static const struct dso *row_dso(const struct hists *h, const struct hist_row *row)
{
	return row->fkey < h->env->cap_fkeys ? h->env->fkeys[row->fkey].dso : NULL;
}

bool hist_row_vmlinux(const struct hists *h, const struct hist_row *row)
{
	const struct dso *dso = row_dso(h, row);

	return dso && dso->kind == DSO_KERNEL;
}

bool hist_row_kernel(const struct hists *h, const struct hist_row *row)
{
	const struct dso *dso = row_dso(h, row);

	return dso && (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE ||
		       dso->kind == DSO_GUEST_KERNEL || dso->kind == DSO_GUEST_MODULE);
}

bool hist_row_nameless(const struct hists *h, const struct hist_row *row)
{
	return row->fkey < h->env->nr_fkeys && h->env->fkeys[row->fkey].nameless;
}

u64 hist_row_value(const struct hists *h, const struct hist_row *row,
		   const struct hist_column *col)
{
	return hist_value(h->env, row, col->key);
}

int hist_row_cmp(const struct hists *h, const struct hist_row *a, const struct hist_row *b,
		 const struct hist_column *col)
{
	return key_cmp(h->env, col->key, hist_value(h->env, a, col->key),
		       hist_value(h->env, b, col->key));
}

struct hist_step hist_step(const struct hists *h, u32 label)
{
	const struct hist_label *l = &h->env->labels[label];

	assert(label < h->env->nr_labels);
	return (struct hist_step){
		.name = l->sym ? l->sym->name : NULL,
		.file = l->dso ? l->dso->short_name : NULL,
		.srcline = l->srcline,
		.address = l->sym ? 0 : hist_shown_address(h->env, l->sym_nr),
		.offset = l->sym ? l->order - l->sym->start : 0,
		.kernel = l->cpumode == PERF_RECORD_MISC_KERNEL ||
			  l->cpumode == PERF_RECORD_MISC_GUEST_KERNEL,
		.jit = l->dso && (l->dso->kind == DSO_ANON || !strcmp(l->dso->short_name, PYTHON_MAPPING)),
		.inlined = l->inlined, .cookie = l->cookie,
		.calltrace = h->env->cfg.branch_history && !l->branch,
	};
}

u32 hists_nr_labels(const struct hists *h)
{
	return h->env->nr_labels;
}

u32 hist_stack_scope(const struct hists *h, u32 stack)
{
	return h->pool[h->stacks[stack].at];
}

u32 hist_stack_len(const struct hists *h, u32 stack)
{
	return h->stacks[stack].len;
}

u32 hist_stack_label(const struct hists *h, u32 stack, u32 depth)
{
	assert(depth < h->stacks[stack].len);
	return stack_step(&h->stacks[stack], h->pool, depth);
}

u32 hist_span_end(const struct hists *h, u32 from, u32 end, u32 depth)
{
	return stacks_span_end(h->stacks, h->pool, from, end, depth);
}

void hist_scope_text(const struct hists *h, u32 stack, struct outbuf *o)
{
	struct hist_cell c = {
		.env = h->env, .thread = h->records[h->stacks[stack].record].thread,
	};
	const u64 *values = tuple_row(&h->env->scopes, hist_stack_scope(h, stack));
	size_t begin = outbuf_len(o);
	u32 i;

	for (i = 0; i < h->env->nr_keys; i++) {
		const struct sort_key *k = h->env->keys[i];

		if (k->half != KEY_OF_SAMPLE)
			continue;
		if (outbuf_len(o) != begin)
			outbuf_putc(o, ' ');
		c.value = values[k->slot];
		k->text(&c, o);
	}
}

const char *hists_string(struct hists *h, const char *s)
{
	return hist_string(h->env, s);
}

struct file_list {
	struct hash by_dso;	/* index + 1 */
	struct hist_file *v;
	u32 nr, cap;
};

static struct hist_file *file_of(struct file_list *l, const struct dso *d)
{
	u64 *at = hash_insert(&l->by_dso, (uintptr_t)d, 0, NULL);

	if (!*at) {
		GROW(l->v, l->nr, l->cap);
		l->v[l->nr] = (struct hist_file){ .dso = (struct dso *)d };
		*at = ++l->nr;
	}
	return &l->v[*at - 1];
}

/* An array by frame key: UNNAMED if no label has a symbol of a file. The caller frees it. */
static u8 *unnamed_keys(const struct hist_env *env)
{
	enum { NAMED = 1, UNNAMED };
	u8 *v = xcalloc(env->cap_fkeys + 1, 1);
	u32 i;

	for (i = 0; i < env->nr_labels; i++) {
		const struct hist_label *l = &env->labels[i];

		v[l->fkey] |= l->sym && !symbol_is_start(l->sym) ? NAMED : UNNAMED;
	}
	for (i = 0; i < env->cap_fkeys; i++)
		v[i] = v[i] == UNNAMED;
	return v;
}

u32 hists_files(struct hists **hists, u32 nr, struct hist_file **files, u64 *samples)
{
	struct file_list l = { .nr = 0 };
	u8 *unnamed = nr ? unnamed_keys(hists[0]->env) : NULL;
	u32 e, i;

	*samples = 0;
	for (e = 0; e < nr; e++) {
		const struct hists *h = hists[e];

		for (i = 0; i < h->nr_rows; i++) {
			const struct dso *d = h->env->fkeys[h->rows[i].fkey].dso;

			*samples += h->rows[i].nr;
			if (!d)
				continue;
			file_of(&l, d)->samples += h->rows[i].nr;
			if (unnamed[h->rows[i].fkey])
				file_of(&l, d)->unnamed += h->rows[i].nr;
		}
	}
	free(unnamed);
	hash_deinit(&l.by_dso);
	*files = l.v;
	return l.nr;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Collects functions and their rows while a file is read, and makes a table of them. struct
 * unwind_rows owns three growing arrays (functions, rows, rules). The rows of a function are
 * adjacent; equal rules are stored once, found by a hash of their 16 bytes. The table has the
 * functions sorted and without overlaps.
 */
#include <elf.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/sort.h"
#include "cfi/rows.h"

/* Code at an entry point that calls the function after it, aligned. */
#define MAX_ENTRY	128
/* A page of the table has so many rows, on average: 6 steps, one or two cache lines. */
#define ROWS_PER_PAGE 24

const char *const unwind_why_names[UNWIND_WHY_NR] = {
	[UNWIND_WHY_NOTHING] = "not described",
	[UNWIND_WHY_CFA] = "CFA by another expression",
	[UNWIND_WHY_RA] = "return address elsewhere",
	[UNWIND_WHY_SP] = "stack pointer is not the CFA",
	[UNWIND_WHY_SIGNAL] = "another kind of signal frame",
	[UNWIND_WHY_RANGE] = "offset out of range",
	[UNWIND_WHY_DAMAGED] = "damaged",
};

void unwind_rows_init(struct unwind_rows *r, u16 arch, const struct unwind_segment *segs, u32 nr_segs)
{
	u32 why;

	memset(r, 0, sizeof(*r));
	r->arch = arch;
	r->segs = segs;
	r->nr_segs = nr_segs;
	/* Rule number N is "unknown, because of N". */
	for (why = 0; why < UNWIND_WHY_NR; why++)
		unwind_rule(r, &(struct unwind_table_rule){ .arg = why });
}

void unwind_rows_deinit(struct unwind_rows *r)
{
	free(r->funcs);
	free(r->rows);
	free(r->rules);
	free(r->buckets);
}

static u64 rule_hash(const struct unwind_table_rule *rule)
{
	u64 w[2];

	_Static_assert(sizeof(w) == sizeof(*rule), "a rule is two words");
	memcpy(w, rule, sizeof(w));
	return hash_mix(w[0], w[1]);
}

static void rehash(struct unwind_rows *r)
{
	u32 i, slot;

	r->nr_buckets = r->nr_buckets ? 2 * r->nr_buckets : 1024;
	free(r->buckets);
	r->buckets = xcalloc(r->nr_buckets, sizeof(*r->buckets));
	for (i = 0; i < r->nr_rules; i++) {
		slot = rule_hash(&r->rules[i]) & (r->nr_buckets - 1);
		while (r->buckets[slot])
			slot = (slot + 1) & (r->nr_buckets - 1);
		r->buckets[slot] = i + 1;
	}
}

u32 unwind_rule(struct unwind_rows *r, const struct unwind_table_rule *rule)
{
	u32 slot, n;

	if (2 * r->nr_rules >= r->nr_buckets)
		rehash(r);
	slot = rule_hash(rule) & (r->nr_buckets - 1);
	while ((n = r->buckets[slot])) {
		if (!memcmp(&r->rules[n - 1], rule, sizeof(*rule)))
			return n - 1;
		slot = (slot + 1) & (r->nr_buckets - 1);
	}
	/* The kinds of unknown become one. */
	if (r->nr_rules >= UNWIND_TABLE_MAX_RULES)
		return UNWIND_WHY_RANGE;
	GROW(r->rules, r->nr_rules, r->cap_rules);
	r->rules[r->nr_rules] = *rule;
	r->buckets[slot] = ++r->nr_rules;
	return r->nr_rules - 1;
}

u32 unwind_rule_unknown(struct unwind_rows *r __unused, enum unwind_why why)
{
	return why;
}

void unwind_rows_grow(struct unwind_rows *r)
{
	/* There will be no table: what is there already is written over. */
	if (r->nr_rows >= UNWIND_MAX_ROWS) {
		r->too_many = true;
		r->nr_rows = r->row = 0;
		return;
	}
	GROW(r->rows, r->nr_rows, r->cap_rows);
}

bool unwind_func_begin(struct unwind_rows *r, u64 start, u64 size)
{
	const struct unwind_segment *s;
	u64 end = start + size;

	if (r->too_many)
		return false;
	if (!size) {
		r->counts.empty++;
		return false;
	}
	if (end < start)
		end = -1ULL;
	for (s = r->segs; s < r->segs + r->nr_segs; s++)
		if (start < s->vaddr + s->size && end > s->vaddr)
			break;
	if (s == r->segs + r->nr_segs) {
		r->counts.outside++;
		return false;
	}
	r->start = max(start, s->vaddr);
	r->cut = r->start - start;
	/* Rows count in 32 bits; what is after them is not described. */
	end = min(end, s->vaddr + s->size);
	r->size = min(end - r->start, 0xffffffffULL);
	r->off = r->start - s->vaddr + s->off;
	r->row = r->nr_rows;
	/* The neighbours bound the code at the entry point. */
	return !r->has_only || (r->only + MAX_ENTRY >= r->off &&
				r->only < r->off + r->size + MAX_ENTRY);
}

void unwind_func_end(struct unwind_rows *r)
{
	struct unwind_func *f;

	if (r->nr_rows == r->row)
		return;
	GROW(r->funcs, r->nr_funcs, r->cap_funcs);
	f = &r->funcs[r->nr_funcs];
	*f = (struct unwind_func){ r->off, r->size, r->row, r->nr_rows - r->row, r->nr_funcs };
	r->nr_funcs++;
	r->counts.funcs++;
	r->counts.rows += f->nr;
}

static int by_start(const void *a, const void *b)
{
	const struct unwind_func *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Linkers sort, mostly. */
static void sort(struct unwind_func *f, u32 nr)
{
	u32 i;

	for (i = 1; i < nr; i++) {
		if (by_start(&f[i - 1], &f[i]) > 0) {
			qsort(f, nr, sizeof(*f), by_start);
			return;
		}
	}
}

/* The first of the ranked functions that ends after @off. */
static u32 first_behind(const struct unwind_rows *r, u64 off)
{
	return LOWER_BOUND(0, r->ranked, i, r->funcs[i].start + r->funcs[i].size <= off);
}

void unwind_rows_rank(struct unwind_rows *r)
{
	struct unwind_func *f = r->funcs + r->ranked;
	u32 nr = r->nr_funcs - r->ranked, i, at, kept = 0;

	if (!nr)
		return;
	sort(f, nr);
	for (i = 0; i < nr; i++) {
		if (kept && f[kept - 1].start == f[i].start) {
			r->counts.overlapping++;
			continue;
		}
		if (kept && f[i].start - f[kept - 1].start < f[kept - 1].size) {
			f[kept - 1].size = f[i].start - f[kept - 1].start;
			r->counts.overlapping++;
		}
		f[kept++] = f[i];
	}
	nr = kept;
	for (i = kept = 0; i < nr; i++) {
		at = first_behind(r, f[i].start);
		if (at < r->ranked && r->funcs[at].start < f[i].start + f[i].size) {
			r->counts.doubled++;
			continue;
		}
		f[kept++] = f[i];
	}
	r->nr_funcs = r->ranked + kept;
	if (r->ranked)
		sort(r->funcs, r->nr_funcs);
	r->ranked = r->nr_funcs;
}

void unwind_rows_entry(struct unwind_rows *r, u64 entry)
{
	const struct unwind_table_rule outermost = { .kind = UNWIND_TABLE_OUTERMOST };
	u32 at;

	if (!unwind_func_begin(r, entry, MAX_ENTRY))
		return;
	at = first_behind(r, r->off);
	if (at == r->ranked || r->funcs[at].start <= r->off || r->funcs[at].start - r->off > r->size)
		return;
	r->size = r->funcs[at].start - r->off;
	unwind_func_row(r, 0, unwind_rule(r, &outermost));
	unwind_func_end(r);
	unwind_rows_rank(r);
}

void unwind_rows_start(struct unwind_rows *r, u64 entry)
{
	const struct unwind_table_rule outermost = { .kind = UNWIND_TABLE_OUTERMOST };
	const struct unwind_func *f;
	struct unwind_row *row;
	u32 at;

	/* Only to have the file offset. */
	if (!unwind_func_begin(r, entry, 1))
		return;
	at = first_behind(r, r->off);
	if (at == r->ranked || r->funcs[at].start != r->off)
		return;
	f = &r->funcs[at];
	row = &r->rows[f->row];
	if (f->nr > 1 && r->rules[row[1].rule].kind == UNWIND_TABLE_OUTERMOST)
		row->rule = unwind_rule(r, &outermost);
}

bool unwind_rows_described(const struct unwind_rows *r, u64 off)
{
	u32 at = first_behind(r, off);

	return at < r->ranked && r->funcs[at].start <= off;
}

/* The table while it grows. */
struct out {
	struct unwind_rows *r;
	struct unwind_made *made;
	u64 base;
	u32 *at;		/* offsets after @base */
	u16 *rule;
	u32 nr;
	u32 *number;		/* by rule of the rows: 1 + the table's */
	u32 nr_rules;
	u64 end;		/* up to where it is said what holds */
};

static u16 number(struct out *o, u32 rule)
{
	/* All kinds of unknown are number 0. */
	if (rule < UNWIND_WHY_NR)
		return 0;
	if (!o->number[rule])
		o->number[rule] = ++o->nr_rules;
	return o->number[rule] - 1;
}

/* Does a rule need registers that are known in innermost frames only? A leaf of arm64 does not count. */
static bool is_for_innermost(const struct unwind_table_rule *t, u16 arch)
{
	if (arch == EM_AARCH64)
		return (t->reg != ARM64_SP && t->reg != ARM64_FP) || (t->ra && t->arg != ARM64_LR);
	return (t->reg != REG_SP && t->reg != REG_FP) || t->ra;
}

static void count(struct out *o, u32 rule, u64 size)
{
	const struct unwind_table_rule *t = &o->r->rules[rule];
	struct unwind_made *m = o->made;

	if (rule < UNWIND_WHY_NR) {
		m->why[rule] += size;
		return;
	}
	m->known += size;
	if (t->kind == UNWIND_TABLE_OUTERMOST || t->kind == UNWIND_TABLE_SIGNAL)
		return;
	if (is_for_innermost(t, o->r->arch))
		m->innermost += size;
	if (t->fp == UNWIND_TABLE_FP_LOST)
		m->fp_lost += size;
}

static void put(struct out *o, u64 off, u16 rule)
{
	if (o->nr && o->rule[o->nr - 1] == rule)
		return;
	o->at[o->nr] = off - o->base;
	o->rule[o->nr++] = rule;
}

static void put_func(struct out *o, const struct unwind_func *f)
{
	const struct unwind_row *row = o->r->rows + f->row, *end = row + f->nr;
	u64 to;

	if (o->end < f->start && o->nr)
		put(o, o->end, 0);
	for (; row < end && row->at < f->size; row++) {
		to = row + 1 < end ? min((u64)row[1].at, f->size) : f->size;
		count(o, row->rule, to - row->at);
		put(o, f->start + row->at, number(o, row->rule));
	}
	o->end = f->start + f->size;
}

/* The smallest pages of which there are not too many. */
static u32 page_shift(u64 span, u32 nr)
{
	u32 shift = UNWIND_TABLE_MIN_SHIFT;

	while (shift < UNWIND_TABLE_MAX_SHIFT && span >> shift > nr / ROWS_PER_PAGE)
		shift++;
	return shift;
}

static void write_table(struct out *o)
{
	struct unwind_made *m = o->made;
	struct unwind_table_head *h;
	struct unwind_table_rule *rules;
	struct unwind_table_row *rows;
	u32 shift, row, page, *pages, i, first_row = 0, nr_pages;
	u64 first, mask;

	shift = page_shift(o->end - o->base, o->nr);
	mask = (1ULL << shift) - 1;
	first = o->base & ~mask;
	nr_pages = ((o->end - 1 - first) >> shift) + 1;
	/* Behind the last page nothing is known: no row has to say so. */
	if (!(o->end & mask) && o->at[o->nr - 1] == o->end - o->base)
		o->nr--;
	/* Room for a row that says that nothing is known before the first. */
	if (first != o->base)
		first_row = 1;
	m->nr_rows = o->nr + first_row;
	m->nr_rules = o->nr_rules;
	m->size = sizeof(*h) + m->nr_rules * sizeof(*rules) + (nr_pages + 1ULL) * sizeof(*pages) +
		  (u64)m->nr_rows * sizeof(*rows);
	h = m->data = xcalloc(1, m->size);
	*h = (struct unwind_table_head){
		.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION, .arch = o->r->arch,
		.size = m->size, .first = first, .nr_pages = nr_pages, .nr_rows = m->nr_rows,
		.nr_rules = m->nr_rules, .head_size = sizeof(*h), .page_shift = shift,
	};
	rules = (void *)(h + 1);
	for (i = UNWIND_WHY_NR; i < o->r->nr_rules; i++)
		if (o->number[i])
			rules[o->number[i] - 1] = o->r->rules[i];
	pages = (void *)(rules + m->nr_rules);
	rows = (void *)(pages + nr_pages + 1);
	for (row = first_row, page = 0, i = 0; i < o->nr; i++, row++) {
		u64 off = o->base - first + o->at[i];

		while (page < off >> shift)
			pages[++page] = row;
		rows[row].off = off & mask;
		rows[row].rule = o->rule[i];
	}
	while (page < nr_pages)
		pages[++page] = row;
}

const char *unwind_rows_make(struct unwind_rows *r, struct unwind_made *made)
{
	struct out o = { .r = r, .made = made, .nr_rules = 1 };
	u64 room = 1, text = made->text;
	u32 i;

	memset(made, 0, sizeof(*made));
	made->text = text;
	made->counts = r->counts;
	if (r->too_many)
		return "its code has more than 32 million changes of rules";
	if (!r->nr_funcs)
		return "nothing in it describes its code";
	o.base = r->funcs[0].start;
	if (r->funcs[r->nr_funcs - 1].start + r->funcs[r->nr_funcs - 1].size - o.base > 0xffffffff)
		return "its code spans more than 4 GiB";
	for (i = 0; i < r->nr_funcs; i++)
		room += r->funcs[i].nr + 1;
	o.at = xmalloc(room * sizeof(*o.at));
	o.rule = xmalloc(room * sizeof(*o.rule));
	o.number = xcalloc(r->nr_rules, sizeof(*o.number));
	for (i = 0; i < r->nr_funcs; i++)
		put_func(&o, &r->funcs[i]);
	put(&o, o.end, 0);
	write_table(&o);
	free(o.at);
	free(o.rule);
	free(o.number);
	return NULL;
}

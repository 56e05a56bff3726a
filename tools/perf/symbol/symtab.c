// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols sorted by address. It is given symbols in any order, chooses between symbols at one
 * address, sets an end for those without a size, and links each symbol to the enclosing one.
 * After symtab_finish() the starts ascend strictly.
 */
#include <elf.h>

#include "base/arena.h"
#include "base/sort.h"
#include "symbol/symtab.h"

#define PAGE 4096ULL

void symtab_grow(struct symtab *tab)
{
	GROW(tab->syms, tab->nr, tab->cap);
}

void symtab_deinit(struct symtab *tab)
{
	free(tab->syms);
	memset(tab, 0, sizeof(*tab));
}

struct symtab_key {
	u64 start;
	u32 idx;
};

/*
 * Radix sort by address, a byte a pass, leaving out the bytes that all
 * addresses share: stable, and linear for the million symbols of a browser.
 */
static void symtab_sort(struct symtab *tab)
{
	struct symtab_key *a, *b, *t;
	struct symbol *sorted;
	u64 differ = 0;
	bool in_order = true;
	u32 i, shift;

	for (i = 1; i < tab->nr; i++) {
		differ |= tab->syms[i].start ^ tab->syms[0].start;
		in_order &= tab->syms[i - 1].start <= tab->syms[i].start;
	}
	if (in_order)
		return;
	a = xmalloc(tab->nr * sizeof(*a));
	b = xmalloc(tab->nr * sizeof(*b));
	for (i = 0; i < tab->nr; i++)
		a[i] = (struct symtab_key){ tab->syms[i].start, i };
	for (shift = 0; shift < 64; shift += 8) {
		u32 count[257] = { 0 };

		if (!((differ >> shift) & 0xff))
			continue;
		for (i = 0; i < tab->nr; i++)
			count[((a[i].start >> shift) & 0xff) + 1]++;
		for (i = 0; i < 256; i++)
			count[i + 1] += count[i];
		for (i = 0; i < tab->nr; i++)
			b[count[(a[i].start >> shift) & 0xff]++] = a[i];
		t = a;
		a = b;
		b = t;
	}
	sorted = xmalloc(tab->nr * sizeof(*sorted));
	for (i = 0; i < tab->nr; i++)
		sorted[i] = tab->syms[a[i].idx];
	free(a);
	free(b);
	free(tab->syms);
	tab->syms = sorted;
	tab->cap = tab->nr;
}

/* Heap of the symbols that cover the sweep's current address, the newest on top. */
struct symtab_heap {
	u32 *v;			/* indices of symbols; .outer: their age */
	u32 nr;
};

static bool newer(const struct symtab *tab, u32 a, u32 b)
{
	return tab->syms[a].outer > tab->syms[b].outer;
}

static void heap_push(struct symtab_heap *h, const struct symtab *tab, u32 idx)
{
	u32 at = h->nr++;

	for (; at && newer(tab, idx, h->v[(at - 1) / 2]); at = (at - 1) / 2)
		h->v[at] = h->v[(at - 1) / 2];
	h->v[at] = idx;
}

static void heap_pop(struct symtab_heap *h, const struct symtab *tab)
{
	u32 last = h->v[--h->nr], at = 0, child;

	while ((child = 2 * at + 1) < h->nr) {
		if (child + 1 < h->nr && newer(tab, h->v[child + 1], h->v[child]))
			child++;
		if (!newer(tab, h->v[child], last))
			break;
		h->v[at] = h->v[child];
		at = child;
	}
	h->v[at] = last;
}

/* If newer symbols covered the newest one here until @addr, it starts there now. */
static void uncover(struct symtab *tab, const struct symtab_heap *h, u64 addr)
{
	struct symbol *top = &tab->syms[h->v[0]];

	if (top->rivals)
		return;
	top->rivals = 1;	/* found */
	top->start = max(top->start, addr);
}

/* Remove symbols that end before @addr, where others are added, and uncover enclosing ones. */
static void sweep(struct symtab *tab, struct symtab_heap *h, u64 addr)
{
	u64 at;

	while (h->nr && tab->syms[h->v[0]].end <= addr) {
		at = tab->syms[h->v[0]].end;
		while (h->nr && tab->syms[h->v[0]].end <= at)
			heap_pop(h, tab);
		if (h->nr && at < addr)
			uncover(tab, h, at);
	}
}

/*
 * Cut the starts of symbols that newer ones cover. Then, of the symbols that contain an address,
 * the newest has the highest start. Middle and end need no cut, since there the newer symbol starts
 * later.
 */
static void cut_older(struct symtab *tab)
{
	struct symtab_heap h = { 0 };
	u32 i, out = 0;

	for (i = 0; i < tab->nr; i++)
		tab->syms[i].outer = i;
	symtab_sort(tab);
	h.v = xmalloc(tab->nr * sizeof(*h.v));
	for (i = 0; i < tab->nr; i++) {
		sweep(tab, &h, tab->syms[i].start);
		heap_push(&h, tab, i);
		if (i + 1 == tab->nr || tab->syms[i + 1].start != tab->syms[i].start)
			uncover(tab, &h, tab->syms[i].start);
	}
	sweep(tab, &h, -1);
	for (i = 0; i < tab->nr; i++) {
		if (!tab->syms[i].rivals)
			continue;
		tab->syms[i].rivals = 0;
		tab->syms[i].outer = SYM_NO_OUTER;
		tab->syms[out++] = tab->syms[i];
	}
	tab->nr = out;
	free(h.v);
}

/* Compare symbols by the properties in the symbol table. > 0: @b is better. */
static int rank(const struct symbol *a, const struct symbol *b)
{
	u8 ba = a->bind & ~SYMTAB_LABEL, bb = b->bind & ~SYMTAB_LABEL;

	if ((a->end == a->start) != (b->end == b->start))
		return a->end == a->start ? 1 : -1;
	if ((ba == STB_WEAK) != (bb == STB_WEAK))
		return ba == STB_WEAK ? 1 : -1;
	if ((ba == STB_LOCAL) != (bb == STB_LOCAL))
		return ba == STB_LOCAL ? 1 : -1;
	return 0;
}

bool symbol_better_name(const char *a, const char *b)
{
	size_t ua = strspn(a, "_"), ub = strspn(b, "_");

	return ua != ub ? ub < ua : strlen(b) > strlen(a);
}

static bool better(const struct symbol *a, const struct symbol *b)
{
	int r = rank(a, b);

	return r ? r > 0 : symbol_better_name(a->name, b->name);
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* With more aliases than this at one address, demangled names are not compared. */
#define MAX_RIVALS 64

/*
 * Choose among the @n symbols at @from, which have the same start. The best one is kept as the
 * last. If others end later, the best of those is kept as the first: it names the addresses behind
 * the end of the best.
 *
 * A choice by name compares demangled names, which are made when a symbol is first shown: until
 * then the mangled candidates are stored before it.
 *
 * Return: the number of symbols kept at @out, which may be at or before @from.
 */
static u32 choose(struct symbol *from, u32 n, struct symbol *out, bool *has_wide)
{
	struct symbol rivals[MAX_RIVALS], best = from[0], wide;
	u32 i, ibest = 0, nr = 0, nr_rivals = 0;

	*has_wide = false;
	for (i = 1; i < n; i++) {
		if (better(&best, &from[i])) {
			best = from[i];
			ibest = i;
		}
	}
	for (i = 0; i < n && n > 1; i++) {
		if (rank(&from[i], &best)) {
			if (from[i].end > best.end && (!*has_wide || better(&wide, &from[i]))) {
				wide = from[i];
				*has_wide = true;
			}
			continue;
		}
		/* Keep symbol table order: of equally good names the first is used. */
		if (n <= MAX_RIVALS && (i == ibest || is_mangled(from[i].name) ||
					is_mangled(best.name)))
			rivals[nr_rivals++] = from[i];
		best.end = max(best.end, from[i].end);
	}
	*has_wide &= wide.end > best.end;
	if (*has_wide)
		out[nr++] = wide;
	if (nr_rivals)
		best.name = rivals[--nr_rivals].name;
	memcpy(&out[nr], rivals, nr_rivals * sizeof(*rivals));
	nr += nr_rivals;
	best.rivals = nr_rivals;
	out[nr++] = best;
	return nr;
}

/* The end of the code range that contains @addr. */
static u64 code_end(const struct code_range *code, u32 nr, u64 addr)
{
	u32 behind = LOWER_BOUND(0, nr, i, code[i].start <= addr);

	if (behind && addr < code[behind - 1].end)
		return code[behind - 1].end;
	return -1;
}

void symtab_finish(struct symtab *tab, enum symtab_choice choice, const struct code_range *code,
		   u32 nr_code)
{
	u32 i, next, first, o, out = 0;

	if (!tab->nr)
		return;
	if (choice == CHOOSE_NEWEST)
		cut_older(tab);
	symtab_sort(tab);
	for (i = 0; i < tab->nr; i = next) {
		struct symbol *last, *sym;
		bool open = false, has_wide = false;

		first = out;
		for (next = i + 1; next < tab->nr; next++)
			if (tab->syms[next].start != tab->syms[i].start)
				break;
		/* Of symbols of unknown size at one start the last one extends to the next. */
		last = &tab->syms[next - 1];
		if (last->end <= last->start) {
			u64 end = next < tab->nr ? tab->syms[next].start :
						   ALIGN_UP(last->start + 1, PAGE);

			last->end = min(end, code_end(code, nr_code, last->start));
			open = true;
		}
		if (choice != CHOOSE_ELF) {
			u64 end = last->end;

			while (last > &tab->syms[i] && !last->name)
				last--;
			if (!last->name)
				continue;	/* only ends the symbol before it */
			last->end = max(last->end, end);
			tab->syms[out++] = *last;
		} else {
			out += choose(&tab->syms[i], next - i, &tab->syms[out], &has_wide);
		}
		/* The innermost symbol that contains this one's start. */
		o = first ? first - 1 : SYM_NO_OUTER;
		while (o != SYM_NO_OUTER && tab->syms[o].end <= tab->syms[first].start)
			o = tab->syms[o].outer;
		sym = &tab->syms[out - 1];
		if (open && o != SYM_NO_OUTER && sym->end > tab->syms[o].end)
			sym->end = tab->syms[o].end;
		if (open && o != SYM_NO_OUTER && (sym->bind & SYMTAB_LABEL))
			out = first;
		sym->bind &= ~SYMTAB_LABEL;
		/* A look-up behind its end is also behind the ends of those that end sooner. */
		if (has_wide) {
			sym->outer = first;
			sym = &tab->syms[first];
		}
		while (o != SYM_NO_OUTER && tab->syms[o].end <= sym->end)
			o = tab->syms[o].outer;
		sym->outer = o;
	}
	tab->nr = out;
	if (tab->cap > out + out / 4) {
		tab->syms = xrealloc(tab->syms, out * sizeof(*tab->syms));
		tab->cap = out;
	}
}

struct symbol *symtab_find(const struct symtab *tab, u64 addr)
{
	u32 behind = LOWER_BOUND(0, tab->nr, at, tab->syms[at].start <= addr), i, depth = 0;

	for (i = behind - 1; i != SYM_NO_OUTER && depth++ < SYM_MAX_NESTED; i = tab->syms[i].outer)
		if (addr < tab->syms[i].end)
			return &tab->syms[i];
	return NULL;
}

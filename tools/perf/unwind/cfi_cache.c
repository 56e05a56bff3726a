// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of call frame information, for each address that was looked up; read from the dso's tables
 * at the first one. x86's are libdw's or, for Go and files without .eh_frame and .debug_frame, the
 * unwind table's; arm64's are that table's, as libdw before 0.192 misreads functions that sign
 * their return address. Known addresses need no lock: a slot of the hash table is written once, its
 * key last, and a replaced table is kept. Equal rows are stored once. It owns rows and expressions.
 */
#include <dwarf.h>
#include <gelf.h>
#include <pthread.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cfi/elf.h"
#include "elf/gopclntab.h"
#include "elf/open.h"
#include "elf/unpack.h"
#include "host/host.h"
#include "symbol/dwarf_fit.h"
#include "unwind/cfi_cache.h"

#define MAX_PLTS	4

/* The tables of one dso. */
struct cfi_dso {
	pthread_mutex_t lock;		/* libdw reads tables on demand */
	bool tried, debug_tried;
	struct host_budget budget;
	int machine;
	bool is_go;
	struct {
		u64 at, size;
	} plts[MAX_PLTS];		/* procedure linkage tables; size 0: none */
	Elf *elf;			/* opened here; NULL: the dso's own */
	Dwarf_CFI *eh;
	Dwarf *dwarf;
	Elf *dwarf_elf;
	struct elf_images images;	/* of @dwarf_elf */
	Dwarf_CFI *debug;
	bool table_tried;
	void *table_data;		/* NULL: no table */
	struct unwind_table table;
};

struct cfi_slot {
	u64 addr;
	u32 key;			/* slot_key(); 0: free; written last */
	const void *row;		/* struct cfi_row, struct unwind_table_rule; NULL: none */
};

struct cfi_slots {
	struct cfi_slots *older;		/* readers may still use it */
	u64 mask;
	struct cfi_slot slot[];
};

#define EXPR_CHUNK 1024
#define EXPR_CHUNKS 1024

struct cfi_cache {
	pthread_mutex_t lock;
	struct cfi_slots *slots;		/* read with acquire */
	u64 nr;
	struct hash interned;		/* (hash of the bytes, 0) -> row */
	struct arena arena;
	struct cfi_dso **dsos;		/* by dso id */
	u32 nr_dsos;
	struct cfi_expr *exprs[EXPR_CHUNKS];
	u32 nr_exprs;
};

struct cfi_cache *cfi_cache_create(void)
{
	struct cfi_cache *c = xcalloc(1, sizeof(*c));

	c->slots = xcalloc(1, sizeof(*c->slots) + 1024 * sizeof(struct cfi_slot));
	c->slots->mask = 1023;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void cfi_cache_destroy(struct cfi_cache *c)
{
	struct cfi_slots *s, *older;
	u32 i;

	if (!c)
		return;
	for (i = 0; i < c->nr_dsos; i++) {
		struct cfi_dso *cd = c->dsos[i];

		if (!cd)
			continue;
		if (cd->eh)
			dwarf_cfi_end(cd->eh);
		dwarf_end(cd->dwarf);
		elf_end(cd->dwarf_elf);
		elf_images_free(&cd->images);
		elf_end(cd->elf);
		free(cd->table_data);
		pthread_mutex_destroy(&cd->lock);
		free(cd);
	}
	for (s = c->slots; s; s = older) {
		older = s->older;
		free(s);
	}
	for (i = 0; i < EXPR_CHUNKS; i++)
		free(c->exprs[i]);
	free(c->dsos);
	hash_deinit(&c->interned);
	arena_deinit(&c->arena);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

const struct cfi_expr *cfi_cache_expr(struct cfi_cache *c, u32 n)
{
	return &c->exprs[n / EXPR_CHUNK][n % EXPR_CHUNK];
}

/* The kinds of slots; a file has one of them, unless it was made to confuse. */
enum { SLOT_64, SLOT_32, SLOT_RULE, SLOT_KINDS };

static u32 slot_key(const struct dso *d, u32 kind)
{
	return SLOT_KINDS * d->id + kind + 1;
}

/* Lock-free: a slot's key is written after the rest of it, and never changes. */
static bool lookup(const struct cfi_slots *s, u32 key, u64 addr, const void **row)
{
	u64 i;
	u32 k;

	for (i = hash_mix(addr, key) & s->mask; ; i = (i + 1) & s->mask) {
		k = __atomic_load_n(&s->slot[i].key, __ATOMIC_ACQUIRE);
		if (!k)
			return false;
		if (k == key && s->slot[i].addr == addr) {
			*row = s->slot[i].row;
			return true;
		}
	}
}

static void put(struct cfi_slots *s, u32 key, u64 addr, const void *row)
{
	u64 i = hash_mix(addr, key) & s->mask;

	while (s->slot[i].key)
		i = (i + 1) & s->mask;
	s->slot[i].addr = addr;
	s->slot[i].row = row;
	__atomic_store_n(&s->slot[i].key, key, __ATOMIC_RELEASE);
}

/* Context: the lock is held. */
static void insert(struct cfi_cache *c, u32 key, u64 addr, const void *row)
{
	struct cfi_slots *old = c->slots, *bigger;
	const void *there;
	u64 i, size;

	if (lookup(old, key, addr, &there))
		return;
	if (2 * (c->nr + 1) > old->mask) {
		size = 2 * (old->mask + 1);
		bigger = xcalloc(1, sizeof(*bigger) + size * sizeof(struct cfi_slot));
		bigger->mask = size - 1;
		bigger->older = old;
		for (i = 0; i <= old->mask; i++)
			if (old->slot[i].key)
				put(bigger, old->slot[i].key, old->slot[i].addr,
				    old->slot[i].row);
		__atomic_store_n(&c->slots, bigger, __ATOMIC_RELEASE);
	}
	put(c->slots, key, addr, row);
	c->nr++;
}

static struct cfi_dso *get_dso(struct cfi_cache *c, const struct dso *d)
{
	struct cfi_dso *cd;
	u32 nr;

	pthread_mutex_lock(&c->lock);
	if (d->id >= c->nr_dsos) {
		nr = max(2 * c->nr_dsos, d->id + 16);
		c->dsos = xrealloc(c->dsos, nr * sizeof(*c->dsos));
		memset(c->dsos + c->nr_dsos, 0, (nr - c->nr_dsos) * sizeof(*c->dsos));
		c->nr_dsos = nr;
	}
	if (!c->dsos[d->id]) {
		c->dsos[d->id] = xcalloc(1, sizeof(*cd));
		pthread_mutex_init(&c->dsos[d->id]->lock, NULL);
	}
	cd = c->dsos[d->id];
	pthread_mutex_unlock(&c->lock);
	return cd;
}

static Elf *open_elf(const char *path)
{
	struct stat st;
	Elf *elf = NULL;
	int fd = path ? elf_file_open(path, &elf, &st) : -1;

	if (fd >= 0)
		elf_file_done(elf, fd);
	return elf;
}

static void open_dso(struct cfi_dso *cd, struct dso *d)
{
	const char *path, *name;
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	u32 n = 0;
	Elf *elf;

	if (cd->tried)
		return;
	cd->tried = true;
	path = dso_elf_path(d);
	elf = path ? (cd->elf = open_elf(path)) : dso_elf(d);
	if (!elf || !gelf_getehdr(elf, &eh))
		return;
	cd->machine = eh.e_machine;
	cd->is_go = elf_has_section(elf, &GO_SECTION[1]);
	cd->eh = dwarf_cfi_fits(elf, "eh_frame") ? dwarf_getcfi_elf(elf) : NULL;
	while (n < MAX_PLTS && (scn = elf_next_section(elf, scn, &sh, &name))) {
		if (!strncmp(name, ".plt", 4) || !strcmp(name, ".iplt")) {
			cd->plts[n].at = sh.sh_addr;
			cd->plts[n++].size = sh.sh_size;
		}
	}
}

/* Open .debug_frame, for code built without exception tables. */
static void open_debug(struct cfi_dso *cd, struct dso *d)
{
	if (cd->debug_tried)
		return;
	cd->debug_tried = true;
	cd->dwarf_elf = open_elf(dso_debug_path(d));
	/* libdw unpacks all sections. */
	if (cd->dwarf_elf && elf_has_section(cd->dwarf_elf, "debug_frame") &&
	    dwarf_unpacked_fits(cd->dwarf_elf)) {
		elf_unpack_zstd(cd->dwarf_elf, &cd->images);
		cd->dwarf = dwarf_begin_elf(cd->dwarf_elf, DWARF_C_READ, NULL);
	}
	if (cd->dwarf && dwarf_cfi_fits(cd->dwarf_elf, "debug_frame"))
		cd->debug = dwarf_getcfi(cd->dwarf);
}

/* Store a copy of an expression. Return: its number; -1: too many. */
static s32 keep_expr(struct cfi_cache *c, const Dwarf_Op *ops, size_t nr)
{
	struct cfi_expr **chunk;
	Dwarf_Op *copy;
	s32 n = -1;

	pthread_mutex_lock(&c->lock);
	if (c->nr_exprs < EXPR_CHUNK * EXPR_CHUNKS && nr < 1000) {
		copy = arena_alloc(&c->arena, nr * sizeof(*copy));
		memcpy(copy, ops, nr * sizeof(*copy));
		chunk = &c->exprs[c->nr_exprs / EXPR_CHUNK];
		if (!*chunk)
			*chunk = xcalloc(EXPR_CHUNK, sizeof(**chunk));
		(*chunk)[c->nr_exprs % EXPR_CHUNK] = (struct cfi_expr){ copy, nr };
		n = c->nr_exprs++;
	}
	pthread_mutex_unlock(&c->lock);
	return n;
}

/* Is an expression only "register + offset"? */
static bool is_reg_offset(const Dwarf_Op *ops, size_t nr, struct cfi_rule *r)
{
	u64 reg, off;

	if (nr < 1 || nr > 2)
		return false;
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		reg = ops[0].atom - DW_OP_breg0;
		off = ops[0].number;
	} else if (ops[0].atom == DW_OP_bregx) {
		reg = ops[0].number;
		off = ops[0].number2;
	} else {
		return false;
	}
	if (nr == 2) {
		if (ops[1].atom != DW_OP_plus_uconst)
			return false;
		off += ops[1].number;
	}
	if (reg >= CFI_REGS || (s64)off != (s32)off)
		return false;
	*r = (struct cfi_rule){ CFI_REGISTER, reg, off };
	return true;
}

static bool cfa_rule(struct cfi_cache *c, Dwarf_Frame *frame, struct cfi_rule *r)
{
	Dwarf_Op *ops;
	size_t nr;
	s32 n;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return false;
	if (is_reg_offset(ops, nr, r))
		return true;
	n = keep_expr(c, ops, nr);
	*r = (struct cfi_rule){ CFI_VAL_EXPR, 0, n };
	return n >= 0;
}

/* Is an expression only "CFA" or "CFA + n", with or without "stack value", as in most rules? */
static bool is_cfa_offset(const Dwarf_Op *ops, size_t nr, struct cfi_rule *r)
{
	s64 off = 0;
	size_t i = 1;

	if (ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (i < nr && ops[i].atom == DW_OP_plus_uconst)
		off = ops[i++].number;
	r->kind = CFI_OFFSET;
	if (i < nr && ops[i].atom == DW_OP_stack_value) {
		r->kind = CFI_VAL_OFFSET;
		i++;
	}
	r->off = off;
	return i == nr && off == (s32)off;
}

static bool reg_rule(struct cfi_cache *c, Dwarf_Frame *frame, int reg, struct cfi_rule *r)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	*r = (struct cfi_rule){ .kind = CFI_UNDEFINED };
	if (dwarf_frame_register(frame, reg, mem, &ops, &nr))
		return false;
	if (!nr) {
		if (ops != mem)
			r->kind = CFI_SAME;
		return true;
	}
	if (is_cfa_offset(ops, nr, r))
		return true;
	if (nr == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31 &&
	    ops[0].atom - DW_OP_reg0 < CFI_REGS) {
		*r = (struct cfi_rule){ CFI_REGISTER, ops[0].atom - DW_OP_reg0, 0 };
		return true;
	}
	if (nr == 1 && ops[0].atom == DW_OP_regx && ops[0].number < CFI_REGS) {
		*r = (struct cfi_rule){ CFI_REGISTER, ops[0].number, 0 };
		return true;
	}
	r->kind = CFI_EXPR;
	if (ops[nr - 1].atom == DW_OP_stack_value) {
		r->kind = CFI_VAL_EXPR;
		nr--;
	}
	r->off = keep_expr(c, ops, nr);
	return r->off >= 0;
}

static bool read_row(struct cfi_cache *c, Dwarf_CFI *cfi, u64 addr, bool is32, struct cfi_row *row)
{
	int ra, reg, regs = is32 ? CFI_RA32 + 1 : CFI_REGS;
	Dwarf_Addr start, end;
	Dwarf_Frame *frame;
	bool signal, ok;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		return false;
	/* Clear the padding: rows are compared bytewise. */
	memset(row, 0, sizeof(*row));
	ra = dwarf_frame_info(frame, &start, &end, &signal);
	ok = ra >= 0 && ra < regs && cfa_rule(c, frame, &row->cfa);
	for (reg = 0; ok && reg < regs; reg++) {
		struct cfi_rule *r = &row->regs[reg];

		if (!reg_rule(c, frame, reg, r))
			*r = (struct cfi_rule){ .kind = CFI_UNDEFINED };
		/* libdw gives rax the default rule that is rbx's: it has the caller's value. */
		if (reg == CFI_RBX && !is32 && r->kind == CFI_UNDEFINED)
			r->kind = CFI_SAME;
		row->same |= (u32)(r->kind == CFI_SAME) << reg;
		row->computed |= (u32)(r->kind > CFI_SAME) << reg;
	}
	row->ra = ra;
	row->signal = signal;
	free(frame);
	return ok;
}

/* How many words are pushed before byte @in of 16 of a PLT? -1: no instruction begins there. */
static int plt_pushed(const u8 *c, u32 in)
{
	bool pushes = c[0] == 0xff && (c[1] == 0x35 || c[1] == 0xb3);
	u32 at = 0, size;
	/* The first entry is jumped to by the others, which have pushed a word. */
	int pushed = pushes;

	for (; at < in; at += size) {
		const u8 *i = c + at;

		pushes = i[0] == 0x68 || (i[0] == 0xff && (i[1] == 0x35 || i[1] == 0xb3));
		pushed += pushes;
		if (i[0] == 0x68)					/* push */
			size = 5;
		else if (pushes || (i[0] == 0xff && (i[1] == 0x25 || i[1] == 0xa3))) /* jmp */
			size = 6;
		else if (i[0] == 0xf3 && i[1] == 0x0f)			/* endbr */
			size = 4;
		else if (i[0] == 0x66 && i[1] == 0x90)			/* nop */
			size = 2;
		else if (i[0] == 0xf2)					/* bnd */
			size = 1;
		else
			return -1;
	}
	return at == in ? pushed : -1;
}

/*
 * The row of code that says where its return address is: a PLT entry, or i386's "mov (%esp), %reg;
 * ret", which keeps all other registers, as gcc expects where it aligns a stack.
 */
static bool row_of_code(const struct cfi_dso *cd, struct dso *d, u64 addr, bool is_plt, bool is32,
			struct cfi_row *row)
{
	const u32 word = is32 ? 4 : 8, sp = is32 ? CFI_ESP : CFI_RSP;
	const u32 ra = is32 ? CFI_RA32 : CFI_RA64;
	u32 lost = ra, i = 0;
	int pushed = 0;
	u8 c[16];

	if (is_plt) {
		while (i < MAX_PLTS && addr - cd->plts[i].at >= cd->plts[i].size)
			i++;
		if (i == MAX_PLTS)
			return false;
		i = (addr - cd->plts[i].at) % sizeof(c);
		if (!dso_read_code(d, addr - i, c, sizeof(c)))
			return false;
		pushed = plt_pushed(c, i);
	} else if (dso_read_code(d, addr - 3, c, 7)) {
		i = c[3] == 0xc3 ? 0 : 3;
		lost = c[i + 1] >> 3;
		if (c[i] != 0x8b || (c[i + 1] & 0xc7) != 4 || c[i + 2] != 0x24 || c[i + 3] != 0xc3)
			return false;
	} else {
		return false;
	}
	if (pushed < 0)
		return false;
	memset(row, 0, sizeof(*row));
	row->ra = ra;
	row->cfa = (struct cfi_rule){ CFI_REGISTER, sp, word * (pushed + 1) };
	for (i = 0; i < ra; i++)
		if (i != sp && i != lost)
			row->regs[i].kind = CFI_SAME;
	row->same = ((1u << ra) - 1) & ~(1u << sp | 1u << lost);
	row->regs[ra] = (struct cfi_rule){ CFI_OFFSET, 0, -(s32)word };
	row->computed = 1u << ra;
	return true;
}

/* Intern a row: a program has few different rows. Context: the lock is held. */
static const struct cfi_row *intern(struct cfi_cache *c, const struct cfi_row *row)
{
	u64 key = hash_block(row, sizeof(*row));
	struct cfi_row *copy;
	bool added;
	u64 *v = hash_insert(&c->interned, key, 0, &added);

	if (!added && !memcmp((void *)(uintptr_t)*v, row, sizeof(*row)))
		return (void *)(uintptr_t)*v;
	copy = arena_alloc(&c->arena, sizeof(*copy));
	*copy = *row;
	*v = (uintptr_t)copy;
	return copy;
}

/* The row of a rule in the file's table: that has what libdw does not read. */
static bool row_of_rule(const struct unwind_table_rule *r, struct cfi_row *row)
{
	struct cfi_rule *fp = &row->regs[CFI_RBP];

	if (!r || r->ra || (r->kind != UNWIND_TABLE_CFA && r->kind != UNWIND_TABLE_OUTERMOST))
		return false;
	memset(row, 0, sizeof(*row));
	row->ra = CFI_RA64;
	row->cfa = (struct cfi_rule){ CFI_REGISTER, r->reg, r->off };
	if (r->kind == UNWIND_TABLE_OUTERMOST) {
		row->cfa.reg = CFI_RSP;
		return true;
	}
	row->regs[CFI_RA64] = (struct cfi_rule){ CFI_OFFSET, 0, -8 };
	if (r->fp == UNWIND_TABLE_FP_SAME)
		fp->kind = CFI_SAME;
	else if (r->fp == UNWIND_TABLE_FP_CFA)
		*fp = (struct cfi_rule){ CFI_OFFSET, 0, r->fp_off };
	else if (r->fp != UNWIND_TABLE_FP_LOST &&
		 r->reg == (r->fp == UNWIND_TABLE_FP_FP ? CFI_RBP : CFI_RSP))
		*fp = (struct cfi_rule){ CFI_OFFSET, 0, r->fp_off - r->off };
	else if (r->fp == UNWIND_TABLE_FP_FP && !r->fp_off)
		fp->kind = CFI_IN_FRAME;
	row->same = (u32)(fp->kind == CFI_SAME) << CFI_RBP;
	row->computed = 1u << CFI_RA64 | (u32)(fp->kind > CFI_SAME) << CFI_RBP;
	return true;
}

void *unwind_table_of(struct dso *d, struct unwind_table *table)
{
	const char *path = dso_elf_path(d), *why;
	struct unwind_made made;

	if (!path || unwind_file(path, &made, &why))
		return NULL;
	if (!unwind_table_check(made.data, made.size, table))
		return made.data;
	free(made.data);
	return NULL;
}

/* The rule at a place of a file for @arch; NULL: none. Context: the dso's lock is held. */
static const struct unwind_table_rule *find_rule(struct cfi_dso *cd, struct dso *d, u64 off,
						 int arch)
{
	if (!cd->table_tried)
		cd->table_data = unwind_table_of(d, &cd->table);
	cd->table_tried = true;
	if (!cd->table_data || cd->table.head->arch != arch)
		return NULL;
	return unwind_table_find(&cd->table, off);
}

const struct cfi_row *cfi_cache_find(struct cfi_cache *c, struct dso *d, u64 addr, u64 off,
				     bool is32)
{
	u32 key = slot_key(d, is32 ? SLOT_32 : SLOT_64);
	const void *found = NULL;
	struct cfi_dso *cd;
	struct cfi_row row;
	bool ok = false, may_read;

	if (lookup(__atomic_load_n(&c->slots, __ATOMIC_ACQUIRE), key, addr, &found))
		return found;
	cd = get_dso(c, d);
	pthread_mutex_lock(&cd->lock);
	may_read = host_reading(&cd->budget, d->path);
	if (may_read)
		open_dso(cd, d);
	if (may_read && cd->machine == (is32 ? EM_386 : EM_X86_64)) {
		ok = (is32 && row_of_code(cd, d, addr, false, is32, &row)) ||
		     read_row(c, cd->eh, addr, is32, &row);
		if (!ok && !cd->is_go) {
			open_debug(cd, d);
			ok = read_row(c, cd->debug, addr, is32, &row);
		}
		if (!ok && !is32 && (cd->is_go || (!cd->eh && !cd->debug)))
			ok = row_of_rule(find_rule(cd, d, off, EM_X86_64), &row);
		ok = ok || row_of_code(cd, d, addr, true, is32, &row);
	}
	if (may_read)
		host_read(&cd->budget);
	pthread_mutex_unlock(&cd->lock);
	pthread_mutex_lock(&c->lock);
	if (ok)
		found = intern(c, &row);
	insert(c, key, addr, found);
	pthread_mutex_unlock(&c->lock);
	return found;
}

const struct unwind_table_rule *cfi_cache_rule(struct cfi_cache *c, struct dso *d, u64 off)
{
	u32 key = slot_key(d, SLOT_RULE);
	const void *found = NULL;
	struct cfi_dso *cd;

	if (lookup(__atomic_load_n(&c->slots, __ATOMIC_ACQUIRE), key, off, &found))
		return found;
	cd = get_dso(c, d);
	pthread_mutex_lock(&cd->lock);
	if (host_reading(&cd->budget, d->path)) {
		found = find_rule(cd, d, off, EM_AARCH64);
		host_read(&cd->budget);
	}
	pthread_mutex_unlock(&cd->lock);
	pthread_mutex_lock(&c->lock);
	insert(c, key, off, found);
	pthread_mutex_unlock(&c->lock);
	return found;
}

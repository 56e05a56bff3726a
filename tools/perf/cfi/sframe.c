// SPDX-License-Identifier: GPL-2.0
/*
 * A head, an index of functions (FDEs), and rows (FREs), little-endian:
 *
 *	head	u16 magic; u8 version, flags, abi; s8 fixed_fp, fixed_ra; u8 aux_size;
 *		u32 nr_fdes, nr_fres, fre_size, fde_off, fre_off	(offsets after the head
 *		and its auxiliary part)
 *	V2 FDE	s32 start; u32 size, fre_off, nr_fres; u8 info, rep_size; u16 padding
 *	V3 FDE	s64 start; u32 size, fre_off		in the index, and before its rows
 *		u16 nr_fres; u8 info, info2, rep_size
 *	FRE	u8, u16 or u32 start; u8 info; data words of 1, 2 or 4 bytes
 *
 * Info of an FDE: bits 0 to 3: the bytes of a row's start are 1 << them; bit 4: rows count
 * within blocks of rep_size bytes; bit 7 (V3): a signal frame. Info2: bits 0 to 4: kind.
 * Info of an FRE: bit 0: the CFA counts from sp, not fp; bits 1 to 4: number of data
 * words; bits 5 and 6: a word's bytes are 1 << them. No words: there is no caller.
 *
 * The words: offset of the CFA, then of the saved fp from the CFA. In flexible FDEs (kind
 * 1) there are a control word and an offset for CFA, return address and fp each, or one word of
 * 0. Control word: bit 0: counts from a register, not from the CFA; bit 1: is the
 * word there; bits from 3 on: the register's DWARF number.
 */
#include <elf.h>

#include "cfi/bytes.h"
#include "cfi/cfi_read.h"

#define MAGIC		0xdee2
#define MAGIC_SWAPPED	0xe2de
#define ABI_AMD64	3
#define FLAG_PCREL	4
#define PC_MASK		0x10
#define SIGNAL		0x80
#define KIND_FLEX	1

struct sframe {
	struct unwind_section s;
	u8 version, flags;
	const u8 *fres, *fres_end;
	u64 budget;		/* rows that may still be read: functions may share them */
	struct unwind_rows *rows;
};

struct fde {
	u64 start;
	u32 size, nr_fres;
	u8 info, kind, rep_size;
	struct bytes fres;
};

static s32 word(struct bytes *b, u32 size_log)
{
	return size_log == 0 ? (s8)bytes_u8(b) : size_log == 1 ? (int16_t)bytes_u16(b) :
	       (s32)bytes_u32(b);
}

/* A pair of words of a flexible FDE. */
struct flex {
	bool there, from_reg, deref;
	u32 reg;
	s32 off;
};

static struct flex flex(struct bytes *b, u32 size_log, u32 *left)
{
	struct flex f = { 0 };
	s32 control;

	if (!*left)
		return f;
	control = word(b, size_log);
	--*left;
	if (!control || !*left)
		return f;
	f.there = true;
	f.from_reg = control & 1;
	f.deref = control & 2;
	f.reg = (control >> 3) & 0x1f;
	f.off = word(b, size_log);
	--*left;
	return f;
}

static enum unwind_why flex_rule(struct bytes *b, u32 size_log, u32 nr, struct unwind_table_rule *r)
{
	struct flex cfa = flex(b, size_log, &nr), ra = flex(b, size_log, &nr),
		    fp = flex(b, size_log, &nr);

	if (!cfa.there || !cfa.from_reg || cfa.reg > 15)
		return UNWIND_WHY_CFA;
	r->kind = cfa.deref ? UNWIND_TABLE_DEREF : UNWIND_TABLE_CFA;
	r->reg = cfa.reg;
	r->off = cfa.off;
	if (ra.there && ra.from_reg && !ra.deref && !ra.off && ra.reg < 16 && !cfa.deref) {
		r->ra = UNWIND_TABLE_RA_REG;
		r->arg = ra.reg;
	} else if (ra.there && (ra.from_reg || !ra.deref || ra.off != -8)) {
		return UNWIND_WHY_RA;
	}
	if (!fp.there)
		return UNWIND_WHY_NOTHING;
	r->fp = UNWIND_TABLE_FP_LOST;
	if (fp.deref && (!fp.from_reg || fp.reg == REG_FP || fp.reg == REG_SP)) {
		r->fp = !fp.from_reg ? UNWIND_TABLE_FP_CFA : fp.reg == REG_FP ?
			UNWIND_TABLE_FP_FP : UNWIND_TABLE_FP_SP;
		r->fp_off = fp.off;
	}
	return UNWIND_WHY_NOTHING;
}

/* One row's rule. Return: why it is not a rule of ours; UNWIND_WHY_NOTHING: it is. */
static enum unwind_why read_rule(const struct fde *fde, struct bytes *b, struct unwind_table_rule *r)
{
	u8 info = bytes_u8(b);
	u32 nr = (info >> 1) & 0xf, size_log = (info >> 5) & 3;
	struct bytes words = bytes_take(b, (u64)nr << size_log);

	*r = (struct unwind_table_rule){ .kind = UNWIND_TABLE_OUTERMOST };
	if (b->bad || size_log == 3)
		return UNWIND_WHY_DAMAGED;
	if (fde->info & SIGNAL)
		return UNWIND_WHY_SIGNAL;
	if (!nr)
		return UNWIND_WHY_NOTHING;
	if (fde->kind == KIND_FLEX)
		return flex_rule(&words, size_log, nr, r);
	if (fde->kind)
		return UNWIND_WHY_CFA;
	r->kind = UNWIND_TABLE_CFA;
	r->reg = info & 1 ? REG_SP : REG_FP;
	r->off = word(&words, size_log);
	if (nr > 1) {
		r->fp = UNWIND_TABLE_FP_CFA;
		r->fp_off = word(&words, size_log);
	}
	return UNWIND_WHY_NOTHING;
}

/*
 * Blocks of 16 bytes with a second row for one more word on the stack: a
 * procedure linkage table. Other blocks are not known to exist.
 */
static u32 read_blocks(struct sframe *s, struct fde *fde)
{
	struct unwind_table_rule r, second;
	u32 at;

	if (fde->rep_size != 16 || fde->start & 15 || fde->nr_fres != 2 || fde->info & 0xf)
		return unwind_rule_unknown(s->rows, UNWIND_WHY_CFA);
	at = bytes_u8(&fde->fres);
	if (read_rule(fde, &fde->fres, &r) || at || r.kind != UNWIND_TABLE_CFA)
		return unwind_rule_unknown(s->rows, UNWIND_WHY_CFA);
	at = bytes_u8(&fde->fres);
	if (read_rule(fde, &fde->fres, &second) || at > 15 || second.kind != UNWIND_TABLE_CFA ||
	    r.reg != REG_SP || second.reg != REG_SP || second.off != r.off + 8 || r.fp || second.fp)
		return unwind_rule_unknown(s->rows, UNWIND_WHY_CFA);
	r.kind = UNWIND_TABLE_PLT;
	r.arg = at;
	return unwind_rule(s->rows, &r);
}

static void read_func(struct sframe *s, struct fde *fde)
{
	u32 start_log = fde->info & 0xf, i, at, last = 0, rule;
	struct unwind_table_rule r;
	enum unwind_why why;

	if (!unwind_func_begin(s->rows, fde->start, fde->size))
		return;
	/* Up to the first row nothing is known. */
	unwind_func_row(s->rows, 0, unwind_rule_unknown(s->rows, UNWIND_WHY_NOTHING));
	if (fde->info & PC_MASK) {
		unwind_func_row(s->rows, 0, read_blocks(s, fde));
		unwind_func_end(s->rows);
		return;
	}
	for (i = 0; i < fde->nr_fres && s->budget; i++, s->budget--) {
		at = start_log == 0 ? bytes_u8(&fde->fres) : start_log == 1 ?
		     bytes_u16(&fde->fres) : bytes_u32(&fde->fres);
		why = start_log > 2 ? UNWIND_WHY_DAMAGED : read_rule(fde, &fde->fres, &r);
		if (why == UNWIND_WHY_DAMAGED || at < last)
			break;
		rule = why ? unwind_rule_unknown(s->rows, why) : unwind_rule(s->rows, &r);
		unwind_func_row(s->rows, at, rule);
		last = at;
	}
	if (i < fde->nr_fres) {
		unwind_func_row(s->rows, last, unwind_rule_unknown(s->rows, UNWIND_WHY_DAMAGED));
		s->rows->counts.damaged++;
	}
	unwind_func_end(s->rows);
}

static void read_fde(struct sframe *s, struct bytes *index)
{
	u64 here = s->s.vaddr + (s->flags & FLAG_PCREL ? index->p - s->s.data : 0);
	bool v2 = s->version == 2;
	struct fde fde = { .start = here + (v2 ? (u64)(s32)bytes_u32(index) : bytes_u64(index)) };
	u32 fre_off;

	fde.size = bytes_u32(index);
	fre_off = bytes_u32(index);
	if (v2) {
		fde.nr_fres = bytes_u32(index);
		fde.info = bytes_u8(index) & ~SIGNAL;
		fde.rep_size = bytes_u8(index);
		bytes_u16(index);
	}
	fde.fres = (struct bytes){ s->fres, s->fres_end, false };
	bytes_skip(&fde.fres, fre_off);
	if (!v2) {
		fde.nr_fres = bytes_u16(&fde.fres);
		fde.info = bytes_u8(&fde.fres);
		fde.kind = bytes_u8(&fde.fres) & 0x1f;
		fde.rep_size = bytes_u8(&fde.fres);
	}
	if (fde.fres.bad)
		s->rows->counts.damaged++;
	else
		read_func(s, &fde);
}

const char *unwind_sframe_read(const struct unwind_section *sec, struct unwind_rows *rows)
{
	struct bytes b = { sec->data, sec->data + sec->size, false }, index;
	struct sframe s = { .s = *sec, .rows = rows };
	u32 nr_fdes, nr_fres, fre_size, fde_off, fre_off, i;
	u16 magic = bytes_u16(&b);
	u8 abi, aux;

	s.version = bytes_u8(&b);
	s.flags = bytes_u8(&b);
	abi = bytes_u8(&b);
	bytes_skip(&b, 2);
	aux = bytes_u8(&b);
	nr_fdes = bytes_u32(&b);
	nr_fres = bytes_u32(&b);
	fre_size = bytes_u32(&b);
	fde_off = bytes_u32(&b);
	fre_off = bytes_u32(&b);
	if (b.bad || magic != MAGIC)
		return magic == MAGIC_SWAPPED ? ".sframe is of the other byte order" :
		       ".sframe does not begin as it should";
	if (s.version != 2 && s.version != 3)
		return ".sframe has a version other than 2 and 3";
	if (abi != ABI_AMD64 || rows->arch != EM_X86_64)
		return ".sframe is of another architecture";
	bytes_skip(&b, aux);
	index = b;
	bytes_skip(&index, fde_off);
	bytes_skip(&b, fre_off);
	if (index.bad || b.bad || fre_size > bytes_left(&b) || nr_fres > fre_size / 2 ||
	    nr_fdes > bytes_left(&index) / (s.version == 2 ? 20 : 16))
		return ".sframe is cut off";
	s.fres = b.p;
	s.fres_end = b.p + fre_size;
	s.budget = nr_fres;
	for (i = 0; i < nr_fdes; i++)
		read_fde(&s, &index);
	return NULL;
}

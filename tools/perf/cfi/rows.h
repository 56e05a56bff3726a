/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output of the readers of unwind information: functions with rows, each with a rule. The
 * rows of a function are appended while it is read; functions come in any order. At the end
 * they become a table.
 */
#ifndef PERF_CFI_ROWS_H
#define PERF_CFI_ROWS_H

#include "cfi/table.h"

/* Why a rule is UNWIND_TABLE_UNKNOWN, while it is counted: its .arg until the table is made. */
enum unwind_why {
	UNWIND_WHY_NOTHING,	/* no information */
	UNWIND_WHY_CFA,		/* the CFA is found by an expression that is none of our rules */
	UNWIND_WHY_RA,		/* so is the return address */
	UNWIND_WHY_SP,		/* the caller's stack pointer is not the CFA */
	UNWIND_WHY_SIGNAL,	/* a signal frame that is not the kernel's */
	UNWIND_WHY_RANGE,	/* an offset of more than 32 bits */
	UNWIND_WHY_DAMAGED,	/* the code's description is damaged */
	UNWIND_WHY_NR,
};

extern const char *const unwind_why_names[UNWIND_WHY_NR];

/* Where the code of a file is: an executable PT_LOAD. */
struct unwind_segment {
	u64 vaddr, off, size;
};

struct unwind_row {
	u32 at;			/* bytes after the function's start */
	u32 rule;
};

struct unwind_func {
	u64 start;		/* file offset */
	u64 size;
	u32 row, nr;		/* of its rows */
	u32 seq;		/* which came first */
};

/* Statistics of functions read and omitted. */
struct unwind_counts {
	u64 funcs;		/* taken */
	u64 empty;		/* of no size */
	u64 outside;		/* not in code of the file */
	u64 overlapping;	/* cut off or dropped for another */
	u64 doubled;		/* described by a section of higher rank already */
	u64 damaged;		/* could not be read to their end */
	u64 rows;		/* before neighbours were joined across functions */
};

/*
 * A file can have no more rows: programs have some 16 for 1 kB of code, so that this is 2 GB of it,
 * and the table 128 MB. While it is made a row takes 20 bytes, and few bytes of a file can stand for many.
 */
#define UNWIND_MAX_ROWS (32u << 20)

struct unwind_rows {
	u16 arch;		/* EM_* */
	const struct unwind_segment *segs;
	u32 nr_segs;
	struct unwind_func *funcs;
	u32 nr_funcs, cap_funcs;
	u32 ranked;		/* the first @ranked are sorted and do not overlap */
	struct unwind_row *rows;
	u32 nr_rows, cap_rows;
	struct unwind_table_rule *rules;
	u32 nr_rules, cap_rules;
	u32 *buckets;		/* rule number + 1, by hash; a power of two of them */
	u32 nr_buckets;
	struct unwind_counts counts;
	bool keeps_fp;		/* functions with a frame save rbp, which is not described (Go) */
	bool too_many;		/* more than UNWIND_MAX_ROWS: there will be no table */
	bool has_only;		/* functions far from file offset @only are left out */
	u64 only;
	/* The function that is being read. */
	u32 row;		/* its first row */
	u64 start, size;	/* virtual address; the part that is in a segment */
	u64 off;		/* file offset of @start */
	u64 cut;		/* bytes of it before @start, which are in no segment */
};

/* A table, and its coverage of the code. */
struct unwind_made {
	void *data;		/* free() it */
	size_t size;
	u32 nr_rows, nr_rules;
	u64 text;		/* bytes of code in the file */
	u64 known;		/* with a rule */
	u64 innermost;		/* of these: with one for innermost frames alone */
	u64 fp_lost;		/* of these: with one that loses the frame pointer */
	u64 why[UNWIND_WHY_NR];	/* described, but not expressible; [0]: not described */
	struct unwind_counts counts;
};

/**
 * unwind_rows_init() - begin
 * @r: where to
 * @arch: what the code is for: EM_X86_64, EM_AARCH64
 * @segs: where the code is; must outlive the rows
 */
void unwind_rows_init(struct unwind_rows *r, u16 arch, const struct unwind_segment *segs, u32 nr_segs);
void unwind_rows_deinit(struct unwind_rows *r);

/*
 * unwind_func_begin - a function follows. Return: whether it is to be read: not one of no size or
 * outside of the code.
 */
bool unwind_func_begin(struct unwind_rows *r, u64 start, u64 size);

/**
 * unwind_func_row() - from here on in the function this rule holds
 * @at: bytes after the function's start, not less than that of the row before
 * @rule: number from unwind_rule()
 */
static inline void unwind_func_row(struct unwind_rows *r, u64 at, u32 rule);

/* unwind_func_end - the function that was begun has all its rows */
void unwind_func_end(struct unwind_rows *r);

/*
 * unwind_rule - the number of a rule; equal rules have equal numbers. Return: its number; that of
 * "unknown" when there are more than a table can have.
 */
u32 unwind_rule(struct unwind_rows *r, const struct unwind_table_rule *rule);

/* unwind_rule_unknown - the number of the rule "unknown, because" */
u32 unwind_rule_unknown(struct unwind_rows *r, enum unwind_why why);

/*
 * unwind_rows_rank - a section has been read: functions that come later fill its gaps. Of functions
 * of one section that overlap the one that begins last has what is after its start, as unwinders
 * that search by start see it; of two with one start the first counts. A function that overlaps one
 * of an earlier section is dropped.
 */
void unwind_rows_rank(struct unwind_rows *r);

/**
 * unwind_rows_entry() - the code at the entry point has no caller
 * @r: the rows, all of them ranked
 *
 * For entry points that nothing describes, as that of glibc's loader: what is there, up to the next
 * described function, becomes the outermost frame. Where that one is far away, other
 * functions may lie between, and nothing is said of them.
 */
void unwind_rows_entry(struct unwind_rows *r, u64 entry);

/**
 * unwind_rows_start() - a described function at the entry point has no caller, from its first instruction on
 * @r: the rows, all of them ranked
 *
 * On arm64 call frame information says so from the second one on: at the first the link register, which has
 * something else then, counts as the return address.
 */
void unwind_rows_start(struct unwind_rows *r, u64 entry);

/**
 * unwind_rows_described() - is an address in one of the functions?
 * @r: the rows, all of them ranked
 * @off: file offset
 */
bool unwind_rows_described(const struct unwind_rows *r, u64 off);

/**
 * unwind_rows_make() - the table
 * @r: the rows, all of them ranked; used up
 * @made: where to; .text is the caller's
 *
 * Return: NULL, or why there can be no table.
 */
const char *unwind_rows_make(struct unwind_rows *r, struct unwind_made *made);

/* unwind_rows_grow - the slow path of unwind_func_row(): room for one more row */
void unwind_rows_grow(struct unwind_rows *r);

static inline void unwind_func_row(struct unwind_rows *r, u64 at, u32 rule)
{
	struct unwind_row *last;

	if (r->nr_rows == r->row) {
		at = 0;
	} else {
		last = r->rows + r->nr_rows - 1;
		if (rule == last->rule)
			return;
		if (at <= r->cut + last->at) {
			/* Nothing lies between: the later one holds. */
			last->rule = rule;
			if (r->nr_rows - r->row > 1 && last[-1].rule == rule)
				r->nr_rows--;
			return;
		}
		at -= r->cut;
		if (at >= r->size)
			return;
	}
	if (unlikely(r->nr_rows == r->cap_rows))
		unwind_rows_grow(r);
	r->rows[r->nr_rows++] = (struct unwind_row){ at, rule };
}

#endif /* PERF_CFI_ROWS_H */

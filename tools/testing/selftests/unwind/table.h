/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables: made by hand for a few pieces of code, or read from a file that
 * "perf unwind -o" wrote, and registered for an event.
 */
#ifndef SELFTEST_TABLE_H
#define SELFTEST_TABLE_H

#include "../../../../include/uapi/linux/unwind_table.h"
#include "event.h"

#ifdef __aarch64__
#define TABLE_ARCH	EM_AARCH64
#define DWARF_FP	29
#define DWARF_SP	31
/* The rule where a function was just entered; the return address in a frame of @size bytes. */
#define ENTRY_RULE	{ .kind = UNWIND_TABLE_CFA, .reg = DWARF_SP,		\
			  .ra = UNWIND_TABLE_RA_REG, .arg = 30 }
#define RA_IN_FRAME(size)	.arg = 8 - (size),
#else
#define TABLE_ARCH	EM_X86_64
#define DWARF_FP	6
#define DWARF_SP	7
#define ENTRY_RULE	{ .kind = UNWIND_TABLE_CFA, .reg = DWARF_SP, .off = 8 }
#define RA_IN_FRAME(size)
#endif

/* From file offset @off on, up to the next one. */
struct table_code {
	u64 off;
	struct unwind_table_rule rule;
};

struct table {
	void *data;
	size_t bytes;
};

/* A table of that code, in rising order; what is in front of it is unknown. Dies on error. */
struct table table_make(const struct table_code *code, int nr);
/* A sound table of up to 1.3 MB: rows of nothing, each with a rule of its own. */
struct table table_of_size(size_t bytes);
/* The table in a file; no data if there is no such file. */
struct table table_read(const char *path);
void table_free(struct table *t);

/* The parts of a table that table_make() made. */
static inline struct unwind_table_head *table_head(struct table *t)
{
	return t->data;
}

static inline struct unwind_table_rule *table_rules(struct table *t)
{
	return (void *)(table_head(t) + 1);
}

static inline u32 *table_pages(struct table *t)
{
	return (void *)(table_rules(t) + table_head(t)->nr_rules);
}

static inline struct unwind_table_row *table_rows(struct table *t)
{
	return (void *)(table_pages(t) + table_head(t)->nr_pages + 1);
}

/* Register for the event @event; 0 or a negative errno. */
int table_add(int event, int fd, const struct table *t);
int table_add_args(int event, const void *args);
/* The same for a file by its name; dies when it cannot be opened. */
int table_add_file(int event, const char *file, const struct table *t);
/* The same for the vDSO. */
int table_add_vdso(int event, const struct table *t);

/* An event that samples nothing and to which tables belong. */
int table_owner(void);
/* Whether this kernel takes tables. */
bool have_tables(void);
/* Whether walks use them: of 64-bit code. */
bool have_plain_tables(void);

/*
 * For each file that this process has mapped executable, and for the vDSO: its
 * table, where there is one in @folder or /in (NAME.table); 0 or a negative errno.
 */
int table_add_mapped(int event, const char *folder);
/* An event that has them all. */
int add_tables(const char *folder);
/* Where in its file the code at @addr is; of the mappings with a table. */
u64 table_offset_of(u64 addr);
/*
 * What these tables say of @ip, the kind "unknown" where they say nothing. That of a
 * caller is looked up one byte further down, which is up to who asks.
 */
struct unwind_table_rule table_rule_at(u64 ip);

#endif

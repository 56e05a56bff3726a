/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_UNWIND_TABLE_H
#define _KERNEL_UNWIND_TABLE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/unwind_table.h>
#include <uapi/linux/unwind_table.h>

/**
 * struct unwind_table_key - what tells a file from others
 * @inode:	its inode, compared and not followed; NULL for the vDSO, and all else is 0
 * @sb:		its file system, likewise
 * @ino:	its number there
 * @generation:	which file of that number
 *
 * The file is not held. When it is gone another one can have the inode, but not all of these: unless
 * its file system numbers the generations so, for files of its own. Compared as memory: no gaps.
 */
struct unwind_table_key {
	const struct inode		*inode;
	struct super_block		*sb;
	unsigned long			ino;
	unsigned long			generation;
};

/**
 * struct unwind_table - a registered table, and behind it its rules, pages, rows and @recent
 * @users:	1 while it is registered, and one for each walk that may sleep and uses it;
 *		such walks write here, all others only read what begins at @node
 * @owner:	who registered it
 * @owned:	in the owner's list
 * @dead:	to be freed
 * @charge:	what it takes of the limit
 * @node:	in the hash table
 * @key:	its file
 * @bytes:	size of its pages' part of the file
 * @recent:	rules that were found, by the offset's low bits; each is one word, so that
 *		any context on any CPU may read and write it: the offset + 1, and below it
 *		16 bits of the rule's number
 * @recent_mask: number of these words - 1
 * @head:	what the copy of the table begins with
 */
struct unwind_table {
	refcount_t			users;
	struct hlist_head		*owner;
	struct hlist_node		owned;
	struct llist_node		dead;
	size_t				charge;
	struct hlist_node		node ____cacheline_aligned_in_smp;
	struct unwind_table_key		key;
	u64				bytes;
	u64				*recent;
	u32				recent_mask;
	struct unwind_table_head	head;
};

/* The rules of a table, behind its head. */
static inline const struct unwind_table_rule *unwind_table_rules(const struct unwind_table *table)
{
	return (const void *)(&table->head + 1);
}

/**
 * struct unwind_table_map - code of one mapping, and its table
 * @start:	address where it begins
 * @size:	its size in bytes, 0 if this is unused
 * @offset:	offset in the file of what is at @start
 * @table:	the table; NULL if there is none
 * @is_code:	it is executable
 */
struct unwind_table_map {
	unsigned long		start;
	unsigned long		size;
	u64			offset;
	struct unwind_table	*table;
	bool			is_code;
};

#define UNWIND_TABLE_MAPS	4

/**
 * struct unwind_table_cursor - the mappings that a walk met last
 * @last:	the one that was used last
 * @next:	the one to be replaced next
 * @faultable:	the walk is in process context and may sleep: each mapping's table is held
 * @map:	the mappings
 */
struct unwind_table_cursor {
	unsigned int		last;
	unsigned int		next;
	bool			faultable;
	struct unwind_table_map	map[UNWIND_TABLE_MAPS];
};

#ifdef CONFIG_UNWIND_USER_TABLE

/* table_check.c */
int unwind_table_check(struct unwind_table *table, size_t size);
u16 unwind_table_search(const struct unwind_table *table, u64 in);

/**
 * unwind_table_rule - the rule for an offset in the file
 * @table:	a table that was checked
 * @off:	offset in the file
 *
 * The callchains of a program have few return addresses: nearly each was looked up
 * a moment ago.
 *
 * Context: any, NMI included.
 * Return: the rule, NULL if the table does not reach as far.
 */
static __always_inline const struct unwind_table_rule *
unwind_table_rule(const struct unwind_table *table, u64 off)
{
	u64 in = off - table->head.first, *recent, found;

	if (in >= table->bytes)
		return NULL;

	/* An offset has less than 48 bits: 32 of the page's number and 16 inside of it. */
	recent = &table->recent[in & table->recent_mask];
	found = READ_ONCE(*recent);
	if (unlikely(found >> 16 != in + 1)) {
		found = (in + 1) << 16 | unwind_table_search(table, in);
		WRITE_ONCE(*recent, found);
	}
	return &unwind_table_rules(table)[(u16)found];
}

/* table_find.c */
const struct unwind_table_map *unwind_table_other_map(struct unwind_table_cursor *cursor,
						      unsigned long ip);
void unwind_table_put_maps(struct unwind_table_cursor *cursor);

/**
 * unwind_table_map - the mapping of the current task at an address
 * @cursor:	what the walk has met so far
 * @ip:		a user address
 *
 * Context: that of unwind_table_other_map().
 * Return: the mapping, which @cursor holds until the next call; NULL if there is
 * none at @ip or it cannot be found.
 */
static __always_inline const struct unwind_table_map *
unwind_table_map(struct unwind_table_cursor *cursor, unsigned long ip)
{
	const struct unwind_table_map *map = &cursor->map[cursor->last];

	/* Most callers are in the code of their callee's file. */
	if (likely(ip - map->start < map->size))
		return map;
	return unwind_table_other_map(cursor, ip);
}

/* table.c */
extern atomic_t unwind_tables_nr;
extern atomic_long_t unwind_tables_bytes;

struct unwind_table *unwind_table_of(const struct inode *inode);
void unwind_table_put(struct unwind_table *table);

#endif /* CONFIG_UNWIND_USER_TABLE */

#endif /* _KERNEL_UNWIND_TABLE_H */

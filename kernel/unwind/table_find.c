// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the mapping and the table for a user address of the current task,
 * without a lock, in any context.
 *
 * The mappings' tree is walked under RCU, as the page fault handler does before
 * it locks a mapping. The mapping that it finds is not locked here: it stays
 * memory of a mapping until the end of the RCU section, but may be changed
 * meanwhile, and its file may be closed. (A struct file stays memory of a file, too,
 * but not that of the file below one on an overlay: it is read as memory that may
 * not be there, and so is the inode.) Fields read from them are compared and calculated with.
 * So a race with munmap(), mremap() or exec() can lead to a table of another file, and by it to
 * a wrong callchain, as a race between a walk and its stack can; it cannot lead out of the table
 * or to memory that is not the user's.
 *
 * An NMI may have interrupted a writer of the tree, on this very CPU, and an
 * interrupt one that was preempted: the number of tries is bounded.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/unwind_user.h>

#include "internal.h"
#include "table.h"

/* How often a walk of the tree begins anew when a writer is in its way. */
#define MAS_TRIES	4

/*
 * Fill in @map, which has no table, with the mapping at @ip. The vDSO is no file's. Return:
 * whether there is one.
 */
static bool fill_map(struct unwind_table_map *map, unsigned long ip, bool faultable)
{
	MA_STATE(mas, &current->mm->mm_mt, ip, ip);
	struct inode *inode = NULL;
	struct vm_area_struct *vma;
	struct unwind_table *table;
	struct file *file;

	map->start = arch_unwind_user_vdso(&map->size);
	map->offset = 0;
	map->is_code = true;
	guard(rcu)();
	if (ip - map->start >= map->size) {
		vma = mas_walk_tries(&mas, MAS_TRIES);
		if (!vma)
			return false;
		map->start = READ_ONCE(vma->vm_start);
		map->size = READ_ONCE(vma->vm_end) - map->start;
		if (ip - map->start >= map->size)
			return false;
		map->offset = (u64)READ_ONCE(vma->vm_pgoff) << PAGE_SHIFT;
		/* Of a mapping that is being changed: as good as what was read above. */
		map->is_code = data_race(vma->vm_flags) & VM_EXEC;
		file = READ_ONCE(vma->vm_file);
		if (!file || get_kernel_nofault(inode, &file->f_inode) || !inode)
			return true;
	}
	table = unwind_table_of(inode);
	/* It may be being taken back. */
	if (table && (!faultable || refcount_inc_not_zero(&table->users)))
		map->table = table;
	return true;
}

static void put_map(struct unwind_table_map *map, bool faultable)
{
	if (faultable && map->table)
		unwind_table_put(map->table);
	map->table = NULL;
	map->size = 0;
}

/**
 * unwind_table_other_map - the mapping at an address that is not in the last one
 * @cursor:	what the walk has met so far
 * @ip:		a user address
 *
 * Context: any, NMI included, if not @cursor->faultable; under rcu_read_lock().
 * Process context that may sleep and holds no mmap_lock if @cursor->faultable: tables
 * are held until unwind_table_put_maps(). The current task has an mm.
 * Return: the mapping, which @cursor holds until the next call; NULL if there is
 * none at @ip or it cannot be found.
 */
const struct unwind_table_map *unwind_table_other_map(struct unwind_table_cursor *cursor,
						      unsigned long ip)
{
	struct unwind_table_map *map;
	unsigned int i;

	for (i = 0; i < UNWIND_TABLE_MAPS; i++) {
		map = &cursor->map[i];
		if (ip - map->start < map->size) {
			cursor->last = i;
			return map;
		}
	}

	map = &cursor->map[cursor->next];
	put_map(map, cursor->faultable);
	if (!fill_map(map, ip, cursor->faultable)) {
		map->size = 0;
		return NULL;
	}
	cursor->last = cursor->next;
	cursor->next = (cursor->next + 1) % UNWIND_TABLE_MAPS;
	return map;
}

/**
 * unwind_table_put_maps - end a walk: put the tables that it holds
 * @cursor:	what it has met
 *
 * Context: that of the walk.
 */
void unwind_table_put_maps(struct unwind_table_cursor *cursor)
{
	unsigned int i;

	for (i = 0; i < UNWIND_TABLE_MAPS; i++)
		put_map(&cursor->map[i], cursor->faultable);
}

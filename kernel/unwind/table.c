// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of unwind tables: which file, or the vDSO, has which table, who
 * registered it and how much memory that may take.
 *
 * A table is copied and checked once, before it can be found, and never changes. It is
 * found and used under RCU; a walk that may sleep, for as long as user space likes, holds
 * those that it uses, and keeps no others. Memory counts from before it is allocated until it
 * has been freed. What is kept of a file is what tells it from others: the file itself may go.
 *
 * Owners have tables of their own: of several for a file the last one is used.
 */
#include <linux/align.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/init.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <linux/unwind_table.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "table.h"

/* A full memory cgroup is an error, and no reason to kill a task. */
#define TABLE_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

DEFINE_STATIC_KEY_FALSE(unwind_table_key);

/* The memory of tables, and of those that are being made or freed. */
atomic_t unwind_tables_nr;
atomic_long_t unwind_tables_bytes;

/* Serializes changes of the hash table and owners' lists. */
static DEFINE_MUTEX(tables_mutex);
static DEFINE_HASHTABLE(tables, 12);

/* kernel.unwind_table_file_max_kb and kernel.unwind_table_max_kb */
static unsigned int table_file_max_kb __read_mostly = 64 << 10;
static unsigned int table_max_kb __read_mostly = 512 << 10;

/* Is @inode, of a file that may be closed at any moment, still the file that @key was made of? */
static bool is_same_file(const struct unwind_table_key *key, const struct inode *inode)
{
	unsigned long sb, ino;
	u32 generation;

	pagefault_disable();
	__get_kernel_nofault(&sb, &inode->i_sb, unsigned long, fault);
	__get_kernel_nofault(&ino, &inode->i_ino, unsigned long, fault);
	__get_kernel_nofault(&generation, &inode->i_generation, u32, fault);
	pagefault_enable();
	return sb == (unsigned long)key->sb && ino == key->ino && generation == key->generation;
fault:
	pagefault_enable();
	return false;
}

/**
 * unwind_table_of - the table for a file
 * @inode:	the file's inode, which may be gone; NULL for the vDSO
 *
 * Context: any, NMI included; under rcu_read_lock(); @users is raised if the table is
 * used after rcu_read_unlock().
 * Return: the table, NULL if there is none.
 */
struct unwind_table *unwind_table_of(const struct inode *inode)
{
	struct unwind_table *table;

	hash_for_each_possible_rcu_notrace(tables, table, node, (unsigned long)inode) {
		if (table->key.inode == inode && (!inode || is_same_file(&table->key, inode)))
			return table;
	}
	return NULL;
}

/* @table is not, or no longer, registered; NULL if there is none. */
static void free_table(struct unwind_table *table, long charge)
{
	kvfree(table);
	atomic_long_sub(charge, &unwind_tables_bytes);
	atomic_dec(&unwind_tables_nr);
}

/* Tables that nobody finds any more, nor holds. */
static LLIST_HEAD(dead_tables);

static void free_dead(struct work_struct *work)
{
	struct llist_node *dead = llist_del_all(&dead_tables);
	struct unwind_table *table, *next;

	/* The walks that found them and do not sleep. */
	synchronize_rcu();
	llist_for_each_entry_safe(table, next, dead, dead) {
		free_table(table, table->charge);
		cond_resched();
	}
}

static DECLARE_WORK(free_dead_work, free_dead);

/**
 * unwind_table_put - a walk that held a table, or its owner, needs it no more
 * @table:	the table
 *
 * Context: process context, may be under a lock.
 */
void unwind_table_put(struct unwind_table *table)
{
	if (refcount_dec_and_test(&table->users) && llist_add(&table->dead, &dead_tables))
		queue_work(system_unbound_wq, &free_dead_work);
}

/* Register @table for @owned, unless that has one of the file. */
static int table_link(struct hlist_head *owned, struct unwind_table *table)
{
	struct unwind_table *other;

	guard(mutex)(&tables_mutex);

	hash_for_each_possible(tables, other, node, (unsigned long)table->key.inode) {
		if (other->owner == owned && !memcmp(&other->key, &table->key, sizeof(table->key)))
			return -EEXIST;
	}
	table->owner = owned;
	hlist_add_head(&table->owned, owned);
	static_branch_inc(&unwind_table_key);
	hash_add_rcu(tables, &table->node, (unsigned long)table->key.inode);
	return 0;
}

static int table_add(struct hlist_head *owned, const struct unwind_table_key *key,
		     const struct unwind_table_add *add)
{
	/* A rule found last for 16 rows, about. */
	size_t recent = roundup_pow_of_two(clamp(add->bytes / 64, 64ULL, 2048ULL));
	size_t offset = offsetof(struct unwind_table, head) + ALIGN(add->bytes, sizeof(u64));
	size_t charge = PAGE_ALIGN(offset + recent * sizeof(u64));
	struct unwind_table *table = NULL;
	int err = -ENOSPC;

	if (add->bytes > (u64)READ_ONCE(table_file_max_kb) << 10)
		return -EFBIG;
	atomic_inc(&unwind_tables_nr);
	if (atomic_long_add_return(charge, &unwind_tables_bytes) >
	    (long)READ_ONCE(table_max_kb) << 10)
		goto free;
	err = -ENOMEM;
	table = kvmalloc(charge, TABLE_GFP);
	if (!table)
		goto free;
	memset(table, 0, offsetof(struct unwind_table, head));
	refcount_set(&table->users, 1);
	table->key = *key;
	table->charge = charge;
	table->recent = memset((void *)table + offset, 0, recent * sizeof(u64));
	table->recent_mask = recent - 1;
	err = -EFAULT;
	if (copy_from_user(&table->head, u64_to_user_ptr(add->addr), add->bytes))
		goto free;
	err = unwind_table_check(table, add->bytes);
	if (!err)
		err = table_link(owned, table);
	if (!err)
		return 0;
free:
	free_table(table, charge);
	return err;
}

/* What is mapped is, on an overlay file system, the file below it. */
static int file_key(struct unwind_table_key *key, int fd)
{
	const struct inode *inode;

	CLASS(fd, f)(fd);

	if (!fd_file(f))
		return -EBADF;
	if (!S_ISREG(file_inode(fd_file(f))->i_mode))
		return -ENODEV;
	if (!(fd_file(f)->f_mode & FMODE_READ))
		return -EACCES;
	inode = d_real_inode(fd_file(f)->f_path.dentry);
	*key = (struct unwind_table_key){
		.inode		= inode,
		.sb		= inode->i_sb,
		.ino		= inode->i_ino,
		.generation	= inode->i_generation,
	};
	return 0;
}

/**
 * unwind_table_add_user - register the table that user space describes
 * @owned:	the caller's registrations, to which this is added
 * @arg:	a struct unwind_table_add in user memory
 *
 * Context: process context, may sleep; not beside unwind_table_release() of
 * the same @owned.
 * Return: 0; -EINVAL if @arg has a size that is too small or a flag or field
 * that is unknown, -E2BIG if it is longer than this kernel's and not 0 there, -EFAULT if
 * memory cannot be read; -EBADF, -ENODEV or -EACCES if the file is not open, no regular
 * file, or not open for reading; -EEXIST if @owned has a table for it; -EFBIG or -ENOSPC
 * if the table or all tables together are larger than the limit; -ENOMEM; or the errors of
 * unwind_table_check().
 */
int unwind_table_add_user(struct hlist_head *owned, const void __user *arg)
{
	struct unwind_table_key key = {};
	struct unwind_table_add add;
	u32 size;
	int err;

	if (get_user(size, (const u32 __user *)arg))
		return -EFAULT;
	if (size < sizeof(add))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&add, sizeof(add), arg, size);
	if (err)
		return err;
	if (add.reserved || add.flags & ~UNWIND_TABLE_ADD_VDSO)
		return -EINVAL;
	if (add.flags & UNWIND_TABLE_ADD_VDSO)
		err = add.fd == -1 ? 0 : -EINVAL;
	else
		err = file_key(&key, add.fd);
	return err ?: table_add(owned, &key, &add);
}

/**
 * unwind_table_release - take back all that an owner registered
 * @owned:	the owner's registrations
 *
 * Context: process context, may sleep, but does not wait for walks.
 */
void unwind_table_release(struct hlist_head *owned)
{
	struct unwind_table *table;
	struct hlist_node *next;

	if (hlist_empty(owned))
		return;

	guard(mutex)(&tables_mutex);

	hlist_for_each_entry_safe(table, next, owned, owned) {
		hlist_del(&table->owned);
		hash_del_rcu(&table->node);
		static_branch_dec(&unwind_table_key);
		/* A walk that holds it takes its memory, and the room for it, for so long. */
		unwind_table_put(table);
	}
}

static struct ctl_table table_sysctls[] = {
	{
		.procname	= "unwind_table_file_max_kb",
		.data		= &table_file_max_kb,
		.maxlen		= sizeof(table_file_max_kb),
		.mode		= 0644,
		.proc_handler	= proc_douintvec,
	},
	{
		.procname	= "unwind_table_max_kb",
		.data		= &table_max_kb,
		.maxlen		= sizeof(table_max_kb),
		.mode		= 0644,
		.proc_handler	= proc_douintvec,
	},
};

static int __init unwind_table_sysctl_init(void)
{
	register_sysctl_init("kernel", table_sysctls);
	return 0;
}
late_initcall(unwind_table_sysctl_init);

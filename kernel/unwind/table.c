// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of unwind tables: which file, or the vDSO, has which table, who
 * registered it and how much memory that may take.
 *
 * A table is copied and checked once, before it can be found, and never changes. It is
 * found and used under RCU; a walk that may sleep, for as long as user space likes, holds
 * those that it uses, and keeps no others. Until the last one lets go, a table takes room
 * within the limits. It holds its file, so that no other file can have the inode.
 *
 * A file has at most one table that serves every task, and one for each user's tasks: whoever
 * registers another one replaces it, and it goes when the last who registered one is gone.
 * What an unprivileged user registers serves that user's tasks alone, and is never preferred.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <linux/unwind_compat.h>
#include <linux/unwind_table.h>

#define CREATE_TRACE_POINTS
#include <trace/events/unwind_table.h>

#include "internal.h"
#include "table.h"

/* An unprivileged user's tables may take one part in this many of the limit, all users' half. */
#define USER_SHARE	8
#define USERS_SHARE	2
/* A small table holds a file, too. */
#define TABLE_OVERHEAD	PAGE_SIZE

DEFINE_STATIC_KEY_FALSE(unwind_table_key);

static DEFINE_MUTEX(tables_mutex);
/* Of those in the registry, and those that were, as long as a walk that may sleep holds them. */
static unsigned long tables_bytes;
static unsigned long users_bytes;	/* of these, of tables that serve one user */
static unsigned int tables_nr;

/* kernel.unwind_table_file_max_kb and kernel.unwind_table_max_kb */
static unsigned int table_file_max_kb __read_mostly = 64 << 10;
static unsigned int table_max_kb __read_mostly = 512 << 10;

/* One registration: of the table of a file and a user, whichever that is now. */
struct unwind_table_ref {
	struct hlist_node	node;
	const struct inode	*inode;
	kuid_t			uid;
};

/**
 * struct unwind_table_account - the room that tables of one user take, or those of every task
 * @entry:	finds it, as if it were the table of account_key
 * @bytes:	the room
 * @nr:		number of these tables
 * @rcu:	frees this account
 */
struct unwind_table_account {
	struct unwind_table_entry	entry;
	unsigned long			bytes;
	unsigned int			nr;
	struct rcu_head			rcu;
};

static const char account_key;

/* NULL for none. */
static struct unwind_table *table_of(struct unwind_table_entry *entry)
{
	return entry ? container_of(entry, struct unwind_table, entry) : NULL;
}

/**
 * unwind_table_of - the table that serves the current task for a file
 * @inode:	the file's inode, which is compared and nothing else; NULL for the vDSO
 *
 * Context: any, NMI included; under rcu_read_lock(), and unwind_table_get() if the
 * table is used after rcu_read_unlock().
 * Return: the table, NULL if there is none.
 */
struct unwind_table *unwind_table_of(const struct inode *inode)
{
	return table_of(unwind_table_find_mine(inode));
}

/**
 * unwind_tables_serve - is there a table that serves the current task?
 *
 * Context: any, NMI included.
 */
bool unwind_tables_serve(void)
{
	guard(rcu)();

	return unwind_table_find_mine(&account_key);
}

/* It serves every task. */
static bool is_of_all(const struct unwind_table *table)
{
	return !uid_valid(table->entry.uid);
}

static const struct inode *inode_of(const struct unwind_table *table)
{
	return table->entry.what;
}

static size_t table_charge(const struct unwind_table *table)
{
	return table->size + (table->recent_mask + 1) * sizeof(u64) + TABLE_OVERHEAD;
}

/* Of a table that is not, or no longer, registered. */
static void table_free(struct unwind_table *table)
{
	if (table->file)
		fput(table->file);
	kvfree(table->recent);
	kvfree(table->head);
	kfree(table);
}

/* Under tables_mutex. Does nothing a second time. */
static void table_uncharge(struct unwind_table *table)
{
	struct unwind_table_account *account = table->account;

	if (!account)
		return;
	table->account = NULL;
	account->bytes -= table_charge(table);
	tables_bytes -= table_charge(table);
	if (!is_of_all(table))
		users_bytes -= table_charge(table);
	tables_nr--;
	if (!--account->nr) {
		unwind_table_unlink(&account->entry);
		kfree_rcu(account, rcu);
	}
}

/* Process context; nobody can find the table any more, nor holds it. */
static void free_registered(struct work_struct *work)
{
	struct unwind_table *table = container_of(to_rcu_work(work), struct unwind_table, rwork);

	mutex_lock(&tables_mutex);
	table_uncharge(table);
	mutex_unlock(&tables_mutex);
	table_free(table);
	static_branch_dec(&unwind_table_key);
}

/**
 * unwind_table_get - keep a table that was found
 * @table:	the table
 *
 * Context: any; under rcu_read_lock().
 * Return: false if it is being taken back: it must not be used after rcu_read_unlock().
 */
bool unwind_table_get(struct unwind_table *table)
{
	return refcount_inc_not_zero(&table->users);
}

/**
 * unwind_table_put - end a use that unwind_table_get() began
 * @table:	the table
 *
 * Context: process context, may be under a lock.
 */
void unwind_table_put(struct unwind_table *table)
{
	if (refcount_dec_and_test(&table->users))
		queue_rcu_work(system_unbound_wq, &table->rwork);
}

/*
 * Under tables_mutex. Is there room for @table in place of @old, which may be NULL?
 * Return: 0, -EDQUOT or -ENOSPC.
 */
static int check_room(const struct unwind_table *table, const struct unwind_table *old,
		      const struct unwind_table_account *account)
{
	unsigned long max = (unsigned long)READ_ONCE(table_max_kb) << 10;
	unsigned long more = table_charge(table), less = old ? table_charge(old) : 0;

	if (!is_of_all(table)) {
		if (account->bytes + more - less > max / USER_SHARE)
			return -EDQUOT;
		/* Users leave room for the tables that serve every task. */
		if (users_bytes + more - less > max / USERS_SHARE)
			return -ENOSPC;
	}
	return tables_bytes + more - less > max ? -ENOSPC : 0;
}

static bool is_registered(struct hlist_head *owned, const struct unwind_table *table)
{
	struct unwind_table_ref *ref;

	hlist_for_each_entry(ref, owned, node) {
		if (ref->inode == inode_of(table))
			return true;
	}
	return false;
}

/* Under tables_mutex: nobody finds @table any more. */
static void table_remove(struct unwind_table *table)
{
	trace_unwind_table_remove(inode_of(table), table->size, table->head->nr_rows,
				  is_of_all(table));
	unwind_table_unlink(&table->entry);
	/* A walk that holds it takes its memory, and the room for it, for so long. */
	if (refcount_dec_and_test(&table->users)) {
		table_uncharge(table);
		queue_rcu_work(system_unbound_wq, &table->rwork);
	}
}

/* Under tables_mutex. Register @table for the owner of @ref; @account if it has none yet. */
static int table_add(struct hlist_head *owned, struct unwind_table_ref *ref,
		     struct unwind_table *table, struct unwind_table_account *account)
{
	struct unwind_table_entry *found = unwind_table_find(&account_key, table->entry.uid);
	struct unwind_table *old = table_of(unwind_table_find(inode_of(table), table->entry.uid));
	int err;

	if (is_registered(owned, table))
		return -EEXIST;
	if (found)
		account = container_of(found, struct unwind_table_account, entry);
	err = check_room(table, old, account);
	if (!err)
		err = unwind_table_reserve(2);
	if (err)
		return err;

	if (!found)
		unwind_table_link(&account->entry);
	account->bytes += table_charge(table);
	account->nr++;
	table->account = account;
	tables_bytes += table_charge(table);
	if (!is_of_all(table))
		users_bytes += table_charge(table);
	tables_nr++;
	hlist_add_head(&ref->node, owned);
	table->refs = old ? old->refs + 1 : 1;
	static_branch_inc(&unwind_table_key);
	unwind_table_link(&table->entry);
	trace_unwind_table_add(inode_of(table), table->size, table->head->nr_rows,
			       is_of_all(table));
	if (old)
		table_remove(old);
	return 0;
}

/* Take @table, which was checked, over. */
static int table_insert(struct hlist_head *owned, struct unwind_table *table)
{
	struct unwind_table_account *account = kzalloc(sizeof(*account), TABLE_GFP);
	struct unwind_table_ref *ref = kzalloc(sizeof(*ref), TABLE_GFP);
	int err = -ENOMEM;

	if (ref && account) {
		account->entry.what = &account_key;
		account->entry.uid = table->entry.uid;
		ref->inode = inode_of(table);
		ref->uid = table->entry.uid;
		mutex_lock(&tables_mutex);
		err = table_add(owned, ref, table, account);
		if (!err && table->account == account)
			account = NULL;
		mutex_unlock(&tables_mutex);
	}
	if (err)
		kfree(ref);
	kfree(account);
	return err;
}

/* A copy of the table that @add names, checked. */
static int table_copy(struct unwind_table *table, const struct unwind_table_add *add)
{
	int err;

	if (add->bytes < sizeof(struct unwind_table_head))
		return -EMSGSIZE;
	if (add->bytes > (u64)READ_ONCE(table_file_max_kb) << 10)
		return -EFBIG;

	table->size = add->bytes;
	table->head = kvmalloc(table->size, TABLE_GFP);
	if (!table->head)
		return -ENOMEM;
	if (copy_from_user(table->head, u64_to_user_ptr(add->addr), table->size))
		return -EFAULT;
	err = unwind_table_check(table, table->size);
	return err ?: unwind_table_make_recent(table);
}

/* What is mapped is, on an overlay file system, the file below it. */
static int table_set_file(struct unwind_table *table, int fd)
{
	struct file *file = fget(fd);

	if (!file)
		return -EBADF;
	table->file = file;
	if (!S_ISREG(file_inode(file)->i_mode))
		return -ENODEV;
	if (!(file->f_mode & FMODE_READ))
		return -EACCES;
	table->entry.what = d_real_inode(file->f_path.dentry);
	return 0;
}

/**
 * unwind_table_add_user - register the table that user space describes
 * @owned:	the caller's registrations, to which this is added
 * @cred:	on whose behalf
 * @all_tasks:	it serves every task, not only those of @cred's user
 * @arg:	a struct unwind_table_add in user memory
 *
 * Context: process context, may sleep; not beside unwind_table_release() of
 * the same @owned.
 * Return: 0; -EINVAL if @arg has a size that is too small or a flag or field
 * that is unknown, -E2BIG if it is longer than this kernel's and not 0 there, -EFAULT if
 * memory cannot be read; -EBADF, -ENODEV or -EACCES if the file is not open, no regular
 * file, or not open for reading; -EEXIST if @owned has a table for it; -EFBIG, -EDQUOT or
 * -ENOSPC if the table, those of the user or all tables together are larger than the limit;
 * -ENOMEM; or the errors of unwind_table_check().
 */
int unwind_table_add_user(struct hlist_head *owned, const struct cred *cred,
			  bool all_tasks, const void __user *arg)
{
	struct unwind_table_add add;
	struct unwind_table *table;
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
	if (add.flags & UNWIND_TABLE_ADD_VDSO && add.fd != -1)
		return -EINVAL;

	table = kzalloc(sizeof(*table), TABLE_GFP);
	if (!table)
		return -ENOMEM;
	table->entry.uid = all_tasks ? INVALID_UID : cred->euid;
	refcount_set(&table->users, 1);
	INIT_RCU_WORK(&table->rwork, free_registered);
	if (!(add.flags & UNWIND_TABLE_ADD_VDSO))
		err = table_set_file(table, add.fd);
	if (!err)
		err = table_copy(table, &add);
	if (!err)
		err = table_insert(owned, table);
	if (err)
		table_free(table);
	return err;
}

/**
 * unwind_table_release - take back all that an owner registered
 * @owned:	the owner's registrations
 *
 * Context: process context, may sleep, but does not wait for walks.
 */
void unwind_table_release(struct hlist_head *owned)
{
	struct unwind_table_ref *ref;
	struct unwind_table *table;
	struct hlist_node *next;

	if (hlist_empty(owned))
		return;

	mutex_lock(&tables_mutex);
	hlist_for_each_entry_safe(ref, next, owned, node) {
		table = table_of(unwind_table_find(ref->inode, ref->uid));
		hlist_del(&ref->node);
		kfree(ref);
		if (!--table->refs)
			table_remove(table);
	}
	mutex_unlock(&tables_mutex);
}

/**
 * unwind_table_sum - how many tables there are
 * @bytes:	set to the memory they take
 *
 * Context: process context, may sleep.
 * Return: their number.
 */
unsigned int unwind_table_sum(unsigned long *bytes)
{
	guard(mutex)(&tables_mutex);

	*bytes = tables_bytes;
	return tables_nr;
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
	UNWIND_SYSCTL_END
};

static int __init unwind_table_sysctl_init(void)
{
	register_sysctl_init("kernel", table_sysctls);
	return 0;
}
late_initcall(unwind_table_sysctl_init);

// SPDX-License-Identifier: GPL-2.0
/*
 * Finds unwind tables by file and user, without a lock, in any context, and in a time that
 * does not depend on how many there are or who registered them.
 *
 * A hash table with at least as many buckets as entries. It is doubled by making it anew: an
 * entry has two nodes, used in turn, so that a look-up in the old one is not led into the new
 * one. The multipliers of the hash are random: nobody can choose files and users that fall into
 * one bucket.
 *
 * Owns the buckets; entries belong to table.c, which adds and removes under its mutex.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "table.h"

#define FIRST_BITS	10

/**
 * struct table_hash - the buckets
 * @bits:	log2 of their number
 * @node:	which node of the entries is in them
 * @mult:	the multipliers, odd
 * @bucket:	lists of entries
 */
struct table_hash {
	unsigned int		bits;
	unsigned int		node;
	u64			mult[2];
	struct hlist_head	bucket[];
};

static struct table_hash __rcu *table_hash;
static unsigned long nr_entries;

static struct hlist_head *bucket_of(struct table_hash *hash, const void *what, kuid_t uid)
{
	u64 sum = (unsigned long)what * hash->mult[0] + __kuid_val(uid) * hash->mult[1];

	return &hash->bucket[sum >> (64 - hash->bits)];
}

/**
 * unwind_table_find - the entry of a file, or of what else, and a user
 * @what:	the address of the file's inode, which is compared and nothing else
 * @uid:	the user
 *
 * Context: any, NMI included; under rcu_read_lock() or table.c's mutex.
 * Return: the entry, NULL if there is none.
 */
struct unwind_table_entry *unwind_table_find(const void *what, kuid_t uid)
{
	struct table_hash *hash = rcu_dereference_raw(table_hash);
	struct unwind_table_entry *entry;

	if (!hash)
		return NULL;
	hlist_for_each_entry_rcu_notrace(entry, bucket_of(hash, what, uid), node[hash->node]) {
		if (entry->what == what && uid_eq(entry->uid, uid))
			return entry;
	}
	return NULL;
}

/**
 * unwind_table_find_mine - the entry that concerns the current task
 * @what:	as for unwind_table_find()
 *
 * No part of a user's rights may be another user's. The task's own credentials count, as for
 * ptrace(), not those that it acts with for a while: below an overlay file system these are the
 * mounting user's.
 *
 * Context: as unwind_table_find().
 * Return: the entry of every task; else that of the task's user, if real, effective and saved
 * id are the same; else NULL.
 */
struct unwind_table_entry *unwind_table_find_mine(const void *what)
{
	struct unwind_table_entry *entry = unwind_table_find(what, INVALID_UID);
	const struct cred *cred = current_real_cred();

	if (entry || !uid_eq(cred->uid, cred->euid) || !uid_eq(cred->uid, cred->suid))
		return entry;
	return unwind_table_find(what, cred->uid);
}

/**
 * unwind_table_reserve - make room for entries
 * @nr:		how many will be added at most
 *
 * Context: process context, may sleep; under table.c's mutex.
 * Return: 0, or -ENOMEM.
 */
int unwind_table_reserve(unsigned int nr)
{
	struct table_hash *old = rcu_dereference_raw(table_hash), *new;
	unsigned int bits = old ? old->bits + 1 : FIRST_BITS;
	struct unwind_table_entry *entry;
	unsigned long i;

	if (old && nr_entries + nr <= 1UL << old->bits)
		return 0;
	new = kvzalloc(struct_size(new, bucket, 1UL << bits), GFP_KERNEL | __GFP_NOWARN);
	if (!new)
		return -ENOMEM;
	new->bits = bits;
	new->node = old && !old->node;
	get_random_bytes(new->mult, sizeof(new->mult));
	new->mult[0] |= 1;
	new->mult[1] |= 1;
	for (i = 0; old && i < 1UL << old->bits; i++) {
		hlist_for_each_entry(entry, &old->bucket[i], node[old->node])
			hlist_add_head(&entry->node[new->node],
				       bucket_of(new, entry->what, entry->uid));
	}
	rcu_assign_pointer(table_hash, new);
	if (old) {
		/* The nodes that the old one used are free for the next. */
		synchronize_rcu();
		kvfree(old);
	}
	return 0;
}

/**
 * unwind_table_link - have an entry found
 * @entry:	the entry, for which there is room
 *
 * It is found instead of one of the same file and user that was linked before.
 *
 * Context: process context, under table.c's mutex.
 */
void unwind_table_link(struct unwind_table_entry *entry)
{
	struct table_hash *hash = rcu_dereference_raw(table_hash);

	hlist_add_head_rcu(&entry->node[hash->node], bucket_of(hash, entry->what, entry->uid));
	nr_entries++;
}

/**
 * unwind_table_unlink - have an entry not found any more
 * @entry:	the entry, in use until a grace period has passed
 *
 * Context: process context, under table.c's mutex.
 */
void unwind_table_unlink(struct unwind_table_entry *entry)
{
	struct table_hash *hash = rcu_dereference_raw(table_hash);

	hlist_del_rcu(&entry->node[hash->node]);
	nr_entries--;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own list of symbols: lines "ADDRESS TYPE NAME[\t[MODULE]]".
 */
#ifndef PERF_SYMBOL_KALLSYMS_H
#define PERF_SYMBOL_KALLSYMS_H

#include "buildid/buildid_cache.h"
#include "symbol/symtab.h"

struct kallsyms;

/**
 * kallsyms_read() - read a list
 * @path: /proc/kallsyms or a copy of one
 * @k: where the result goes
 *
 * Return: 0, or -errno: -EPERM when every address is 0 (kptr_restrict), -EBADMSG when no
 * line is one of such a list. Nothing is printed.
 */
int kallsyms_read(const char *path, struct kallsyms **k);
void kallsyms_destroy(struct kallsyms *k);

/**
 * kallsyms_take() - the symbols of the kernel or of a module
 * @k: the list
 * @module: "[ext4]"; NULL: the kernel proper
 * @tab: where to: filled, sorted; the names live as long as @k
 *
 * When 16 times as many symbols as the list has are taken, there are no more: each dso has a copy,
 * and a recording can name any number of modules.
 *
 * Return: whether there were any.
 * Context: any thread.
 */
bool kallsyms_take(struct kallsyms *k, const char *module, struct symtab *tab);

/**
 * kallsyms_keep() - put the running kernel's list into perf's cache, unless it is there
 * @c: the cache
 * @hex: the running kernel's build-id
 *
 * Return: 0; -EEXIST: it was there; -EPERM: the kernel hides all addresses from this user; or another -errno.
 */
int kallsyms_keep(const struct buildid_cache *c, const char *hex);

/**
 * kallsyms_address() - where a function or label of the kernel proper is
 * @k: the list
 * @name: e.g. "_text"; not that of data
 *
 * Return: its address, or 0.
 */
u64 kallsyms_address(struct kallsyms *k, const char *name);

#endif /* PERF_SYMBOL_KALLSYMS_H */

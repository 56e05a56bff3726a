/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's list of symbols (kallsyms): lines "ADDRESS TYPE NAME[\t[MODULE]]". */
#ifndef PERF_SYMBOL_KALLSYMS_H
#define PERF_SYMBOL_KALLSYMS_H

#include "buildid/buildid_cache.h"
#include "symbol/symtab.h"

struct kallsyms;

/* hex_number - @v: set to the number at @p, if any, of which 16 digits count. Return: its end */
const char *hex_number(const char *p, const char *end, u64 *v);

/**
 * kallsyms_read() - read a list
 * @path: /proc/kallsyms or a copy of one
 * @k: set to the list
 *
 * Return: 0, or -errno: -EPERM if all addresses are 0 (kptr_restrict), -EBADMSG if no line has the
 * format. Prints nothing.
 */
int kallsyms_read(const char *path, struct kallsyms **k);
void kallsyms_destroy(struct kallsyms *k);

/**
 * kallsyms_take() - the symbols of the kernel or of a module
 * @module: "[ext4]"; NULL: the kernel itself
 * @tab: filled and sorted; the names are valid as long as @k
 *
 * Each dso has a copy, and a recording can name any number of modules: all copies together are
 * limited to 16 times the symbols of the list.
 * Return: true if symbols were added.
 * Context: any thread.
 */
bool kallsyms_take(struct kallsyms *k, const char *module, struct symtab *tab);

/*
 * kallsyms_keep - add the running kernel's list to perf's cache, unless it has it; @hex: the
 * running kernel's build-id. Return: 0; -EEXIST: it is in the cache; -EPERM: the kernel hides all
 * addresses from this user; or another -errno.
 */
int kallsyms_keep(const struct buildid_cache *c, const char *hex);

/*
 * kallsyms_address - the address of a function or label of the kernel itself; @name: e.g. "_text";
 * not data. Return: its address, or 0.
 */
u64 kallsyms_address(struct kallsyms *k, const char *name);

#endif /* PERF_SYMBOL_KALLSYMS_H */

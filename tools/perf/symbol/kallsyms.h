/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's list of symbols (kallsyms): lines "ADDRESS TYPE NAME[\t[MODULE]]". */
#ifndef PERF_SYMBOL_KALLSYMS_H
#define PERF_SYMBOL_KALLSYMS_H

#include "buildid/buildid_cache.h"
#include "symbol/symtab.h"

struct kallsyms;

/* hex_number - @v: set to the number at @p, if any, of which 16 digits count. Return: its end */
const char *hex_number(const char *p, const char *end, u64 *v);

/*
 * kallsyms_read - read /proc/kallsyms or a copy of it; prints nothing. Return: 0, or -errno: -EPERM
 * if all addresses are 0 (kptr_restrict), -EBADMSG if no line has the format.
 */
int kallsyms_read(const char *path, struct kallsyms **k);
void kallsyms_destroy(struct kallsyms *k);

/*
 * kallsyms_take - fill and sort @tab with the symbols of a module "[ext4]", or NULL: of the kernel
 * itself; names are valid as long as @k. Return: true if there are any. Context: any thread.
 */
bool kallsyms_take(struct kallsyms *k, const char *module, struct symtab *tab);

/*
 * kallsyms_keep - add the running kernel's list, of build-id @hex, to perf's cache. Return: 0;
 * -EEXIST: it is there; -EPERM: the kernel hides all addresses from this user; or another -errno.
 */
int kallsyms_keep(const struct buildid_cache *c, const char *hex);

/* kallsyms_address - the address of a function or label of the kernel itself, "_text"; 0: none */
u64 kallsyms_address(struct kallsyms *k, const char *name);

#endif /* PERF_SYMBOL_KALLSYMS_H */

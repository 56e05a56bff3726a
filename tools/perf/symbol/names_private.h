/* SPDX-License-Identifier: GPL-2.0 */
/* Names in a recording: the section's format, and the names of a dso. */
#ifndef PERF_SYMBOL_NAMES_PRIVATE_H
#define PERF_SYMBOL_NAMES_PRIVATE_H

#include "symbol/symbol_private.h"

#define NAMES_VERSION	1
#define NAMES_START	0x10	/* flag in the binding: a function's start, without a symbol */

/* The header before the zstd frame. Numbers are little-endian. */
struct names_head {
	u8 version, zero[3];
	u8 packed[4];
};

static inline u32 names_packed_size(const struct names_head *h)
{
	return h->packed[0] | h->packed[1] << 8 | h->packed[2] << 16 | (u32)h->packed[3] << 24;
}

/*
 * names_of_dso - the recorded names of a file; NULL: none, or the user gave another source.
 * Context: any thread.
 */
struct dso_names *names_of_dso(struct dso_file *f);

/* names_map - the conversion from mapped addresses to those of the recorded symbols */
const struct addr_map *names_map(const struct dso_names *n);

/*
 * names_symbol, names_start - the symbol that contains an address; the start of a function without
 * a symbol; NULL: none
 */
struct symbol *names_symbol(const struct dso_names *n, u64 addr);
struct symbol *names_start(const struct dso_names *n, u64 addr);

/**
 * names_line() - as dso_inline_line()
 * @f: the dso, with names
 * @addr: from dso_map_ip()
 * @nr: 0: the line of the address; else the line of the call of inlined function @nr - 1
 * @full_path: the full path instead of the last component
 */
const char *names_line(struct dso_file *f, u64 addr, u32 nr, bool full_path);

/* names_inlines - as dso_inlines(); @base: the symbol at @addr */
u32 names_inlines(struct dso_file *f, u64 addr, const struct symbol *base, const struct inline_frame **frames);

/**
 * names_inner() - find an ELF file in an archive
 * @n: the names
 * @archive: the archive
 * @off: offset of the mapping in it
 * @base: set to the offset of the ELF file
 *
 * Return: its size in bytes, up to the end of its mappings; 0: none.
 */
u64 names_inner(const struct embedded *n, const struct dso *archive, u64 off, u64 *base);

void names_forget(struct dso_file *f);

#endif /* PERF_SYMBOL_NAMES_PRIVATE_H */

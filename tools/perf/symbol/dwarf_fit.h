/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_SYMBOL_DWARF_FIT_H
#define PERF_SYMBOL_DWARF_FIT_H

#include <elfutils/libdw.h>

#include "base/types.h"

struct lines;

/**
 * dwarf_unpacked_fits() - do sections of debug information unpack to no more than inflate_most()?
 * @elf: the file, not yet opened by libdw, which unpacks all of them
 */
bool dwarf_unpacked_fits(Elf *elf);

/**
 * dwarf_cfi_fits() - is no entry of call frame information longer than compilers make them?
 * @elf: the file
 * @name: of the section, without its dot
 *
 * libdw runs an entry for each address in it, and keeps 240 bytes for each state that it remembers.
 */
bool dwarf_cfi_fits(Elf *elf, const char *name);

/**
 * dwarf_abbrevs_fit() - can libdw keep the abbreviations of all units?
 * @dwarf: the debug information
 *
 * Units can share a table, and libdw copies it for each: a few hundred kB would become gigabytes.
 *
 * Return: false if the copies are larger than a file of that size can be in need of.
 */
bool dwarf_abbrevs_fit(Dwarf *dwarf);

/**
 * dwarf_lines_fit() - can libdw keep the lines of one unit more?
 * @l: the debug information
 * @cu: the unit's DIE
 *
 * Programs of lines may lie in each other, so that few bytes stand for many lines.
 *
 * Return: false if the programs that were read before and this one are together longer than the section.
 */
bool dwarf_lines_fit(struct lines *l, Dwarf_Die *cu);

#endif /* PERF_SYMBOL_DWARF_FIT_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_SYMBOL_DWARF_FIT_H
#define PERF_SYMBOL_DWARF_FIT_H

#include <elfutils/libdw.h>

#include "base/types.h"

struct lines;

/**
 * dwarf_unpacked_fits() - is the unpacked size of the debug sections within inflate_most()?
 * @elf: the file, before libdw opens it and unpacks all of them
 */
bool dwarf_unpacked_fits(Elf *elf);

/**
 * dwarf_cfi_fits() - are all entries of call frame information within the size limit?
 * @elf: the file
 * @name: the section's name without its dot
 *
 * libdw executes an entry for each address in it, and allocates 240 bytes for each remembered
 * state.
 */
bool dwarf_cfi_fits(Elf *elf, const char *name);

/*
 * dwarf_abbrevs_fit - is the size of libdw's abbreviation tables within limits? Units can share a
 * table, but libdw copies it for each unit: a file of a few hundred kB could need gigabytes.
 * Return: false if the copies exceed the limit for a file of that size.
 */
bool dwarf_abbrevs_fit(Dwarf *dwarf);

/*
 * dwarf_lines_fit - may libdw read the line program of another unit? @cu: the unit's DIE. Line
 * programs may overlap, so that a few bytes describe many lines. Return: false if this program and
 * those already read are together longer than the section.
 */
bool dwarf_lines_fit(struct lines *l, Dwarf_Die *cu);

#endif /* PERF_SYMBOL_DWARF_FIT_H */

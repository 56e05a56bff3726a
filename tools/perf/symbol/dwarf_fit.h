/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_SYMBOL_DWARF_FIT_H
#define PERF_SYMBOL_DWARF_FIT_H

#include <elfutils/libdw.h>

#include "base/types.h"

struct lines;

/*
 * dwarf_unpacked_fits - is the unpacked size of the debug sections within inflate_most()? @elf:
 * before libdw opens it and unpacks all of them
 */
bool dwarf_unpacked_fits(Elf *elf);

/*
 * dwarf_cfi_fits - are all entries of call frame information in section @name, without its dot,
 * short enough? libdw executes one for each address in it, and allocates 240 bytes for each
 * remembered state.
 */
bool dwarf_cfi_fits(Elf *elf, const char *name);

/*
 * dwarf_abbrevs_fit - are libdw's abbreviation tables small enough for the file? Units can share
 * one, but libdw copies it for each: a file of a few hundred kB could need gigabytes.
 */
bool dwarf_abbrevs_fit(Dwarf *dwarf);

/*
 * dwarf_lines_fit - may libdw read the line program of the unit with DIE @cu, too? They may
 * overlap, so that a few bytes describe many lines. Return: false if those read so far and this one
 * are longer than the section.
 */
bool dwarf_lines_fit(struct lines *l, Dwarf_Die *cu);

#endif /* PERF_SYMBOL_DWARF_FIT_H */

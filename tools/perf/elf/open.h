/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ELF files, opened for libelf. No field in them is trusted.
 */
#ifndef PERF_ELF_OPEN_H
#define PERF_ELF_OPEN_H

#include <gelf.h>
#include <sys/stat.h>

#include "base/types.h"

/*
 * elf_file_most - how many bytes are read of a file. A file with holes can be of any size: a
 * section of terabytes costs its maker nothing, and whoever reads it hours. Programs that are
 * aligned to huge pages have holes, too, but their sections have not. Return: 64 times the bytes
 * that are stored of the file, and 1 MB at least.
 */
u64 elf_file_most(const struct stat *st);

/**
 * elf_file_open() - open an ELF file, or an archive
 * @path: its path, which somebody else may have chosen
 * @elf: set to libelf's handle: elf_end() it
 * @st: set to what the file is
 *
 * A file of root's or our own, which no others may write, is mapped; of others libelf reads what is
 * used, as they may shorten it.
 *
 * Sections that are larger than elf_file_most(), or than what the sections before them leave of it,
 * count as SHT_NOBITS. A file without section headers is opened as a copy that has some:
 * elf_with_sections().
 *
 * Return: a descriptor, which is for elf_file_done(); -ENOEXEC: it is no ELF file; or another
 * -errno.
 */
int elf_file_open(const char *path, Elf **elf, struct stat *st);

/* elf_file_is_hole - would another program, which reads the file in full, read what elf_file_open() leaves out? */
bool elf_file_is_hole(const char *path);

/**
 * elf_has_section() - does a file have a section?
 * @elf: the file
 * @name: the section's name, without the leading "." (or ".z" of a compressed one)
 */
bool elf_has_section(Elf *elf, const char *name);

/*
 * elf_next_section - the next section whose header can be read; @scn: the one before; NULL: the
 * first. @name: its name; "": it has none.
 */
Elf_Scn *elf_next_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh, const char **name);

/* elf_file_done - close the descriptor: the file stays mapped */
void elf_file_done(Elf *elf, int fd);

/* elf_files_close - close those that a process which cannot open them again has kept open */
void elf_files_close(void);

/* elf_leave_out - a section counts as SHT_NOBITS from now on */
void elf_leave_out(Elf_Scn *scn);

/* elf_take_back - the section, which was SHT_PROGBITS, counts again */
void elf_take_back(Elf_Scn *scn);

#endif /* PERF_ELF_OPEN_H */

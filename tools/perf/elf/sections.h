/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Section headers for ELF files that have none (sstrip, llvm-objcopy --strip-sections).
 */
#ifndef PERF_ELF_SECTIONS_H
#define PERF_ELF_SECTIONS_H

#include <libelf.h>

/**
 * elf_with_sections() - a copy of a file, with the sections that its program headers tell of
 * @elf: the file, 64-bit and of our byte order
 *
 * It has .text for each executable segment, .data for the others, .eh_frame_hdr, .eh_frame, .dynsym
 * and .dynstr. Its symbols are in those sections.
 *
 * Return: a descriptor; -1: the file has sections, or the copy cannot be made.
 */
int elf_with_sections(Elf *elf);

#endif /* PERF_ELF_SECTIONS_H */

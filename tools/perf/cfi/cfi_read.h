/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame information: DWARF 5, section 6.4 (.debug_frame), and Linux Standard
 * Base 5.0, "Exception Frames" (.eh_frame). x86-64 and AArch64, little-endian.
 */
#ifndef PERF_CFI_CFI_READ_H
#define PERF_CFI_CFI_READ_H

#include "cfi/rows.h"

/* A section that describes code. */
struct unwind_section {
	const u8 *data;
	u64 size;
	u64 vaddr;		/* base of relative addresses in it */
};

/**
 * unwind_cfi_read() - the functions that a section describes
 * @s: the section
 * @is_eh: .eh_frame, not .debug_frame
 * @r: where to
 *
 * A description that cannot be read to its end counts as damaged, and what it says up to
 * there is used; so are the descriptions that follow, as long as their sizes can be
 * followed. CIEs are read when an FDE names them, each once.
 *
 * Return: NULL, or why the section was not read to its end.
 */
const char *unwind_cfi_read(const struct unwind_section *s, bool is_eh, struct unwind_rows *r);

/**
 * unwind_cfi_read_at() - the function that .eh_frame has for an address
 * @s: .eh_frame
 * @hdr: .eh_frame_hdr, which has the FDEs sorted by address (Linux Standard Base 5.0)
 * @addr: the address
 * @r: where to
 *
 * Return: false if it finds none; another section, or .eh_frame itself, may have one then.
 */
bool unwind_cfi_read_at(const struct unwind_section *s, const struct unwind_section *hdr, u64 addr,
			struct unwind_rows *r);

/**
 * unwind_cfi_next() - where the next function begins
 * @hdr: .eh_frame_hdr
 * @addr: an address
 *
 * Return: the start of the first function after @addr; -1: there is none, or no sorted table.
 */
u64 unwind_cfi_next(const struct unwind_section *hdr, u64 addr);

#endif /* PERF_CFI_CFI_READ_H */

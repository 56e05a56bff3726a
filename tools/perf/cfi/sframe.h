/* SPDX-License-Identifier: GPL-2.0 */
/*
 * .sframe sections, versions 2 and 3: "The SFrame format" of binutils, 2.41 to 2.45
 * and 2.46 (https://sourceware.org/binutils/docs-2.46/sframe-spec.html).
 */
#ifndef PERF_CFI_SFRAME_H
#define PERF_CFI_SFRAME_H

#include "cfi/cfi_read.h"

/**
 * unwind_sframe_read() - the functions that a section describes
 * @s: the section
 * @r: where to
 *
 * Return: NULL, or why the section is unreadable; single damaged functions are
 * counted.
 */
const char *unwind_sframe_read(const struct unwind_section *s, struct unwind_rows *r);

#endif /* PERF_CFI_SFRAME_H */

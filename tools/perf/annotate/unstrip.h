/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One file of a stripped program and its symbols.
 */
#ifndef PERF_ANNOTATE_UNSTRIP_H
#define PERF_ANNOTATE_UNSTRIP_H

struct dso;

/**
 * unstripped_file() - make a file for objdump with the program's code and all symbols
 * @d: the program
 *
 * objdump uses only the symbols of the file that it disassembles. In a stripped program it would
 * name jump targets and data by the preceding exported symbol.
 *
 * Return: a descriptor of a file in memory; -ENODATA: there are no other symbols than the
 * program's; or another -errno.
 */
int unstripped_file(struct dso *d);

#endif /* PERF_ANNOTATE_UNSTRIP_H */

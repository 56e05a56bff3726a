/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One file of a stripped program and its symbols.
 */
#ifndef PERF_ANNOTATE_UNSTRIP_H
#define PERF_ANNOTATE_UNSTRIP_H

struct dso;

/**
 * unstripped_file() - make a file for objdump that has code and symbols, as before the program was stripped
 * @d: the program
 *
 * objdump names jump targets and data by the symbols of the file that it reads alone, and of a stripped one these are
 * whatever exported symbol comes before.
 *
 * Return: a descriptor of a file in memory; -ENODATA: the program has all the symbols that there are; or another
 * -errno.
 */
int unstripped_file(struct dso *d);

#endif /* PERF_ANNOTATE_UNSTRIP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a user callchain end where the program begins, or was it cut before? The
 * unwind tables of the files decide.
 */
#ifndef PERF_CMD_CHAIN_END_H
#define PERF_CMD_CHAIN_END_H

#include "base/types.h"

struct dso;
struct chain_ends;

enum chain_end {
	CHAIN_UNKNOWN,		/* the file does not say whether there is a caller */
	CHAIN_WHOLE,		/* there is none */
	CHAIN_CUT,		/* there is one */
	CHAIN_NOWHERE,		/* no file is mapped there: data, or a mapping that was not recorded */
};

struct chain_ends *chain_ends_create(void);
void chain_ends_destroy(struct chain_ends *e);

/**
 * chain_end() - what the outermost entry of a user callchain is
 * @e: the files of earlier calls
 * @d: the file that is mapped there; NULL: none, which is no place for code
 * @off: offset of the entry in the file
 * @returns: it is a return address, behind a call
 *
 * Chains of one file that end at more than a few places make its unwind table. A file that is not on this
 * machine, is not x86-64 or has nothing to describe its code is unknown.
 */
enum chain_end chain_end(struct chain_ends *e, struct dso *d, u64 off, bool returns);

/**
 * chain_end_is_start() - may a walk by frame pointer end here?
 * @d: the file of the outermost entry; NULL: none
 * @off: offset of the entry, a return address, in the file
 * @in_programs: also in a program that was linked statically and has the C library in it. Its symbols are read.
 *
 * The C library calls main() and the functions of threads, and has no frame pointers on most
 * distributions: a walk that comes as far as that is as complete as it can be. What the library
 * exports does not: there is a caller.
 */
bool chain_end_is_start(struct dso *d, u64 off, bool in_programs);

#endif /* PERF_CMD_CHAIN_END_H */

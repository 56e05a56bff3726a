/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf unwind: shared by its files.
 */
#ifndef PERF_CMD_UNWIND_UNWIND_H
#define PERF_CMD_UNWIND_UNWIND_H

#include "cfi/elf.h"	/* IWYU pragma: export */

/* What a comparison found, in bytes of code. */
struct unwind_compared {
	u64 equal;		/* both say the same */
	u64 wrong;		/* they say different things */
	u64 absent;		/* libdw has a rule that the table could have, and has not */
	u64 unknown;		/* libdw has a rule, the table says that it cannot have it */
	u64 fp_lost;		/* equal except the frame pointer, which the table does not have */
	u64 nothing;		/* neither has anything */
	u64 only_ours;		/* libdw has nothing */
	u64 first_wrong;	/* file offset */
	char what[160];		/* first difference */
};

/**
 * unwind_compare() - hold a table against what libdw says, for every byte of the code
 * @path: the file
 * @made: its table
 * @cmp: where the result goes
 *
 * Both say the same for whole runs of bytes: they are compared wherever either
 * begins to say something else, and at each byte that libdw says nothing of.
 *
 * Return: 0, or -1 after diag_error() when libdw cannot read the file.
 */
int unwind_compare(const char *path, const struct unwind_made *made, struct unwind_compared *cmp);

/**
 * unwind_fill_cache() - make the tables of files, on all cores, and keep them in perf's cache
 * @files: their paths
 * @nr: how many
 *
 * Prints how many were made. Return: 0, or -1 after diag_error() when there is no cache; a
 * file without a table is one diag_error().
 */
int unwind_fill_cache(char **files, u32 nr);

/**
 * unwind_serve() - perf unwind --serve
 * @limit: maximum of all tables in bytes
 *
 * Returns after SIGTERM or SIGINT. Return: 0, or -1 after diag_error().
 */
int unwind_serve(u64 limit);

#endif /* PERF_CMD_UNWIND_UNWIND_H */

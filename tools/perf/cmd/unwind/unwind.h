/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf unwind: shared by its files.
 */
#ifndef PERF_CMD_UNWIND_UNWIND_H
#define PERF_CMD_UNWIND_UNWIND_H

#include "cfi/elf.h"	/* IWYU pragma: export */

struct outbuf;

/**
 * status_listen() - become the only service
 * @folder: set to a descriptor that is held open as long as it runs
 *
 * Return: the socket, not blocking; -1 after diag_error(): another one runs, or none
 * can be made.
 */
int status_listen(int *folder);

/* status_answer - send @text to all who wait at @socket */
void status_answer(int socket, struct outbuf *text);

/* status_remove - the service ends */
void status_remove(void);

/*
 * status_print - perf unwind --status: print the state of the running service. Return: 0, or -1
 * after diag_error(): none runs.
 */
int status_print(void);

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
 *
 * Prints how many were made. Return: 0, or -1 after diag_error() when there is no cache; a
 * file without a table is one diag_error().
 */
int unwind_fill_cache(char **files, u32 nr);

/*
 * unwind_serve - perf unwind --serve; @limit: maximum of all tables in bytes. Returns after SIGTERM
 * or SIGINT. Return: 0, or -1 after diag_error().
 */
int unwind_serve(u64 limit);

#endif /* PERF_CMD_UNWIND_UNWIND_H */

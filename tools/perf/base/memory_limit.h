/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory that a command may take (--max-memory): one limit for all that it allocates, libraries
 * included. Mapped recordings and ELF files do not count.
 */
#ifndef PERF_BASE_MEMORY_LIMIT_H
#define PERF_BASE_MEMORY_LIMIT_H

#include "base/types.h"

/**
 * memory_limit_set() - set the limit
 * @bytes: anonymous memory that the process may have; 0: three quarters of the machine's memory, the default
 *
 * Context: before threads are started, and again in a process that was forked.
 */
void memory_limit_set(u64 bytes);

/* memory_limit_forked - the limit is that of this process, which has closed all descriptors */
void memory_limit_forked(void);

/* memory_limit_lift - remove the limit; context as for memory_limit_set() */
void memory_limit_lift(void);

/* Allocations of at least this many bytes are checked against the limit: blocks of arenas, grown arrays. */
#define MEMORY_LARGE 65536

/*
 * memory_check - end the program with one line if the limit is exceeded; @size: bytes that were
 * allocated and not yet written. Context: any thread.
 */
void memory_check(size_t size, bool refused);

/*
 * Memory of a process that runs long: what it knows is dropped when that exceeds the limit. If
 * more than the limit is needed for what is in use, memory may grow to twice as much.
 */
struct memory_bound {
	u64 limit;		/* bytes of the process, with mapped files */
	u64 needed;		/* memory_needed() */
};

/* memory_needed - measure the memory for what is in use: it was dropped, and made again */
void memory_needed(struct memory_bound *b);

/* memory_exceeds - is it time to drop? */
bool memory_exceeds(const struct memory_bound *b);

#endif /* PERF_BASE_MEMORY_LIMIT_H */

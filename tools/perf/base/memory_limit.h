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
 * Context: before threads are started.
 */
void memory_limit_set(u64 bytes);

/* memory_limit_lift - no limit; likewise */
void memory_limit_lift(void);

/* Allocations of at least so many bytes are compared with the limit: blocks of arenas, grown arrays. */
#define MEMORY_LARGE 65536

/**
 * memory_check() - end the program with one line if memory is out
 * @size: bytes that were allocated, not yet written to
 * @refused: they could not be allocated
 *
 * Context: any thread.
 */
void memory_check(size_t size, bool refused);

/* memory_resident - resident memory of this process, in bytes; 0: unknown */
u64 memory_resident(void);

#endif /* PERF_BASE_MEMORY_LIMIT_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Large allocations compare the limit with the process's anonymous memory, which has the
 * allocations of libraries in it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/memory_limit.h"

static u64 limit;		/* bytes; 0: none */
static int statm = -1;		/* /proc/self/statm */

void memory_limit_set(u64 bytes)
{
	if (statm >= 0)
		close(statm);
	statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	limit = bytes ?: (u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4 * 3;
}

void memory_limit_forked(void)
{
	statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

void memory_limit_lift(void)
{
	limit = 0;
}

/* The process's memory in bytes, and of it the pages of files. 0: not known */
static u64 resident(u64 *of_files)
{
	char text[128] = "";
	u64 pages, shared;

	/* The second number is of the resident pages, the third of those of files, proc(5). */
	if (pread(statm, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%*u %llu %llu", &pages, &shared) != 2)
		return *of_files = 0;
	*of_files = shared * sysconf(_SC_PAGESIZE);
	return pages * sysconf(_SC_PAGESIZE);
}

void memory_check(size_t size, bool refused)
{
	u64 all, of_files;

	if (refused)
		diag_fatal("out of memory (%zu more bytes wanted)", size);
	if (size < MEMORY_LARGE || !limit)
		return;
	all = resident(&of_files);
	if (all - of_files + size > limit)
		diag_fatal("out of memory: %zu more bytes would exceed %llu MB: use a larger --max-memory",
			   size, limit >> 20);
}

void memory_needed(struct memory_bound *b)
{
	u64 of_files;

	b->needed = resident(&of_files);
}

bool memory_exceeds(const struct memory_bound *b)
{
	u64 of_files;

	return resident(&of_files) > max(b->limit, 2 * b->needed);
}

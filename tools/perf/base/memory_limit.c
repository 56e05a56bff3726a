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
	if (statm < 0)
		statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	limit = bytes ?: (u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4 * 3;
}

void memory_limit_lift(void)
{
	limit = 0;
}

void memory_check(size_t size, bool refused)
{
	char text[128] = "";
	u64 resident, shared;

	if (refused)
		diag_fatal("out of memory (%zu more bytes wanted)", size);
	/* The second number is of the resident pages, the third of those of files, proc(5). */
	if (size < MEMORY_LARGE || !limit || pread(statm, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%*u %llu %llu", &resident, &shared) != 2)
		return;
	if ((resident - shared) * sysconf(_SC_PAGESIZE) + size > limit)
		diag_fatal("out of memory: %zu more bytes would exceed %llu MB: use a larger --max-memory",
			   size, limit >> 20);
}

u64 memory_resident(void)
{
	u64 pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

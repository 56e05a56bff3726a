// SPDX-License-Identifier: GPL-2.0
/*
 * Faults in stack pages that were never used, as in the middle of a large array, where the kernel's
 * copy ends: reading a byte of one from another process maps the zero page. It owns nothing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/record/recorder.h"

#define MAPS_MAX	(4u << 20)	/* limit of bytes read from /proc/PID/maps */
#define SPAN		65536		/* bytes below and above the stack pointer */
#define MAX_PAGES	(2 * SPAN / 4096 + 1)

struct stack_mapping {
	u64 sp, start, end;		/* end 0: not found */
};

/* "start-end perms offset major:minor inode   path" */
static void on_line(void *ctx, const char *line, const char *end)
{
	struct stack_mapping *s = ctx;
	u64 from, to, inode;
	char head[128], perms[5];

	if (s->end)
		return;
	snprintf(head, sizeof(head), "%.*s", (int)(end - line), line);
	if (sscanf(head, "%llx-%llx %4s %*x %*x:%*x %llu", &from, &to, perms, &inode) != 4 || s->sp < from || s->sp >= to ||
	    inode || perms[1] != 'w' || perms[3] != 'p')
		return;
	s->start = from;
	s->end = to;
}

void stack_pages_read(u32 pid, u64 sp, u64 end)
{
	u64 page = sysconf(_SC_PAGESIZE), at;
	struct stack_mapping s = { .sp = sp };
	struct iovec to, from[MAX_PAGES];
	char path[64], bytes[MAX_PAGES];
	_cleanup_close_ int fd = -1;
	u32 nr = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	lines_read(fd, MAPS_MAX, on_line, &s);
	/* A copy that ends with the stack lacks no page. */
	if (!s.end || s.end == end)
		return;
	for (at = max(s.start, (sp & ~(page - 1)) - SPAN); at < min(s.end, sp + SPAN) && nr < MAX_PAGES; at += page)
		from[nr++] = (struct iovec){ (void *)(uintptr_t)at, 1 };
	to = (struct iovec){ bytes, nr };
	process_vm_readv(pid, &to, 1, from, nr, 0);
}

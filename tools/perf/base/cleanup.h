/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scope-bound cleanup: a variable declared with one of these is released at the end of its
 * scope, on every path. no_close() passes a descriptor out of the scope.
 */
#ifndef PERF_BASE_CLEANUP_H
#define PERF_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define _cleanup_(fn) __attribute__((cleanup(fn)))
#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)
#define _cleanup_closedir_ _cleanup_(cleanup_closedir)

/* no_close - take the descriptor out of its cleanup variable */
#define no_close(fd) ({ int _fd = (fd); (fd) = -1; _fd; })

#endif /* PERF_BASE_CLEANUP_H */

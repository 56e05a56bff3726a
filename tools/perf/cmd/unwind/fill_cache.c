// SPDX-License-Identifier: GPL-2.0
/*
 * perf unwind --cache: makes tables in advance, on all cores. The threads take the files one by
 * one by an atomic counter; the cache is thread-safe.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "cfi/cache.h"
#include "cmd/tables/cache.h"
#include "cmd/unwind/unwind.h"

struct cache_job {
	struct unwind_cache *cache;
	char **files;
	u32 nr;
	u32 next;			/* these are atomic */
	u64 made, found, bytes;
};

static void *make_tables(void *arg)
{
	struct cache_job *job = arg;
	const char *why;
	struct unwind_image image;
	u32 i;
	int ret;

	while ((i = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED)) < job->nr) {
		ret = unwind_cache_get(job->cache, job->files[i], &image, &why);
		if (why)
			diag_error("%s: %s%s", job->files[i], ret < 0 ? "no unwind table: " :
				   "the table is incomplete, or not kept: ", why);
		if (ret < 0)
			continue;
		__atomic_fetch_add(ret ? &job->found : &job->made, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&job->bytes, image.size, __ATOMIC_RELAXED);
		unwind_image_free(&image);
	}
	return NULL;
}

int unwind_fill_cache(char **files, u32 nr)
{
	struct cache_job job = { .files = files, .nr = nr };
	u32 i, removed, most, threads = 0;
	pthread_t thread[64];
	const char *why;
	long cores;
	u64 limit;

	if (unwind_open_cache(&job.cache, &limit, &why))
		return -1;
	if (why)
		return diag_error("the cache of unwind tables, ~/.debug/.unwind, can't be used: %s", why);
	cores = min(sysconf(_SC_NPROCESSORS_ONLN), (long)ARRAY_SIZE(thread) + 1);
	most = cores < 1 ? 1 : min((u32)cores, nr);
	while (threads + 1 < most &&
	       !pthread_create(&thread[threads], NULL, make_tables, &job))
		threads++;
	make_tables(&job);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	removed = unwind_cache_trim(job.cache, limit);
	unwind_cache_close(job.cache);
	printf("%llu tables made, %llu there, %llu bytes; %u old ones removed\n", job.made, job.found,
	       job.bytes, removed);
	return 0;
}

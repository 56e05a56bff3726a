// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that read the kernel's buffers, compress the records and write each to a file of its own
 * (data.N), when the loop wakes them: one for each group of CPUs, of sysfs or as listed. The
 * drain's lock protects what belongs to no single buffer.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/sysfs.h"
#include "cmd/record/recorder.h"
#include "measure/affinity.h"

#define MAX_NODES 1024

static const struct { const char *name, *lists; } layouts[] = {
	{ "cpu", "" }, { "core", "cpu/cpu%u/topology/thread_siblings_list" },
	{ "package", "cpu/cpu%u/topology/core_siblings_list" }, { "numa", "node/node%u/cpulist" },
};

static const struct thread_group *find(const struct thread_groups *g, s32 cpu, bool affinity)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		if (cpu_list_has(affinity ? &g->v[i].affinity : &g->v[i].cpus, cpu))
			return &g->v[i];
	return NULL;
}

/* Index of the group that reads a CPU's buffer: the first, if it is in none. */
static u32 group_of(const struct thread_groups *g, s32 cpu)
{
	const struct thread_group *group = find(g, cpu, false);

	return group ? group - g->v : 0;
}

/* Add a group of those of @cpus that are online and in no group. */
static void add_group(struct thread_groups *g, const struct cpu_list *cpus,
		      const struct cpu_list *online)
{
	struct thread_group group = { 0 };
	u32 i;

	for (i = 0; i < cpus->nr; i++) {
		if (!cpu_list_has(online, cpus->v[i]) || find(g, cpus->v[i], false))
			continue;
		cpu_list_add(&group.cpus, cpus->v[i]);
		cpu_list_add(&group.affinity, cpus->v[i]);
	}
	if (!group.cpus.nr)
		return;
	GROW(g->v, g->nr, g->cap);
	g->v[g->nr++] = group;
}

/* Add the groups that the lists of sysfs make; each CPU that is in none of them is a group. */
static void add_layout(struct thread_groups *g, const char *lists, const struct cpu_list *online)
{
	u32 i, last = max(online->v[online->nr - 1], MAX_NODES);
	char path[512], name[64], text[4096];

	for (i = 0; *lists && i <= last; i++) {
		struct cpu_list cpus = { 0 };

		snprintf(name, sizeof(name), lists, i);
		snprintf(path, sizeof(path), "%s/devices/system/%s", sysfs_root(), name);
		if (read_text(path, text, sizeof(text)) > 0 && !cpu_list_parse(text, &cpus))
			add_group(g, &cpus, online);
		free(cpus.v);
	}
	for (i = 0; i < online->nr; i++)
		add_group(g, &(struct cpu_list){ .v = &online->v[i], .nr = 1 }, online);
}

/* Parse the CPUs or the affinity of the last group. */
static int parse_mask(struct thread_groups *g, const char *text, bool affinity,
		      const struct cpu_list *online)
{
	struct thread_group *group = &g->v[g->nr - 1];
	struct cpu_list *list = affinity ? &group->affinity : &group->cpus;
	struct cpu_list all = { 0 };
	int err = cpu_list_parse(text, &all);
	u32 i;

	if (err)
		diag_error("--threads: '%s' is not cpu, core, package, numa or a list of masks like "
			   "0-3/0-3:4,5/4", text);
	for (i = 0; i < all.nr && !err; i++) {
		if (find(g, all.v[i], affinity))
			err = diag_error("--threads: CPU %d is in the %s of two threads", all.v[i],
					 affinity ? "affinity" : "mask");
		else if (cpu_list_has(online, all.v[i]))
			cpu_list_add(list, all.v[i]);
	}
	if (!err && !list->nr)
		err = diag_error("--threads: no CPU of '%s' is online", text);
	free(all.v);
	return err;
}

int thread_groups_settle(const char *spec, const struct cpu_list *online, struct thread_groups *g)
{
	_cleanup_free_ char *copy = xstrdup(spec ?: "");
	char *rest = copy, *cpus, *affinity;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (spec && !strcmp(spec, layouts[i].name)) {
			add_layout(g, layouts[i].lists, online);
			return 0;
		}
	}
	while (spec && (cpus = strsep(&rest, ":"))) {
		affinity = cpus;
		strsep(&affinity, "/");
		GROW(g->v, g->nr, g->cap);
		g->v[g->nr++] = (struct thread_group){ 0 };
		if (parse_mask(g, cpus, false, online) ||
		    parse_mask(g, affinity ?: "", true, online))
			return -1;
	}
	return 0;
}

void thread_groups_deinit(struct thread_groups *g)
{
	u32 i;

	for (i = 0; i < g->nr; i++) {
		free(g->v[i].cpus.v);
		free(g->v[i].affinity.v);
	}
	free(g->v);
}

struct stream_thread {
	struct recorder *rec;
	u32 group;
	pthread_t thread;
	sem_t wake;
	bool awake;		/* it will look at its buffers; set by the loop */
	bool stop;
};

static int read_buffers(const struct stream_thread *t)
{
	struct recorder *rec = t->rec;
	const struct rings *r = &rec->rings;
	int err = 0;
	u32 i;

	for (i = 0; i < r->nr && !err; i++)
		if (rec->streams.of[i] == t->group)
			err = drain_ring(rec, i);
	return err;
}

static void *run(void *arg)
{
	struct stream_thread *t = arg;
	struct recorder *rec = t->rec;
	int err = 0;

	affinity_bind(&rec->groups.v[t->group].affinity);
	while (!err && !__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE)) {
		while (sem_wait(&t->wake))
			;
		__atomic_store_n(&t->awake, false, __ATOMIC_SEQ_CST);
		err = read_buffers(t);
	}
	if (err) {
		__atomic_store_n(&rec->streams.err, err, __ATOMIC_RELAXED);
		eventfd_write(rec->streams.failure, 1);
	}
	return NULL;
}

int streams_start(struct recorder *rec)
{
	const struct rings *r = &rec->rings;
	int err = 0;
	u32 i;

	if (!rec->groups.nr)
		return 0;
	rec->streams.of = xcalloc(r->nr, sizeof(*rec->streams.of));
	for (i = 0; i < r->nr; i++)
		rec->streams.of[i] = group_of(&rec->groups, r->v[i].cpu);
	rec->streams.failure = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rec->streams.failure < 0)
		return diag_error("--threads: %s", strerror(errno));
	rec->streams.v = xcalloc(rec->groups.nr, sizeof(*rec->streams.v));
	while (rec->streams.nr < rec->groups.nr && !err) {
		struct stream_thread *t = &rec->streams.v[rec->streams.nr];

		t->rec = rec;
		t->group = rec->streams.nr;
		sem_init(&t->wake, 0, 0);
		/* With the priority of -r. */
		err = pthread_create(&t->thread, NULL, run, t);
		rec->streams.nr += !err;
	}
	return err ? diag_error("--threads: cannot start thread %u: %s", rec->streams.nr, strerror(err)) : 0;
}

static void wake(struct stream_thread *t)
{
	if (!__atomic_exchange_n(&t->awake, true, __ATOMIC_SEQ_CST))
		sem_post(&t->wake);
}

void streams_wake(struct recorder *rec, u32 ring)
{
	if (rec->streams.nr)
		wake(&rec->streams.v[rec->streams.of[ring]]);
}

void streams_wake_all(struct recorder *rec)
{
	u32 i;

	for (i = 0; i < rec->streams.nr; i++)
		wake(&rec->streams.v[i]);
}

int streams_error(const struct recorder *rec)
{
	return __atomic_load_n(&rec->streams.err, __ATOMIC_RELAXED);
}

int streams_stop(struct recorder *rec)
{
	u32 i;

	for (i = 0; i < rec->streams.nr; i++)
		__atomic_store_n(&rec->streams.v[i].stop, true, __ATOMIC_RELEASE);
	streams_wake_all(rec);
	for (i = 0; i < rec->streams.nr; i++) {
		pthread_join(rec->streams.v[i].thread, NULL);
		sem_destroy(&rec->streams.v[i].wake);
	}
	rec->streams.nr = 0;
	return streams_error(rec);
}

void streams_deinit(struct recorder *rec)
{
	free(rec->streams.v);
	free(rec->streams.of);
	if (rec->streams.failure >= 0)
		close(rec->streams.failure);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Chains by table where something else is on the stack or in the code: uprobes and
 * uretprobes; libraries that come and go; NMIs at any instruction.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unwind/table.h"
#include "../unwind/test.h"
#include "../unwind/worker.h"
#include "step.h"

#define TABLES		"/tests/tables"
#define LIBRARY		"/tests/table-lib.so"
#define UPROBES		"/sys/kernel/tracing/uprobe_events"
#define CONTROL		"/sys/kernel/debug/unwind_test/control"
#define PMU		"/sys/bus/event_source/devices/unwind_test/type"
#define SAMPLES		3

/*
 * Probed functions, each a few frames above the system call. Their return addresses are
 * noted when there are no probes yet, for a uretprobe puts another one there.
 */
static u64 inner_ra, outer_ra;

static void enter_probed(struct trail *t, u64 *noted, void *ra)
{
	if (!*noted)
		*noted = (u64)ra;
	t->ra[t->nr++] = *noted;
}

static noinline void probed_inner(struct trail *t)
{
	volatile char pad[40];

	enter_probed(t, &inner_ra, __builtin_return_address(0));
	pad[1] = 1;
	variants->descend(t, pad[1]);
	keep_frame();
	trail_leave(t);
}

static noinline void probed_outer(struct trail *t)
{
	enter_probed(t, &outer_ra, __builtin_return_address(0));
	probed_inner(t);
	keep_frame();
	trail_leave(t);
}

static noinline void run_probed(void *arg)
{
	struct trail *t = arg;

	trail_enter(t);
	t->at_end = trail_syscall;
	probed_outer(t);
	keep_frame();
	trail_leave(t);
}

/* A probe, and an event that keeps it alive; the chain of its own samples, too. */
static void probe_add(struct recorder *r, const char *kind, const char *name, const void *fn)
{
	char line[256], path[64], exe[128];
	struct perf_event_attr attr;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int i;

	exe[n < 0 ? 0 : n] = '\0';
	snprintf(line, sizeof(line), "%s:tables/%s %s:%#llx", kind, name, exe,
		 (unsigned long long)table_offset_of((u64)fn));
	if (!write_text(UPROBES, line))
		die("%s", line);
	snprintf(path, sizeof(path), "tables/%s", name);
	for (i = 0; i < SAMPLES; i++) {
		attr_tracepoint(&attr, path);
		attr_defer(&attr);
		recorder_add(r, &attr, 0, -1, r->nr_events ? -1 : 6);
	}
}

static void probe_del(const char *name)
{
	char line[64];

	snprintf(line, sizeof(line), "-:tables/%s", name);
	if (!write_text(UPROBES, line))
		die("%s", line);
}

/* Chains of the probes' own samples: they end with what was below @skip of the trail. */
static bool ends_as(const struct chain *chain, const u64 *ra, int nr, int first)
{
	int i;

	if (chain->nr != first + nr)
		return false;
	for (i = 0; i < nr; i++)
		if (chain->ip[first + i] != ra[nr - 1 - i])
			return false;
	return true;
}

TEST(probes, "uprobes and uretprobes of functions without frame pointers")
{
	struct trail t = { 0 };
	struct recorder r = { 0 };
	struct chain chain;
	int event = add_tables(TABLES), i, j, entry = 0, ret = 0, wrong = 0;

	base_run(run_probed, &t);
	probe_add(&r, "p", "entry", probed_inner);
	probe_add(&r, "r", "inner", probed_inner);
	probe_add(&r, "r", "outer", probed_outer);
	recorder_enable(&r);
	trail_watch();
	base_run(run_probed, &t);
	trail_check(1, "a system call below two uretprobes");
	recorder_disable(&r);
	recorder_read(&r);
	/*
	 * t.ra still has base_ip, then the return addresses of probed_outer() and
	 * probed_inner(). At probed_inner()'s entry: its ip, and these three. When it has
	 * returned: the ip there, and two.
	 */
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		for (j = 0; j < r.nr_events && r.id[j] != r.rec[i].id; j++)
			;
		chain = recorder_chain(&r, i);
		j /= SAMPLES;
		entry += !j;
		ret += j > 0;
		if (ends_as(&chain, t.ra, 3 - j, 1))
			continue;
		if (!wrong++) {
			diag("probe %d: %d entries", j, chain.nr);
			for (j = 0; j < chain.nr; j++)
				diag("  %#llx", (unsigned long long)chain.ip[j]);
			for (j = 0; j < 3; j++)
				diag("  trail %#llx", (unsigned long long)t.ra[j]);
		}
	}
	ok(entry == SAMPLES && ret == 2 * SAMPLES && !wrong,
	   "%d samples at an entry, %d at returns, %d wrong", entry, ret, wrong);
	recorder_close(&r);
	probe_del("entry");
	probe_del("inner");
	probe_del("outer");
	close(event);
}

#ifdef __PIE__

/* A library whose code is there while it is sampled, and not before or behind. */
static void (*lib_run)(struct trail *t, int depth);

static noinline void in_library(void *arg)
{
	struct trail *t = arg;

	trail_enter(t);
	t->at_end = trail_syscall;
	lib_run(t, 3);
	keep_frame();
	trail_leave(t);
}

TEST(library, "a library that comes and goes while it is sampled")
{
	struct table table = table_read(TABLES "/table-lib.so.table");
	struct trail t = { 0 };
	int event = add_tables(TABLES), i;
	void *lib;

	if (!table.data || table_add_file(event, LIBRARY, &table))
		die("the library's table");
	trail_watch();
	for (i = 0; i < 25; i++) {
		lib = dlopen(LIBRARY, RTLD_NOW);
		if (!lib)
			die("dlopen: %s", dlerror());
		lib_run = dlsym(lib, "lib_descend");
		base_run(in_library, &t);
		dlclose(lib);
	}
	trail_check(25, "dlopen(), a call, dlclose()");
	close(event);
}

#endif

/* Spins in the innermost function of a trail, for NMIs to come in. */
static volatile struct {
	int ready, stop;
} *spin;
static struct trail *spin_trail;

static noinline void spin_here(struct trail *t)
{
	trail_enter(t);
	memcpy(spin_trail, t, sizeof(*t));
	spin->ready = 1;
	while (!spin->stop)
		;
	keep_frame();
	trail_leave(t);
}

static noinline void run_spinning(void *arg)
{
	struct trail *t = arg;

	trail_enter(t);
	t->at_end = spin_here;
	variants->descend(t, 4);
	keep_frame();
	trail_leave(t);
}

TEST(nmis, "samples from NMIs in user mode, by table")
{
	int event = add_tables(TABLES), i, cpu = nr_cpus() - 1, samples = 0, wrong = 0, tries;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct trail t = { 0 };
	struct chain chain;
	char command[64];
	pid_t pid;

	if (access(CONTROL, W_OK) || nr_cpus() < 2) {
		skip("unwind_test.ko is not loaded, or one CPU only", "samples from NMIs");
		return;
	}
	spin = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spin == MAP_FAILED)
		die("mmap");
	spin_trail = (struct trail *)((char *)spin + 4096);
	pid = fork();
	if (!pid) {
		pin(cpu);
		base_run(run_spinning, &t);
		_exit(0);
	}
	pin(0);
	while (!spin->ready)
		usleep(1000);
	for (i = 0; i < 2; i++) {
		attr_init(&attr, read_long(PMU), 0);
		attr_defer(&attr);
		recorder_add(&r, &attr, pid, -1, i ? -1 : 6);
	}
	recorder_enable(&r);
	snprintf(command, sizeof(command), "cpu %d 0 50", cpu);
	for (tries = 0; tries < 10 && samples < 40; tries++) {
		if (!write_text(CONTROL, command))
			die("%s", command);
		recorder_read(&r);
		for (i = samples = 0; i < r.nr; i++)
			samples += r.rec[i].type == PERF_RECORD_SAMPLE && r.rec[i].ip < 1ULL << 63;
	}
	recorder_disable(&r);
	recorder_read(&r);
	spin->stop = 1;
	waitpid(pid, NULL, 0);
	for (i = samples = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE || r.rec[i].ip >> 63)
			continue;
		samples++;
		chain = recorder_chain(&r, i);
		if (!ends_as(&chain, spin_trail->ra, spin_trail->nr, 1) && !wrong++)
			diag("%d entries of %d", chain.nr, spin_trail->nr + 1);
	}
	ok(samples >= 20 && !wrong, "%d samples from NMIs in user mode, %d wrong", samples, wrong);
	recorder_close(&r);
	close(event);
}

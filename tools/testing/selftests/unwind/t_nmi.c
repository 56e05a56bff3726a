// SPDX-License-Identifier: GPL-2.0
/*
 * perf samples from NMIs, wherever they come in: also in the first instructions
 * of an entry to the kernel, where the user registers of this entry are not
 * saved yet. The NMIs and the samples are tools/testing/modules/'s.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"
#include "test.h"
#include "worker.h"

#define CONTROL	"/sys/kernel/debug/unwind_test/control"
#define PMU	"/sys/bus/event_source/devices/unwind_test/type"
#define CALLS	1000000

/* Two call paths in turn; when each of their system calls began and ended. */
struct shared {
	volatile int ready, stop;
	volatile long calls;
	u64 end[CALLS];
};

static const int depths[2] = { 3, 24 };

static u64 entry_text[2];

static void find_entry_text(void)
{
	entry_text[0] = kernel_symbol("__entry_text_start");
	entry_text[1] = kernel_symbol("__entry_text_end");
	if (!entry_text[0] || !entry_text[1])
		die("no __entry_text_start in /proc/kallsyms");
}

static void alternate(struct shared *sh, int cpu)
{
	struct path path[2] = { { 0 }, { 0 } };
	long i;

	pin(cpu);
	for (i = 0; i < 2; i++)
		path_syscall_at(&path[i], depths[i], SYS_getppid, 0, 0, 0, 0);
	sh->ready = 1;
	for (i = 0; i < CALLS && !sh->stop; i++) {
		path_syscall_at(&path[i & 1], depths[i & 1], SYS_getppid, 0, 0, 0, 0);
		sh->end[i] = now_ns();
		sh->calls = i + 1;
	}
	_exit(0);
}

/* The call that @time is in: calls follow each other without a gap. */
static long find_call(const struct shared *sh, u64 time)
{
	long low = 0, high = sh->calls;

	while (low < high) {
		long mid = (low + high) / 2;

		if (sh->end[mid] < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

TEST(nmientry, "samples from NMIs at any instruction of an entry have its own stack")
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int i, cpu = nr_cpus() - 1, entry = 0, kernel = 0, right = 0, wrong = 0, none = 0, tries;
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path want[2];
	char command[64];
	pid_t pid;

	if (sh == MAP_FAILED)
		die("mmap");
	if (access(CONTROL, W_OK) || nr_cpus() < 2) {
		skip("unwind_test.ko is not loaded, or one CPU only", "samples from NMIs");
		return;
	}
	find_entry_text();
	for (i = 0; i < 2; i++)
		path_want_syscall(&want[i], depths[i]);
	pid = fork();
	if (!pid)
		alternate(sh, cpu);
	while (!sh->ready)
		usleep(1000);
	pin(0);

	attr_init(&attr, read_long(PMU), 0);
	attr.sample_period = 1;
	attr_defer(&attr);
	recorder_add(&r, &attr, pid, -1, 8);
	recorder_enable(&r);
	snprintf(command, sizeof(command), "cpu %d 0 100", cpu);
	for (tries = 0; tries < 40 && entry < 4; tries++) {
		if (!write_text(CONTROL, command))
			die("%s", command);
		recorder_read(&r);
		for (i = entry = 0; i < r.nr; i++)
			entry += r.rec[i].type == PERF_RECORD_SAMPLE &&
				 r.rec[i].ip >= entry_text[0] && r.rec[i].ip < entry_text[1];
	}
	recorder_read_all(&r);
	recorder_disable(&r);
	sh->stop = 1;
	waitpid(pid, NULL, 0);

	for (i = 0; i < r.nr; i++) {
		const struct rec *rec = &r.rec[i];
		struct chain chain;
		long call;

		/* In user mode it may be anywhere in the path; see nmiuser for that. */
		if (rec->type != PERF_RECORD_SAMPLE || rec->ip < (u64)1 << 63)
			continue;
		call = find_call(sh, rec->time);
		chain = recorder_chain(&r, i);
		kernel++;
		/* Neither of the two: an interrupt in user mode, and an NMI in that. */
		if (chain.state == CHAIN_NONE || chain.state == CHAIN_ORPHAN) {
			if (!none++)
				diag("%s: at %#llx in call %ld, cookie %#llx; %llu lost",
				     chain.state == CHAIN_NONE ? "no stack" : "no record",
				     (unsigned long long)rec->ip, call,
				     (unsigned long long)rec->cookie,
				     (unsigned long long)recorder_lost(&r));
		} else if (path_matches(&want[call & 1], &chain)) {
			right++;
		} else if (path_matches(&want[!(call & 1)], &chain) && wrong++ < 4) {
			diag("ip %#llx: the other path's stack", (unsigned long long)rec->ip);
		}
	}
	ok(entry > 0, "%d samples in entry code, %d in the kernel", entry, kernel);
	ok(!none, "%d samples without a stack", none);
	ok(right > kernel / 2, "%d with the stack of their system call", right);
	ok(!wrong, "%d with the stack of another one", wrong);
	recorder_close(&r);
	munmap(sh, sizeof(*sh));
}

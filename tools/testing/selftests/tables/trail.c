// SPDX-License-Identifier: GPL-2.0
/*
 * System calls at the end of known trails, and their samples: the trail of each call is
 * kept, in the order of the calls, and each event has one sample of each.
 */
#include <string.h>
#include <sys/syscall.h>

#include "../unwind/event.h"
#include "../unwind/test.h"
#include "frames.h"

#define CALLS	256
#define EVENTS	4	/* two at the entry, two at the exit: inline, and deferred */

struct variant *variants;
struct thrower *throwers;

void thrower_register(struct thrower *t)
{
	t->next = throwers;
	throwers = t;
}

void variant_register(struct variant *v)
{
	v->next = variants;
	variants = v;
}

static struct {
	int nr, more;
	u64 ip[65];
} want[CALLS];
static volatile int nr_wants;
static struct recorder rec;

extern const char trail_ip[];

noinline void trail_syscall(struct trail *t)
{
	long ret;
	int i;

	trail_enter(t);
	if (nr_wants < CALLS) {
		want[nr_wants].ip[0] = (u64)(unsigned long)trail_ip;
		for (i = 0; i < t->nr; i++)
			want[nr_wants].ip[i + 1] = t->ra[t->nr - 1 - i];
		want[nr_wants].nr = t->nr + 1;
		want[nr_wants].more = t->more;
		nr_wants++;
	}
	asm volatile("syscall\n"
		     ".globl trail_ip\n"
		     "trail_ip:"
		     : "=a"(ret)
		     : "a"(SYS_getppid)
		     : "rcx", "r11", "memory");
	keep_frame();
	trail_leave(t);
}

void trail_watch(void)
{
	struct perf_event_attr attr;
	int cpu, i, n;

	memset(&rec, 0, sizeof(rec));
	nr_wants = 0;
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		for (i = 0; i < EVENTS; i++) {
			attr_syscall(&attr, i >= EVENTS / 2);
			attr_defer(&attr);
			attr.inherit = 1;
			n = recorder_add(&rec, &attr, 0, cpu, i ? -1 : 7);
			event_filter_syscall(rec.fd[n], SYS_getppid);
		}
	}
	recorder_enable(&rec);
}

static bool is_want(const struct chain *chain, int call)
{
	return call < nr_wants && chain->nr == want[call].nr + want[call].more &&
	       !memcmp(chain->ip, want[call].ip, want[call].nr * sizeof(u64));
}

static void explain(const struct chain *chain, int call)
{
	int i;

	if (call >= nr_wants)
		return;
	diag("call %d: %s chain has %d entries, should have %d and %d more", call,
	     chain->state == CHAIN_INLINE ? "inline" : chain->state == CHAIN_DEFERRED ?
	     "deferred" : "no", chain->nr, want[call].nr, want[call].more);
	for (i = 0; i < 30 && (i < chain->nr || i < want[call].nr); i++)
		diag("  %2d: %#llx, should be %#llx", i,
		     i < chain->nr ? (unsigned long long)chain->ip[i] : 0,
		     i < want[call].nr ? (unsigned long long)want[call].ip[i] : 0);
}

void trail_check(int calls, const char *name)
{
	/* Events of one kind and different CPUs count as one: calls follow each other. */
	int at[EVENTS] = { 0 };
	int samples = 0, wrong = 0, i, j;
	struct chain chain;

	recorder_disable(&rec);
	recorder_read(&rec);
	recorder_sort(&rec);
	for (i = 0; i < rec.nr; i++) {
		if (rec.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		for (j = 0; j < rec.nr_events && rec.id[j] != rec.rec[i].id; j++)
			;
		chain = recorder_chain(&rec, i);
		samples++;
		if (!is_want(&chain, at[j % EVENTS]) && !wrong++)
			explain(&chain, at[j % EVENTS]);
		at[j % EVENTS]++;
	}
	ok(nr_wants == calls && samples == calls * EVENTS && !wrong,
	   "%s: %d calls, %d samples, %d wrong", name, nr_wants, samples, wrong);
	recorder_close(&rec);
}

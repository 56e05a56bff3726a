// SPDX-License-Identifier: GPL-2.0
/* Whether ptrace samples, and the event of such a recording. It owns nothing. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "cmd/record/recorder.h"
#include "measure/attr.h"
#include "measure/kernel_features.h"
#include "measure/open.h"

#define USUAL_FREQ	99
/* A thread's CPU time, which tells that it ran, is counted at the kernel's ticks, or when it leaves its CPU. */
#define MOST_FREQ	1000
#define FIELDS		(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | \
			 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* Is the event a clock, or what a machine without a PMU takes a clock for? */
static bool is_clock(const struct event_spec *s)
{
	const struct perf_event_attr *a = &s->attr;

	return !a->exclude_user && !s->cgroup &&
	       ((a->type == PERF_TYPE_SOFTWARE && a->config <= PERF_COUNT_SW_TASK_CLOCK) ||
		(a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES));
}

/* What ptrace cannot sample, or is not written for; NULL: it can sample this. */
static const char *why_not(const struct record_options *o)
{
	const struct ring_options *r = &o->ring;
	const struct { bool given; const char *what; } others[] = {
#if !defined(__x86_64__)
		{ true, "this architecture" },
#endif
		{ r->all_cpus || r->cpu_list || o->user, "-a, -C and -u" },
		{ o->pids && o->command, "-p with a command" },
		{ o->tids && o->command, "-t with a command" },
		{ o->specs.nr > 1 || (o->specs.nr && !is_clock(o->specs.v[0])),
		  "events, but for one of cpu-clock, task-clock and cycles" },
		{ o->off_cpu || o->off_cpu_only, "--off-cpu" },
		{ r->all_kernel || r->kernel_callchains, "the kernel" },
		{ r->branch_type || r->chain == SPEC_CHAIN_LBR || r->addr || r->phys || r->weight || r->data_page ||
		  r->code_page || r->raw || r->transaction || r->intr_regs || r->user_regs || r->cpu_field || r->no_time ||
		  r->identifier || r->running_time || r->per_thread_counts || r->no_samples,
		  "other fields than time, period and callchain" },
		{ r->namespaces || r->cgroups || r->switches, "namespaces, cgroups and context switches" },
		{ r->use_clockid && r->clockid != CLOCK_MONOTONIC, "clocks, but for monotonic" },
		{ r->per_thread || r->overwrite || r->parallel || o->triggers.nr,
		  "--per-thread, --overwrite, --threads and --switch-output-event" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return others[i].what;
	return NULL;
}

/* Errno of perf_event_open() if it is refused even for perf's own user code; else 0. */
static int refusal(void)
{
	struct perf_event_attr attr = PERF_IDLE;
	int err = perf_try(&attr);

	return err == -EACCES || err == -EPERM || err == -ENOSYS ? -err : 0;
}

static void say_why(int err, u64 freq)
{
	char reason[64];

	if (err != ENOSYS && kernel_paranoid() > 2)
		snprintf(reason, sizeof(reason), "kernel.perf_event_paranoid is %d", kernel_paranoid());
	else
		snprintf(reason, sizeof(reason), "%s", strerror(err));
	if (verbose >= 0)
		fprintf(stderr, "[ perf record: perf_event_open() is refused here (%s): user stacks are sampled by ptrace, %llu times a second ]\n",
			reason, freq);
}

static void add_clock(struct record_options *o, const char *name)
{
	struct event_spec *s;

	s = spec_list_add(&o->specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, name);
	s->exclude_given = true;
	s->attr.exclude_kernel = s->attr.exclude_hv = 1;
}

/* Put the clock in the place of the events. */
static int use_clock(struct record_options *o)
{
	struct ring_options *r = &o->ring;
	struct event_spec *s = o->specs.nr ? o->specs.v[0] : NULL;
	u64 freq = s && s->freq_set ? s->freq : r->freq_max ? UINT64_MAX : r->freq;
	u32 i;

	r->period = s && s->period_set ? s->period : r->period;
	if (freq > MOST_FREQ || (r->period && r->period < 1000000000 / MOST_FREQ))
		diag_warn("ptrace takes at most %d samples per second of a thread", MOST_FREQ);
	r->period = r->period ? max(r->period, 1000000000ULL / MOST_FREQ) : 0;
	r->freq = r->period ? 0 : min(freq ?: USUAL_FREQ, (u64)MOST_FREQ);
	r->freq_max = false;
	r->identifier = r->period_field = r->use_clockid = true;
	r->no_bpf_event = r->no_buildid_mmap = true;
	r->clockid = CLOCK_MONOTONIC;
	r->chain = SPEC_CHAIN_LIVE;
	spec_list_deinit(&o->specs);
	add_clock(o, "ptrace-clock");
	if (o->wall)
		add_clock(o, OFF_CPU_EVENT);
	o->specs.v[0]->is_tracking = true;
	chains_settle(r, &o->specs);
	if (error_report(attrs_configure(r, &o->specs, true)))
		return -1;
	for (i = 0; i < o->specs.nr; i++) {
		o->specs.v[i]->attr.read_format = PERF_FORMAT_ID;
		o->specs.v[i]->attr.sample_id_all = 1;
	}
	return o->specs.v[0]->attr.sample_type == FIELDS ? 1 : diag_error("--sampler ptrace: not with these options");
}

int sampler_settle(struct record_options *o, struct rings *r)
{
	const char *why = why_not(o);
	int err;

	if (o->wall && o->sampler == SAMPLER_ANY)
		o->sampler = geteuid() || !o->ring.all_cpus ? SAMPLER_PTRACE : SAMPLER_KERNEL;
	if (o->sampler == SAMPLER_PTRACE && why)
		return diag_error("--sampler ptrace does not sample %s", why);
	if (o->sampler == SAMPLER_KERNEL || (o->sampler == SAMPLER_ANY && (why || o->ring.chain <= SPEC_CHAIN_NO)))
		return 0;
	err = o->sampler == SAMPLER_ANY ? refusal() : 0;
	if (o->sampler == SAMPLER_ANY && !err)
		return 0;
	o->sampler = SAMPLER_PTRACE;
	r->cpus.nr = 0;
	cpu_list_add(&r->cpus, -1);
	if (use_clock(o) < 0)
		return -1;
	if (err)
		say_why(err, o->ring.freq ?: 1000000000 / o->ring.period);
	return 1;
}

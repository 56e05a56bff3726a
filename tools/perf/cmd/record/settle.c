// SPDX-License-Identifier: GPL-2.0
/*
 * Options become lists of CPUs and threads and complete attributes. Incompatible ones are cleared
 * here, with a warning; later code relies on it.
 */
#include <pwd.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "bpf/walk.h"
#include "cmd/record/recorder.h"
#include "event/event.h"
#include "measure/attr.h"
#include "measure/kernel_features.h"
#include "measure/open.h"

#define USUAL_FREQ	99	/* of --wall */

/* Return: true if the user exists on this system. */
static bool user_id(const char *user, uid_t *uid)
{
#ifdef PERF_STATIC	/* a static program cannot use name services */
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *pw = NULL;

	while (f && (pw = fgetpwent(f)) && strcmp(pw->pw_name, user))
		;
	if (f)
		fclose(f);
#else
	const struct passwd *pw = getpwnam(user);
#endif

	if (pw)
		*uid = pw->pw_uid;
	return pw;
}

static int parse_user(const char *user, uid_t *uid)
{
	char *end;
	u64 v;

	if (user_id(user, uid))
		return 0;
	v = strtoull(user, &end, 10);
	*uid = v;
	if (end == user || *end || *user == '-' || v >= UINT32_MAX)
		return diag_error("-u: there is no user '%s'", user);
	return 0;
}

static int add_threads(const struct record_options *o, struct thread_list *threads)
{
	uid_t uid;

	if (record_options_tasks(o) && !proc_is_ours())
		return diag_error("/proc is of another PID namespace than perf, or not mounted: its numbers are "
				  "not those of -p, -t and -u here: mount one (unshare --mount-proc), or use nsenter");
	if (o->pids && error_report(thread_list_parse(threads, o->pids, true)))
		return -1;
	if (o->tids && error_report(thread_list_parse(threads, o->tids, false)))
		return -1;
	if (!o->user)
		return 0;
	if (parse_user(o->user, &uid))
		return -1;
	thread_list_add_user(threads, uid);
	return threads->nr ? 0 : diag_error("-u: user '%s' has no process", o->user);
}

/* True if any CPU of -C is online. Warns of offline CPUs. */
static bool in_cpus(const struct cpu_list *asked, const struct cpu_list *online)
{
	s32 first = -1, last = -1;
	u32 i, on = 0;

	for (i = 0; i < asked->nr; i++) {
		if (cpu_list_has(online, asked->v[i])) {
			on++;
			continue;
		}
		first = first < 0 ? asked->v[i] : first;
		last = asked->v[i];
	}
	if (on && first >= 0)
		diag_warn("-C: %u of these CPUs (%d%s%.0d) are not online: not measured", asked->nr - on, first,
			  last > first ? " ... " : "", last > first ? last : 0);
	return on || !asked->nr;
}

static int settle_targets(struct record_options *opts, struct rings *r)
{
	struct ring_options *o = &opts->ring;
	bool tasks = record_options_tasks(opts);

	if (tasks && (o->all_cpus || o->cpu_list)) {
		diag_warn("%s given: %s does not apply", opts->pids ? "-p" : opts->tids ? "-t" : "-u",
			  o->all_cpus ? "-a" : "-C");
		o->all_cpus = false;
		o->cpu_list = NULL;
	}
	if (!tasks && !opts->command)
		o->all_cpus = true;
	if (o->per_thread && (o->all_cpus || o->cpu_list)) {
		diag_warn("-a and -C measure CPUs: --per-thread does not apply");
		o->per_thread = false;
	}
	if (add_threads(opts, &r->threads))
		return -1;
	if (o->cpu_list && cpu_list_parse(o->cpu_list, &r->asked))
		return diag_error("-C '%s' is no list of CPUs: want 0-3,8", o->cpu_list);
	if (o->per_thread)
		cpu_list_add(&r->cpus, -1);
	else
		cpu_list_online(&r->cpus);
	if (!in_cpus(&r->asked, &r->cpus))
		return diag_error("-C %s: none of these CPUs is online", o->cpu_list);
	return 0;
}

/*
 * Events of running tasks are enabled one by one: a deferred sample would be lost on a CPU where
 * the event is not yet. A dummy is enabled on all CPUs from the start.
 */
static bool defers_at_once(const struct record_options *opts)
{
	bool defer = chain_used(&opts->ring, &opts->specs, SPEC_CHAIN_FP_DEFER) ||
		     chain_used(&opts->ring, &opts->specs, SPEC_CHAIN_TABLE);

	return defer && !opts->ring.has_workload;
}

/*
 * Choose the event for side-band and deferred records: the first, or a dummy if that is not
 * everywhere, not enabled from the start, or overwritten.
 */
static void settle_tracking(struct record_options *opts, bool per_task)
{
	struct ring_options *o = &opts->ring;
	struct event_spec *first = opts->specs.v[0], *s;

	if (per_task && !o->overwrite && first->overwrite <= 0 && !o->delay_given && !first->cpumask &&
	    !opts->control && !defers_at_once(opts)) {
		first->is_tracking = true;
		return;
	}
	s = spec_list_add(&opts->specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy:u");
	s->attr.exclude_kernel = s->attr.exclude_hv = 1;
	s->exclude_given = true;
	s->is_dummy = s->is_tracking = true;
}

/*
 * --off-cpu: an event of threads that leave their CPU to wait, switch records, which tell their
 * return, and a clock that can be read at the end. Without -e or --off-cpu-only also a clock event.
 */
static int settle_off_cpu(struct record_options *opts)
{
	struct ring_options *o = &opts->ring;
	struct event_spec *s;

	if (!opts->off_cpu && !opts->off_cpu_only)
		return 0;
	if (!opts->specs.nr && !opts->off_cpu_only)
		spec_list_add(&opts->specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	if (error_report(spec_parse("sched:sched_switch", &opts->specs)))
		return -1;
	s = opts->specs.v[opts->specs.nr - 1];
	free(s->name);
	s->name = xstrdup(OFF_CPU_EVENT);
	s->filter = xstrdup("prev_state & 3");
	s->period = 1;
	s->period_set = true;
	if (o->chain == SPEC_CHAIN_UNSET)
		o->chain = SPEC_CHAIN_BEST;
	/* One layout for all records, as the end record belongs to no event. */
	o->switches = o->cpu_field = true;
	if (!o->use_clockid) {
		o->use_clockid = true;
		o->clockid = CLOCK_MONOTONIC;
	}
	return 0;
}

/* --wall of the whole system: a clock, and an event whose samples wall.c takes. */
static int settle_wall(struct record_options *opts)
{
	struct ring_options *o = &opts->ring;
	struct event_spec *s;

	if (!opts->wall)
		return 0;
	if (opts->specs.nr || opts->off_cpu || opts->off_cpu_only || !o->all_cpus || o->parallel ||
	    o->overwrite)
		return diag_error("--wall by the kernel is of -a, without -e, --off-cpu, --threads and --overwrite");
	spec_list_add(&opts->specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock");
	s = spec_list_add(&opts->specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, OFF_CPU_EVENT);
	o->freq = o->freq ?: USUAL_FREQ;
	s->period = o->period ?: 1000000000 / o->freq;
	s->period_set = true;
	o->chain = SPEC_CHAIN_LIVE;
	o->period_field = o->use_clockid = true;
	o->clockid = CLOCK_MONOTONIC;
	return 0;
}

static bool has_tracepoint(const struct spec_list *specs)
{
	u32 i;

	for (i = 0; i < specs->nr; i++)
		if (specs->v[i]->attr.type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

/* True if all tracepoints can run the program: kprobes and uprobes need another program type. */
static bool tracepoints_run(const struct spec_list *specs, const struct bpf_walk *walk)
{
	bool run = true;
	u32 i;
	int fd;

	for (i = 0; i < specs->nr && run; i++) {
		struct perf_event_attr a = {
			.size = sizeof(a), .type = PERF_TYPE_TRACEPOINT, .config = specs->v[i]->attr.config, .disabled = 1,
		};

		fd = specs->v[i]->attr.type == PERF_TYPE_TRACEPOINT ? perf_open(&a, 0, -1, -1, 0) : -1;
		if (fd < 0)
			continue;
		run = !bpf_walk_attach(walk, fd, true);
		close(fd);
	}
	return run;
}

/* Load the BPF program if it is wanted. If it is unavailable, print the reason. */
static void settle_walk(struct record_options *opts, bool per_task, struct bpf_walk **walk)
{
	bool explicit = chain_used(&opts->ring, &opts->specs, SPEC_CHAIN_BPF), tracepoints = has_tracepoint(&opts->specs);
	struct ring_options *o = &opts->ring;
	enum bpf_tracepoints whose = BPF_TRACEPOINTS_NONE;

	if (tracepoints)
		whose = per_task ? BPF_TRACEPOINTS_OF_TASKS : BPF_TRACEPOINTS_OF_ALL;
	if (!explicit && (o->chain != SPEC_CHAIN_BEST || kernel_has(KERNEL_UNWIND_TABLE)))
		return;
	if (o->kernel_callchains || o->all_kernel)
		o->why_not_bpf = "no user stacks are wanted";
	else if (o->per_thread)
		o->why_not_bpf = "with --per-thread buffers belong to no CPU";
	else if (o->parallel)
		o->why_not_bpf = "--threads writes records as they are read";
	else if (o->overwrite)
		o->why_not_bpf = "--overwrite may have overwritten them";
	else if (tracepoints && o->cpu_list)
		o->why_not_bpf = "tracepoints run programs on all CPUs";
	else if (!opts->dry_run)
		o->why_not_bpf = bpf_walk_load(walk, whose);
	if (*walk && tracepoints && !tracepoints_run(&opts->specs, *walk)) {
		o->why_not_bpf = "not all of the tracepoints run such programs";
		bpf_walk_free(*walk);
		*walk = NULL;
	}
}

static int settle_events(struct record_options *opts, bool per_task, struct bpf_walk **walk)
{
	u32 i;

	if (settle_wall(opts) || settle_off_cpu(opts))
		return -1;
	if (!opts->specs.nr) {
		if (error_report(spec_parse("cycles:P", &opts->specs)))
			return -1;
		for (i = 0; i < opts->specs.nr; i++)
			opts->specs.v[i]->is_default = true;
	}
	for (i = 0; i < opts->specs.nr; i++)
		if (opts->specs.v[i]->cgroup && per_task)
			return diag_error("-G measures on CPUs: it needs -a or -C");
	settle_walk(opts, per_task, walk);
	chains_settle(&opts->ring, &opts->specs);
	settle_tracking(opts, per_task);
	return error_report(attrs_configure(&opts->ring, &opts->specs, per_task));
}

bool settle_per_task(const struct record_options *o)
{
	return record_options_tasks(o) || (o->command && !o->ring.all_cpus && !o->ring.cpu_list);
}

int settle(struct record_options *o, struct rings *r, struct bpf_walk **walk)
{
	int by_ptrace;

	if (settle_targets(o, r))
		return -1;
	o->ring.has_workload = o->command && !record_options_tasks(o);
	by_ptrace = sampler_settle(o, r);
	if (by_ptrace)
		return min(by_ptrace, 0);
	return settle_events(o, settle_per_task(o), walk);
}

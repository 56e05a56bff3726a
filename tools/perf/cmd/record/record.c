// SPDX-License-Identifier: GPL-2.0
/*
 * perf record: what is to be measured, in which order things happen, and what
 * is said at the end.
 */
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/cmd.h"
#include "cmd/record/record.h"
#include "ring/attr.h"
#include "ring/kernel.h"

static int parse_user(const char *user, uid_t *uid)
{
	struct passwd *pw = getpwnam(user);
	char *end;
	u64 v;

	if (pw) {
		*uid = pw->pw_uid;
		return 0;
	}
	v = strtoull(user, &end, 10);
	*uid = v;
	if (end == user || *end || *user == '-' || v >= UINT32_MAX)
		return diag_error("-u: there is no user '%s'", user);
	return 0;
}

/* Who is to be measured: fills threads and CPUs. */
static int settle_target(struct record *rec)
{
	struct ring_options *o = &rec->ring;
	struct rings *r = &rec->rings;
	bool tasks = rec->pids || rec->tids || rec->user;
	uid_t uid;

	if (tasks && (o->all_cpus || o->cpu_list)) {
		diag_warn("%s given: %s does not apply", rec->pids ? "-p" : rec->tids ? "-t" : "-u",
			  o->all_cpus ? "-a" : "-C");
		o->all_cpus = false;
		o->cpu_list = NULL;
	}
	if (!tasks && !rec->command)
		o->all_cpus = true;
	if (o->per_thread && (o->all_cpus || o->cpu_list)) {
		diag_warn("-a and -C measure CPUs: --per-thread does not apply");
		o->per_thread = false;
	}
	if (rec->pids && thread_list_parse(&r->threads, rec->pids, true))
		return -1;
	if (rec->tids && thread_list_parse(&r->threads, rec->tids, false))
		return -1;
	if (rec->user) {
		if (parse_user(rec->user, &uid))
			return -1;
		thread_list_add_user(&r->threads, uid);
		if (!r->threads.nr)
			return diag_error("-u: user '%s' has no process", rec->user);
	}
	if (o->cpu_list && cpu_list_parse(o->cpu_list, &r->asked))
		return diag_error("-C '%s' is no list of CPUs: want 0-3,8", o->cpu_list);
	if (o->per_thread)
		cpu_list_add(&r->cpus, -1);
	else
		cpu_list_online(&r->cpus);
	return 0;
}

/* Is any of the CPUs of -C online? A word for those that are not. */
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

/*
 * Running tasks have their events enabled one by one. A sample that is deferred
 * by one of them would be lost if its task moved to a CPU where the next one is
 * still off; a dummy is on from the beginning, everywhere.
 */
static bool defers_at_once(const struct record *rec)
{
	bool defer = rec->ring.chain == SPEC_CHAIN_FP_DEFER;
	u32 i;

	for (i = 0; i < rec->specs.nr; i++)
		defer |= rec->specs.v[i]->chain == SPEC_CHAIN_FP_DEFER;
	return defer && !rec->ring.has_workload && kernel_has(KERNEL_DEFER_CALLCHAIN);
}

/*
 * Which event receives the side-band records and the deferred callchains: the
 * first, or a dummy of its own where the first is not on every CPU, not there
 * from the beginning, or written over.
 */
static void settle_tracking(struct record *rec, bool per_task)
{
	struct ring_options *o = &rec->ring;
	struct event_spec *first = rec->specs.v[0], *s;

	if (per_task && !o->overwrite && first->overwrite <= 0 && !o->delay_given && !first->cpumask &&
	    !rec->control && !defers_at_once(rec)) {
		first->is_tracking = true;
		return;
	}
	s = spec_list_add(&rec->specs, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy:u");
	s->attr.exclude_kernel = s->attr.exclude_hv = 1;
	s->exclude_given = true;
	s->is_dummy = s->is_tracking = true;
}

static int settle_events(struct record *rec, bool per_task)
{
	struct event_spec *s;
	u32 i;

	if (!rec->specs.nr) {
		s = spec_list_add(&rec->specs, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles:P");
		s->precise_max = s->is_default = true;
	}
	for (i = 0; i < rec->specs.nr; i++)
		if (rec->specs.v[i]->cgroup && per_task)
			return diag_error("-G measures on CPUs: it wants -a or -C");
	settle_tracking(rec, per_task);
	return attrs_configure(&rec->ring, &rec->specs, per_task);
}

/* Block what the loop reads from a descriptor. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader that goes away is an error of write(). */
	signal(SIGPIPE, SIG_IGN);
}

static const char *output_name(struct record *rec)
{
	struct stat st;

	if (rec->output)
		return rec->output;
	if (!fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	return "perf.data";
}

static void report_end(struct record *rec, const char *path)
{
	const struct ring_stats *st = &rec->rings.stats;
	u64 lost = rec->total_lost, bytes = rec->writer.data_size;
	char ratio[64] = "";

	if (verbose < 0)
		return;
	fprintf(stderr, "[ perf record: Woken up %llu times to write data ]\n", rec->wakeups);
	lost += st->lost;
	if (lost)
		fprintf(stderr, "[ perf record: Lost %llu records: the buffers were full. Larger ones (-m %llu) or "
			"fewer samples (lower -F, higher -c) help ]\n", lost,
			2 * rec->rings.data_size / sysconf(_SC_PAGESIZE));
	if (rec->compressor && bytes)
		snprintf(ratio, sizeof(ratio), ", compressed (original %.3f MB, ratio is %.3f)",
			 rec->raw_bytes / 1048576.0, (double)rec->raw_bytes / bytes);
	fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s%s (%llu samples) ]\n",
		bytes / 1048576.0, path, ratio, st->samples);
}

/* The command's status is ours; a signal that ended us ends us. */
static int exit_status(struct record *rec, int err)
{
	if (err)
		return err;
	if (!rec->workload.pid)
		return 0;
	if (WIFSIGNALED(rec->workload.status)) {
		/* We ended it ourselves: no failure of the command's. */
		if (rec->signal || (WTERMSIG(rec->workload.status) == SIGTERM && !rec->target_ended))
			return 0;
		return 128 + WTERMSIG(rec->workload.status);
	}
	return WEXITSTATUS(rec->workload.status);
}

/* How the buffers are read, now that their size is known. */
static void settle_reading(struct record *rec)
{
	u64 most = rec->rings.data_size / 4;

	if (rec->mmap_flush > most) {
		diag_warn("--mmap-flush: %llu bytes is more than a quarter of a buffer: using %llu", rec->mmap_flush,
			  most);
		rec->mmap_flush = most;
	}
	if (rec->affinity_mode != AFFINITY_SYS && rec->ring.per_thread)
		diag_warn("--affinity: the buffers of --per-thread belong to no CPU: it does not apply");
	affinity_init(&rec->affinity, rec->affinity_mode);
}

static int record(struct record *rec)
{
	struct ring_options *o = &rec->ring;
	bool per_task;
	char *name;
	int err;

	rec->rings.options = o;
	rec->rings.specs = &rec->specs;
	if (settle_target(rec))
		return 1;
	if (!in_cpus(&rec->rings.asked, &rec->rings.cpus))
		return diag_error("-C %s: none of these CPUs is online", o->cpu_list), 1;
	per_task = rec->pids || rec->tids || rec->user ||
		   (rec->command && !o->all_cpus && !o->cpu_list);
	o->has_workload = rec->command && !rec->pids && !rec->tids && !rec->user;
	if (settle_events(rec, per_task))
		return 1;
	if (rec->dry_run) {
		for (u32 i = 0; i < rec->specs.nr; i++) {
			diag_info(2, "event %s", rec->specs.v[i]->name);
			attr_print(&rec->specs.v[i]->attr);
		}
		return 0;
	}
	block_signals();
	if (rec->realtime) {
		struct sched_param p = { .sched_priority = rec->realtime };

		if (sched_setscheduler(0, SCHED_FIFO, &p))
			return diag_error("-r %d: %s: %s", rec->realtime, strerror(errno), errno == EPERM ?
					  "a real-time priority is root's (CAP_SYS_NICE), or what ulimit -r allows" :
					  "priorities are 1 to 99"), 1;
	}
	if (control_open(rec))
		return 1;
	if (rec->command && workload_check(rec->command[0]))
		return 1;
	if (rec->command && workload_fork(&rec->workload, rec->command,
						!strcmp(output_name(rec), "-")))
		return 1;
	if (!per_task)
		thread_list_add(&rec->rings.threads, -1);
	else if (o->has_workload)
		thread_list_add(&rec->rings.threads, rec->workload.pid);
	if (rings_open(&rec->rings) || rings_set_filters(&rec->rings) || rings_map(&rec->rings)) {
		workload_end(&rec->workload);
		return 1;
	}
	if (rec->compress_level)
		rec->compressor = compressor_create(rec->compress_level);
	name = xstrdup(output_name(rec));
	rec->output = name;
	if (rec->switch_output && !strcmp(name, "-")) {
		workload_end(&rec->workload);
		return diag_error("--switch-output wants files, not a pipe (-o FILE)"), 1;
	}
	follow_begin(rec);
	settle_reading(rec);
	if (output_begin(rec, name)) {
		workload_end(&rec->workload);
		return 1;
	}
	err = record_loop(rec);
	if (late_finish(rec, true))
		err = -1;
	workload_end(&rec->workload);
	rec->done = true;
	if (rec->not_started)
		writer_discard(&rec->writer);
	else if (rec->file == OPEN_FILE && output_end(rec))
		err = -1;
	if (!rec->not_started && rec->file != NO_FILE)
		report_end(rec, output_final_name(rec));
	rings_close(&rec->rings);
	control_close(rec);
	compressor_free(rec->compressor);
	follow_end(rec);
	late_end(rec);
	affinity_deinit(&rec->affinity);
	return exit_status(rec, err || rec->write_failed ? 1 : 0);
}

int cmd_record(int argc, char **argv)
{
	static struct record rec;
	char **words;
	int status, i;

	/* "perf record ...": what the header shows, before the parser reorders it */
	words = xcalloc(argc + 2, sizeof(*words));
	words[0] = (char *)"perf";
	for (i = 0; i < argc; i++)
		words[i + 1] = argv[i];
	rec.argv = words;
	rec.argc = argc + 1;
	rec.control_fd = rec.ack_fd = -1;
	rec.workload.go = rec.workload.failed = -1;
	if (record_parse(&rec, argc, argv))
		return 129;
	status = record(&rec);
	spec_list_deinit(&rec.specs);
	if (rec.signal) {
		sigset_t set;

		/* The shell is to see what ended us. */
		signal(rec.signal, SIG_DFL);
		sigemptyset(&set);
		sigaddset(&set, rec.signal);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		raise(rec.signal);
	}
	return status;
}

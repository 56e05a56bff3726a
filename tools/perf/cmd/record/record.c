// SPDX-License-Identifier: GPL-2.0
/*
 * perf record: the order of operations, and the messages at the end.
 *
 *	record --> settle                  CPUs, threads and events
 *	       --> loop --> control        commands
 *	             |----> sampler        takes samples by ptrace
 *	             |----> wall           samples threads that are not on a CPU
 *	             |----> trigger        events that begin the next file
 *	             |----> workload       the command
 *	             v
 *	           files --> synthesis     tasks and mappings older than the file
 *	             |  '--> follow, unanswered  state passed to the next file
 *	             |  '--> tables        unwind tables of mapped files
 *	             |  '--> keep          copies of files for perf report
 *	             |----> streams        threads of --threads
 *	             v        v
 *	           drain                   counts records; for unanswered, follow, tables, keep
 *	             |---> frames          joins callchains of --call-graph bpf to their samples
 *	             |---> live --> walk   turns copied stacks into callchains
 *	             '-----> output --> describe, compress, buildid
 *
 * Calls go down and to the right only. struct recorder is the components. Each is started by its
 * _init() and ended by its _deinit(), in reverse order, on every exit path.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "cmd/cmd.h"
#include "cmd/record/ptrace_ring.h"
#include "cmd/record/recorder.h"
#include "measure/attr.h"

static bool to_fifo(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

static void print_stage(const struct recorder *rec)
{
	struct outbuf o = { 0 };
	const char *line, *end;

	if (rec->sampler)
		sampler_text(rec->sampler, &o);
	if (rec->live)
		live_text(rec->live, !rec->tables, &o);
	if (rec->frames)
		frames_text(rec->frames, &o);
	for (line = outbuf_text(&o); *line; line = end + !!*end) {
		end = line + strcspn(line, "\n");
		fprintf(stderr, "[ perf record: %.*s ]\n", (int)(end - line), line);
	}
	outbuf_deinit(&o);
}

static void print_end(const struct recorder *rec, const char *path)
{
	const struct ring_stats *st = &rec->rings.stats;
	u64 lost = rec->files.counted ?: rec->files.lost + st->lost, bytes = output_bytes(&rec->out);
	char ratio[64] = "";

	if (verbose < 0)
		return;
	fprintf(stderr, "[ perf record: Woken up %llu times to write data ]\n", rec->loop.wakeups);
	if (lost)
		fprintf(stderr, "[ perf record: Lost %llu records: the buffers were full. Larger ones (-m %llu) or "
			"fewer samples (lower -F, higher -c) help ]\n", lost,
			2 * rec->rings.data_size / sysconf(_SC_PAGESIZE));
	print_stage(rec);
	if (rec->files.cut_line)
		fprintf(stderr, "[ perf record: %s ]\n", rec->files.cut_line);
	if (rec->out.compressor && bytes)
		snprintf(ratio, sizeof(ratio), ", compressed (original %.3f MB, ratio is %.3f)",
			 rec->out.raw_bytes / 1048576.0, (double)rec->out.raw_bytes / bytes);
	fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s%s (%llu samples) ]\n",
		bytes / 1048576.0, path, ratio, st->samples);
}

/* Exit with the command's status, unless our SIGTERM ended it. */
static int command_status(const struct recorder *rec)
{
	const struct workload *w = &rec->workload;

	if (!w->pid)
		return 0;
	if (!WIFSIGNALED(w->status))
		return WEXITSTATUS(w->status);
	return w->terminated && WTERMSIG(w->status) == SIGTERM ? 0 : 128 + WTERMSIG(w->status);
}

static int set_priority(int priority)
{
	struct sched_param p = { .sched_priority = priority };

	if (!priority || !sched_setscheduler(0, SCHED_FIFO, &p))
		return 0;
	return diag_error("-r %d: %s: %s", priority, strerror(errno), errno == EPERM ?
			  "a real-time priority is root's (CAP_SYS_NICE), or what ulimit -r allows" :
			  "priorities are 1 to 99");
}

static int open_workload(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;
	char path[PATH_MAX];

	if (!o->command)
		return 0;
	if (workload_check(o->command[0], path) || (o->sampler == SAMPLER_PTRACE && program_check(path)))
		return -1;
	return workload_fork(&rec->workload, o->command, !strcmp(o->output, "-"));
}

/* With -u, the command is a process of the user if perf is one. */
static bool measures_command(const struct recorder *rec)
{
	const struct record_options *o = &rec->opts;

	return o->ring.has_workload ||
	       (o->command && o->user && thread_list_has(&rec->rings.threads, getpid()));
}

static int open_rings(struct recorder *rec)
{
	struct thread_list *threads = &rec->rings.threads;

	if (!settle_per_task(&rec->opts))
		thread_list_add(threads, -1);
	else if (measures_command(rec))
		thread_list_add(threads, rec->workload.pid);
	if (rec->opts.sampler == SAMPLER_PTRACE)
		return sampler_open(rec);
	if (error_report(rings_open(&rec->rings)) || error_report(rings_set_filters(&rec->rings)) ||
	    error_report(rings_map(&rec->rings)) ||
	    trigger_open(&rec->trigger, &rec->opts, &rec->rings, settle_per_task(&rec->opts)))
		return -1;
	if (rec->opts.switch_output && !strcmp(rec->opts.output, "-"))
		return diag_error("--switch-output needs files, not a pipe (-o FILE)");
	return rec->opts.wall ? wall_open(rec) : 0;
}

/* Record with everything open; the command waits before its exec. */
static int run(struct recorder *rec)
{
	int err;

	loop_init(rec);
	err = loop_run(rec);
	if (rec->tables)
		tables_end(rec->tables);
	workload_deinit(&rec->workload);
	if (files_end(rec, !rec->loop.started))
		err = -1;
	if (rec->loop.started && rec->out.state != OUTPUT_NONE)
		print_end(rec, files_final_name(rec));
	loop_deinit(rec);
	return err;
}

static int write_files(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;
	int err;

	description_init(&rec->desc, o, &rec->rings);
	rec->desc.host = host_create();
	err = output_init(&rec->out, o, &rec->desc) ?: live_create(o, &rec->desc, &rec->live);
	rec->frames = frames_create(o, &rec->desc, rec->walk);
	drain_init(rec);
	err = err ?: begin_tables(rec);
	files_init(rec);
	err = err ?: files_begin(rec) ?: run(rec);
	tables_free(rec->tables);
	files_deinit(rec);
	drain_deinit(rec);
	live_free(rec->live);
	frames_free(rec->frames);
	output_deinit(&rec->out);
	host_free(rec->desc.host);
	description_deinit(&rec->desc);
	return err;
}

static void print_attributes(const struct spec_list *specs)
{
	u32 i;

	for (i = 0; i < specs->nr; i++) {
		diag_info(2, "event %s", specs->v[i]->name);
		attr_print(&specs->v[i]->attr);
	}
}

/* Open everything, record, and close it. The options are resolved. */
static int measure(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;
	int err;

	loop_block_signals();
	/* The command, which is forked here, does not inherit the priority. */
	err = control_init(&rec->control, o->control) ?: open_workload(rec) ?:
	      set_priority(o->realtime) ?: open_rings(rec) ?: write_files(rec);
	trigger_close(&rec->trigger);
	sampler_free(rec);
	wall_free(rec);
	workload_deinit(&rec->workload);
	control_deinit(&rec->control);
	return err ? 1 : command_status(rec);
}

static int record(struct recorder *rec)
{
	struct record_options *o = &rec->opts;
	int status = 0;

	workload_init(&rec->workload);
	rec->rings.options = &o->ring;
	rec->rings.specs = &o->specs;
	if (!o->output)
		o->output = to_fifo() ? "-" : "perf.data";
	if (o->embed && !strcmp(o->output, "-"))
		status = -diag_error("--embed reads what was recorded, which a pipe does not allow: -o FILE, or pipe it into 'perf inject --embed'");
	else if (o->threads && !strcmp(o->output, "-"))
		status = -diag_error("--threads writes a directory, not a pipe: -o DIRECTORY");
	else if (settle(o, &rec->rings, &rec->walk) ||
		 thread_groups_settle(o->threads, &rec->rings.cpus, &rec->groups))
		status = 1;
	else if (o->dry_run)
		print_attributes(&o->specs);
	else
		status = measure(rec);
	rings_close(&rec->rings);
	bpf_walk_free(rec->walk);
	thread_groups_deinit(&rec->groups);
	return status;
}

/* Die by the signal that ended the recording, for the shell to see. */
static void end_by_signal(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

int cmd_record(int argc, char **argv)
{
	struct recorder rec = { .control = { .fd = -1, .ack_fd = -1 } };
	int status;

	status = record_options_parse(&rec.opts, argc, argv) ? 129 : record(&rec);
	record_options_deinit(&rec.opts);
	if (rec.loop.signal)
		end_by_signal(rec.loop.signal);
	return status;
}

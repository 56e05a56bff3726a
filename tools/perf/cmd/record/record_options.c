// SPDX-License-Identifier: GPL-2.0
/* The command line. Settings (cmd/settings.c) are the defaults. */
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/argparse.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/record/record_options.h"
#include "cmd/values.h"
#include "spec/spec.h"

static struct error *opt_event(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;

	if (unset) {
		spec_list_deinit(&r->specs);
		return NULL;
	}
	return spec_parse(arg, &r->specs);
}

static struct error *opt_pfm_events(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;

	return unset ? NULL : spec_parse_pfm(arg, &r->specs);
}

static struct error *opt_trigger(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;

	spec_list_deinit(&r->triggers);
	if (unset)
		return NULL;
	r->switch_output = true;
	return spec_parse(arg, &r->triggers);
}

static struct error *opt_filter(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	struct event_spec *last = r->specs.nr ? r->specs.v[r->specs.nr - 1] : NULL;
	u32 i;

	if (unset)
		return NULL;
	if (!last || last->attr.type != PERF_TYPE_TRACEPOINT)
		return error_create(EINVAL, "--%s belongs after the -e of a tracepoint", o->long_name);
	/* "-e 'sched:*' --filter F" applies F to all events of the same system */
	for (i = r->specs.nr; i > 0; i--) {
		struct event_spec *s = r->specs.v[i - 1];
		char *both;

		if (s->attr.type != PERF_TYPE_TRACEPOINT)
			break;
		if (s != last && s->filter)
			break;
		if (s->filter) {
			both = xmalloc(strlen(s->filter) + strlen(arg) + 16);
			sprintf(both, "(%s) && (%s)", s->filter, arg);
			free(s->filter);
			s->filter = both;
		} else {
			s->filter = xstrdup(arg);
		}
	}
	return NULL;
}

static struct error *opt_exclude_perf(const struct opt *o, const char *arg __unused, bool unset)
{
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid != %d", getpid());
	return opt_filter(o, filter, unset);
}

static struct error *opt_cgroups(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	const char *p = arg;
	u32 i = 0;

	if (unset)
		return NULL;
	if (!r->specs.nr)
		return error_create(EINVAL, "-G belongs after -e: it names a cgroup for each event");
	/* skip events that have a cgroup: -e a -G x -e b -G y */
	while (i < r->specs.nr && r->specs.v[i]->cgroup)
		i++;
	for (;;) {
		size_t len = strcspn(p, ",");

		if (i == r->specs.nr)
			return error_create(EINVAL, "-G '%s' names more cgroups than there are events", arg);
		if (len)
			r->specs.v[i]->cgroup = xstrndup(p, len);
		i++;
		if (!p[len])
			break;
		p += len + 1;
	}
	/* one name applies to all following events */
	if (!strchr(arg, ','))
		for (; i < r->specs.nr; i++)
			r->specs.v[i]->cgroup = xstrdup(arg);
	return NULL;
}

static struct error *opt_freq(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	char *end;

	r->ring.freq_max = !unset && !strcmp(arg, "max");
	r->ring.freq = 0;
	if (unset || r->ring.freq_max)
		return NULL;
	r->ring.freq = strtoull(arg, &end, 10);
	if (end == arg || *end || !r->ring.freq || *arg == '-')
		return error_create(EINVAL, "-F needs samples per second or 'max', not '%s'", arg);
	return NULL;
}

static struct error *opt_g(const struct opt *o, const char *arg __unused, bool unset)
{
	struct record_options *r = o->value;
	const char *mode;

	if (unset)
		r->ring.chain = SPEC_CHAIN_NO;
	else if (r->ring.chain > SPEC_CHAIN_NO)
		return NULL;	/* --call-graph came first */
	else if (setting_get("call-graph.record-mode", &mode))
		return error_reported(EINVAL);
	else if (mode)
		return value_call_graph(mode, o->long_name, &r->ring) ? error_reported(EINVAL) : NULL;
	else
		r->ring.chain = SPEC_CHAIN_BEST;
	return NULL;
}

static struct error *opt_call_graph(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;

	r->ring.chain = SPEC_CHAIN_NO;
	return !unset && value_call_graph(arg, "--call-graph", &r->ring) ? error_reported(EINVAL) : NULL;
}

static struct error *opt_pages(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	u64 page = sysconf(_SC_PAGESIZE), v;
	char *end;

	r->ring.mmap_pages = 0;
	if (unset)
		return NULL;
	v = strtoull(arg, &end, 10);
	if (end != arg && *end && !value_size(arg, &v))
		v = (v + page - 1) / page;
	else if (end == arg || *end)
		return error_create(EINVAL, "-m needs a number of pages, or a size like 512K, not '%s'", arg);
	if (!v || v > 1ULL << 20)
		return error_create(EINVAL, "-m %s: between 1 and %llu pages are possible", arg, 1ULL << 20);
	r->ring.mmap_pages = 1ULL << (64 - __builtin_clzll(v) - !(v & (v - 1)));
	if (r->ring.mmap_pages != v)
		diag_info(0, "-m: rounded up to %llu pages, a power of two", r->ring.mmap_pages);
	return NULL;
}

static struct error *opt_clockid(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;

	r->ring.use_clockid = !unset;
	return !unset && value_clockid(arg, &r->ring.clockid) ? error_reported(EINVAL) : NULL;
}

static struct error *opt_delay(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	const char *p = arg;
	char *end;
	u64 on, off, last = 0;

	r->ring.delay_given = !unset;
	r->nr_spans = 0;
	if (unset)
		return NULL;
	if (!strcmp(arg, "-1")) {
		r->ring.delay_ms = -1;
		return NULL;
	}
	r->ring.delay_ms = strtoll(arg, &end, 10);
	if (end != arg && !*end && r->ring.delay_ms >= 0) {
		r->ring.delay_given = r->ring.delay_ms > 0;
		return NULL;
	}
	/* "10-20,30-40" */
	for (;; p = end + 1) {
		on = strtoull(p, &end, 10);
		if (end == p || *end != '-')
			break;
		p = end + 1;
		off = strtoull(p, &end, 10);
		if (end == p || (*end && *end != ',') || off <= on || (r->nr_spans && on <= last))
			break;
		last = off;
		GROW(r->spans, r->nr_spans, r->cap_spans);
		r->spans[r->nr_spans++] = (struct delay_span){ on, off };
		if (!*end) {
			r->ring.delay_ms = r->spans[0].on;
			return NULL;
		}
	}
	return error_create(EINVAL, "-D needs milliseconds, -1, or ascending spans like 10-20,30-40, not '%s'", arg);
}

/* One word of the list. SIGUSR2 switches with any mode. */
static bool switch_mode(struct record_options *r, const char *word)
{
	u64 v;

	if (!strcmp(word, "signal"))
		return true;
	if (!value_duration(word, &v)) {
		r->switch_ms = v;
		return true;
	}
	return !value_size(word, &r->switch_size) && r->switch_size;
}

static struct error *opt_switch_output(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	const char *p;
	size_t len;

	r->switch_output = !unset;
	r->switch_size = r->switch_ms = 0;
	if (unset || !*arg)
		return NULL;
	for (p = arg;; p += len + 1) {
		_cleanup_free_ char *word = NULL;

		len = strcspn(p, ",");
		word = xstrndup(p, len);
		if (!switch_mode(r, word))
			return error_create(EINVAL, "--switch-output needs 'signal', a size like 100M or a time like 30s, "
					    "or several separated by commas, not '%s'", arg);
		if (!p[len])
			return NULL;
	}
}

/* .value: the bytes; with --no- 0 */
static struct error *opt_size(const struct opt *o, const char *arg, bool unset)
{
	u64 *size = o->value;

	*size = 0;
	if (!unset && (value_size(arg, size) || !*size))
		return error_create(EINVAL, "--%s needs a size like 100M, not '%s'",
				    o->long_name, arg);
	return NULL;
}

static struct error *opt_synth(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	static const struct { const char *name; u32 what; } kinds[] = {
		{ "no", 0 }, { "task", SYNTH_TASKS }, { "mmap", SYNTH_TASKS | SYNTH_MAPS },
		{ "cgroup", SYNTH_CGROUPS }, { "all", SYNTH_ALL },
	};
	const char *p = arg;
	u32 i, what = 0;
	size_t len;

	for (; !unset && *p; p += len + (p[len] == ',')) {
		len = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			if (strlen(kinds[i].name) == len && !memcmp(kinds[i].name, p, len))
				break;
		if (i == ARRAY_SIZE(kinds))
			return error_create(EINVAL, "--synth needs no, all, or of task, mmap, cgroup, not '%s'", arg);
		what |= kinds[i].what;
	}
	r->synth_not = SYNTH_ALL & ~what;
	return NULL;
}

static struct error *opt_regs(const struct opt *o, const char *arg, bool unset)
{
	*(u64 *)o->value = 0;
	return !unset && value_regs(arg, o->long_name, o->value) ? error_reported(EINVAL) : NULL;
}

static struct error *opt_branch(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;

	r->ring.branch_type = 0;
	return !unset && value_branch(arg, &r->ring.branch_type) ? error_reported(EINVAL) : NULL;
}

static struct error *opt_compress(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;
	char *end;
	long v = unset ? 0 : strtol(arg, &end, 10);

	if (!unset && (end == arg || *end || v < 0 || v > 22))
		return error_create(EINVAL, "-z needs a level between 1 and 22, not '%s'", arg);
	r->compress_level = v;
	return NULL;
}

static struct error *opt_flush(const struct opt *o, const char *arg, bool unset)
{
	struct record_options *r = o->value;

	r->mmap_flush = 0;
	if (!unset && value_size(arg, &r->mmap_flush))
		return error_create(EINVAL, "--mmap-flush needs a number of bytes, or a size like 64K, not '%s'", arg);
	return NULL;
}

/* Return: the number of a word in a list that ends with NULL; 0: it is not in it. */
static u32 one_of(const char *word, const char *const *words)
{
	u32 i;

	for (i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i + 1;
	return 0;
}

static struct error *opt_affinity(const struct opt *o, const char *arg, bool unset)
{
	static const char *const modes[] = { "sys", "node", "cpu", NULL };
	struct record_options *r = o->value;
	u32 nr = unset ? 1 : one_of(arg, modes);

	r->affinity_mode = nr ? nr - 1 : AFFINITY_SYS;
	return nr ? NULL : error_create(EINVAL, "--affinity needs sys, node or cpu, not '%s'", arg);
}

static struct error *opt_sampler(const struct opt *o, const char *arg, bool unset)
{
	static const char *const samplers[] = { "kernel", "ptrace", NULL };
	struct record_options *r = o->value;

	r->sampler = unset ? SAMPLER_ANY : one_of(arg, samplers);
	return unset || r->sampler ? NULL : error_create(EINVAL, "--sampler needs kernel or ptrace, not '%s'", arg);
}

/* Reject an option whose purpose is a faster recording, instead of ignoring it. */
static struct error *opt_refused(const struct opt *o, const char *arg __unused, bool unset)
{
	if (unset)
		return NULL;
	return error_create(EINVAL, "--%s: this perf writes the buffers out of the kernel's memory "
			    "without a copy; leave the option out, or use --threads (perf-record(1), "
			    "DIFFERENCES)", o->long_name);
}

/* Also modes that fall back to dwarf on a kernel without unwind tables. */
static bool may_be_dwarf(enum spec_chain chain)
{
	return chain == SPEC_CHAIN_DWARF || chain == SPEC_CHAIN_TABLE;
}

static bool uses_dwarf(const struct record_options *o)
{
	bool dwarf = may_be_dwarf(o->ring.chain);
	u32 i;

	for (i = 0; i < o->specs.nr; i++)
		dwarf |= may_be_dwarf(o->specs.v[i]->chain);
	return dwarf;
}

/* Refuse options that contradict each other. --threads: those for one thread or one file. */
static int check(const struct record_options *o, bool period_set)
{
	const struct ring_options *r = &o->ring;
	const struct { bool wrong; const char *why; } checks[] = {
		{ period_set && !r->period, "-c 0 would take no sample (-n records tasks and maps only)" },
		{ o->output && !*o->output, "-o needs the name of a file, or - for standard output" },
		{ r->period && (r->freq || r->freq_max), "-c and -F exclude each other" },
		{ o->off_cpu_only && o->specs.nr,
		  "--off-cpu-only records no other event: --off-cpu goes with -e" },
		{ (o->off_cpu || o->off_cpu_only) && r->no_samples,
		  "-n takes no samples: --off-cpu needs them" },
		{ r->kernel_callchains && r->user_callchains,
		  "--kernel-callchains and --user-callchains exclude each other" },
		{ o->threads && r->per_thread,
		  "--threads does not go with --per-thread: its buffers belong to no CPU" },
		{ o->threads && o->affinity_mode != AFFINITY_SYS,
		  "--threads does not go with --affinity: each thread has its own" },
		{ o->threads && o->switch_output,
		  "--threads does not go with --switch-output: it writes one directory" },
		{ o->switch_max_files < 0, "--switch-max-files needs a number of files" },
		{ o->embed && o->switch_output, "--embed looks names up at the end: "
		  "with --switch-output use perf inject --embed on each file" },
		{ r->all_kernel && r->all_user, "--all-kernel and --all-user exclude each other" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].wrong)
			return diag_error("%s", checks[i].why);
	return 0;
}

/* Apply settings to options that were not given. */
static int from_config(struct record_options *o)
{
	const char *v;

	if (!o->ring.dwarf_size) {
		o->ring.dwarf_size = 8192;
		if (uses_dwarf(o) && (setting_get("call-graph.dump-size", &v) ||
					(v && value_dump_size(v, NULL, &o->ring.dwarf_size))))
			return -1;
	}
	o->buildid_cache_size = 2ULL << 30;
	if (setting_get("buildid.cache-size", &v) || (v && value_size(v, &o->buildid_cache_size)))
		return -1;
	if (setting_get("record.build-id", &v))
		return -1;
	if (v && !strcmp(v, "no-cache"))
		o->no_buildid_cache = true;
	else if (v && !strcmp(v, "skip"))
		o->ring.no_buildid = true;
	return 0;
}

/* The smaller size of files, if it is not far above that of the kernel's buffers; else 0. */
static u64 small_file(const struct record_options *o)
{
	u64 size = min(o->max_size ?: ~0ULL, o->switch_size ?: ~0ULL);

	/* (compressed, what a buffer holds is small) */
	return size < 4ULL << 20 && !o->compress_level ? size : 0;
}

#define LIVE_MEMORY	(256ULL << 20)
#define USE_MEMORY	"-d records addresses and where the data was; perf mem of linux-perf sums them up by type"
#define USE_TRACES	"hardware traces (Intel PT, CoreSight) are recorded by 'perf record' of linux-perf"

int record_options_parse(struct record_options *o, int argc, char **argv)
{
	struct ring_options *r = &o->ring;
	bool branch_any = false, period_set = false;
	char modes[128];
	bool as_always;			/* target of options whose behaviour is always on */
	const struct opt opts[] = {
		{ OPT_GROUP, .help = "What to record" },
		{ OPT_CALLBACK, 'e', "event", o, "event", "events, comma-separated; 'perf list' shows them", .call = opt_event },
		{ OPT_CALLBACK, 0, "pfm-events", o, "event", "events as libpfm4 writes them", .call = opt_pfm_events },
		{ OPT_CALLBACK, 0, "filter", o, "filter", "only tracepoints whose fields satisfy this", .call = opt_filter },
		{ OPT_CALLBACK, 0, "exclude-perf", o, NULL, "no tracepoints of perf itself", .call = opt_exclude_perf },
		{ OPT_CALLBACK, 'F', "freq", o, "n|max", "samples per second", .call = opt_freq },
		{ OPT_U64, 'c', "count", &r->period, "n", .help = "events per sample", .set = &period_set },
		{ OPT_CALLBACK, 0, "sampler", o, "kernel|ptrace", "who takes samples; ptrace: where perf_event_open() is refused", .call = opt_sampler },
		{ OPT_BOOL, 0, "strict-freq", &r->strict_freq, .help = "fail when -F is not possible" },
		{ OPT_BOOL, 0, "wall", &o->wall, .help = "each thread at each tick, also where it waits" },
		{ OPT_BOOL, 0, "off-cpu", &o->off_cpu, .help = "where threads wait, too, and for how long" },
		{ OPT_BOOL, 0, "off-cpu-only", &o->off_cpu_only, .help = "nothing but where threads wait" },
		{ OPT_BOOL, 'n', "no-samples", &r->no_samples, .help = "only the side-band records" },
		{ OPT_BOOL, 0, "all-kernel", &r->all_kernel, .help = "only kernel code" },
		{ OPT_BOOL, 0, "all-user", &r->all_user, .help = "only user code" },
		{ OPT_GROUP, .help = "Which processes and CPUs" },
		{ OPT_BOOL, 'a', "all-cpus", &r->all_cpus, .help = "the whole system" },
		{ OPT_STRING, 'C', "cpu", &r->cpu_list, "cpus", .help = "these CPUs: 0-3,8" },
		{ OPT_STRING, 'p', "pid", &o->pids, "pid,...", .help = "running processes" },
		{ OPT_STRING, 't', "tid", &o->tids, "tid,...", .help = "running threads" },
		{ OPT_STRING, 'u', "uid", &o->user, "user", .help = "all processes of a user" },
		{ OPT_CALLBACK, 'G', "cgroup", o, "name,...", "a cgroup for each event (with -a)", .call = opt_cgroups },
		{ OPT_BOOL, 0, "per-thread", &r->per_thread, .help = "a buffer per thread, children are not followed" },
		{ OPT_BOOL, 'i', "no-inherit", &r->no_inherit, .help = "children are not followed" },
		{ OPT_CALLBACK, 'D', "delay", o, "ms", "begin later; -1: disabled; or spans: 10-20,30-40", .call = opt_delay },
		{ OPT_STRING, 0, "control", &o->control, "fd:n[,n]|fifo:f[,f]", .help = "take commands: enable, disable, stop, ..." },
		{ OPT_GROUP, .help = "Callchains" },
		{ OPT_CALLBACK, 'g', NULL, o, NULL, "record callchains, in the best way that the kernel has", .call = opt_g },
		{ OPT_CALLBACK, 0, "call-graph", o, "mode",
		  call_graph_modes(modes, sizeof(modes), true), .call = opt_call_graph },
		{ OPT_BOOL, 0, "kernel-callchains", &r->kernel_callchains, .help = "only their kernel part" },
		{ OPT_BOOL, 0, "user-callchains", &r->user_callchains, .help = "only their user part" },
		{ OPT_GROUP, .help = "What samples carry" },
		{ OPT_BOOL, 'd', "data", &r->addr, .help = "addresses" },
		{ OPT_BOOL, 0, "phys-data", &r->phys, .help = "physical addresses" },
		{ OPT_BOOL, 0, "running-time", &r->running_time, .help = "with :S, the times that events counted" },
		{ OPT_BOOL, 0, "data-mmap", &r->data_mmap, .help = "mappings without code, too" },
		{ OPT_BOOL, 0, "data-page-size", &r->data_page, .help = "page size of the address" },
		{ OPT_BOOL, 0, "code-page-size", &r->code_page, .help = "page size of the code" },
		{ OPT_BOOL, 'T', "timestamp", &as_always, .help = "the time (as always)" },
		{ OPT_BOOL, 'P', "period", &r->period_field, .help = "the period" },
		{ OPT_BOOL, 'W', "weight", &r->weight, .help = "the weight" },
		{ OPT_BOOL, 'R', "raw-samples", &r->raw, .help = "raw data of all events" },
		{ OPT_BOOL, 0, "transaction", &r->transaction, .help = "transaction flags" },
		{ OPT_BOOL, 0, "sample-cpu", &r->cpu_field, .help = "the CPU" },
		{ OPT_BOOL, 0, "sample-identifier", &r->identifier, .help = "the event's id" },
		{ OPT_CALLBACK, 'I', "intr-regs", &r->intr_regs, "regs", "registers; -I? lists them", "", .call = opt_regs },
		{ OPT_CALLBACK, 0, "user-regs", &r->user_regs, "regs", "user registers; =? lists them", "", .call = opt_regs },
		{ OPT_BOOL, 'b', "branch-any", &branch_any, .help = "taken branches" },
		{ OPT_CALLBACK, 'j', "branch-filter", o, "mask", "taken branches of these kinds", .call = opt_branch },
		{ OPT_BOOL, 's', "stat", &r->per_thread_counts, .help = "counts per thread" },
		{ OPT_GROUP, .help = "What else is recorded" },
		{ OPT_BOOL, 0, "namespaces", &r->namespaces, .help = "namespaces" },
		{ OPT_BOOL, 0, "all-cgroups", &r->cgroups, .help = "cgroups" },
		{ OPT_BOOL, 0, "switch-events", &r->switches, .help = "context switches" },
		{ OPT_BOOL, 0, "latency", &r->switches, .help = "what perf report --latency needs: context switches" },
		{ OPT_BOOL, 0, "no-bpf-event", &r->no_bpf_event, .help = "no BPF programs" },
		{ OPT_CALLBACK, 0, "synth", o, "what", "records of what runs already: no, all, task, mmap, cgroup", .call = opt_synth },
		{ OPT_BOOL, 0, "tail-synthesize", &o->tail_synthesize, .help = "records of what runs already at the end of the file" },
		{ OPT_BOOL, 'B', "no-buildid", &r->no_buildid, .help = "no build-ids" },
		{ OPT_BOOL, 'N', "no-buildid-cache", &o->no_buildid_cache, .help = "write nothing below ~/.debug" },
		{ OPT_BOOL, 0, "embed", &o->embed, .help = "names of functions and lines in the file: no other file is needed to show it" },
		{ OPT_BOOL, 0, "buildid-all", &o->buildid_all, .help = "a table of all files' build-ids" },
		{ OPT_BOOL, 0, "no-buildid-mmap", &r->no_buildid_mmap, .help = "build-ids in a table, not in map records" },
		{ OPT_GROUP, .help = "How" },
		{ OPT_STRING, 'o', "output", &o->output, "file", .help = "where to, - for standard output (perf.data)" },
		{ OPT_CALLBACK, 'm', "mmap-pages", o, "pages|size", "size of each kernel buffer", .call = opt_pages },
		{ OPT_CALLBACK, 0, "mmap-flush", o, "size", "leave a buffer with less in it for later", .call = opt_flush },
		{ OPT_CALLBACK, 0, "affinity", o, "sys|node|cpu", "run near the buffer that is read", .call = opt_affinity },
		{ OPT_STRING, 0, "threads", &o->threads, "layout|masks", .default_arg = "cpu",
		  .help = "a directory, written by a thread for each cpu, core, package or numa node" },
		{ OPT_CALLBACK, 'z', "compression-level", o, "level", "compress, level 1 to 22", "1", .call = opt_compress },
		{ OPT_CALLBACK, 'k', "clockid", o, "clock", "the clock of times: monotonic, boottime, ...", .call = opt_clockid },
		{ OPT_CALLBACK, 0, "switch-output", o, "signal|size|time", "go on in a new file at SIGUSR2, size or time", "", .call = opt_switch_output },
		{ OPT_CALLBACK, 0, "switch-output-event", o, "event", "and when this event happens", .call = opt_trigger },
		{ OPT_INT, 0, "switch-max-files", &o->switch_max_files, "n", .help = "keep the last n files only" },
		{ OPT_CALLBACK, 0, "max-size", &o->max_size, "size",
		  "end when the file has this size", .call = opt_size },
		{ OPT_CALLBACK, 0, "max-memory", &o->max_memory, "size",
		  "what live stacks may take (256M)", .call = opt_size },
		{ OPT_BOOL, 0, "overwrite", &r->overwrite, .help = "keep the newest in the buffers, write at SIGUSR2 and the end" },
		{ OPT_BOOL, 0, "timestamp-filename", &o->timestamp_filename, .help = "the date in the file's name" },
		{ OPT_BOOL, 0, "timestamp-boundary", &as_always, .help = "time of first and last sample (as always)" },
		{ OPT_INT, 'r', "realtime", &o->realtime, "prio", .help = "run with this SCHED_FIFO priority" },
		{ OPT_BOOL, 0, "no-buffering", &r->no_buffering, .help = "wake up for every sample" },
		{ OPT_BOOL, 0, "dry-run", &o->dry_run, .help = "stop before anything is measured" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "say more; -vv shows the attributes" },
		{ OPT_BOOL, 'q', "quiet", &o->quiet, .help = "say nothing but errors" },
		IGNORED(0, "buildid-mmap", NULL),
		IGNORED(0, "num-thread-synthesize", "n"),
		IGNORED(0, "proc-map-timeout", "ms"),
		{ OPT_CALLBACK, 0, "aio", o, "n", "for other perfs", "", .call = opt_refused, .hidden = true },
		LEFT_OUT(0, "kcore", "the kernel's code is only wanted to annotate it: use 'perf record --kcore' of linux-perf"),
		LEFT_OUT_ARG(0, "debuginfod", "urls", "record needs no debug files; perf report and perf script "
			     "fetch them where DEBUGINFOD_URLS is set"),
		LEFT_OUT(0, "sample-mem-info", USE_MEMORY),
		LEFT_OUT_ARG(0, "off-cpu-thresh", "ms", "--off-cpu records every time off the CPU; perf report --percent-limit hides small ones"),
		LEFT_OUT_ARG(0, "aux-sample", "opts", USE_TRACES),
		LEFT_OUT_ARG('S', "snapshot", "opts", USE_TRACES),
		{ .kind = OPT_END },
	};
	int first, i;

	o->max_memory = LIVE_MEMORY;
	/* command line for the header, before the parser reorders it */
	o->argv = xcalloc(argc + 2, sizeof(*o->argv));
	o->argv[0] = (char *)"perf";
	for (i = 0; i < argc; i++)
		o->argv[i + 1] = argv[i];
	o->argc = argc + 1;
	if (error_report(argparse(argc, argv, opts,
				  "perf record [<options>] [--] [<command> [<options>]]", true, &first)))
		return -1;
	if (o->quiet)
		verbose = -1;
	if (from_config(o))
		return -1;
	if (first < argc)
		o->command = argv + first;
	if (branch_any && !r->branch_type)
		value_branch("any", &r->branch_type);
	r->parallel = o->threads;
	r->small_file = small_file(o);
	return check(o, period_set);
}

void record_options_deinit(struct record_options *o)
{
	spec_list_deinit(&o->specs);
	spec_list_deinit(&o->triggers);
	free(o->spans);
	free(o->argv);
}

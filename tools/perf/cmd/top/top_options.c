// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of perf top. Most options are those of perf record and perf report: they are
 * collected into a command line for each, which parses it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/argparse.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/top/top.h"
#include "cmd/values.h"
#include "measure/open.h"
#include "spec/spec.h"

#define DEFAULT_DELAY	2
/* Low, so that perf top uses little CPU time; and not the frequency of the kernel's timer. */
#define DEFAULT_FREQ	249
#define DEFAULT_MEMORY	(256ULL << 20)
#define LEAST_MEMORY	(16ULL << 20)

/* Pass an option to perf record or perf report. .value: its command line. */
static struct error *opt_pass(const struct opt *o, const char *arg, bool unset)
{
	words_add(o->value, arg && !unset ? "--%s%s=%s" : "--%s%s", unset ? "no-" : "", o->long_name, arg);
	return NULL;
}

bool top_options_delay(struct top_options *o, const char *seconds)
{
	char *end;
	double v = strtod(seconds, &end);

	if (end == seconds || *end || !(v >= 0.1 && v <= 86400))
		return false;
	o->delay = v;
	return true;
}

/* Sort keys cgroup and cgroup_id need records that are off by default. */
static struct error *opt_sort(const struct opt *o, const char *arg, bool unset __unused)
{
	struct top_options *t = o->value;
	const char *cgroup = arg ? strstr(arg, "cgroup") : NULL;

	words_add(&t->report, "--sort=%s", arg ?: "");
	if (cgroup)
		words_add(&t->record, strncmp(cgroup, "cgroup_id", 9) ? "--all-cgroups" : "--namespaces");
	return NULL;
}

static struct error *opt_cgroups(const struct opt *o, const char *arg, bool unset __unused)
{
	struct top_options *t = o->value;

	words_add(&t->report, "--cgroups=%s", arg ?: "");
	words_add(&t->record, "--all-cgroups");
	return NULL;
}

static struct error *opt_delay(const struct opt *o, const char *arg, bool unset __unused)
{
	if (!arg || !top_options_delay(o->value, arg))
		return error_create(EINVAL, "-d needs seconds, 0.1 at least, not '%s'", arg ? arg : "");
	return NULL;
}

static struct error *opt_memory(const struct opt *o, const char *arg, bool unset __unused)
{
	struct top_options *t = o->value;

	if (!arg || value_size(arg, &t->max_memory) || t->max_memory < LEAST_MEMORY)
		return error_create(EINVAL, "--max-memory needs a size, 16M at least, not '%s'", arg ? arg : "");
	return NULL;
}

static bool may_measure_all(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(attr), .exclude_kernel = 1,
	};
	int fd = perf_open(&attr, -1, 0, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd != -EACCES && fd != -EPERM;
}

int top_parse_report(struct report_options *o, struct word_list *words)
{
	/* Parsing may reorder them. */
	_cleanup_free_ char **copy = xcalloc(words->nr + 1, sizeof(*copy));

	memcpy(copy, words->v, words->nr * sizeof(*copy));
	if (report_options_parse(o, words->v, words->nr, copy))
		return -1;
	/* Columns of events are fixed, even without samples. */
	o->skip_empty = false;
	return 0;
}

#define RECORD(short, long, arg, text, ...) \
	{ OPT_CALLBACK, short, long, &o->record, arg, text, .call = opt_pass, ##__VA_ARGS__ }
#define REPORT(short, long, arg, text, ...) \
	{ OPT_CALLBACK, short, long, &o->report, arg, text, .call = opt_pass, ##__VA_ARGS__ }
#define NOT_HERE "perf annotate shows code; in the browser: a"

int top_options_parse(struct top_options *o, int argc, char **argv)
{
	const char *chains = NULL, *pids = NULL, *tids = NULL, *user = NULL;
	bool graphs = false, text = false, browser = false, children = false, sorted = false, fields = false;
	const struct call_graph_mode *mode;
	bool rate = false, no_chains;
	char modes[128];
	const struct opt opts[] = {
		{ OPT_GROUP, .help = "What to measure" },
		RECORD('e', "event", "event", "events, comma-separated; 'perf list' shows them"),
		RECORD(0, "filter", "filter", "only tracepoints whose fields satisfy this"),
		RECORD('F', "freq", "n|max", "samples per second (249)", .set = &rate),
		RECORD('c', "count", "n", "events per sample", .set = &rate),
		RECORD('a', "all-cpus", NULL, "the whole system (default)"),
		RECORD('C', "cpu", "cpus", "these CPUs: 0-3,8"),
		{ OPT_STRING, 'p', "pid", &pids, "pid,...", .help = "running processes" },
		{ OPT_STRING, 't', "tid", &tids, "tid,...", .help = "running threads" },
		{ OPT_STRING, 'u', "uid", &user, "user", .help = "all processes of a user" },
		RECORD('G', "cgroup", "name,...", "a cgroup for each event"),
		RECORD('i', "no-inherit", NULL, "children are not followed"),
		{ OPT_BOOL, 'g', NULL, &graphs, .help = "callchains and call graphs (default in the browser)" },
		{ OPT_STRING, 0, "call-graph", &chains, "mode",
		  .help = call_graph_modes(modes, sizeof(modes), false) },
		RECORD('b', "branch-any", NULL, "taken branches"),
		RECORD('j', "branch-filter", "mask", "taken branches of these kinds"),
		RECORD(0, "wall", NULL, "each thread at each tick, also where it waits"),
		RECORD(0, "off-cpu", NULL, "where threads wait, too, and for how long"),
		RECORD(0, "off-cpu-only", NULL, "nothing but where threads wait"),
		RECORD(0, "all-cgroups", NULL, "cgroups, for the sort key cgroup"),
		RECORD(0, "namespaces", NULL, "namespaces, for the sort key cgroup_id"),
		RECORD(0, "no-bpf-event", NULL, "no BPF programs"),
		RECORD('m', "mmap-pages", "pages|size", "size of each kernel buffer"),
		RECORD('r', "realtime", "prio", "record with this SCHED_FIFO priority"),
		RECORD(0, "proc-map-timeout", "ms", "for other perfs", .hidden = true),
		RECORD(0, "num-thread-synthesize", "n", "for other perfs", .hidden = true),
		{ OPT_GROUP, .help = "What to show" },
		{ OPT_CALLBACK, 's', "sort", o, "keys", "tell rows apart by these (dso,symbol)", .call = opt_sort, .set = &sorted },
		{ OPT_CALLBACK, 0, "fields", &o->report, "fields", "columns; +field adds to the default", .call = opt_pass, .set = &fields },
		REPORT('n', "show-nr-samples", NULL, "a column of the samples"),
		REPORT(0, "show-total-period", NULL, "a column of the periods"),
		REPORT(0, "comms", "name,...", "of tasks with these names"),
		{ OPT_CALLBACK, 0, "cgroups", o, "name,...", "of tasks in these cgroups", .call = opt_cgroups },
		REPORT(0, "dsos", "name,...", "in these files"),
		REPORT(0, "symbols", "name,...", "in these functions"),
		REPORT(0, "symbol-filter", "part", "in functions with this in their name"),
		{ OPT_BOOL, 'K', "hide_kernel_symbols", &o->hide_kernel, .help = "no samples in the kernel" },
		{ OPT_BOOL, 'U', "hide_user_symbols", &o->hide_user, .help = "no samples in programs" },
		{ OPT_CALLBACK, 0, "children", &o->report, NULL, "add callees' samples to their callers' rows", .call = opt_pass, .set = &children },
		REPORT(0, "max-stack", "n", "look at so many frames of a stack"),
		REPORT(0, "ignore-callees", "regex", "end stacks at these functions"),
		REPORT(0, "percent-limit", "percent", "hide rows and call graphs under this"),
		REPORT(0, "percentage", "how", "relative to what the filters leave, or absolute"),
		REPORT(0, "group", NULL, "events of a group in one table"),
		REPORT(0, "group-sort-idx", "n", "sort by this member of the group"),
		REPORT(0, "hierarchy", NULL, "nest rows by their keys"),
		REPORT(0, "raw-trace", NULL, "tracepoint fields as recorded"),
		REPORT(0, "switch-on", "event", "from this event on"),
		REPORT(0, "switch-off", "event", "until this event"),
		REPORT('k', "vmlinux", "file", "kernel symbols from this vmlinux"),
		REPORT(0, "kallsyms", "file", "kernel symbols from this kallsyms"),
		REPORT(0, "demangle", NULL, "show names of C++, Rust, OCaml and Java as in the source"),
		REPORT(0, "demangle-kernel", NULL, "kernel names, too"),
		REPORT(0, "ignore-vmlinux", NULL, "for other perfs", .hidden = true),
		REPORT(0, "show-on-off-events", NULL, "for other perfs", .hidden = true),
		REPORT(0, "force", NULL, "for other perfs", .hidden = true),
		{ OPT_GROUP, .help = "How to show it" },
		{ OPT_CALLBACK, 'd', "delay", o, "seconds", "between refreshes (2)", .call = opt_delay },
		{ OPT_INT, 'E', "entries", &o->entries, "n", .help = "show so many rows" },
		{ OPT_U64, 'f', "count-filter", &o->min_samples, "n", .help = "only rows with more samples than this" },
		{ OPT_BOOL, 'z', "zero", &o->zero, .help = "each refresh shows the samples since the one before; by default 7/8 of the earlier ones count, too" },
		{ OPT_BOOL, 0, "add-up", &o->add_up, .help = "all samples that are in memory count" },
		{ OPT_CALLBACK, 0, "max-memory", o, "size", "samples of the last minutes take so much memory (256M)", .call = opt_memory },
		{ OPT_BOOL, 0, "stdio", &text, .help = "as text (default where the output is no terminal)" },
		{ OPT_BOOL, 0, "tui", &browser, .help = "in a browser on the terminal (default there)" },
		REPORT('w', "column-widths", "n,n...", "0: as wide as needed"),
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "say more" },
		LEFT_OUT('D', "dump-symtab", "perf report -v says where symbols were found"),
		LEFT_OUT_ARG(0, "sym-annotate", "symbol", NOT_HERE),
		LEFT_OUT_ARG('M', "disassembler-style", "style", NOT_HERE),
		LEFT_OUT(0, "source", NOT_HERE),
		LEFT_OUT(0, "asm-raw", NOT_HERE),
		LEFT_OUT_ARG(0, "objdump", "path", NOT_HERE),
		LEFT_OUT_ARG(0, "prefix", "path", NOT_HERE),
		LEFT_OUT_ARG(0, "prefix-strip", "n", NOT_HERE),
		LEFT_OUT(0, "overwrite", "-m makes the buffers larger"),
		LEFT_OUT(0, "stitch-lbr", "callchains of --call-graph lbr are shown as they were recorded"),
		{ .kind = OPT_END },
	};
	int first;

	*o = (struct top_options){ .delay = DEFAULT_DELAY, .max_memory = DEFAULT_MEMORY };
	words_add(&o->record, "record");
	words_add(&o->record, "-qNo-");
	words_add(&o->report, "report");
	if (error_report(argparse(argc, argv, opts, "perf top [<options>]", false, &first)))
		return -1;
	if (first < argc)
		return diag_error("'%s': perf top runs no command: -p names a process, perf record runs one", argv[first]);
	if (o->zero && o->add_up)
		return diag_error("-z and --add-up exclude each other");
	if (o->entries < 0)
		return diag_error("-E needs a number of rows");
	mode = chains ? call_graph_mode(chains, strlen(chains)) : NULL;
	if (mode && mode->late)
		return diag_error("--call-graph %s: user callchains come later than their samples, which perf top does not wait for: "
				  "bpf and live are as complete", chains);
	if (text && browser)
		return diag_error("--stdio and --tui exclude each other");
	if (pids)
		words_add(&o->record, "--pid=%s", pids);
	if (tids)
		words_add(&o->record, "--tid=%s", tids);
	if (user)
		words_add(&o->record, "--uid=%s", user);
	if (!pids && !tids && !user && !may_measure_all()) {
		o->only_own = true;
		words_add(&o->record, "--uid=%u", geteuid());
	}
	o->usual_keys = !sorted && !fields;
	if (o->usual_keys)
		words_add(&o->report, "--sort=dso,symbol");
	if (!rate)
		words_add(&o->record, "--freq=%d", DEFAULT_FREQ);
	if (text || browser)
		words_add(&o->report, text ? "--stdio" : "--tui");
	/* Half of it: the recording is a process of its own. */
	words_add(&o->record, "--max-memory=%llu", o->max_memory / 2);
	no_chains = chains && !strcmp(chains, "no");
	if (no_chains)
		chains = NULL;
	graphs |= chains != NULL;
	if (!children)
		words_add(&o->report, "--no-children");
	if (top_parse_report(&o->shown, &o->report))
		return -1;
	/* Text without -g has only rows, which need no callchains. */
	if (no_chains || (o->shown.ui == UI_STDIO && !graphs))
		o->shown.hist.chain.mode = CHAIN_NONE;
	if (!no_chains && (graphs || children || o->shown.ui == UI_TUI))
		words_add(&o->record, "--call-graph=%s", chains ?: "bpf");
	return 0;
}

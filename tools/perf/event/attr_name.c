// SPDX-License-Identifier: GPL-2.0
/* Names of events: as recorded, or those of perf-list(1) with modifiers after the colon. */
#include <stdio.h>

#include <linux/hw_breakpoint.h>

#include "base/text.h"
#include "event/event.h"

#define SW(n, a, c, what) { n, a, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, what }
#define HW(n, a, c, what) { n, a, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, what }

const struct event_name event_names[] = {
	HW("cycles", "cpu-cycles", CPU_CYCLES,
	   "Cycles of the CPU while it is not halted; their length changes with its frequency"),
	HW("instructions", NULL, INSTRUCTIONS, "Instructions that were retired"),
	HW("cache-references", NULL, CACHE_REFERENCES,
	   "Accesses to a cache, mostly the last level"),
	HW("cache-misses", NULL, CACHE_MISSES,
	   "Accesses that a cache, mostly the last level, could not serve"),
	HW("branches", "branch-instructions", BRANCH_INSTRUCTIONS,
	   "Branch instructions that were retired"),
	HW("branch-misses", NULL, BRANCH_MISSES, "Branches that were mispredicted"),
	HW("bus-cycles", NULL, BUS_CYCLES, "Cycles of the bus"),
	HW("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND,
	   "Cycles in which no instruction was ready to be issued"),
	HW("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND,
	   "Cycles in which no instruction could be retired, for data or a unit was missing"),
	HW("ref-cycles", NULL, REF_CPU_CYCLES,
	   "Cycles at a constant frequency while the CPU is not halted"),
	SW("cpu-clock", NULL, CPU_CLOCK, "Time of the CPU, by a timer: needs no counters"),
	SW("task-clock", NULL, TASK_CLOCK,
	   "Time that a thread runs, by a timer: needs no counters"),
	SW("page-faults", "faults", PAGE_FAULTS, "Page faults"),
	SW("context-switches", "cs", CONTEXT_SWITCHES, "Switches from one thread to another"),
	SW("cpu-migrations", "migrations", CPU_MIGRATIONS, "Moves of a thread to another CPU"),
	SW("minor-faults", NULL, PAGE_FAULTS_MIN, "Page faults that needed no input"),
	SW("major-faults", NULL, PAGE_FAULTS_MAJ, "Page faults that needed input from a disk"),
	SW("alignment-faults", NULL, ALIGNMENT_FAULTS,
	   "Accesses to unaligned memory that the kernel handled"),
	SW("emulation-faults", NULL, EMULATION_FAULTS, "Instructions that the kernel emulated"),
	SW("dummy", NULL, DUMMY, "Nothing: for records of mappings and names only"),
	SW("bpf-output", NULL, BPF_OUTPUT, "What BPF programs write"),
	SW("cgroup-switches", NULL, CGROUP_SWITCHES,
	   "Switches to a thread of another control group"),
	{ NULL, NULL, 0, 0, NULL },
};

/* The name of a hardware or software event, or NULL. */
static const char *constant_name(u32 type, u64 config)
{
	const struct event_name *e;

	for (e = event_names; e->name; e++)
		if (e->type == type && e->config == config)
			return e->name;
	return NULL;
}

static const char *const cache_event_names[PERF_COUNT_HW_CACHE_MAX] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const char *const cache_ops[PERF_COUNT_HW_CACHE_OP_MAX][2] = {
	{ "loads", "load-misses" }, { "stores", "store-misses" },
	{ "prefetches", "prefetch-misses" },
};

static int name_cache(u64 config, char *buf, size_t size)
{
	u8 cache = config, op = config >> 8, result = config >> 16;

	if (config >> 24 || cache >= PERF_COUNT_HW_CACHE_MAX ||
	    op >= PERF_COUNT_HW_CACHE_OP_MAX || result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return snprintf(buf, size, "unknown-ext-hardware-cache-type");
	return snprintf(buf, size, "%s-%s", cache_event_names[cache], cache_ops[op][result]);
}

static void name_modifiers(const struct perf_event_attr *attr, char *p, size_t size)
{
	char mod[16], *m = mod;
	u32 i;

	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv) {
		if (!attr->exclude_kernel)
			*m++ = 'k';
		if (!attr->exclude_user)
			*m++ = 'u';
		if (!attr->exclude_hv)
			*m++ = 'h';
	}
	for (i = 0; i < attr->precise_ip; i++)
		*m++ = 'p';
	/* H is shown only with other modifiers, as excluding guests is the default. */
	if (m != mod && attr->exclude_host != attr->exclude_guest && attr->exclude_host)
		*m++ = 'G';
	*m = 0;
	if (m != mod)
		snprintf(p, size, ":%s", mod);
}

const char *event_attr_name(const struct perf_event_attr *attr, char *buf, size_t size)
{
	u64 config = attr->config;
	int n;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		/* The upper half may be the number of a PMU. */
		n = snprintf(buf, size, "%s", constant_name(attr->type, (u32)config) ?: "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		n = snprintf(buf, size, "%s", constant_name(attr->type, config) ?: "unknown-software");
		break;
	case PERF_TYPE_HW_CACHE:
		n = name_cache(config & 0xffffffff, buf, size);
		break;
	case PERF_TYPE_RAW:
		n = snprintf(buf, size, "raw 0x%llx", config);
		break;
	case PERF_TYPE_TRACEPOINT:
		snprintf(buf, size, "unknown tracepoint");
		return buf;
	case PERF_TYPE_BREAKPOINT:
		n = snprintf(buf, size, "mem:0x%llx:%s%s%s", (u64)attr->bp_addr,
			     attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
			     attr->bp_type & HW_BREAKPOINT_W ? "w" : "",
			     attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
		break;
	default:
		snprintf(buf, size, "unknown event PMU=%u config=%#llx", attr->type, config);
		return buf;
	}
	if (n >= 0 && (size_t)n < size)
		name_modifiers(attr, buf + n, size - n);
	return buf;
}

void event_set_name(struct event_list *list, struct event *ev, const char *name, size_t len)
{
	ev->name = printable_copy(&list->arena, arena_strndup(&list->arena, name, len));
	ev->named = true;
}

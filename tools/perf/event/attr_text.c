// SPDX-License-Identifier: GPL-2.0
/* attr_each(): constants by their names in <linux/perf_event.h>. */
#include <stdarg.h>
#include <stdio.h>

#include "event/value_text.h"

struct attr_walk {
	void (*fn)(const char *name, const char *value, void *ctx);
	void *ctx;
};

static void __printf(3, 4) say(const struct attr_walk *w, const char *name, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w->fn(name, text, w->ctx);
}

static void say_number(const struct attr_walk *w, const char *name, u64 value)
{
	if (value)
		say(w, name, "%llu", value);
}

static void say_hex(const struct attr_walk *w, const char *name, u64 value)
{
	if (value)
		say(w, name, "%#llx", value);
}

/* @order: numbers of the bits in the order of their names; NULL: ascending */
static void say_bits(const struct attr_walk *w, const char *name, u64 value,
		     const char *const *names, const u8 *order, u32 nr)
{
	char text[768];
	size_t len = 0;
	u32 i, bit;

	if (!value)
		return;
	for (i = 0; i < nr; i++) {
		bit = order ? order[i] : i;
		if (value >> bit & 1)
			len += snprintf(text + len, sizeof(text) - len, "%s%s", len ? "|" : "",
					names[bit]);
	}
	if (!len || value >> nr)
		say(w, name, "%s%s%#llx", len ? text : "", len ? "|" : "", value >> nr << nr);
	else
		say(w, name, "%s", text);
}

static const char *const types[] = {
	"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT", "PERF_TYPE_HW_CACHE",
	"PERF_TYPE_RAW", "PERF_TYPE_BREAKPOINT",
};

static const char *const hardware[] = {
	"CPU_CYCLES", "INSTRUCTIONS", "CACHE_REFERENCES", "CACHE_MISSES", "BRANCH_INSTRUCTIONS",
	"BRANCH_MISSES", "BUS_CYCLES", "STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND",
	"REF_CPU_CYCLES",
};

static const char *const software[] = {
	"CPU_CLOCK", "TASK_CLOCK", "PAGE_FAULTS", "CONTEXT_SWITCHES", "CPU_MIGRATIONS",
	"PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS", "EMULATION_FAULTS", "DUMMY",
	"BPF_OUTPUT", "CGROUP_SWITCHES",
};

static const char *const caches[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
static const char *const cache_ops[] = { "READ", "WRITE", "PREFETCH" };
static const char *const cache_results[] = { "ACCESS", "MISS" };

static void say_config(const struct attr_walk *w, const struct perf_event_attr *attr,
		       const char *tp_name)
{
	u64 c = attr->config;
	u8 cache = c, op = c >> 8, result = c >> 16;

	if (attr->type == PERF_TYPE_HARDWARE && (u32)c < ARRAY_SIZE(hardware))
		say(w, "config", "%#llx (PERF_COUNT_HW_%s)", c, hardware[(u32)c]);
	else if (attr->type == PERF_TYPE_SOFTWARE && c < ARRAY_SIZE(software))
		say(w, "config", "%#llx (PERF_COUNT_SW_%s)", c, software[c]);
	else if (attr->type == PERF_TYPE_HW_CACHE && cache < ARRAY_SIZE(caches) &&
		 op < ARRAY_SIZE(cache_ops) && result < ARRAY_SIZE(cache_results))
		say(w, "config",
		    "%#llx (PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s)",
		    c, cache_results[result], cache_ops[op], caches[cache]);
	else if (attr->type == PERF_TYPE_TRACEPOINT && tp_name)
		say(w, "config", "%#llx (%s)", c, tp_name);
	else
		say(w, "config", "%#llx", c);
}

/* The flag word by bits; precise_ip takes 15 and 16. */
static const char *const flags[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel",
	"exclude_hv", "exclude_idle", "mmap", "comm", "freq", "inherit_stat", "enable_on_exec",
	"task", "watermark", "precise_ip", NULL, "mmap_data", "sample_id_all", "exclude_host",
	"exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user", "mmap2",
	"comm_exec", "use_clockid", "context_switch", "write_backward", "namespaces", "ksymbol",
	"bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread",
	"remove_on_exec", "sigtrap", "defer_callchain", "defer_output",
};

static void say_flags(const struct attr_walk *w, const struct perf_event_attr *attr)
{
	u64 word = attr_flags(attr);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		if (i == 15)
			say_number(w, flags[i], attr->precise_ip);
		else if (flags[i])
			say_number(w, flags[i], word >> i & 1);
	}
}

static const char *const sample_bits[] = {
	"IP", "TID", "TIME", "ADDR", "READ", "CALLCHAIN", "ID", "CPU", "PERIOD", "STREAM_ID", "RAW",
	"BRANCH_STACK", "REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC", "IDENTIFIER",
	"TRANSACTION", "REGS_INTR", "PHYS_ADDR", "AUX", "CGROUP", "DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE", "WEIGHT_STRUCT",
};

/* perf's traditional order of names, which is not the order of the bits. */
static const u8 sample_order[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 15, 14, 19, 20, 21, 22, 23, 24,
};

static const char *const read_bits[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};

static const char *const branch_bits[] = {
	"USER", "KERNEL", "HV", "ANY", "ANY_CALL", "ANY_RETURN", "IND_CALL", "ABORT_TX", "IN_TX",
	"NO_TX", "COND", "CALL_STACK", "IND_JUMP", "CALL", "NO_FLAGS", "NO_CYCLES", "TYPE_SAVE",
	"HW_INDEX", "PRIV_SAVE", "COUNTERS",
};

void attr_each(const struct perf_event_attr *attr, const char *tp_name,
	       void (*fn)(const char *name, const char *value, void *ctx), void *ctx)
{
	const struct attr_walk w = { fn, ctx };

	if (attr->type < ARRAY_SIZE(types))
		say(&w, "type", "%u (%s)", attr->type, types[attr->type]);
	else
		say(&w, "type", "%u", attr->type);
	say(&w, "size", "%u", attr->size);
	say_config(&w, attr, tp_name);
	say_number(&w, "{ sample_period, sample_freq }", attr->sample_period);
	say_bits(&w, "sample_type", attr->sample_type, sample_bits, sample_order,
		 ARRAY_SIZE(sample_bits));
	say_bits(&w, "read_format", attr->read_format, read_bits, NULL, ARRAY_SIZE(read_bits));
	say_flags(&w, attr);
	say_number(&w, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	say_number(&w, "bp_type", attr->bp_type);
	say_hex(&w, "{ bp_addr, config1 }", attr->bp_addr);
	say_hex(&w, "{ bp_len, config2 }", attr->bp_len);
	say_bits(&w, "branch_sample_type", attr->branch_sample_type, branch_bits, NULL,
		 ARRAY_SIZE(branch_bits));
	say_hex(&w, "sample_regs_user", attr->sample_regs_user);
	say_number(&w, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid)
		say(&w, "clockid", "%d", attr->clockid);
	say_hex(&w, "sample_regs_intr", attr->sample_regs_intr);
	say_number(&w, "aux_watermark", attr->aux_watermark);
	say_number(&w, "sample_max_stack", attr->sample_max_stack);
	say_number(&w, "aux_sample_size", attr->aux_sample_size);
	say_number(&w, "sig_data", attr->sig_data);
}

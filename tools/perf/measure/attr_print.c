// SPDX-License-Identifier: GPL-2.0
/* Prints the attributes for perf_event_open(2), for -vv: non-zero fields. */
#include <stdio.h>

#include "base/diag.h"
#include "measure/attr.h"

static void bits(const char *name, u64 value, const char *const *names, u32 nr)
{
	char text[512];
	size_t len = 0;
	u32 i;

	if (!value)
		return;
	for (i = 0; i < nr && len < sizeof(text); i++)
		if (value & 1ULL << i)
			len += snprintf(text + len, sizeof(text) - len, "%s%s", len ? "|" : "", names[i]);
	diag_info(2, "  %-32s %s", name, text);
}

static void number(const char *name, u64 value, bool hex)
{
	if (value)
		diag_info(2, hex ? "  %-32s %#llx" : "  %-32s %llu", name, value);
}

void attr_print(const struct perf_event_attr *a)
{
	static const char *const types[] = {
		"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT",
		"PERF_TYPE_HW_CACHE", "PERF_TYPE_RAW", "PERF_TYPE_BREAKPOINT",
	};
	static const char *const sample[] = {
		"IP", "TID", "TIME", "ADDR", "READ", "CALLCHAIN", "ID", "CPU", "PERIOD", "STREAM_ID", "RAW",
		"BRANCH_STACK", "REGS_USER", "STACK_USER", "WEIGHT", "DATA_SRC", "IDENTIFIER", "TRANSACTION",
		"REGS_INTR", "PHYS_ADDR", "AUX", "CGROUP", "DATA_PAGE_SIZE", "CODE_PAGE_SIZE", "WEIGHT_STRUCT",
	};
	static const char *const read[] = {
		"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
	};
	/* The flag word, by bit; precise_ip is bits 15 and 16. */
	static const char *const flags[] = {
		"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv",
		"exclude_idle", "mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark",
		NULL, NULL, "mmap_data", "sample_id_all", "exclude_host", "exclude_guest",
		"exclude_callchain_kernel", "exclude_callchain_user", "mmap2", "comm_exec", "use_clockid",
		"context_switch", "write_backward", "namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup",
		"text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap", "defer_callchain",
		"defer_output",
	};
	u64 word = attr_flags(a);
	char text[64];
	u32 i;

	diag_info(2, "------------------------------------------------------------");
	diag_info(2, "perf_event_attr:");
	if (a->type < ARRAY_SIZE(types))
		snprintf(text, sizeof(text), "%u (%s)", a->type, types[a->type]);
	else
		snprintf(text, sizeof(text), "%u", a->type);
	diag_info(2, "  %-32s %s", "type", text);
	number("size", a->size, false);
	number("config", a->config, true);
	number("{ sample_period, sample_freq }", a->sample_period, false);
	bits("sample_type", a->sample_type, sample, ARRAY_SIZE(sample));
	bits("read_format", a->read_format, read, ARRAY_SIZE(read));
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i] && word & 1ULL << i)
			diag_info(2, "  %-32s 1", flags[i]);
		if (i == 15)
			number("precise_ip", a->precise_ip, false);
	}
	number("{ wakeup_events, wakeup_watermark }", a->wakeup_events, false);
	number("bp_type", a->bp_type, false);
	number("{ bp_addr, config1 }", a->config1, true);
	number("{ bp_len, config2 }", a->config2, true);
	number("branch_sample_type", a->branch_sample_type, true);
	number("sample_regs_user", a->sample_regs_user, true);
	number("sample_stack_user", a->sample_stack_user, false);
	if (a->use_clockid)
		diag_info(2, "  %-32s %d", "clockid", a->clockid);
	number("sample_regs_intr", a->sample_regs_intr, true);
	number("sample_max_stack", a->sample_max_stack, false);
	diag_info(2, "------------------------------------------------------------");
}

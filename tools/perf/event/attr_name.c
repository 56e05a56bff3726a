// SPDX-License-Identifier: GPL-2.0
/* Names of events: as recorded, or those of perf-list(1) with modifiers after the colon. */
#include <stdio.h>

#include <linux/hw_breakpoint.h>

#include "base/text.h"
#include "event/event.h"

static const char *const hw_event_names[PERF_COUNT_HW_MAX] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches",
	"branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend",
	"ref-cycles",
};

static const char *const sw_event_names[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

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

static int name_breakpoint(const struct perf_event_attr *attr, char *buf, size_t size)
{
	return snprintf(buf, size, "mem:0x%llx:%s%s%s", (u64)attr->bp_addr,
			attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
			attr->bp_type & HW_BREAKPOINT_W ? "w" : "",
			attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
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
		if ((u32)config < PERF_COUNT_HW_MAX)
			n = snprintf(buf, size, "%s", hw_event_names[(u32)config]);
		else
			n = snprintf(buf, size, "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		if (config < ARRAY_SIZE(sw_event_names))
			n = snprintf(buf, size, "%s", sw_event_names[config]);
		else
			n = snprintf(buf, size, "unknown-software");
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
		n = name_breakpoint(attr, buf, size);
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

// SPDX-License-Identifier: GPL-2.0
/*
 * perf script -F: the printed fields of each type of event. Fields are bits; each type has a
 * set of printed fields, and a set of fields named by the user, which the recording must have.
 */
#include <stdio.h>

#include "base/diag.h"
#include "cmd/script/script.h"

#define OF_TRACES "needs instruction traces, which this perf does not decode; use " \
		  "'perf inject --itrace' of linux-perf first"
#define OF_CODE "is disassembled code, which perf script does not print; use 'perf annotate'"

/*
 * The fields. Of the words of sample_type bits, which are mainline's, scripts search for those in
 * messages; a field without a word is printed empty, as in mainline. ipc is accepted, and empty, as
 * in mainline without traces.
 */
static const struct {
	const char *name;
	u64 needs;			/* sample_type bits; 0: none */
	const char *word;		/* of these bits */
	const char *left_out;		/* why; NULL: it is printed */
} known[FN_MAX] = {
	[FN_COMM] = { .name = "comm" },
	[FN_TID] = { .name = "tid", .needs = PERF_SAMPLE_TID, .word = "TID" },
	[FN_PID] = { .name = "pid", .needs = PERF_SAMPLE_TID, .word = "TID" },
	[FN_MACHINE_PID] = { .name = "machine_pid" }, [FN_VCPU] = { .name = "vcpu" },
	[FN_CPU] = { .name = "cpu", .needs = PERF_SAMPLE_CPU, .word = "CPU" },
	[FN_MISC] = { .name = "misc" },
	[FN_TOD] = { .name = "tod", .needs = PERF_SAMPLE_TIME, .word = "TIME" },
	[FN_TIME] = { .name = "time", .needs = PERF_SAMPLE_TIME, .word = "TIME" },
	[FN_PERIOD] = { .name = "period" }, [FN_EVENT] = { .name = "event" },
	[FN_FLAGS] = { .name = "flags" }, [FN_TRACE] = { .name = "trace" },
	[FN_ADDR] = { .name = "addr", .needs = PERF_SAMPLE_ADDR, .word = "ADDR" },
	[FN_DATA_SRC] = { .name = "data_src", .needs = PERF_SAMPLE_DATA_SRC, .word = "DATA_SRC" },
	[FN_WEIGHT] = { .name = "weight", .needs = PERF_SAMPLE_WEIGHT_TYPE, .word = "WEIGHT" },
	[FN_INS_LAT] = { .name = "ins_lat", .needs = PERF_SAMPLE_WEIGHT_STRUCT, .word = "WEIGHT_STRUCT" },
	[FN_RETIRE_LAT] = { .name = "retire_lat", .needs = PERF_SAMPLE_WEIGHT_STRUCT, .word = "WEIGHT_STRUCT" },
	[FN_CGROUP] = { .name = "cgroup", .needs = PERF_SAMPLE_CGROUP, .word = "CGROUP" },
	[FN_IP] = { .name = "ip", .needs = PERF_SAMPLE_IP, .word = "IP" },
	[FN_SYM] = { .name = "sym" }, [FN_SYMOFF] = { .name = "symoff" },
	[FN_DSO] = { .name = "dso" }, [FN_DSOFF] = { .name = "dsoff" },
	[FN_SRCLINE] = { .name = "srcline" },
	[FN_SRCCODE] = { .name = "srccode", .left_out = "is not part of this perf; use 'srcline'" },
	[FN_IREGS] = { .name = "iregs", .needs = PERF_SAMPLE_REGS_INTR, .word = "IREGS" },
	[FN_UREGS] = { .name = "uregs", .needs = PERF_SAMPLE_REGS_USER, .word = "UREGS" },
	[FN_BRSTACK] = { .name = "brstack", .needs = PERF_SAMPLE_BRANCH_STACK },
	[FN_BRSTACKSYM] = { .name = "brstacksym", .needs = PERF_SAMPLE_BRANCH_STACK },
	[FN_BRSTACKOFF] = { .name = "brstackoff", .needs = PERF_SAMPLE_BRANCH_STACK },
	[FN_BPF_OUTPUT] = { .name = "bpf-output" },
	[FN_INSN] = { .name = "insn", .left_out = OF_TRACES },
	[FN_INSNLEN] = { .name = "insnlen", .left_out = OF_TRACES },
	[FN_PHYS_ADDR] = { .name = "phys_addr", .needs = PERF_SAMPLE_PHYS_ADDR, .word = "PHYS_ADDR" },
	[FN_DATA_PAGE_SIZE] = { .name = "data_page_size", .needs = PERF_SAMPLE_DATA_PAGE_SIZE, .word = "DATA_PAGE_SIZE" },
	[FN_CODE_PAGE_SIZE] = { .name = "code_page_size", .needs = PERF_SAMPLE_CODE_PAGE_SIZE, .word = "CODE_PAGE_SIZE" },
	[FN_SYNTH] = { .name = "synth" }, [FN_IPC] = { .name = "ipc" },
	[FN_CALLINDENT] = { .name = "callindent", .left_out = OF_TRACES },
	[FN_BRSTACKINSN] = { .name = "brstackinsn", .left_out = OF_CODE },
	[FN_BRSTACKINSNLEN] = { .name = "brstackinsnlen", .left_out = OF_CODE },
	[FN_METRIC] = { .name = "metric", .left_out = "is computed from counts of groups, which this perf does not "
			"do; use 'perf stat -M' of linux-perf" },
	[FN_DISASM] = { .name = "disasm", .left_out = OF_CODE },
	[FN_BRSTACKDISASM] = { .name = "brstackdisasm", .left_out = OF_CODE },
	[FN_BRCNTR] = { .name = "brcntr", .left_out = "needs counters of branches, which this perf does not "
			"decode; use 'brstack'" },
};

static const char *const kind_names[] = {
	[KIND_HW] = "hw", [KIND_SW] = "sw", [KIND_TRACE] = "trace", [KIND_RAW] = "raw",
	[KIND_BREAKPOINT] = "break", [KIND_CACHE] = "cache", [KIND_SYNTH] = "synth",
	[KIND_BPF] = "bpf", [KIND_OTHER] = "other",
};

#define FRAME_FIELDS (FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO))
#define COMMON_FIELDS (FIELD(COMM) | FIELD(TID) | FIELD(CPU) | FIELD(TIME) | FIELD(EVENT))

/* What perf mem records, in raw events; printed by default if the samples have it. */
#define MEMORY_FIELDS (FIELD(ADDR) | FIELD(DATA_SRC) | FIELD(WEIGHT) | FIELD(INS_LAT) |	\
		       FIELD(RETIRE_LAT) | FIELD(PHYS_ADDR) |				\
		       FIELD(DATA_PAGE_SIZE) | FIELD(CODE_PAGE_SIZE))

static enum script_kind script_kind(const struct perf_event_attr *attr)
{
	static const u8 kinds[] = {
		[PERF_TYPE_HARDWARE] = KIND_HW, [PERF_TYPE_SOFTWARE] = KIND_SW,
		[PERF_TYPE_TRACEPOINT] = KIND_TRACE, [PERF_TYPE_HW_CACHE] = KIND_CACHE,
		[PERF_TYPE_RAW] = KIND_RAW, [PERF_TYPE_BREAKPOINT] = KIND_BREAKPOINT,
	};

	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT)
		return KIND_BPF;
	return attr->type < ARRAY_SIZE(kinds) ? kinds[attr->type] : KIND_OTHER;
}

void script_fields_init(struct script_fields *f)
{
	int k;

	memset(f, 0, sizeof(*f));
	for (k = 0; k < KIND_MAX; k++)
		f->fields[k] = COMMON_FIELDS | FRAME_FIELDS | FIELD(PERIOD);
	f->fields[KIND_RAW] |= MEMORY_FIELDS;
	f->fields[KIND_TRACE] = COMMON_FIELDS | FIELD(TRACE);
	f->fields[KIND_BPF] = COMMON_FIELDS | FRAME_FIELDS | FIELD(BPF_OUTPUT);
}

/* Can this kind of event have the field? */
static bool valid_for(u64 field, int kind)
{
	if (field == FIELD(TRACE))
		return kind == KIND_TRACE;
	if (field == FIELD(BPF_OUTPUT))
		return kind == KIND_BPF;
	return true;
}

static bool is_named(const char *word, const char *name, size_t len)
{
	return !strncmp(word, name, len) && !word[len];
}

/* Apply one name of the list. @sign: '+', '-', or 0 to set. */
static int parse_field(struct script_fields *f, int kind, char sign, const char *name, size_t len)
{
	int nr = 0, k;
	u64 field;

	while (nr < FN_MAX && !is_named(known[nr].name, name, len))
		nr++;
	if (nr == FN_MAX)
		return diag_error("-F: '%.*s' is not a field; 'perf script -F help' lists them",
				  (int)len, name);
	field = 1ULL << nr;
	if (known[nr].left_out && sign != '-')
		return diag_error("-F: '%s' %s", known[nr].name, known[nr].left_out);
	if (kind >= 0 && !valid_for(field, kind))
		return diag_error("-F: %s events have no field '%s'", kind_names[kind],
				  known[nr].name);
	for (k = 0; k < KIND_MAX; k++) {
		if ((kind >= 0 && k != kind) || !valid_for(field, k))
			continue;
		if (sign == '-') {
			f->fields[k] &= ~field;
			f->wanted[k] &= ~field;
		} else {
			f->fields[k] |= field;
			f->wanted[k] |= field;
		}
	}
	return 0;
}

static void list_fields(void)
{
	char line[1024];
	int i, n = 0;

	for (i = 0; i < FN_MAX; i++)
		if (!known[i].left_out)
			n += snprintf(line + n, sizeof(line) - n, "%s%s", n ? ", " : "", known[i].name);
	puts(line);
	exit(0);
}

int script_fields_parse(struct script_fields *f, const char *arg)
{
	const char *colon = strchr(arg, ':'), *p, *end;
	int kind = -1, k;
	bool change;

	if (!strcmp(arg, "help"))
		list_fields();
	if (colon) {
		for (kind = 0; kind < KIND_MAX && !is_named(kind_names[kind], arg, colon - arg);)
			kind++;
		if (kind == KIND_MAX)
			return diag_error("-F: '%.*s' is not a kind of event (hw, sw, trace, raw, "
					  "break, cache, synth, bpf, other)", (int)(colon - arg), arg);
		arg = colon + 1;
	} else if (!*arg) {
		return diag_error("-F: no fields are left to print of any event");
	}
	change = *arg == '+' || *arg == '-';
	for (k = 0; k < KIND_MAX; k++) {
		if (kind >= 0 && k != kind)
			continue;
		if (!change) {
			if (f->set[k] && kind < 0)
				diag_info(1, "-F: overrides the fields of %s events", kind_names[k]);
			f->fields[k] = f->wanted[k] = 0;
			f->set[k] = true;
		}
		f->changed[k] = true;
	}
	for (p = arg; *p; p = *end ? end + 1 : end) {
		char sign = *p == '+' || *p == '-' ? *p : 0;

		end = p + strcspn(p, ",");
		if (change != (sign != 0))
			return diag_error("-F: a list either sets fields or changes them (+field, "
					  "-field), not both: '%s'", arg);
		if (sign)
			p++;
		if (parse_field(f, kind, sign, p, end - p))
			return -1;
	}
	return 0;
}

int script_fields_check(const struct script_fields *f, const struct event *ev, bool callchains,
			u64 *fields)
{
	enum script_kind kind = script_kind(&ev->attr);
	bool dummy = ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
	/* An event without samples need not have what -F names. */
	u64 field, want = dummy ? 0 : f->wanted[kind];
	int i;

	*fields = f->fields[kind];
	/* As in mainline: unless -F changes its fields, a tracepoint has a callchain, but no ip. */
	if (kind == KIND_TRACE && !f->changed[kind] && callchains && ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		*fields |= FRAME_FIELDS;
	/* The period is the off-CPU time. */
	if (kind == KIND_TRACE && !f->set[kind] && event_off_cpu(ev))
		*fields |= FIELD(PERIOD);
	if (!dummy && *fields & FIELD(SYMOFF) && !(*fields & FIELD(SYM)))
		return diag_error("-F: symoff is an offset into a symbol: it needs sym");
	if (want & *fields & (FIELD(SYM) | FIELD(DSO) | FIELD(SRCLINE)) &&
	    !(*fields & (FIELD(IP) | FIELD(ADDR) | FIELD(BRSTACK) | FIELD(BRSTACKSYM) |
			 FIELD(BRSTACKOFF)))) {
		if (want & *fields & FIELD(SRCLINE))
			return diag_error("-F: srcline is of an address: it needs ip (or addr)");
		/* As mainline: other named fields are printed. */
		diag_warn("%s: sym and dso are of an address: without ip (or addr) nothing is printed "
			  "for them", ev->name);
	}
	for (i = 0; i < FN_MAX; i++) {
		field = 1ULL << i;
		if (!(*fields & field) || !known[i].needs || ev->attr.sample_type & known[i].needs)
			continue;
		if (want & field && known[i].word)
			return diag_error("Samples for '%s' event do not have %s attribute set. "
					  "Cannot print '%s' field.", ev->name, known[i].word, known[i].name);
		if (want & field)
			diag_warn("%s: samples were recorded without branches (record -b): nothing is printed for %s",
				  ev->name, known[i].name);
		*fields &= ~field;
	}
	return 0;
}

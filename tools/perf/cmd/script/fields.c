// SPDX-License-Identifier: GPL-2.0
/*
 * perf script -F: the printed fields of each type of event. Fields are bits; each type has a
 * set of printed fields, and a set of fields named by the user, which the recording must have.
 */
#include <stdio.h>

#include "base/diag.h"
#include "cmd/script/fields.h"

static const char *const field_names[] = {
	[FN_COMM] = "comm",
	[FN_TID] = "tid",
	[FN_PID] = "pid",
	[FN_MACHINE_PID] = "machine_pid",
	[FN_VCPU] = "vcpu",
	[FN_CPU] = "cpu",
	[FN_MISC] = "misc",
	[FN_TOD] = "tod",
	[FN_TIME] = "time",
	[FN_PERIOD] = "period",
	[FN_EVENT] = "event",
	[FN_FLAGS] = "flags",
	[FN_TRACE] = "trace",
	[FN_ADDR] = "addr",
	[FN_DATA_SRC] = "data_src",
	[FN_WEIGHT] = "weight",
	[FN_INS_LAT] = "ins_lat",
	[FN_RETIRE_LAT] = "retire_lat",
	[FN_CGROUP] = "cgroup",
	[FN_IP] = "ip",
	[FN_SYM] = "sym",
	[FN_SYMOFF] = "symoff",
	[FN_DSO] = "dso",
	[FN_DSOFF] = "dsoff",
	[FN_SRCLINE] = "srcline",
	[FN_SRCCODE] = "srccode",
	[FN_IREGS] = "iregs",
	[FN_UREGS] = "uregs",
	[FN_BRSTACK] = "brstack",
	[FN_BRSTACKSYM] = "brstacksym",
	[FN_BRSTACKOFF] = "brstackoff",
	[FN_BPF_OUTPUT] = "bpf-output",
	[FN_INSN] = "insn",
	[FN_INSNLEN] = "insnlen",
	[FN_PHYS_ADDR] = "phys_addr",
	[FN_DATA_PAGE_SIZE] = "data_page_size",
	[FN_CODE_PAGE_SIZE] = "code_page_size",
	[FN_SYNTH] = "synth",
	[FN_IPC] = "ipc",
	[FN_CALLINDENT] = "callindent",
	[FN_BRSTACKINSN] = "brstackinsn",
	[FN_BRSTACKINSNLEN] = "brstackinsnlen",
	[FN_METRIC] = "metric",
	[FN_DISASM] = "disasm",
	[FN_BRSTACKDISASM] = "brstackdisasm",
	[FN_BRCNTR] = "brcntr",
};

static const char *const kind_names[] = {
	[KIND_HW] = "hw", [KIND_SW] = "sw", [KIND_TRACE] = "trace", [KIND_RAW] = "raw",
	[KIND_BREAKPOINT] = "break", [KIND_CACHE] = "cache", [KIND_SYNTH] = "synth",
	[KIND_BPF] = "bpf", [KIND_OTHER] = "other",
};

#define FRAME_FIELDS (FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO))
#define COMMON_FIELDS (FIELD(COMM) | FIELD(TID) | FIELD(CPU) | FIELD(TIME) | FIELD(EVENT))

/* Fields that only instruction tracing fills; ipc is accepted, and empty, as in mainline. */
#define TRACED_FIELDS (FIELD(INSN) | FIELD(INSNLEN) | FIELD(CALLINDENT) |		\
		       FIELD(BRSTACKINSN) | FIELD(BRSTACKINSNLEN) | FIELD(METRIC) |	\
		       FIELD(DISASM) | FIELD(BRSTACKDISASM) | FIELD(BRCNTR))
#define LEFT_OUT_FIELDS (TRACED_FIELDS | FIELD(SRCCODE))

enum script_kind script_kind(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		return KIND_HW;
	case PERF_TYPE_SOFTWARE:
		return attr->config == PERF_COUNT_SW_BPF_OUTPUT ? KIND_BPF : KIND_SW;
	case PERF_TYPE_TRACEPOINT:
		return KIND_TRACE;
	case PERF_TYPE_HW_CACHE:
		return KIND_CACHE;
	case PERF_TYPE_RAW:
		return KIND_RAW;
	case PERF_TYPE_BREAKPOINT:
		return KIND_BREAKPOINT;
	default:
		return KIND_OTHER;
	}
}

void script_fields_init(struct script_fields *f)
{
	int k;

	memset(f, 0, sizeof(*f));
	for (k = 0; k < KIND_MAX; k++)
		f->fields[k] = COMMON_FIELDS | FRAME_FIELDS | FIELD(PERIOD);
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

static int find(const char *const *names, int nr, const char *name, size_t len)
{
	int i;

	for (i = 0; i < nr; i++)
		if (names[i] && !strncmp(names[i], name, len) && !names[i][len])
			return i;
	return -1;
}

/* Apply one name of the list. @sign: '+', '-', or 0 to set. */
static int parse_field(struct script_fields *f, int kind, char sign, const char *name, size_t len)
{
	int nr = find(field_names, FN_MAX, name, len), k;
	u64 field;

	if (nr < 0)
		return diag_error("-F: '%.*s' is not a field; 'perf script -F help' lists them",
				  (int)len, name);
	field = 1ULL << nr;
	if (field & TRACED_FIELDS && sign != '-')
		return diag_error("-F: '%s' needs instruction traces, which this perf does not "
				  "decode; use 'perf inject --itrace' of linux-perf first",
				  field_names[nr]);
	if (field == FIELD(SRCCODE) && sign != '-')
		return diag_error("-F: 'srccode' is not part of this perf; use 'srcline'");
	if (kind >= 0 && !valid_for(field, kind))
		return diag_error("-F: %s events have no field '%s'", kind_names[kind],
				  field_names[nr]);
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
		if (!((1ULL << i) & LEFT_OUT_FIELDS))
			n += snprintf(line + n, sizeof(line) - n, "%s%s", n ? ", " : "",
				      field_names[i]);
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
		kind = find(kind_names, KIND_MAX, arg, colon - arg);
		if (kind < 0)
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

/*
 * The sample_type bits that a field requires; 0: none. The words are mainline's, as scripts search
 * for them in messages. A field without a word is printed empty, as in mainline.
 */
static const struct { u64 bits; const char *word; } needs[FN_MAX] = {
	[FN_IP] = { PERF_SAMPLE_IP, "IP" },
	[FN_TID] = { PERF_SAMPLE_TID, "TID" },
	[FN_PID] = { PERF_SAMPLE_TID, "TID" },
	[FN_TIME] = { PERF_SAMPLE_TIME, "TIME" },
	[FN_TOD] = { PERF_SAMPLE_TIME, "TIME" },
	[FN_CPU] = { PERF_SAMPLE_CPU, "CPU" },
	[FN_ADDR] = { PERF_SAMPLE_ADDR, "ADDR" },
	[FN_DATA_SRC] = { PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	[FN_WEIGHT] = { PERF_SAMPLE_WEIGHT_TYPE, "WEIGHT" },
	[FN_INS_LAT] = { PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	[FN_RETIRE_LAT] = { PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	[FN_CGROUP] = { PERF_SAMPLE_CGROUP, "CGROUP" },
	[FN_IREGS] = { PERF_SAMPLE_REGS_INTR, "IREGS" },
	[FN_UREGS] = { PERF_SAMPLE_REGS_USER, "UREGS" },
	[FN_BRSTACK] = { PERF_SAMPLE_BRANCH_STACK, NULL },
	[FN_BRSTACKSYM] = { PERF_SAMPLE_BRANCH_STACK, NULL },
	[FN_BRSTACKOFF] = { PERF_SAMPLE_BRANCH_STACK, NULL },
	[FN_PHYS_ADDR] = { PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	[FN_DATA_PAGE_SIZE] = { PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	[FN_CODE_PAGE_SIZE] = { PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
};

int script_fields_check(const struct script_fields *f, const struct event *ev, bool callchains,
			u64 *fields)
{
	enum script_kind kind = script_kind(&ev->attr);
	u64 field, want = f->wanted[kind];
	int i;

	*fields = f->fields[kind];
	/*
	 * A tracepoint's callchain is shown by default, although its ip is not; as in mainline, not
	 * if -F changes its fields.
	 */
	if (kind == KIND_TRACE && !f->changed[kind] && callchains && ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		*fields |= FRAME_FIELDS;
	/* The period is the off-CPU time. */
	if (kind == KIND_TRACE && !f->set[kind] && event_off_cpu(ev))
		*fields |= FIELD(PERIOD);
	/* An event without samples needs no check. */
	if (!(*fields & FIELD(SYM)) && ev->attr.type == PERF_TYPE_SOFTWARE &&
	    ev->attr.config == PERF_COUNT_SW_DUMMY)
		*fields &= ~FIELD(SYMOFF);
	if (*fields & FIELD(SYMOFF) && !(*fields & FIELD(SYM)))
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
		if (!(*fields & field) || !needs[i].bits || ev->attr.sample_type & needs[i].bits)
			continue;
		if (want & field && needs[i].word)
			return diag_error("Samples for '%s' event do not have %s attribute set. "
					  "Cannot print '%s' field.", ev->name, needs[i].word, field_names[i]);
		if (want & field)
			diag_warn("%s: samples were recorded without branches (record -b): nothing is printed for %s",
				  ev->name, field_names[i]);
		*fields &= ~field;
	}
	return 0;
}

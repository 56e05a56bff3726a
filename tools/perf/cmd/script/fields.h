/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script -F: the printed fields of each type of event.
 */
#ifndef PERF_CMD_SCRIPT_FIELDS_H
#define PERF_CMD_SCRIPT_FIELDS_H

#include "event/event.h"

/* Fields of -F, in the order in which they are printed. */
enum script_field {
	FN_COMM, FN_TID, FN_PID, FN_MACHINE_PID, FN_VCPU, FN_CPU, FN_MISC, FN_TOD, FN_TIME, FN_PERIOD,
	FN_EVENT, FN_FLAGS, FN_TRACE, FN_ADDR, FN_DATA_SRC, FN_WEIGHT, FN_INS_LAT,
	FN_RETIRE_LAT, FN_CGROUP, FN_IP, FN_SYM, FN_SYMOFF, FN_DSO, FN_DSOFF, FN_SRCLINE,
	FN_SRCCODE, FN_IREGS, FN_UREGS, FN_BRSTACK, FN_BRSTACKSYM, FN_BRSTACKOFF,
	FN_BPF_OUTPUT, FN_INSN, FN_INSNLEN, FN_PHYS_ADDR, FN_DATA_PAGE_SIZE, FN_CODE_PAGE_SIZE,
	FN_SYNTH, FN_IPC, FN_CALLINDENT, FN_BRSTACKINSN, FN_BRSTACKINSNLEN, FN_METRIC,
	FN_DISASM, FN_BRSTACKDISASM, FN_BRCNTR,
	FN_MAX
};

#define FIELD(name) (1ULL << FN_##name)

/* Fields may differ by the kind of event. */
enum script_kind {
	KIND_HW, KIND_SW, KIND_TRACE, KIND_RAW, KIND_BREAKPOINT, KIND_CACHE, KIND_SYNTH, KIND_BPF,
	KIND_OTHER, KIND_MAX
};

struct script_fields {
	u64 fields[KIND_MAX];
	u64 wanted[KIND_MAX];		/* named with -F for this kind: must be recorded */
	bool set[KIND_MAX];		/* -F named the fields of this kind ... */
	bool changed[KIND_MAX];		/* ... or changed them */
};

/* script_fields_init - the defaults */
void script_fields_init(struct script_fields *f);

/**
 * script_fields_parse() - one -F
 * @f: the fields
 * @arg: "comm,tid", "+addr,-period", "sw:comm", "trace:"
 *
 * "help" prints the fields and ends the program.
 * Return: 0, or -1 after diag_error().
 */
int script_fields_parse(struct script_fields *f, const char *arg);

/**
 * script_fields_check() - fit the fields to a recording
 * @f: the fields; default fields that are not recorded are omitted
 * @ev: one of its events
 * @callchains: true if callchains are shown
 * @fields: set to the printed fields of this event
 *
 * Return: 0, or -1 after diag_error() if a field named by the user was not recorded.
 */
int script_fields_check(const struct script_fields *f, const struct event *ev, bool callchains,
			u64 *fields);

enum script_kind script_kind(const struct perf_event_attr *attr);

#endif /* PERF_CMD_SCRIPT_FIELDS_H */

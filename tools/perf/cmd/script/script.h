/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script: which fields are printed, and how.
 */
#ifndef PERF_CMD_SCRIPT_H
#define PERF_CMD_SCRIPT_H

#include "base/arena.h"
#include "base/outbuf.h"
#include "session/filter.h"
#include "session/session.h"

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
	u64 wanted[KIND_MAX];		/* named with -F for this kind: must be there */
	bool set[KIND_MAX];		/* -F said something of this kind */
};

/* script_fields_init - the defaults */
void script_fields_init(struct script_fields *f);

/**
 * script_fields_parse() - one -F
 * @f: what is printed
 * @arg: "comm,tid", "+addr,-period", "sw:comm", "trace:"
 *
 * Return: 0, or -1 after diag_error().
 */
int script_fields_parse(struct script_fields *f, const char *arg);

/**
 * script_fields_check() - fit the fields to a recording
 * @f: what is printed; what is only a default and not recorded is left out
 * @ev: one of its events
 * @callchains: they are shown
 * @fields: what is printed of this event
 *
 * Return: 0, or -1 after diag_error() when a field that was asked for was not recorded.
 */
int script_fields_check(const struct script_fields *f, const struct event *ev, bool callchains,
			u64 *fields);

enum script_kind script_kind(const struct perf_event_attr *attr);

struct script_options {
	bool hide_callchain;		/* -G */
	bool ns, reltime, deltatime;
	bool full_srcline;		/* --full-source-path */
	bool kernel_path;		/* --show-kernel-path */
	bool inlines;
	u32 max_stack;
	bool show_task, show_mmap, show_switch, show_lost, show_namespaces, show_bpf, show_cgroup,
	     show_text_poke, show_rounds, show_deferred;
	struct name_list stop_bt;
	struct filter filter;
	const char *switch_on, *switch_off;
	bool show_on_off;
};

/* How each event is printed. */
struct event_format {
	u64 fields;
	char *name;			/* "cpu-clock: ", padded */
	u32 name_len;
	bool callchain;			/* its samples have one, and it is shown */
};

/* One who prints: a thread's own. */
struct printer {
	struct session *s;
	const struct script_options *opts;
	const struct event_format *formats;	/* by event idx */
	u64 frame_fields;			/* with which frames' texts are kept */
	struct outbuf *out;
	struct outbuf scratch;
	struct arena arena;			/* frames' texts */
	struct frame_cache *frames;
	u64 start_time, last_time;		/* --reltime, --deltatime; -1: none yet */
	bool switched_off;			/* --switch-on has not been seen, or -off has */
};

/**
 * print_sample() - a sample as text
 * @p: the printer
 * @s: the sample
 * @cc: its callchain
 * @t: its task
 */
void print_sample(struct printer *p, const struct sample *s, const struct callchain *cc,
		  const struct thread *t);

/* print_record - a record that an option asked for, e.g. --show-task-events */
void print_record(struct printer *p, const struct record *rec, const struct event *ev, u64 time);

/* The start of each line: comm, task, cpu, time. */
void print_prefix(struct printer *p, const struct event_format *f, const struct sample *s,
		  const char *comm, u32 type, u16 misc);

/* The frames of a callchain, a line each. */
void print_callchain(struct printer *p, u64 fields, const struct callchain *cc,
		     const struct thread *t);

/* Blank and the name of @sym (a frame's own, or one inlined in it), with the offset of the frame
 * in its own when @fields want it.
 */
void print_symbol(struct outbuf *o, u64 fields, const struct frame *f, const struct symbol *sym);

/* A frame's file as the dso field shows it. */
void print_dso_name(struct printer *p, struct outbuf *o, const struct frame *f);

/* What a frame's text depends on. */
#define SCRIPT_FRAME (FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO) | FIELD(DSOFF) |	\
		      FIELD(SRCLINE))

/* print_data.c: fields that few recordings have, before the ip and after */
#define SCRIPT_RARE_BEFORE (FIELD(FLAGS))
#define SCRIPT_RARE_ADDR (FIELD(ADDR) | FIELD(DATA_SRC) | FIELD(WEIGHT) | FIELD(INS_LAT) |	\
			  FIELD(RETIRE_LAT) | FIELD(CGROUP))
#define SCRIPT_RARE_AFTER (FIELD(IREGS) | FIELD(UREGS) | FIELD(BRSTACK) | FIELD(BRSTACKSYM) |	\
			   FIELD(BRSTACKOFF) | FIELD(BPF_OUTPUT) | FIELD(PHYS_ADDR) |		\
			   FIELD(DATA_PAGE_SIZE) | FIELD(CODE_PAGE_SIZE))
void print_before_ip(struct printer *p, u64 fields, const struct sample *s,
		     const struct callchain *cc, const struct thread *t);
void print_addr(struct printer *p, u64 fields, const struct sample *s, const struct callchain *cc,
		const struct thread *t);
void print_after_ip(struct printer *p, u64 fields, const struct sample *s,
		    const struct callchain *cc, const struct thread *t);

/* split.c: --per-event-dump */
struct script_split;

/**
 * script_split_open() - a file for each event of a recording, RECORDING.EVENT.dump
 * @s: the session
 *
 * Return: the files, or NULL after diag_error().
 */
struct script_split *script_split_open(const struct session *s);

/* Where an event's samples (@sample) and records go. */
struct outbuf *script_split_out(struct script_split *split, const struct event *ev, bool sample);

/* Close the files and say what was written. Return: 0, or -1 after diag_error(). */
int script_split_close(struct script_split *split);

#endif /* PERF_CMD_SCRIPT_H */

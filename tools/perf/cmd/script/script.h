/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script: what its files share, in the order of their calls, the lowest first: fields.c,
 * script_options.c, frames.c, data.c, print.c.
 */
#ifndef PERF_CMD_SCRIPT_SCRIPT_H
#define PERF_CMD_SCRIPT_SCRIPT_H

#include "base/arena.h"
#include "base/outbuf.h"
#include "cmd/missing_files.h"
#include "event/event.h"
#include "session/filter.h"
#include "session/session.h"

/* Fields of -F, in the order in which they are printed. */
enum script_field {
	FN_COMM, FN_TID, FN_PID, FN_MACHINE_PID, FN_VCPU, FN_CPU, FN_MISC, FN_TOD, FN_TIME,
	FN_PERIOD, FN_EVENT, FN_FLAGS, FN_TRACE, FN_ADDR, FN_DATA_SRC, FN_WEIGHT, FN_INS_LAT,
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

/*
 * script_fields_parse - one -F; @arg: "comm,tid", "+addr,-period", "sw:comm", "trace:". "help"
 * prints the fields and ends the program. Return: 0, or -1 after diag_error().
 */
int script_fields_parse(struct script_fields *f, const char *arg);

/*
 * script_fields_check - set @fields to those printed of an event: default fields that are not
 * recorded are omitted; @callchains: they are shown. Return: 0, or -1 after diag_error() if a field
 * named by the user was not recorded.
 */
int script_fields_check(const struct script_fields *f, const struct event *ev, bool callchains,
			u64 *fields);

struct script_options {
	struct session_config config;
	/* printed fields of a sample */
	struct script_fields fields;
	bool hide_callchain;		/* -G */
	bool ns, reltime, deltatime;
	bool full_srcline;		/* --full-source-path */
	bool kernel_path;		/* --show-kernel-path */
	int inlines;			/* opt_switch() */
	u32 max_stack;
	struct name_list stop_bt;
	bool per_event;			/* --per-event-dump */
	/* which samples */
	struct filter filter;
	/* other records */
	bool show_task, show_mmap, show_switch, show_lost, show_namespaces, show_bpf, show_cgroup,
	     show_text_poke, show_rounds, show_deferred;
	/* the recording itself */
	bool header, header_only, show_info;
	bool dump, dump_unsorted;
	/* scripts */
	const char *script;		/* -s: a file of Python; NULL: none */
	char **arguments;		/* of the script, NULL-terminated */
	bool gen_script, list;		/* -g python; -l */
};

/*
 * script_options_parse - read the command line; @o: set to the options. Return: 0, or -1 after
 * diag_error(); script_options_deinit() is called in either case.
 */
int script_options_parse(struct script_options *o, int argc, char **argv);

/* Maximum number of frames of all workers together: more than programs have */
#define SCRIPT_MAX_FRAMES (1u << 17)

/*
 * python.c: run the script of -s, or print one for -g. @passed: set to the number of samples that
 * it got. Return: as session_run(); above 0: the exit status
 */
int script_python(const struct script_options *o, struct session *s, u64 *passed);

/* python.c: -l: the scripts of another perf. Return: 0 */
int script_list(void);

/*
 * script_named - run one of them by the operands "record NAME ...", "report NAME ..." or "NAME ...
 * COMMAND". Return: -ENOENT: there is none of that name; -1 after diag_error(). Else another
 * program runs.
 */
int script_named(char **words, int nr);

/* script_shows_records - does an option show records other than samples? */
bool script_shows_records(const struct script_options *o);

/* The format of an event. */
struct event_format {
	u64 fields;
	char *name;			/* "cpu-clock: ", padded */
	u32 name_len;
	bool callchain;			/* callchains are recorded and shown */
};

/* The printer of a thread. */
struct printer {
	struct session *s;
	const struct script_options *opts;
	const struct event_format *formats;	/* by event idx */
	u64 frame_fields;			/* fields of the cached texts of frames */
	struct outbuf *out;
	struct outbuf scratch;
	struct arena arena;			/* frames' texts */
	struct frame_cache *frames;
	/* upper half of the ip that was printed last, and its digits */
	u32 upper;
	char upper_text[8];
	u64 start_time, last_time;		/* --reltime, --deltatime; -1: none yet */
};

/* The fields that determine a frame's text. */
#define SCRIPT_FRAME (FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO) | FIELD(DSOFF) |	\
		      FIELD(SRCLINE))

/* The frame of an address at the time of a sample. */
struct frame *frame_at(const struct printer *p, const struct visit *v, u64 addr, u8 cpumode);

/* Print the frames of a callchain, one per line. */
void print_callchain(struct printer *p, u64 fields, const struct callchain *cc,
		     const struct thread *t);

/* Print a frame as a line, including the newline. */
void print_frame(struct printer *p, u64 fields, struct frame *f);

/* Append the symbol and file of a frame: " main+0x10 (/usr/bin/sort+0x8850)". */
void print_place(struct printer *p, struct outbuf *o, u64 fields, const struct frame *f);

#define SCRIPT_RARE_ADDR (FIELD(ADDR) | FIELD(DATA_SRC) | FIELD(WEIGHT) | FIELD(INS_LAT) |	\
			  FIELD(RETIRE_LAT) | FIELD(CGROUP))
#define SCRIPT_RARE_AFTER (FIELD(IREGS) | FIELD(UREGS) | FIELD(BRSTACK) | FIELD(BRSTACKSYM) |	\
			   FIELD(BRSTACKOFF) | FIELD(BPF_OUTPUT) | FIELD(PHYS_ADDR) |		\
			   FIELD(DATA_PAGE_SIZE) | FIELD(CODE_PAGE_SIZE))
/* between the event, with a tracepoint's text, and the ip */
void print_addr(struct printer *p, u64 fields, const struct visit *v);
/* after the ip or the callchain */
void print_after_ip(struct printer *p, u64 fields, const struct visit *v);

void print_sample(struct printer *p, const struct visit *v);

/* print_record - print a record that an option shows, e.g. --show-task-events */
void print_record(struct printer *p, const struct record *rec, const struct event *ev, u64 time);

#endif /* PERF_CMD_SCRIPT_SCRIPT_H */

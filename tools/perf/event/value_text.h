/* SPDX-License-Identifier: GPL-2.0 */
/* Values in samples as text: branches, sources of data, registers; and attributes and records. */
#ifndef PERF_EVENT_VALUE_TEXT_H
#define PERF_EVENT_VALUE_TEXT_H

#include "base/outbuf.h"
#include "base/types.h"
#include "event/abi.h"

#define BRANCH_COND	1	/* a kind: a conditional jump */
#define BRANCH_KINDS	23	/* 0: unknown */
extern const char *const branch_kind_names[BRANCH_KINDS];

/* Numbers of branches: by kind, of conditional ones by direction, and across page boundaries. */
struct branch_counts {
	u64 kinds[BRANCH_KINDS];
	u64 forward, backward;
	u64 cross_4k, cross_2m;		/* across a 4 kB boundary but not a 2 MB one; across 2 MB */
};

/* branch_count - count a branch, unless its kind is unknown or its source is 0 */
void branch_count(struct branch_counts *c, u64 from, u64 to, u64 flags);

/* branch_counts_add - add the counts of @from to @to */
void branch_counts_add(struct branch_counts *to, const struct branch_counts *from);

/* branch_type_name - the type of a branch; "": unknown */
const char *branch_type_name(u64 flags);

/* branch_spec_name - the outcome of its speculation; NULL: unknown */
const char *branch_spec_name(u64 flags);

/* The source of a memory access (union perf_mem_data_src) in perf 7.2's words, by shifts. */

/* Most parts are one field; the level has number, remote and hops, the snoop part snoopx. */
enum data_src_part {
	DATA_SRC_OP, DATA_SRC_LEVEL, DATA_SRC_SNOOP, DATA_SRC_TLB, DATA_SRC_LOCK, DATA_SRC_BLOCKED,
	DATA_SRC_PARTS
};

extern const struct data_src_field {
	const char *name;
	u64 mask;		/* of the bits that determine its text */
	/* Appends its text: "L1 hit", or "L1 " if it is neither; " Data" (blocked) begins with a blank. */
	void (*put)(u64 src, struct outbuf *o);
} data_src_fields[DATA_SRC_PARTS];

/* data_src_text - append all parts: "|OP LOAD|LVL L1 hit|SNP N/A|TLB N/A|LCK No|BLK  N/A" */
void data_src_text(u64 src, struct outbuf *o);

/* reg_name - of sample_regs_*: "AX", "lr", or "unknown"; @arch: "uname -m"; NULL: ours */
const char *reg_name(const char *arch, u32 bit);

/*
 * attr_each - call @fn for type, size, config and each non-zero field of attributes, in order;
 * @tp_name: of a tracepoint: "system:name" from the recording; may be NULL
 */
void attr_each(const struct perf_event_attr *attr, const char *tp_name,
	       void (*fn)(const char *name, const char *value, void *ctx), void *ctx);

/* record_type_name - the part after PERF_RECORD_; NULL: unknown */
const char *record_type_name(u32 type);

/* record_text - append a checked kernel record: " 116/116: [..."; false: it has no common text */
bool record_text(const struct perf_event_header *rec, struct outbuf *o);

#endif /* PERF_EVENT_VALUE_TEXT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source of the data of a memory access (union perf_mem_data_src), in the words of perf
 * 7.2. The value is a number in host byte order; fields are extracted by shifts, independently
 * of the compiler's bit fields.
 */
#ifndef PERF_EVENT_DATA_SRC_H
#define PERF_EVENT_DATA_SRC_H

#include "base/outbuf.h"

/*
 * Parts of the text. Most are one field; the level includes number, remote and hops, the snoop part
 * snoopx.
 */
enum data_src_part {
	DATA_SRC_OP, DATA_SRC_LEVEL, DATA_SRC_SNOOP, DATA_SRC_TLB, DATA_SRC_LOCK, DATA_SRC_BLOCKED, DATA_SRC_PARTS
};

/* data_src_bits - the bits of @src that determine the text of a part */
u64 data_src_bits(enum data_src_part part, u64 src);

/*
 * data_src_put - append one part: "L1 hit", or "L1 " if it is neither hit nor miss; " Data"
 * (blocked: begins with a blank)
 */
void data_src_put(enum data_src_part part, u64 src, struct outbuf *o);

/* data_src_text - append all parts: "|OP LOAD|LVL L1 hit|SNP N/A|TLB N/A|LCK No|BLK  N/A" */
void data_src_text(u64 src, struct outbuf *o);

#endif /* PERF_EVENT_DATA_SRC_H */

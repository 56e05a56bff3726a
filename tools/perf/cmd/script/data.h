/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script: rarely recorded fields, before the ip and after it.
 */
#ifndef PERF_CMD_SCRIPT_DATA_H
#define PERF_CMD_SCRIPT_DATA_H

#include "cmd/script/frames.h"

#define SCRIPT_RARE_BEFORE (FIELD(FLAGS))
#define SCRIPT_RARE_ADDR (FIELD(ADDR) | FIELD(DATA_SRC) | FIELD(WEIGHT) | FIELD(INS_LAT) |	\
			  FIELD(RETIRE_LAT) | FIELD(CGROUP))
#define SCRIPT_RARE_AFTER (FIELD(IREGS) | FIELD(UREGS) | FIELD(BRSTACK) | FIELD(BRSTACKSYM) |	\
			   FIELD(BRSTACKOFF) | FIELD(BPF_OUTPUT) | FIELD(PHYS_ADDR) |		\
			   FIELD(DATA_PAGE_SIZE) | FIELD(CODE_PAGE_SIZE))
/* between the event and the ip, before a tracepoint's text */
void print_before_ip(struct printer *p, u64 fields);
/* between the event and the ip, after it */
void print_addr(struct printer *p, u64 fields, const struct sample *s, const struct callchain *cc,
		const struct thread *t);
/* after the ip or the callchain */
void print_after_ip(struct printer *p, u64 fields, const struct sample *s,
		    const struct callchain *cc, const struct thread *t);

#endif /* PERF_CMD_SCRIPT_DATA_H */

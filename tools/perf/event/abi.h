/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Constants of the kernel's interface and of perf.data that an older <linux/perf_event.h> may lack.
 * Sources: perf_event_open(2), the uapi header of Linux 6.19, Documentation/perf-data.rst.
 */
#ifndef PERF_EVENT_ABI_H
#define PERF_EVENT_ABI_H

#include <linux/perf_event.h>

#include "base/types.h"

/* Kernel records */
#define REC_CALLCHAIN_DEFERRED	22

/* Records that perf itself writes */
enum {
	REC_HEADER_ATTR = 64,
	REC_HEADER_EVENT_TYPE = 65,
	REC_HEADER_TRACING_DATA = 66,
	REC_HEADER_BUILD_ID = 67,
	REC_FINISHED_ROUND = 68,
	REC_ID_INDEX = 69,
	REC_AUXTRACE_INFO = 70,
	REC_AUXTRACE = 71,
	REC_AUXTRACE_ERROR = 72,
	REC_THREAD_MAP = 73,
	REC_CPU_MAP = 74,
	REC_STAT_CONFIG = 75,
	REC_STAT = 76,
	REC_STAT_ROUND = 77,
	REC_EVENT_UPDATE = 78,
	REC_TIME_CONV = 79,
	REC_HEADER_FEATURE = 80,
	REC_COMPRESSED = 81,
	REC_FINISHED_INIT = 82,
	REC_COMPRESSED2 = 83,
	REC_BPF_METADATA = 84,
};

/* misc of a BUILD_ID record and of an entry of the BUILD_ID feature: its size is valid */
#define MISC_BUILD_ID_SIZE	(1 << 15)

/* The context marker before a cookie */
#define CONTEXT_USER_DEFERRED	((u64)-640)

/* branch_sample_type: each entry has a word of counters after the entries */
#define BRANCH_SAMPLE_COUNTERS	(1ULL << 19)

/* The flag word of struct perf_branch_entry */
#define BRANCH_MISPREDICTED	(1ULL << 0)
#define BRANCH_PREDICTED	(1ULL << 1)
#define BRANCH_IN_TX		(1ULL << 2)
#define BRANCH_ABORT		(1ULL << 3)
#define BRANCH_NOT_TAKEN	(1ULL << 33)

/* Cycles since the previous entry; 0: unknown. */
static inline u32 branch_cycles(u64 flags)
{
	return flags >> 4 & 0xffff;
}

/* perf_event_attr's flag word, the u64 at byte 40 */
#define ATTR_DEFER_CALLCHAIN	(1ULL << 38)
#define ATTR_DEFER_OUTPUT	(1ULL << 39)

static inline u64 attr_flags(const struct perf_event_attr *attr)
{
	u64 flags;

	memcpy(&flags, (const char *)attr + 40, sizeof(flags));
	return flags;
}

static inline void attr_set_flags(struct perf_event_attr *attr, u64 flags)
{
	memcpy((char *)attr + 40, &flags, sizeof(flags));
}

/* Feature sections: bit numbers in the file header */
enum {
	FEAT_TRACING_DATA = 1, FEAT_BUILD_ID, FEAT_HOSTNAME, FEAT_OSRELEASE, FEAT_VERSION,
	FEAT_ARCH, FEAT_NRCPUS, FEAT_CPUDESC, FEAT_CPUID, FEAT_TOTAL_MEM, FEAT_CMDLINE,
	FEAT_EVENT_DESC, FEAT_CPU_TOPOLOGY, FEAT_NUMA_TOPOLOGY, FEAT_BRANCH_STACK,
	FEAT_PMU_MAPPINGS, FEAT_GROUP_DESC, FEAT_AUXTRACE, FEAT_STAT, FEAT_CACHE,
	FEAT_SAMPLE_TIME, FEAT_MEM_TOPOLOGY, FEAT_CLOCKID, FEAT_DIR_FORMAT, FEAT_BPF_PROG_INFO,
	FEAT_BPF_BTF, FEAT_COMPRESSED, FEAT_CPU_PMU_CAPS, FEAT_CLOCK_DATA,
	FEAT_HYBRID_TOPOLOGY, FEAT_PMU_CAPS, FEAT_CPU_DOMAIN_INFO, FEAT_E_MACHINE,
	FEAT_CLN_SIZE,
	FEAT_OWN = 240,			/* from here on: features of this perf only */
	FEAT_STACK_COPIES = FEAT_OWN,
	FEAT_NAMES,
	FEAT_MAX = 256,
};

#define PERFILE2_MAGIC	0x32454c4946524550ULL	/* "PERFILE2" read little-endian */

#endif /* PERF_EVENT_ABI_H */

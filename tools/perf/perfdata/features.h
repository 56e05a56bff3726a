/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The description of a recording: the feature sections after the data, or the HEADER_FEATURE
 * records of a pipe.
 */
#ifndef PERF_PERFDATA_FEATURES_H
#define PERF_PERFDATA_FEATURES_H

#include "base/arena.h"
#include "event/abi.h"

struct feature_section {
	const u8 *data;		/* raw, in the file's byte order; NULL: absent */
	u64 size;
	u64 offset;		/* in the file */
};

/* A file that was mapped while recording, with its build-id. */
struct build_id_entry {
	s32 pid;		/* -1: the host, otherwise a guest's */
	u16 misc;		/* cpumode */
	u8 size;		/* of build_id */
	u8 build_id[20];
	const char *name;
};

struct features {
	struct arena arena;
	struct feature_section sections[FEAT_MAX];	/* by bit number */
	bool swap;			/* sections are of the other byte order */
	/* Decoded; NULL or 0 where the file has none. */
	const char *hostname, *os_release, *version, *arch, *cpu_desc, *cpuid;
	u32 nr_cpus_online, nr_cpus_avail;
	u64 total_mem;			/* kB */
	const char **cmdline;
	u32 nr_cmdline;
	u64 first_sample, last_sample;	/* SAMPLE_TIME */
	u32 clockid;
	u64 clockid_res_ns;
	u64 clock_wall_ns, clock_ns;	/* taken at once; 0: not recorded */
	u32 compress_ratio, compress_level;
	/* socket of a cpu, for sort keys; nr_topology 0: unknown */
	u32 nr_topology;
	struct cpu_topology { s32 core, socket, die; } *topology;
	struct build_id_entry *build_ids;
	u32 nr_build_ids, cap_build_ids;
	u8 *names;			/* a stream's FEAT_NAMES, as it came */
	size_t cap_names;
	bool has_traces;		/* there are hardware traces (AUXTRACE records) */
	/* Why a section could not be decoded, and which; NULL: all could. */
	const char *bad;
	u32 bad_bit;
};

/* Reading a section. Once something does not fit, bad is set and zeroes come out. */
struct feature_cursor {
	const u8 *p, *end;
	bool swap, bad;
};

/**
 * feature_open() - start reading a section
 * @f: the features
 * @bit: FEAT_*
 * @c: the cursor
 *
 * Return: whether the recording has that section.
 */
bool feature_open(const struct features *f, u32 bit, struct feature_cursor *c);

/* The next number or string of the section. A string is NULL at the end of the section and
 * otherwise ends inside it.
 */
u32 feature_u32(struct feature_cursor *c);
u64 feature_u64(struct feature_cursor *c);
const char *feature_string(struct feature_cursor *c);

/**
 * feature_attr() - the attributes of an event, as EVENT_DESC holds them
 * @c: the cursor
 * @size: bytes each takes there
 * @attr: where to, host byte order
 */
void feature_attr(struct feature_cursor *c, u32 size, struct perf_event_attr *attr);

#endif /* PERF_PERFDATA_FEATURES_H */

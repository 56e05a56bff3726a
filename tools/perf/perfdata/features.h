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
	u64 offset;		/* its offset in the file */
};

/* A mapped file of the recording and its build-id. */
struct build_id_entry {
	s32 pid;		/* -1: host, otherwise a guest */
	u16 misc;		/* cpumode */
	u8 size;		/* size of build_id */
	u8 build_id[20];
	const char *name;
};

struct features {
	struct arena arena;
	struct feature_section sections[FEAT_MAX];	/* by bit number */
	bool swap;			/* sections are of the other byte order */
	/* Decoded; NULL or 0 if the file has none. */
	const char *hostname, *os_release, *version, *arch, *cpu_desc, *cpuid;
	u32 nr_cpus_online, nr_cpus_avail;
	u64 total_mem;			/* kB */
	const char **cmdline;
	u32 nr_cmdline;
	u64 first_sample, last_sample;	/* SAMPLE_TIME */
	u32 clockid;
	u64 clockid_res_ns;
	u64 clock_wall_ns, clock_ns;	/* read together; 0: not recorded */
	u32 compress_ratio, compress_level;
	/* topology by CPU, for sort keys; nr_topology 0: unknown */
	u32 nr_topology;
	struct cpu_topology { s32 core, socket, die; } *topology;
	struct build_id_entry *build_ids;
	u32 nr_build_ids, cap_build_ids;
	u8 *names;			/* FEAT_NAMES of a stream, packed */
	size_t cap_names;
	bool has_traces;		/* the recording has hardware traces (AUXTRACE records) */
	/* The error and bit of an undecodable section; NULL: none. */
	const char *bad;
	u32 bad_bit;
};

/* Cursor in a section. Once a field does not fit, bad is set and zeroes are returned. */
struct feature_cursor {
	const u8 *p, *end;
	bool swap, bad;
};

/**
 * feature_open() - open a section
 * @f: the features
 * @bit: FEAT_*
 * @c: the cursor
 *
 * Return: true if the recording has the section.
 */
bool feature_open(const struct features *f, u32 bit, struct feature_cursor *c);

/*
 * The next number or string of the section. A string is NULL at the end of the section, otherwise
 * NUL-terminated within it.
 */
u32 feature_u32(struct feature_cursor *c);
u64 feature_u64(struct feature_cursor *c);
const char *feature_string(struct feature_cursor *c);

/**
 * feature_attr() - read an event's attributes in EVENT_DESC
 * @c: the cursor
 * @size: their size in the section, in bytes
 * @attr: destination, host byte order
 */
void feature_attr(struct feature_cursor *c, u32 size, struct perf_event_attr *attr);

#endif /* PERF_PERFDATA_FEATURES_H */

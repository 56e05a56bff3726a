/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of perf.data: a struct for each layout (no other file has offsets), and a table for
 * code that handles any type. Sources: perf_event_open(2), the uapi header of Linux 6.19,
 * Documentation/perf-data.rst. Samples: event/sample.h.
 */
#ifndef PERF_EVENT_RECORDS_H
#define PERF_EVENT_RECORDS_H

#include "event/abi.h"

/* A struct is the fixed part of its record; the variable part follows it. */
#define RECORD_ENDS(type, end)								\
	_Static_assert(sizeof(struct type) == (end), #type)
#define RECORD_AT(type, member, at)							\
	_Static_assert(offsetof(struct type, member) == (at), #type "." #member)

/* The mapping of Python functions (cmd/record/python.h). */
#define PYTHON_MAPPING "[python]"

/* The kernel's records */

struct mmap_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 addr, len, pgoff;
	char filename[];
};
RECORD_AT(mmap_record, addr, 16);
RECORD_ENDS(mmap_record, 40);

#define BUILD_ID_MAX 20		/* bytes of a build-id in a record */

struct mmap2_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 addr, len, pgoff;
	union {
		struct {
			u32 maj, min;
			u64 ino, ino_generation;
		};
		struct {		/* misc has PERF_RECORD_MISC_MMAP_BUILD_ID */
			u8 build_id_size, reserved[3];
			u8 build_id[BUILD_ID_MAX];
		};
	};
	u32 prot, flags;
	char filename[];
};
RECORD_AT(mmap2_record, maj, 40);
RECORD_AT(mmap2_record, build_id, 44);
RECORD_AT(mmap2_record, prot, 64);
RECORD_ENDS(mmap2_record, 72);

static inline bool mmap2_is_flagged(const struct perf_event_header *h)
{
	return h->type == PERF_RECORD_MMAP2 && h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
}

/*
 * mmap2_has_build_id - has a checked record a build-id, not device and inode?
 * The flag does not tell. Many kernels (6.18.44; fixed in Debian's 6.12.117) fill in one record for
 * all listening events and leave it set after a recorder with build-ids was served; the major
 * number is then where the build-id's size is: an invalid size (254), or a small one (8: sd),
 * followed by a minor number whose upper bytes are 0. The kernel's build-ids have 20 bytes, those
 * of linkers 8, 16 or 20.
 */
static inline bool mmap2_has_build_id(const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const void *)h;
	const u8 *id = m->build_id;

	if (!mmap2_is_flagged(h) || !m->build_id_size || m->build_id_size > BUILD_ID_MAX)
		return false;
	return m->build_id_size >= 16 || id[1] || id[2] || id[3];
}

struct comm_record {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[];
};
RECORD_ENDS(comm_record, 16);

struct task_record {		/* FORK, EXIT */
	struct perf_event_header header;
	u32 pid, ppid, tid, ptid;
	u64 time;
};
RECORD_AT(task_record, time, 24);
RECORD_ENDS(task_record, 32);

struct lost_record {
	struct perf_event_header header;
	u64 id, lost;
};
RECORD_ENDS(lost_record, 24);

struct lost_samples_record {
	struct perf_event_header header;
	u64 lost;
};
RECORD_ENDS(lost_samples_record, 16);

struct throttle_record {	/* THROTTLE, UNTHROTTLE */
	struct perf_event_header header;
	u64 time, id, stream_id;
};
RECORD_ENDS(throttle_record, 32);

struct read_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 value;		/* first word of the values selected by attr.read_format */
};
RECORD_ENDS(read_record, 24);

struct aux_record {
	struct perf_event_header header;
	u64 aux_offset, aux_size, flags;
};
RECORD_ENDS(aux_record, 32);

struct task_id_record {		/* ITRACE_START, SWITCH_CPU_WIDE (the other task) */
	struct perf_event_header header;
	u32 pid, tid;
};
RECORD_ENDS(task_id_record, 16);

struct namespaces_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 nr;
	struct { u64 dev, ino; } ns[];
};
RECORD_ENDS(namespaces_record, 24);

struct ksymbol_record {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 ksym_type, flags;
	char name[];
};
RECORD_AT(ksymbol_record, ksym_type, 20);
RECORD_ENDS(ksymbol_record, 24);

#define BPF_TAG_BYTES 8

struct bpf_record {		/* BPF_EVENT */
	struct perf_event_header header;
	u16 type, flags;
	u32 id;
	u8 tag[BPF_TAG_BYTES];
};
RECORD_AT(bpf_record, id, 12);
RECORD_ENDS(bpf_record, 24);

struct cgroup_record {
	struct perf_event_header header;
	u64 id;
	char path[];
};
RECORD_ENDS(cgroup_record, 16);

struct text_poke_record {
	struct perf_event_header header;
	u64 addr;
	u16 old_len, new_len;
	u8 bytes[];		/* old ones, then new ones */
};
RECORD_AT(text_poke_record, bytes, 20);

struct aux_hw_id_record {	/* AUX_OUTPUT_HW_ID */
	struct perf_event_header header;
	u64 hw_id;
};
RECORD_ENDS(aux_hw_id_record, 16);

struct deferred_record {	/* CALLCHAIN_DEFERRED */
	struct perf_event_header header;
	u64 cookie;
	u64 nr;
	u64 ips[];		/* including context markers */
};
RECORD_AT(deferred_record, ips, 24);
RECORD_ENDS(deferred_record, 24);

/* perf's own records */

struct attr_record {		/* HEADER_ATTR; after attr.size bytes the event's ids */
	struct perf_event_header header;
	struct perf_event_attr attr;
};
RECORD_AT(attr_record, attr, 8);

struct tracing_data_record {
	struct perf_event_header header;
	u32 size;		/* of the data after the record */
};
RECORD_ENDS(tracing_data_record, 12);

/* Also an entry of the BUILD_ID feature, which may be unaligned. */
struct build_id_record {
	struct perf_event_header header;
	u32 pid;
	u8 build_id[BUILD_ID_MAX];
	u8 size;		/* valid if misc has MISC_BUILD_ID_SIZE */
	u8 reserved[3];
	char filename[];
};
RECORD_AT(build_id_record, size, 32);
RECORD_ENDS(build_id_record, 36);

struct id_index_entry {
	u64 id, idx, cpu, tid;
};

struct id_index_record {
	struct perf_event_header header;
	u64 nr;
	struct id_index_entry entries[];
};
RECORD_ENDS(id_index_record, 16);

struct auxtrace_info_record {
	struct perf_event_header header;
	u32 type, reserved;
};
RECORD_ENDS(auxtrace_info_record, 16);

struct auxtrace_record {
	struct perf_event_header header;
	u64 size;		/* of the data after the record */
	u64 offset, reference;
	u32 idx, tid, cpu, reserved;
};
RECORD_AT(auxtrace_record, idx, 32);
RECORD_ENDS(auxtrace_record, 48);

struct thread_map_entry {
	u64 tid;
	char comm[16];
};

struct thread_map_record {
	struct perf_event_header header;
	u64 nr;
	struct thread_map_entry entries[];
};
RECORD_ENDS(thread_map_record, 16);

struct cpu_map_record {
	struct perf_event_header header;
	u8 map[];		/* struct cpu_map */
};

/* The payload of CPU_MAP and of an EVENT_UPDATE of cpus, without padding: words are unaligned. */
enum { CPU_MAP_CPUS, CPU_MAP_MASK, CPU_MAP_RANGE };
struct cpu_map {
	u16 type;
	union {
		struct { u16 nr, cpus[]; } list;
		struct { u16 nr, word_bytes; u8 words[]; } mask;
		struct { u8 any_cpu, reserved; u16 first, last; } range;
	};
};
RECORD_AT(cpu_map, list.cpus, 4);
RECORD_AT(cpu_map, mask.words, 6);
RECORD_AT(cpu_map, range.first, 4);

/* cpu_map_words - the words of a mask; 64-bit words follow four bytes of padding */
static inline void *cpu_map_words(const struct cpu_map *m)
{
	return (u8 *)m->mask.words + (m->mask.word_bytes == 4 ? 0 : 4);
}

struct stat_config_record {
	struct perf_event_header header;
	u64 nr;
	struct { u64 tag, value; } entries[];
};
RECORD_ENDS(stat_config_record, 16);

struct stat_record {
	struct perf_event_header header;
	u64 id;
	u32 cpu, thread;
	u64 value, enabled, running;
};
RECORD_AT(stat_record, value, 24);
RECORD_ENDS(stat_record, 48);

struct stat_round_record {
	struct perf_event_header header;
	u64 type, time;
};
RECORD_ENDS(stat_round_record, 24);

enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME, UPDATE_CPUS };
struct event_update_record {
	struct perf_event_header header;
	u64 type, id;
	char data[];		/* a string, a double or a struct cpu_map, by type */
};
RECORD_ENDS(event_update_record, 24);

struct time_conv_record {
	struct perf_event_header header;
	u64 shift, mult, zero;
	/* only in newer records */
	u64 cycles, mask;
	u8 cap_zero, cap_short;
};
RECORD_AT(time_conv_record, cap_short, 49);
RECORD_ENDS(time_conv_record, 56);

struct feature_record {		/* HEADER_FEATURE */
	struct perf_event_header header;
	u64 bit;
	u8 data[];
};
RECORD_ENDS(feature_record, 16);

/*
 * The last feature record of a stream is empty, with the first number unknown to its writer, which
 * may have become a feature since. (FEAT_BRANCH_STACK has no content.)
 */
static inline bool feature_ends_list(const struct feature_record *f)
{
	return f->header.size <= sizeof(*f) && f->bit != FEAT_BRANCH_STACK;
}

/*
 * A feature of this perf in a stream, or a part of one. Other perfs reject a HEADER_FEATURE with an
 * unknown number, but skip this type, unused since Linux 3.5.
 */
struct own_feature_record {	/* HEADER_EVENT_TYPE */
	struct perf_event_header header;
	u8 bit, zero[7];
	char name[64];
	u8 data[];
};
RECORD_ENDS(own_feature_record, 80);
#define OWN_FEATURE_NAME	"feature of perf-deferred"
#define OWN_FEATURE_MOST	65448	/* bytes of a part */

static inline bool is_own_feature(const struct perf_event_header *h)
{
	const struct own_feature_record *f = (const void *)h;

	return h->type == REC_HEADER_EVENT_TYPE && h->size >= sizeof(*f) &&
	       !memcmp(f->name, OWN_FEATURE_NAME, sizeof(OWN_FEATURE_NAME));
}

struct compressed_record {
	struct perf_event_header header;
	u8 data[];
};

struct compressed2_record {
	struct perf_event_header header;
	u64 size;		/* of the data; the record is padded to a multiple of 8 */
	u8 data[];
};
RECORD_ENDS(compressed2_record, 16);

/* The properties of a record type. */
struct record_shape {
	const char *name;	/* after PERF_RECORD_; NULL: there is no such type */
	/*
	 * after the header, for byte swapping: 1, 2, 4, 8: an integer of so many bytes; x: 8 bytes
	 * as they are; b: bytes up to the end; (: the rest is repeated; |: is optional. What is not
	 * named is 64-bit words
	 */
	const char *fields;
	u16 size;		/* minimum size of a record; 0: any */
	bool string;		/* a string starts at @size and must end in the record */
	u8 entry;		/* size of entries that start at @size, after their number */
	const char *too_many;	/* the message if that number is too large */
};

/* record_shape - the row of a type of record; of an unknown type one without a name */
const struct record_shape *record_shape(u32 type);

/* record_fields - as record_shape.fields, of both layouts of MMAP2; @h: of our byte order */
const char *record_fields(const struct perf_event_header *h);

/* record_lost - lost records that a checked LOST or LOST_SAMPLES record reports; 0: another one */
static inline u64 record_lost(const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_LOST && h->size >= sizeof(struct lost_record))
		return ((const struct lost_record *)h)->lost;
	if (h->type == PERF_RECORD_LOST_SAMPLES && h->size >= sizeof(struct lost_samples_record))
		return ((const struct lost_samples_record *)h)->lost;
	return 0;
}

/* record_payload_size - bytes behind a checked AUXTRACE or TRACING_DATA record */
u64 record_payload_size(const struct perf_event_header *h);

#endif /* PERF_EVENT_RECORDS_H */

// SPDX-License-Identifier: GPL-2.0
/* Feature sections about the machine and the recording, each built in memory, if it can be. */
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "event/pmu.h"
#include "event/records.h"
#include "perfdata/write_features.h"

/* The value of "key : value" in a /proc file. */
static bool proc_value(const char *path, const char *key, char *value, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	size_t len = strlen(key);
	char line[1024], *p;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len))
			continue;
		p = line + len;
		p += strspn(p, " \t");
		if (*p != ':')
			continue;
		p++;
		p += strspn(p, " \t");
		p[strcspn(p, "\n")] = 0;
		snprintf(value, size, "%s", p);
		return true;
	}
	return false;
}

static bool cpuid_text(char *buf, size_t size)
{
#if defined(__x86_64__)
	u32 a, b, c, d, family, model;
	char vendor[13];

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return false;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	vendor[12] = 0;
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return false;
	/* The extended fields are used for families 6 and 15. */
	family = a >> 8 & 15;
	model = a >> 4 & 15;
	if (family == 6 || family == 15)
		model += (a >> 16 & 15) << 4;
	if (family == 15)
		family += a >> 20 & 255;
	snprintf(buf, size, "%s,%u,%u,%u", vendor, family, model, a & 15);
	return true;
#else
	return read_text("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", buf, size) > 0;
#endif
}

static struct outbuf *begin(struct outbuf *sections, u32 bit)
{
	outbuf_init(&sections[bit]);
	return &sections[bit];
}

static void string_section(struct outbuf *sections, u32 bit, const char *s)
{
	feature_put_string(begin(sections, bit), s);
}

static void event_desc(struct outbuf *o, const struct feature_input *in)
{
	u32 i;

	outbuf_put32(o, in->nr_events);
	outbuf_put32(o, sizeof(struct perf_event_attr));
	for (i = 0; i < in->nr_events; i++) {
		const struct writer_event *e = &in->events[i];

		outbuf_write(o, &e->attr, sizeof(e->attr));
		outbuf_put32(o, e->nr_ids);
		feature_put_string(o, e->name);
		outbuf_write(o, e->ids, e->nr_ids * sizeof(u64));
	}
}

static void group_desc(struct outbuf *sections, const struct feature_input *in)
{
	struct outbuf *o;
	u32 i, nr = 0;

	for (i = 0; i < in->nr_events; i++)
		nr += in->events[i].leader == i && in->events[i].group_members > 1;
	if (!nr)
		return;
	o = begin(sections, FEAT_GROUP_DESC);
	outbuf_put32(o, nr);
	for (i = 0; i < in->nr_events; i++) {
		const struct writer_event *e = &in->events[i];

		if (e->leader != i || e->group_members < 2)
			continue;
		feature_put_string(o, e->group_name ?: "{anon_group}");
		outbuf_put32(o, i);
		outbuf_put32(o, e->group_members);
	}
}

static void count_pmu(const char *name __unused, u32 type __unused, void *arg)
{
	(*(u32 *)arg)++;
}

static void put_pmu(const char *name, u32 type, void *arg)
{
	outbuf_put32(arg, type);
	feature_put_string(arg, name);
}

static void machine_sections(struct outbuf *sections)
{
	struct utsname uts;
	char text[512];
	struct outbuf *o;
	u32 nr = 0;

	if (!uname(&uts)) {
		string_section(sections, FEAT_HOSTNAME, uts.nodename);
		string_section(sections, FEAT_OSRELEASE, uts.release);
		string_section(sections, FEAT_ARCH, uts.machine);
	}
	string_section(sections, FEAT_VERSION, PERF_VERSION);
	o = begin(sections, FEAT_NRCPUS);
	outbuf_put32(o, sysconf(_SC_NPROCESSORS_CONF));
	outbuf_put32(o, sysconf(_SC_NPROCESSORS_ONLN));
	if (proc_value("/proc/cpuinfo", "model name", text, sizeof(text)) ||
	    proc_value("/proc/cpuinfo", "CPU part", text, sizeof(text)))
		string_section(sections, FEAT_CPUDESC, text);
	if (cpuid_text(text, sizeof(text)))
		string_section(sections, FEAT_CPUID, text);
	if (proc_value("/proc/meminfo", "MemTotal", text, sizeof(text)))
		outbuf_put64(begin(sections, FEAT_TOTAL_MEM), strtoull(text, NULL, 10));
	pmu_each(count_pmu, &nr);
	if (nr) {
		o = begin(sections, FEAT_PMU_MAPPINGS);
		outbuf_put32(o, nr);
		pmu_each(put_pmu, o);
	}
}

void feature_stack_copies(const u32 *bytes, u32 nr, struct outbuf *o)
{
	outbuf_put32(o, nr);
	outbuf_write(o, bytes, nr * sizeof(*bytes));
}

void features_make(const struct feature_input *in, struct outbuf *sections)
{
	static const struct {
		u32 bit;
		bool (*make)(struct outbuf *o);
	} sysfs[] = {
		{ FEAT_CPU_TOPOLOGY, feature_topology },
		{ FEAT_NUMA_TOPOLOGY, feature_numa },
		{ FEAT_CACHE, feature_caches },
		{ FEAT_MEM_TOPOLOGY, feature_memory },
		{ FEAT_HYBRID_TOPOLOGY, feature_hybrid },
	};
	_cleanup_free_ u32 *copies = xcalloc(in->nr_events, sizeof(*copies));
	u32 i, copied = 0;
	struct outbuf *o;

	machine_sections(sections);
	for (i = 0; i < ARRAY_SIZE(sysfs); i++) {
		o = begin(sections, sysfs[i].bit);
		if (!sysfs[i].make(o)) {
			outbuf_deinit(o);
			o->base = NULL;
		}
	}
	o = begin(sections, FEAT_CMDLINE);
	outbuf_put32(o, in->argc);
	for (i = 0; i < in->argc; i++)
		feature_put_string(o, in->argv[i]);
	event_desc(begin(sections, FEAT_EVENT_DESC), in);
	group_desc(sections, in);
	for (i = 0; i < in->nr_events; i++) {
		copies[i] = in->events[i].stack_copied;
		copied |= copies[i];
	}
	if (copied)
		feature_stack_copies(copies, in->nr_events, begin(sections, FEAT_STACK_COPIES));
	if (in->has_branch_stack)
		begin(sections, FEAT_BRANCH_STACK);
	if (in->last_time) {
		o = begin(sections, FEAT_SAMPLE_TIME);
		outbuf_put64(o, in->first_time);
		outbuf_put64(o, in->last_time);
	}
	if (in->use_clockid) {
		struct timespec res;

		if (!clock_getres(in->clockid, &res)) {
			o = begin(sections, FEAT_CLOCKID);
			outbuf_put64(o, res.tv_sec * 1000000000ULL + res.tv_nsec);
		}
		o = begin(sections, FEAT_CLOCK_DATA);
		outbuf_put32(o, 1);
		outbuf_put32(o, in->clockid);
		outbuf_put64(o, in->wall_ns);
		outbuf_put64(o, in->clock_ns);
	}
	if (in->directory)
		outbuf_put64(begin(sections, FEAT_DIR_FORMAT), 1);
	if (in->compress_level) {
		o = begin(sections, FEAT_COMPRESSED);
		outbuf_put32(o, 1);
		outbuf_put32(o, 1);			/* zstd */
		outbuf_put32(o, in->compress_level);
		outbuf_put32(o, in->compress_ratio);
		outbuf_put32(o, in->data_size);
	}
	if (in->build_ids.base && outbuf_len(&in->build_ids))
		outbuf_write(begin(sections, FEAT_BUILD_ID), in->build_ids.base,
			     outbuf_len(&in->build_ids));
	if (in->tracing_data.base)
		outbuf_write(begin(sections, FEAT_TRACING_DATA), in->tracing_data.base,
			     outbuf_len(&in->tracing_data));
}

/* One of perf's own features. */
static void own_records(u32 bit, const struct outbuf *section, struct outbuf *o)
{
	struct own_feature_record f = {
		.header = { .type = REC_HEADER_EVENT_TYPE }, .bit = bit, .name = OWN_FEATURE_NAME,
	};
	size_t left = outbuf_len(section), size;
	const char *p;

	for (p = section->base; left; p += size, left -= size) {
		size = min(left, (size_t)OWN_FEATURE_MOST);
		f.header.size = sizeof(f) + ALIGN_UP(size, (size_t)8);
		outbuf_write(o, &f, sizeof(f));
		outbuf_write(o, p, size);
		for (; size % 8; left++, size++)
			outbuf_putc(o, 0);
	}
}

bool feature_records(u32 bit, const struct outbuf *section, struct outbuf *o)
{
	struct feature_record f = { .header = { .type = REC_HEADER_FEATURE }, .bit = bit };
	size_t size = ALIGN_UP(sizeof(f) + outbuf_len(section), (size_t)8);

	if (bit >= FEAT_OWN) {
		own_records(bit, section, o);
		return true;
	}
	if (size > UINT16_MAX)
		return false;
	f.header.size = size;
	outbuf_write(o, &f, sizeof(f));
	outbuf_append(o, section);
	outbuf_fill(o, 0, size - sizeof(f) - outbuf_len(section));
	return true;
}

void tracing_data_record(const struct outbuf *section, struct outbuf *o)
{
	u32 size = ALIGN_UP(outbuf_len(section), (size_t)8);
	struct tracing_data_record t = {
		.header = { .type = REC_HEADER_TRACING_DATA, .size = sizeof(t) }, .size = size,
	};

	/* 12 bytes of header and a multiple of 8 of data: the end is not aligned to 8. */
	outbuf_write(o, &t, sizeof(t));
	outbuf_append(o, section);
	outbuf_fill(o, 0, size - outbuf_len(section));
}

void features_free(struct outbuf *sections)
{
	u32 i;

	for (i = 0; i < FEAT_MAX; i++)
		if (sections[i].base)
			outbuf_deinit(&sections[i]);
}

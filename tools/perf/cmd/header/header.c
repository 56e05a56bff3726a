// SPDX-License-Identifier: GPL-2.0
/*
 * The header as text: --header, --header-only, FEATURE records of a dump. Features are decoded
 * while they are printed; their strings are made printable.
 */
#include <time.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/printable.h"
#include "cmd/header/header.h"
#include "event/value_text.h"

struct attr_list {
	struct outbuf *o;
	const char *before;
};

static void list_item(const char *name, const char *value, void *ctx)
{
	struct attr_list *l = ctx;

	outbuf_puts(l->o, l->before);
	outbuf_puts(l->o, name);
	outbuf_puts(l->o, " = ");
	outbuf_puts(l->o, value);
	l->before = ", ";
}

void attr_print_list(const struct perf_event_attr *attr, const char *tp_name, const char *before,
		     struct outbuf *o)
{
	struct attr_list l = { o, before };

	attr_each(attr, tp_name, list_item, &l);
}

static void print_event_desc(const struct event_list *events, struct feature_cursor *c,
			     struct outbuf *o)
{
	u32 nr = feature_u32(c), attr_size = feature_u32(c), i, j;

	for (i = 0; i < nr && !c->bad; i++) {
		struct perf_event_attr attr;
		u32 nr_ids;
		const char *name;

		feature_attr(c, attr_size, &attr);
		nr_ids = feature_u32(c);
		name = feature_string(c);
		if (c->bad)
			break;
		outbuf_printf(o, "# event : name = %s, ", name ? name : "");
		if (nr_ids)
			outbuf_puts(o, ", id = {");
		for (j = 0; j < nr_ids && !c->bad; j++)
			outbuf_printf(o, "%s %llu", j ? "," : "", feature_u64(c));
		if (nr_ids)
			outbuf_puts(o, " }");
		/* A size of 0 means the first version's size. */
		if (!attr.size)
			attr.size = attr_size;
		attr_print_list(&attr, name && strchr(name, ':') ? name : NULL, ", ", o);
		outbuf_putc(o, '\n');
	}
	if (c->bad || !nr)
		outbuf_puts(o, "# event desc: not available or unable to read\n");
}

static void print_cmdline(const struct features *f, struct outbuf *o)
{
	u32 i;

	outbuf_puts(o, "# cmdline : ");
	for (i = 0; i < f->nr_cmdline; i++) {
		const char *s;

		for (s = f->cmdline[i]; *s; s++) {
			if (*s == '\'')
				outbuf_putc(o, '\\');
			outbuf_putc(o, *s);
		}
		outbuf_putc(o, ' ');
	}
	outbuf_putc(o, '\n');
}

static void print_pmu_mappings(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr = feature_u32(c), i;

	if (!nr) {
		outbuf_puts(o, "# pmu mappings: not available\n");
		return;
	}
	for (i = 0; i < nr && !c->bad; i++) {
		u32 type = feature_u32(c);
		const char *name = feature_string(c);

		if (c->bad)
			break;
		outbuf_printf(o, "%s%s = %u", i ? ", " : "# pmu mappings: ", name, type);
	}
	outbuf_puts(o, c->bad ? "# pmu mappings: unable to read\n" : "\n");
}

static void print_groups(const struct event_list *events, struct outbuf *o)
{
	u32 i, j;

	for (i = 0; i < events->nr; i++) {
		const struct event *ev = events->events[i];

		if (ev->leader != ev->idx || ev->group_members < 2)
			continue;
		outbuf_printf(o, "# group: %s{%s", ev->group_name ? ev->group_name : "", ev->name);
		for (j = i + 1; j < events->nr && j < i + ev->group_members; j++)
			outbuf_printf(o, ",%s", events->events[j]->name);
		outbuf_puts(o, "}\n");
	}
}

static void print_sample_time(const struct features *f, struct outbuf *o)
{
	u64 t = f->first_sample, ns = 1000000000;

	outbuf_printf(o, "# time of first sample : %llu.%06llu\n", t / ns, t % ns / 1000);
	t = f->last_sample;
	outbuf_printf(o, "# time of last sample : %llu.%06llu\n", t / ns, t % ns / 1000);
	outbuf_printf(o, "# sample duration : %10.3f ms\n",
		      (double)(f->last_sample - f->first_sample) / 1e6);
}

static void print_clock_data(struct feature_cursor *c, struct outbuf *o)
{
	static const struct { u32 id; const char *name; } clocks[] = {
		{ 0, "realtime" }, { 1, "monotonic" }, { 4, "monotonic_raw" }, { 7, "boottime" },
		{ 11, "tai" },
	};
	const char *name = "unknown";
	u64 wall, ref, ns = 1000000000;
	char text[64] = "";
	struct tm tm;
	time_t t;
	u32 id, i;

	feature_u32(c);
	id = feature_u32(c);
	wall = feature_u64(c);
	ref = feature_u64(c);
	if (c->bad)
		return;
	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		if (clocks[i].id == id)
			name = clocks[i].name;
	t = wall / ns;
	if (localtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	outbuf_printf(o, "# clockid: %s (%u)\n", name, id);
	outbuf_printf(o, "# reference time: %s.%06llu = %llu.%06llu (TOD) = %llu.%09llu (%s)\n",
		      text, wall % ns / 1000, wall / ns, wall % ns / 1000, ref / ns, ref % ns, name);
}

static void print_caps(struct feature_cursor *c, u32 nr, const char *pmu, struct outbuf *o)
{
	u32 i;

	for (i = 0; i < nr && !c->bad; i++) {
		const char *name = feature_string(c), *value = feature_string(c);

		if (c->bad)
			break;
		if (!i)
			outbuf_printf(o, "# %s pmu capabilities: ", pmu);
		outbuf_printf(o, "%s%s=%s", i ? ", " : "", name, value);
	}
	if (i)
		outbuf_putc(o, '\n');
}

static void print_cpu_caps(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr = feature_u32(c);

	if (nr)
		print_caps(c, nr, "cpu", o);
	else
		outbuf_puts(o, "# cpu pmu capabilities: not available\n");
}

/* The name of each PMU follows its capabilities. */
static void print_pmu_caps(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr = feature_u32(c), i, j;

	for (i = 0; i < nr && !c->bad; i++) {
		u32 caps = feature_u32(c);
		struct feature_cursor ahead = *c;
		const char *name;

		for (j = 0; j < 2 * caps && !ahead.bad; j++)
			feature_string(&ahead);
		name = feature_string(&ahead);
		if (ahead.bad)
			return;
		print_caps(c, caps, name, o);
		*c = ahead;
	}
}

static void print_stack_copies(const struct event_list *events, struct outbuf *o)
{
	u32 i;

	for (i = 0; i < events->nr; i++) {
		const struct event *ev = events->events[i];

		if (ev->stack_copied == STACK_IN_PLACE)
			outbuf_printf(o, "# callchains : of %s, walked by call frame information in the kernel (BPF)\n", ev->name);
		else if (ev->stack_copied)
			outbuf_printf(o, "# callchains : of %s, walked by call frame information in copies of up to %u bytes\n",
				      ev->name, ev->stack_copied);
	}
}

#define STRING(member) offsetof(struct features, member)

static const struct {
	const char *name;
	const char *text;		/* the line, or what precedes @string; NULL: none */
	size_t string;			/* offset in struct features; 0: none */
	void (*print)(struct feature_cursor *c, struct outbuf *o);
	bool is_long;			/* shown by -I alone */
} known[] = {
	[FEAT_TRACING_DATA] = { .name = "TRACING_DATA" }, [FEAT_BUILD_ID] = { .name = "BUILD_ID" },
	[FEAT_HOSTNAME] = { .name = "HOSTNAME", .text = "hostname", .string = STRING(hostname) },
	[FEAT_OSRELEASE] = { .name = "OSRELEASE", .text = "os release", .string = STRING(os_release) },
	[FEAT_VERSION] = { .name = "VERSION", .text = "perf version", .string = STRING(version) },
	[FEAT_ARCH] = { .name = "ARCH", .text = "arch", .string = STRING(arch) },
	[FEAT_NRCPUS] = { .name = "NRCPUS" },
	[FEAT_CPUDESC] = { .name = "CPUDESC", .text = "cpudesc", .string = STRING(cpu_desc) },
	[FEAT_CPUID] = { .name = "CPUID", .text = "cpuid", .string = STRING(cpuid) },
	[FEAT_TOTAL_MEM] = { .name = "TOTAL_MEM" }, [FEAT_CMDLINE] = { .name = "CMDLINE" },
	[FEAT_EVENT_DESC] = { .name = "EVENT_DESC" },
	[FEAT_CPU_TOPOLOGY] = { .name = "CPU_TOPOLOGY", .is_long = true },
	[FEAT_NUMA_TOPOLOGY] = { .name = "NUMA_TOPOLOGY", .print = print_numa_topology, .is_long = true },
	[FEAT_BRANCH_STACK] = { .name = "BRANCH_STACK", .text = "contains samples with branch stack" },
	[FEAT_PMU_MAPPINGS] = { .name = "PMU_MAPPINGS", .print = print_pmu_mappings },
	[FEAT_GROUP_DESC] = { .name = "GROUP_DESC" },
	[FEAT_AUXTRACE] = { .name = "AUXTRACE", .text = "contains AUX area data (e.g. instruction trace)" },
	[FEAT_STAT] = { .name = "STAT", .text = "contains stat data" },
	[FEAT_CACHE] = { .name = "CACHE", .print = print_cache, .is_long = true },
	[FEAT_SAMPLE_TIME] = { .name = "SAMPLE_TIME" },
	[FEAT_MEM_TOPOLOGY] = { .name = "MEM_TOPOLOGY", .print = print_mem_topology, .is_long = true },
	[FEAT_CLOCKID] = { .name = "CLOCKID" }, [FEAT_DIR_FORMAT] = { .name = "DIR_FORMAT" },
	[FEAT_BPF_PROG_INFO] = { .name = "BPF_PROG_INFO", .print = print_bpf_programs },
	[FEAT_BPF_BTF] = { .name = "BPF_BTF", .print = print_btf },
	[FEAT_COMPRESSED] = { .name = "COMPRESSED" },
	[FEAT_CPU_PMU_CAPS] = { .name = "CPU_PMU_CAPS", .print = print_cpu_caps },
	[FEAT_CLOCK_DATA] = { .name = "CLOCK_DATA", .print = print_clock_data },
	[FEAT_HYBRID_TOPOLOGY] = { .name = "HYBRID_TOPOLOGY", .print = print_hybrid_topology },
	[FEAT_PMU_CAPS] = { .name = "PMU_CAPS", .print = print_pmu_caps },
	[FEAT_CPU_DOMAIN_INFO] = { .name = "CPU_DOMAIN_INFO", .print = print_domain_info, .is_long = true },
	[FEAT_E_MACHINE] = { .name = "E_MACHINE" }, [FEAT_CLN_SIZE] = { .name = "CLN_SIZE" },
};

bool header_feature_known(u32 bit)
{
	return bit == FEAT_STACK_COPIES || bit == FEAT_NAMES ||
	       (bit < ARRAY_SIZE(known) && known[bit].name);
}

static void feature_print(const struct features *f, const struct event_list *events, u32 bit,
			  bool full, struct outbuf *o)
{
	struct feature_cursor c;

	if (bit >= FEAT_MAX || !feature_open(f, bit, &c))
		return;
	if (bit < ARRAY_SIZE(known)) {
		const char *const *string = (const void *)((const char *)f + known[bit].string);

		if (known[bit].is_long && !full) {
			outbuf_printf(o, "# %s info available, use -I to display\n", known[bit].name);
			return;
		}
		if (known[bit].text)
			outbuf_printf(o, known[bit].string ? "# %s : %s\n" : "# %s\n",
				      known[bit].text, known[bit].string ? *string ?: "" : "");
		if (known[bit].print)
			known[bit].print(&c, o);
	}
	switch (bit) {
	case FEAT_NRCPUS:
		outbuf_printf(o, "# nrcpus online : %u\n# nrcpus avail : %u\n", f->nr_cpus_online,
			      f->nr_cpus_avail);
		break;
	case FEAT_TOTAL_MEM:
		outbuf_printf(o, "# total memory : %llu kB\n", f->total_mem);
		break;
	case FEAT_CMDLINE:
		print_cmdline(f, o);
		break;
	case FEAT_EVENT_DESC:
		print_event_desc(events, &c, o);
		break;
	case FEAT_CPU_TOPOLOGY:
		print_cpu_topology(f, &c, o);
		break;
	case FEAT_GROUP_DESC:
		print_groups(events, o);
		break;
	case FEAT_SAMPLE_TIME:
		print_sample_time(f, o);
		break;
	case FEAT_CLOCKID:
		outbuf_printf(o, "# clockid frequency: %llu MHz\n", feature_u64(&c) * 1000);
		break;
	case FEAT_DIR_FORMAT:
		outbuf_printf(o, "# directory data version : %llu\n", feature_u64(&c));
		break;
	case FEAT_COMPRESSED:
		outbuf_printf(o, "# compressed : %s, level = %u, ratio = %u\n", "Zstd",
			      f->compress_level, f->compress_ratio);
		break;
	case FEAT_E_MACHINE:
		outbuf_printf(o, "# e_machine : %u\n", feature_u32(&c));
		outbuf_printf(o, "#   e_flags : %u\n", feature_u32(&c));
		break;
	case FEAT_STACK_COPIES:
		print_stack_copies(events, o);
		break;
	case FEAT_NAMES:
		outbuf_puts(o, "# contains names of its addresses (perf record --embed)\n");
		break;
	case FEAT_CLN_SIZE:
		outbuf_printf(o, "# cacheline size: %u\n", feature_u32(&c));
		break;
	}
}

void header_feature_print(const struct features *f, const struct event_list *events, u32 bit,
			  bool full, struct outbuf *o)
{
	size_t from = outbuf_len(o);

	feature_print(f, events, bit, full, o);
	/* Strings are from the recording. */
	make_printable(o->base + from, outbuf_len(o) - from, true);
}

void header_print(struct reader *r, bool full, struct outbuf *o)
{
	const struct features *f = &r->features;
	const struct file_section *data = &r->header.data;
	bool pipe = r->pipe_format;
	time_t t = r->mtime_ns / 1000000000;
	char when[64] = "";
	u32 bit;

	ctime_r(&t, when);
	outbuf_printf(o, "# ========\n# captured on    : %s# header version : 1\n", when);
	outbuf_printf(o, "# data offset    : %llu\n# data size      : %llu\n# feat offset    : %llu\n",
		      data->offset, data->size, data->offset + data->size);
	/* A pipe's features follow its header as records. */
	if (pipe)
		outbuf_puts(o, "# ========\n#\n");
	for (bit = 1; bit < ARRAY_SIZE(known); bit++)
		header_feature_print(f, &r->events, bit, full, o);
	for (bit = FEAT_OWN; bit < FEAT_MAX; bit++)
		header_feature_print(f, &r->events, bit, full, o);
	if (pipe)
		return;
	outbuf_puts(o, "# missing features: ");
	for (bit = 1; bit < ARRAY_SIZE(known); bit++)
		if (known[bit].name && !f->sections[bit].data)
			outbuf_printf(o, "%s ", known[bit].name);
	outbuf_puts(o, "\n# ========\n#\n");
}

int header_print_only(const char *input, bool force, bool full)
{
	struct reader *r;
	struct outfile o;
	int damaged;

	if (error_report(reader_open(input ? input : "perf.data", force, &r)))
		return 1;
	outfile_init(&o, STDOUT_FILENO);
	header_print(r, full, &o.text);
	outfile_deinit(&o);
	damaged = r->damaged;
	reader_close(r);
	return damaged;
}

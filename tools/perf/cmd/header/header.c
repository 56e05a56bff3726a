// SPDX-License-Identifier: GPL-2.0
/*
 * The header of a recording as text: --header, --header-only, and the FEATURE records of a
 * dump. Each feature is decoded from its section while it is printed; strings come from the
 * recording and are made printable first.
 */
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "cmd/header/header.h"
#include "event/attr_text.h"

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

static const char *const names[] = {
	[FEAT_TRACING_DATA] = "TRACING_DATA", [FEAT_BUILD_ID] = "BUILD_ID",
	[FEAT_HOSTNAME] = "HOSTNAME", [FEAT_OSRELEASE] = "OSRELEASE", [FEAT_VERSION] = "VERSION",
	[FEAT_ARCH] = "ARCH", [FEAT_NRCPUS] = "NRCPUS", [FEAT_CPUDESC] = "CPUDESC",
	[FEAT_CPUID] = "CPUID", [FEAT_TOTAL_MEM] = "TOTAL_MEM", [FEAT_CMDLINE] = "CMDLINE",
	[FEAT_EVENT_DESC] = "EVENT_DESC", [FEAT_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[FEAT_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY", [FEAT_BRANCH_STACK] = "BRANCH_STACK",
	[FEAT_PMU_MAPPINGS] = "PMU_MAPPINGS", [FEAT_GROUP_DESC] = "GROUP_DESC",
	[FEAT_AUXTRACE] = "AUXTRACE", [FEAT_STAT] = "STAT", [FEAT_CACHE] = "CACHE",
	[FEAT_SAMPLE_TIME] = "SAMPLE_TIME", [FEAT_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[FEAT_CLOCKID] = "CLOCKID", [FEAT_DIR_FORMAT] = "DIR_FORMAT",
	[FEAT_BPF_PROG_INFO] = "BPF_PROG_INFO", [FEAT_BPF_BTF] = "BPF_BTF",
	[FEAT_COMPRESSED] = "COMPRESSED", [FEAT_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[FEAT_CLOCK_DATA] = "CLOCK_DATA", [FEAT_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[FEAT_PMU_CAPS] = "PMU_CAPS", [FEAT_CPU_DOMAIN_INFO] = "CPU_DOMAIN_INFO",
	[FEAT_E_MACHINE] = "E_MACHINE", [FEAT_CLN_SIZE] = "CLN_SIZE",
};

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

static bool is_long(u32 bit)
{
	return bit == FEAT_CPU_TOPOLOGY || bit == FEAT_NUMA_TOPOLOGY || bit == FEAT_CACHE ||
	       bit == FEAT_MEM_TOPOLOGY || bit == FEAT_CPU_DOMAIN_INFO;
}

bool header_feature_known(u32 bit)
{
	return bit == FEAT_STACK_COPIES || bit == FEAT_NAMES || (bit < ARRAY_SIZE(names) && names[bit]);
}

static void print_string(const char *what, const char *s, struct outbuf *o)
{
	outbuf_printf(o, "# %s : %s\n", what, s ? s : "");
}

static void feature_print(const struct features *f, const struct event_list *events, u32 bit,
			  bool full, struct outbuf *o)
{
	struct feature_cursor c;

	if (bit >= FEAT_MAX || !feature_open(f, bit, &c))
		return;
	if (is_long(bit) && !full) {
		outbuf_printf(o, "# %s info available, use -I to display\n", names[bit]);
		return;
	}
	switch (bit) {
	case FEAT_HOSTNAME:
		print_string("hostname", f->hostname, o);
		break;
	case FEAT_OSRELEASE:
		print_string("os release", f->os_release, o);
		break;
	case FEAT_VERSION:
		print_string("perf version", f->version, o);
		break;
	case FEAT_ARCH:
		print_string("arch", f->arch, o);
		break;
	case FEAT_NRCPUS:
		outbuf_printf(o, "# nrcpus online : %u\n# nrcpus avail : %u\n", f->nr_cpus_online,
			      f->nr_cpus_avail);
		break;
	case FEAT_CPUDESC:
		print_string("cpudesc", f->cpu_desc, o);
		break;
	case FEAT_CPUID:
		print_string("cpuid", f->cpuid, o);
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
	case FEAT_NUMA_TOPOLOGY:
		print_numa_topology(&c, o);
		break;
	case FEAT_BRANCH_STACK:
		outbuf_puts(o, "# contains samples with branch stack\n");
		break;
	case FEAT_PMU_MAPPINGS:
		print_pmu_mappings(&c, o);
		break;
	case FEAT_GROUP_DESC:
		print_groups(events, o);
		break;
	case FEAT_AUXTRACE:
		outbuf_puts(o, "# contains AUX area data (e.g. instruction trace)\n");
		break;
	case FEAT_STAT:
		outbuf_puts(o, "# contains stat data\n");
		break;
	case FEAT_CACHE:
		print_cache(&c, o);
		break;
	case FEAT_SAMPLE_TIME:
		print_sample_time(f, o);
		break;
	case FEAT_MEM_TOPOLOGY:
		print_mem_topology(&c, o);
		break;
	case FEAT_CLOCKID:
		outbuf_printf(o, "# clockid frequency: %llu MHz\n", feature_u64(&c) * 1000);
		break;
	case FEAT_DIR_FORMAT:
		outbuf_printf(o, "# directory data version : %llu\n", feature_u64(&c));
		break;
	case FEAT_BPF_PROG_INFO:
		print_bpf_programs(&c, o);
		break;
	case FEAT_BPF_BTF:
		print_btf(&c, o);
		break;
	case FEAT_COMPRESSED:
		outbuf_printf(o, "# compressed : %s, level = %u, ratio = %u\n", "Zstd",
			      f->compress_level, f->compress_ratio);
		break;
	case FEAT_CPU_PMU_CAPS:
		print_cpu_caps(&c, o);
		break;
	case FEAT_CLOCK_DATA:
		print_clock_data(&c, o);
		break;
	case FEAT_HYBRID_TOPOLOGY:
		print_hybrid_topology(&c, o);
		break;
	case FEAT_PMU_CAPS:
		print_pmu_caps(&c, o);
		break;
	case FEAT_CPU_DOMAIN_INFO:
		print_domain_info(&c, o);
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

/* Append text after making it printable: strings are from the recording. */
static void put_printable(struct outbuf *o, struct outbuf *text)
{
	make_printable(text->base, outbuf_len(text), true);
	outbuf_write(o, text->base, outbuf_len(text));
}

void header_feature_print(const struct features *f, const struct event_list *events, u32 bit,
			  bool full, struct outbuf *o)
{
	struct outbuf text;

	outbuf_init(&text, -1);
	feature_print(f, events, bit, full, &text);
	put_printable(o, &text);
	outbuf_deinit(&text);
}

void header_print(struct reader *r, bool full, struct outbuf *o)
{
	const struct features *f = reader_features(r);
	struct reader_facts facts = reader_facts(r);
	bool pipe = reader_pipe_format(r);
	time_t t = facts.captured_on;
	char when[64] = "";
	struct outbuf text;
	u32 bit;

	ctime_r(&t, when);
	outbuf_printf(o, "# ========\n# captured on    : %s# header version : %u\n", when,
		      facts.version);
	outbuf_printf(o, "# data offset    : %llu\n# data size      : %llu\n# feat offset    : %llu\n",
		      facts.data_offset, facts.data_size, facts.feat_offset);
	/* A pipe's features follow its header as records. */
	if (pipe)
		outbuf_puts(o, "# ========\n#\n");
	outbuf_init(&text, -1);
	for (bit = 1; bit < ARRAY_SIZE(names); bit++)
		feature_print(f, reader_events(r), bit, full, &text);
	for (bit = FEAT_OWN; bit < FEAT_MAX; bit++)
		feature_print(f, reader_events(r), bit, full, &text);
	put_printable(o, &text);
	outbuf_deinit(&text);
	if (pipe)
		return;
	outbuf_puts(o, "# missing features: ");
	for (bit = 1; bit < ARRAY_SIZE(names); bit++)
		if (names[bit] && !f->sections[bit].data)
			outbuf_printf(o, "%s ", names[bit]);
	outbuf_puts(o, "\n# ========\n#\n");
}

int header_print_only(const char *input, bool force, bool full)
{
	struct reader *r;
	struct outbuf o;
	int damaged;

	if (error_report(reader_open(input ? input : "perf.data", force, &r)))
		return 1;
	outbuf_init(&o, STDOUT_FILENO);
	header_print(r, full, &o);
	outbuf_deinit(&o);
	damaged = reader_damaged(r);
	reader_close(r);
	return damaged;
}

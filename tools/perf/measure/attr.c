// SPDX-License-Identifier: GPL-2.0
/* Options to perf_event_attr. What the kernel lacks is cleared here, once for all events. */
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "event/value_text.h"
#include "measure/attr.h"
#include "measure/kernel_features.h"
#include "measure/measure_options.h"
#include "measure/table.h"

/* Sizes for --call-graph live. A copy takes its full size in the buffer, though a few kB count. */
#define LIVE_COPY	65528	/* bytes: the maximum of a sample's stack copy */

#define BUFFER_RATE	1000		/* samples per second for which a buffer */
#define BUFFER_BYTES	(8ULL << 20)	/* has this size */
#define BUFFER_MAX	(16ULL << 20)	/* pages are allocated at open, which takes milliseconds */
#define MEMORY_PART	64		/* all buffers together use at most 1/64 of memory */
#define WAKE_BYTES	(4ULL << 20)	/* wake-up of the recorder; a quarter of a small buffer */
#define LEAST_MS	16
#define LEAST_COPY	8192
/* Assumed rate and copy size of events without a sampling frequency: tracepoints, switches. */
#define EVENT_RATE	4000
#define EVENT_COPY	16384

/* Bytes that the user may lock for one of @nr buffers, without its header page. */
static u64 may_lock(u64 nr, u64 page)
{
	struct rlimit limit = { 0 };

	if (!geteuid())
		return UINT64_MAX;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return (kernel_mlock() * sysconf(_SC_NPROCESSORS_ONLN) + limit.rlim_cur) / nr - page;
}

/* @rate: of samples that all have copies */
static u64 choose_buffer(u64 rate)
{
	u64 page = sysconf(_SC_PAGESIZE), nr = sysconf(_SC_NPROCESSORS_ONLN);
	u64 size = BUFFER_BYTES;
	u64 most = min((u64)sysconf(_SC_PHYS_PAGES) * page / MEMORY_PART / nr, may_lock(nr, page));

	while (size < BUFFER_MAX && size / BUFFER_BYTES * BUFFER_RATE < rate)
		size *= 2;
	while (size > most && size > page)
		size /= 2;
	return size;
}

static u64 rate_of(const struct event_spec *s)
{
	return s->attr.freq ? s->attr.sample_freq : EVENT_RATE;
}

/*
 * Choose .live_buffer, .bpf_copy and the sizes of live events' copies, unless given. A buffer holds
 * the samples of 128 ms (64 ms at 4,000 Hz), as the recorder may wait for a CPU; 16 ms, and smaller
 * copies, if the user may not lock as much. It is woken up while half of the buffer is free.
 */
static void live_settle(struct ring_options *o, struct spec_list *specs)
{
	u64 live_rate = 0, rate = 0, buffer;
	u32 copy = LIVE_COPY, i;

	for (i = 0; i < specs->nr; i++) {
		live_rate += specs->v[i]->is_live ? rate_of(specs->v[i]) : 0;
		if (specs->v[i]->is_live || specs->v[i]->is_bpf || specs->v[i]->is_table)
			rate += rate_of(specs->v[i]);
	}
	o->live_buffer = choose_buffer(live_rate);
	buffer = o->mmap_pages ? o->mmap_pages * sysconf(_SC_PAGESIZE) : o->live_buffer;
	while (copy > LEAST_COPY && buffer / copy * 1000 < rate * LEAST_MS)
		copy = ALIGN_UP(copy / 2, 8u);
	for (i = 0; i < specs->nr; i++) {
		struct event_spec *s = specs->v[i];

		/* A buffer's watermark is that of its first opened event. */
		if (!o->no_buffering && !o->small_file) {
			s->attr.watermark = 1;
			s->attr.wakeup_watermark = buffer < BUFFER_BYTES ? buffer / 4 : WAKE_BYTES;
		}
		if (s->is_bpf)
			o->bpf_copy = copy;
		if (!s->is_table && (!s->is_live || s->stack_size || o->live_size))
			continue;
		s->attr.sample_stack_user = s->attr.freq ? copy : min(copy, (u32)EVENT_COPY);
		diag_info(2, "%s: %u bytes of each stack are copied, to buffers of %llu bytes", s->name,
			  s->attr.sample_stack_user, buffer);
	}
}

/* All general registers and ip; x86-64: no segment registers. Unwinding needs these. */
#if defined(__x86_64__)
#define USER_REGS_MASK	0xff0fffULL
#elif defined(__aarch64__)
#define USER_REGS_MASK	((1ULL << 33) - 1)
#else
#define USER_REGS_MASK	0ULL
#endif

/* The architectures whose stacks are walked. */
#if defined(__x86_64__) || defined(__aarch64__)
#define LIVE_ARCH	true
#else
#define LIVE_ARCH	false
#endif

/* Half of the smallest buffer: the kernel never wakes up for more than a buffer holds. */
#define SMALL_ROUND	2048

static struct error *settle_freq(struct ring_options *o)
{
	u64 max = kernel_max_freq();

	if (o->freq_max) {
		if (!max)
			return error_create(0, "-F max: cannot read /proc/sys/kernel/perf_event_max_sample_rate");
		o->freq = max;
		diag_warn("-F max: using %llu samples per second, what "
			  "kernel.perf_event_max_sample_rate allows", max);
	}
	if (!o->freq || !max || o->freq <= max)
		return NULL;
	if (o->strict_freq)
		return error_create(EINVAL, "-F %llu is more than kernel.perf_event_max_sample_rate allows (%llu): "
				    "lower -F, raise the sysctl or omit --strict-freq",
				    o->freq, max);
	diag_warn("-F %llu is more than kernel.perf_event_max_sample_rate allows: using %llu "
		  "(--strict-freq refuses instead)", o->freq, max);
	o->freq = max;
	return NULL;
}

bool chain_used(const struct ring_options *o, const struct spec_list *specs, enum spec_chain chain)
{
	bool used = o->chain == chain;
	u32 i;

	for (i = 0; i < specs->nr; i++)
		used |= specs->v[i]->chain == chain;
	return used;
}

bool chain_deferred(const struct spec_list *specs)
{
	bool defer = false;
	u32 i;

	for (i = 0; i < specs->nr; i++)
		defer |= !!(attr_flags(&specs->v[i]->attr) & ATTR_DEFER_CALLCHAIN);
	return defer;
}

static void replace_chain(struct ring_options *o, struct spec_list *specs, enum spec_chain from,
			  enum spec_chain to)
{
	u32 i;

	if (o->chain == from)
		o->chain = to;
	for (i = 0; i < specs->nr; i++)
		if (specs->v[i]->chain == from)
			specs->v[i]->chain = to;
}

/* Reason why stacks cannot be walked while recording; NULL: they can. */
static const char *why_not_live(const struct ring_options *o)
{
	if (!LIVE_ARCH)
		return "stacks are walked live on x86-64 and arm64 only";
	if (o->parallel)
		return "--threads writes records as they are read";
	if (o->kernel_callchains || o->all_kernel)
		return "no user stacks are wanted";
	if (o->user_regs)
		return "--user-regs has the registers in the file";
	if (o->no_time)
		return "without times nothing says which mappings hold";
	return NULL;
}

static void settle_best(struct ring_options *o)
{
	const char *why = o->overwrite ? "--overwrite keeps few copies of stacks" : why_not_live(o);

	if (kernel_has(KERNEL_UNWIND_TABLE)) {
		o->chain = SPEC_CHAIN_TABLE;
		diag_info(1, "-g: this kernel takes unwind tables: as --call-graph table");
	} else if (!o->why_not_bpf) {
		o->chain = SPEC_CHAIN_BPF;
		diag_info(1, "-g: %s, but BPF programs run: as --call-graph bpf", table_missing());
	} else if (!why) {
		o->chain = SPEC_CHAIN_LIVE;
		diag_info(1, "-g: %s, and not bpf, as %s: as --call-graph live", table_missing(), o->why_not_bpf);
	} else {
		o->chain = kernel_has(KERNEL_DEFER_CALLCHAIN) ? SPEC_CHAIN_FP_DEFER : SPEC_CHAIN_FP;
		diag_info(1, "-g: %s, and not live, as %s: as --call-graph %s", table_missing(), why,
			  o->chain == SPEC_CHAIN_FP ? "fp" : "fp,defer");
		if (o->parallel)
			diag_warn("-g: with --threads, most stacks of code without frame pointers are cut; "
				  "--call-graph dwarf has them complete");
	}
}

void chains_settle(struct ring_options *o, struct spec_list *specs)
{
	if (o->chain == SPEC_CHAIN_BEST)
		settle_best(o);
	if (chain_used(o, specs, SPEC_CHAIN_BPF) && o->why_not_bpf) {
		diag_warn("--call-graph bpf: %s: recording as live", o->why_not_bpf);
		replace_chain(o, specs, SPEC_CHAIN_BPF, SPEC_CHAIN_LIVE);
	}
	if (chain_used(o, specs, SPEC_CHAIN_LIVE) && why_not_live(o)) {
		diag_warn("--call-graph live: %s: recording as fp", why_not_live(o));
		replace_chain(o, specs, SPEC_CHAIN_LIVE, SPEC_CHAIN_FP);
	}
	if (chain_used(o, specs, SPEC_CHAIN_TABLE) && !kernel_has(KERNEL_UNWIND_TABLE)) {
		diag_warn("--call-graph table: %s: recording as dwarf, with %u bytes of stack in each sample",
			  table_missing(), o->dwarf_size);
		replace_chain(o, specs, SPEC_CHAIN_TABLE, SPEC_CHAIN_DWARF);
	}
	if (chain_used(o, specs, SPEC_CHAIN_FP_DEFER) && !kernel_has(KERNEL_DEFER_CALLCHAIN)) {
		diag_info(2, "switching off deferred callchain support");
		diag_warn("this kernel cannot defer user callchains (Linux 6.19 and later can, and "
			  "LTS kernels with the deferred callchain patches): recording as plain fp");
		replace_chain(o, specs, SPEC_CHAIN_FP_DEFER, SPEC_CHAIN_FP);
	}
}

/* Disable options that this kernel does not support, each with a warning. */
static void settle_features(struct ring_options *o)
{
	bool pages = o->data_page || o->code_page;
	const struct { bool *given; enum kernel_feature needs; const char *what; } options[] = {
		{ &o->namespaces, KERNEL_NAMESPACES, "records no namespaces (Linux 4.12" },
		{ &o->cgroups, KERNEL_CGROUP, "records no cgroups (Linux 5.7" },
		{ &o->switches, KERNEL_CONTEXT_SWITCH, "records no context switches (Linux 4.3" },
		{ &pages, KERNEL_PAGE_SIZES, "samples no page sizes (Linux 5.11" },
		{ &o->phys, KERNEL_PHYS_ADDR, "samples no physical addresses (Linux 4.14" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (!*options[i].given || kernel_has(options[i].needs))
			continue;
		diag_warn("this kernel %s and later do): going on without", options[i].what);
		*options[i].given = false;
	}
	o->data_page &= pages;
	o->code_page &= pages;
	o->wants_build_ids = !o->no_buildid && !o->no_buildid_mmap && kernel_has(KERNEL_BUILD_ID);
	if (!kernel_has(KERNEL_BUILD_ID))
		diag_info(2, "switching off build_id in map records");
	if (!kernel_has(KERNEL_READ_LOST))
		diag_info(2, "switching off PERF_FORMAT_LOST support");
}

void attr_copy_stack(struct perf_event_attr *a, u32 bytes)
{
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user |= USER_REGS_MASK;
	a->sample_stack_user = bytes;
}

static void set_chain(const struct ring_options *o, struct event_spec *s)
{
	struct perf_event_attr *a = &s->attr;
	enum spec_chain chain = s->chain ?: o->chain;
	bool defer_output = false;

	if (s->is_dummy)
		chain = SPEC_CHAIN_NO;
	/* For an event that counts in the kernel only, the kernel half is sufficient. */
	s->is_live = chain == SPEC_CHAIN_LIVE && !a->exclude_user;
	s->is_bpf = chain == SPEC_CHAIN_BPF && !a->exclude_user;
	if (chain == SPEC_CHAIN_LIVE && !s->is_live)
		chain = SPEC_CHAIN_FP;
	switch (chain) {
	case SPEC_CHAIN_UNSET:
	case SPEC_CHAIN_NO:
	case SPEC_CHAIN_BEST:
		return;
	case SPEC_CHAIN_FP:
	case SPEC_CHAIN_BPF:
		break;
	case SPEC_CHAIN_TABLE:
		s->is_table = !a->exclude_user && !why_not_live(o) && !o->overwrite;
		if (s->is_table)
			attr_copy_stack(a, LIVE_COPY);
		/* fall through */
	case SPEC_CHAIN_FP_DEFER:
		defer_output = true;
		break;
	case SPEC_CHAIN_DWARF:
	case SPEC_CHAIN_LIVE:
		attr_copy_stack(a, s->stack_size ?:
				   s->is_live ? o->live_size ?: LIVE_COPY : o->dwarf_size);
		/* A live sample's callchain by frame pointers leads its walk to another stack. */
		a->exclude_callchain_user = !s->is_live;
		break;
	case SPEC_CHAIN_LBR:
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
		break;
	}
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (o->kernel_callchains)
		a->exclude_callchain_user = 1;
	if (o->user_callchains)
		a->exclude_callchain_kernel = 1;
	if (s->max_stack)
		a->sample_max_stack = s->max_stack;
	if (defer_output && !a->exclude_callchain_user)
		attr_set_flags(a, attr_flags(a) | ATTR_DEFER_CALLCHAIN);
}

static void set_rate(const struct ring_options *o, struct event_spec *s)
{
	struct perf_event_attr *a = &s->attr;
	u64 period = 0, freq = 0;

	if (s->is_dummy) {
		a->sample_period = 1;
		return;
	}
	if (s->period_set)
		period = s->period;
	else if (s->freq_set)
		freq = s->freq;
	else if (o->period)
		period = o->period;
	else if (o->freq)
		freq = o->freq;
	else if (a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT ||
		 (a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_DUMMY ||
						    a->config == PERF_COUNT_SW_BPF_OUTPUT)))
		period = 1;
	else
		freq = kernel_max_freq() ? min(4000ULL, kernel_max_freq()) : 4000;
	if (o->no_samples) {
		a->sample_period = 0;
		return;
	}
	if (freq) {
		a->freq = 1;
		a->sample_freq = freq;
		a->sample_type |= PERF_SAMPLE_PERIOD;
	} else {
		a->sample_period = period;
	}
}

static void set_fields(const struct ring_options *o, struct event_spec *s, bool per_task)
{
	struct perf_event_attr *a = &s->attr;
	const struct { bool wanted; u64 type; } fields[] = {
		{ o->addr, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC },
		{ a->type == PERF_TYPE_BREAKPOINT, PERF_SAMPLE_ADDR },
		{ a->type == PERF_TYPE_TRACEPOINT, PERF_SAMPLE_RAW | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD },
		{ o->period_field, PERF_SAMPLE_PERIOD },
		{ o->phys, PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_ADDR },
		{ o->data_page, PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_ADDR },
		{ o->code_page, PERF_SAMPLE_CODE_PAGE_SIZE }, { o->transaction, PERF_SAMPLE_TRANSACTION },
		{ o->cgroups, PERF_SAMPLE_CGROUP }, { o->raw, PERF_SAMPLE_RAW },
		{ o->intr_regs, PERF_SAMPLE_REGS_INTR }, { o->user_regs, PERF_SAMPLE_REGS_USER },
		{ o->branch_type, PERF_SAMPLE_BRANCH_STACK },
	};
	u32 i;

	a->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (!o->no_time && s->time != 0)
		a->sample_type |= PERF_SAMPLE_TIME;
	if (!per_task || o->cpu_field || o->cpu_list)
		a->sample_type |= PERF_SAMPLE_CPU;
	if (s->is_dummy)
		return;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		a->sample_type |= fields[i].wanted ? fields[i].type : 0;
	if (o->weight)
		a->sample_type |= kernel_has(KERNEL_WEIGHT_STRUCT) ? PERF_SAMPLE_WEIGHT_STRUCT : PERF_SAMPLE_WEIGHT;
	a->sample_regs_intr = o->intr_regs;
	a->sample_regs_user |= o->user_regs;
	a->branch_sample_type = o->branch_type;
}

static void set_tracking(const struct ring_options *o, struct event_spec *s, bool defer)
{
	struct perf_event_attr *a = &s->attr;

	a->mmap = a->comm = a->task = 1;
	a->mmap2 = kernel_has(KERNEL_MMAP2);
	a->comm_exec = kernel_has(KERNEL_COMM_EXEC);
	a->mmap_data = o->data_mmap || o->addr || o->phys || o->data_page || o->chain == SPEC_CHAIN_DWARF;
	a->ksymbol = kernel_has(KERNEL_KSYMBOL);
	a->bpf_event = !o->no_bpf_event && kernel_has(KERNEL_BPF_EVENT);
	a->build_id = o->wants_build_ids;
	a->namespaces = o->namespaces;
	a->cgroup = o->cgroups;
	a->context_switch = o->switches;
	if (defer)
		attr_set_flags(a, attr_flags(a) | ATTR_DEFER_OUTPUT);
}

/* Group members read with their leader's samples do not sample. */
static void set_group(struct spec_list *specs, struct event_spec *s, u32 index, bool many)
{
	struct event_spec *leader = specs->v[s->leader];
	struct perf_event_attr *a = &s->attr;

	if (many)
		a->read_format |= PERF_FORMAT_ID;
	if (!leader->sample_read)
		return;
	a->sample_type |= PERF_SAMPLE_READ;
	a->read_format |= PERF_FORMAT_ID;
	if (leader->group_members > 1)
		a->read_format |= PERF_FORMAT_GROUP;
	if (s->leader != index) {
		a->freq = 0;
		a->sample_period = 0;
		a->sample_type |= PERF_SAMPLE_PERIOD;
		if (leader->attr.freq)
			a->write_backward = leader->attr.write_backward;
	}
}

static struct error *set_clock(const struct ring_options *o, struct perf_event_attr *a)
{
	if (!o->use_clockid)
		return NULL;
	if (!kernel_has(KERNEL_CLOCKID))
		return error_create(EINVAL, "-k: this kernel has no choice of clocks (Linux 4.1 and later have)");
	a->use_clockid = 1;
	a->clockid = o->clockid;
	return NULL;
}

struct error *attrs_configure(struct ring_options *o, struct spec_list *specs, bool per_task)
{
	bool many = specs->nr > 1;
	struct error *err = settle_freq(o);
	u32 i;

	if (err)
		return err;
	settle_features(o);
	for (i = 0; i < specs->nr; i++) {
		struct event_spec *s = specs->v[i];
		struct perf_event_attr *a = &s->attr;

		a->size = sizeof(*a);
		a->disabled = s->leader == i && !s->is_dummy;
		if (o->all_user)
			a->exclude_kernel = a->exclude_hv = 1;
		if (o->all_kernel)
			a->exclude_user = 1;
		/* Guests are excluded unless a modifier includes them. */
		if (!s->guest_given && a->type != PERF_TYPE_SOFTWARE &&
		    a->type != PERF_TYPE_TRACEPOINT && a->type != PERF_TYPE_BREAKPOINT)
			a->exclude_guest = 1;
		if (s->precise_max)
			a->precise_ip = 3;
		set_fields(o, s, per_task);
		set_rate(o, s);
		set_chain(o, s);
		o->is_live |= s->is_live || s->is_table || (s->is_bpf && !why_not_live(o));
		if (many || o->identifier)
			a->sample_type |= PERF_SAMPLE_IDENTIFIER;
		if (kernel_has(KERNEL_READ_LOST))
			a->read_format |= PERF_FORMAT_LOST;
		a->read_format |= PERF_FORMAT_ID;
		if (o->per_thread_counts)
			a->inherit_stat = 1;
		if (o->per_thread_counts || o->running_time)
			a->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED |
					  PERF_FORMAT_TOTAL_TIME_RUNNING;
		set_group(specs, s, i, many);
		a->sample_id_all = kernel_has(KERNEL_SAMPLE_ID_ALL);
		a->inherit = s->inherit >= 0 ? s->inherit :
			     per_task && !o->no_inherit && !o->per_thread;
		err = set_clock(o, a);
		if (err)
			return err;
		if (s->overwrite > 0 || (s->overwrite < 0 && o->overwrite && !s->is_dummy)) {
			if (!kernel_has(KERNEL_WRITE_BACKWARD))
				return error_create(EINVAL, "--overwrite: this kernel cannot write its buffers "
						    "backward (Linux 4.7 and later can)");
			a->write_backward = 1;
		}
		if (o->no_buffering) {
			a->wakeup_events = 1;
		} else if (o->small_file) {
			a->watermark = 1;
			a->wakeup_watermark = SMALL_ROUND;
		}
		/* The exec of a command enables its events. */
		if (o->has_workload && per_task && s->leader == i && !o->delay_given)
			a->enable_on_exec = 1;
	}
	if (o->is_live)
		live_settle(o, specs);
	for (i = 0; i < specs->nr; i++)
		if (specs->v[i]->is_tracking)
			set_tracking(o, specs->v[i], chain_deferred(specs));
	return NULL;
}

static void print_field(const char *name, const char *value, void *ctx __unused)
{
	diag_info(2, "  %-32s %s", name, value);
}

void attr_print(const struct perf_event_attr *a)
{
	diag_info(2, "------------------------------------------------------------");
	diag_info(2, "perf_event_attr:");
	attr_each(a, NULL, print_field, NULL);
	diag_info(2, "------------------------------------------------------------");
}

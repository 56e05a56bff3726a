// SPDX-License-Identifier: GPL-2.0
/*
 * Values shared by options and settings: callchain modes, clocks, registers, types of branches,
 * sizes and times. Each function parses a text into a number or into options of the kernel's
 * buffers. And the callbacks of unsupported options. Owns nothing.
 */
#include <ctype.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/memory_limit.h"
#include "cmd/values.h"
#include "event/value_text.h"
#include "spec/spec.h"

#define MAX_DUMP_SIZE	65528	/* the largest multiple of 8 in a u16 */

#define wrong(who, fmt, ...) ((who) ? diag_error("%s: " fmt, who, __VA_ARGS__) : -1)

int value_dump_size(const char *arg, const char *who, u32 *size)
{
	char *end;
	u64 v = strtoull(arg, &end, 0);

	if (end == arg || *end || !v || v > MAX_DUMP_SIZE || *arg == '-')
		return wrong(who, "'%s' is no size of a stack dump: up to %u bytes", arg, MAX_DUMP_SIZE);
	*size = ALIGN_UP(v, 8ULL);
	return 0;
}

int value_call_graph(const char *arg, const char *who, struct ring_options *o)
{
	const struct call_graph_mode *m = call_graph_mode(arg, strlen(arg));
	const char *comma = strchrnul(arg, ',');
	char modes[128];

	if (!m && *comma) {
		if (!strcmp(comma, ",defer"))
			return wrong(who, "'defer' works with 'fp' only: --call-graph %s", "fp,defer");
		m = call_graph_mode(arg, comma - arg);
		if (m && m->sized) {
			o->chain = m->chain;
			return value_dump_size(comma + 1, who, m->chain == SPEC_CHAIN_LIVE ?
					       &o->live_size : &o->dwarf_size);
		}
		m = NULL;
	}
	if (!m)
		return wrong(who, "'%s' is not one of %s", arg,
			     call_graph_modes(modes, sizeof(modes), true));
	o->chain = m->chain;
	return 0;
}

int value_clockid(const char *arg, s32 *clockid)
{
	static const struct { const char *name; s32 id; } clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC }, { "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME }, { "boottime", CLOCK_BOOTTIME }, { "tai", CLOCK_TAI },
		{ "mono", CLOCK_MONOTONIC }, { "raw", CLOCK_MONOTONIC_RAW }, { "real", CLOCK_REALTIME },
		{ "boot", CLOCK_BOOTTIME },
	};
	const char *name = !strncasecmp(arg, "CLOCK_", 6) ? arg + 6 : arg;
	char *end;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(name, clocks[i].name)) {
			*clockid = clocks[i].id;
			return 0;
		}
	}
	*clockid = strtol(arg, &end, 10);
	for (i = 0; i < ARRAY_SIZE(clocks) && clocks[i].id != *clockid; i++)
		;
	if (end == arg || *end || i == ARRAY_SIZE(clocks))
		return diag_error("-k '%s' is not one of monotonic, monotonic_raw, realtime, boottime, tai", arg);
	return 0;
}

/* Parse a number with one of the units: "64K". */
static int scaled(const char *arg, const char *const *units, const u64 *factors, u32 nr, u64 *v)
{
	char *end;
	u64 n = strtoull(arg, &end, 10);
	u32 i;

	if (end == arg || !isdigit((unsigned char)*arg))
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		if (strcasecmp(end, units[i]))
			continue;
		return __builtin_mul_overflow(n, factors[i], v) ? -EINVAL : 0;
	}
	return -EINVAL;
}

int value_size(const char *arg, u64 *size)
{
	static const char *const units[] = { "", "B", "K", "M", "G", "KB", "MB", "GB" };
	static const u64 factors[] = { 1, 1, 1 << 10, 1 << 20, 1 << 30, 1 << 10, 1 << 20, 1 << 30 };

	return scaled(arg, units, factors, ARRAY_SIZE(units), size);
}

struct error *opt_max_memory(const struct opt *opt __unused, const char *arg, bool unset)
{
	u64 size;

	if (unset)
		memory_limit_lift();
	else if (value_size(arg, &size) || !size)
		return error_create(0, "--max-memory %s: not a size (example: 4G)", arg);
	else
		memory_limit_set(size);
	return NULL;
}

int value_duration(const char *arg, u64 *ms)
{
	/* A minute is "m"; the M of sizes is upper case, as in perf. */
	static const char *const units[] = { "ms", "s", "h", "d" };
	static const u64 factors[] = { 1, 1000, 3600000, 86400000 };
	char *end;
	u64 n = strtoull(arg, &end, 10);

	if (isdigit((unsigned char)*arg) && !strcmp(end, "m")) {
		*ms = n * 60000;
		return 0;
	}
	return scaled(arg, units, factors, ARRAY_SIZE(units), ms) || !*ms ? -EINVAL : 0;
}

#ifdef __aarch64__
#define SAMPLED_REGS	((1ULL << 33) - 1)
#else
#define SAMPLED_REGS	0xff0fffULL	/* without ds, es, fs and gs */
#endif

int value_regs(const char *arg, const char *who, u64 *mask)
{
	const char *p = arg;
	size_t len;
	u32 bit;

	if (!strcmp(arg, "?")) {
		fprintf(stderr, "available registers:");
		for (bit = 0; bit < 64; bit++)
			if (SAMPLED_REGS >> bit & 1)
				fprintf(stderr, " %s", reg_name(NULL, bit));
		fprintf(stderr, "\n");
		exit(0);
	}
	*mask = *arg ? 0 : SAMPLED_REGS;
	for (; *p; p += len + (p[len] == ',')) {
		len = strcspn(p, ",");
		for (bit = 0; bit < 64; bit++)
			if (SAMPLED_REGS >> bit & 1 && strlen(reg_name(NULL, bit)) == len &&
			    !strncasecmp(reg_name(NULL, bit), p, len))
				break;
		if (bit == 64)
			return diag_error("--%s: there is no register '%.*s' (--%s=? lists them)", who, (int)len, p,
					  who);
		*mask |= 1ULL << bit;
	}
	return 0;
}

int value_branch(const char *arg, u64 *mask)
{
	static const struct { const char *name; u64 bit; } kinds[] = {
		{ "u", PERF_SAMPLE_BRANCH_USER }, { "k", PERF_SAMPLE_BRANCH_KERNEL },
		{ "hv", PERF_SAMPLE_BRANCH_HV }, { "any", PERF_SAMPLE_BRANCH_ANY },
		{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL }, { "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
		{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL }, { "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
		{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX }, { "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
		{ "cond", PERF_SAMPLE_BRANCH_COND }, { "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
		{ "call", PERF_SAMPLE_BRANCH_CALL }, { "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
		{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK }, { "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
		{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
	};
	const u64 levels = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	const char *p = arg;
	size_t i, len;

	*mask = 0;
	for (; *p; p += len + (p[len] == ',')) {
		len = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			if (strlen(kinds[i].name) == len && !strncasecmp(kinds[i].name, p, len))
				break;
		if (i == ARRAY_SIZE(kinds))
			return diag_error("-j: '%.*s' is no kind of branch: any, any_call, any_ret, ind_call, ind_jmp, "
					  "call, cond, u, k, hv, in_tx, no_tx, abort_tx, save_type, stack, hw_index, "
					  "priv", (int)len, p);
		*mask |= kinds[i].bit;
	}
	if (!(*mask & ~levels))
		*mask |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

int value_bool(const char *arg, bool *on)
{
	static const char *const words[] = { "false", "true", "off", "on", "no", "yes", "0", "1" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcasecmp(arg, words[i])) {
			*on = i & 1;
			return 0;
		}
	}
	return -EINVAL;
}

struct error *opt_left_out(const struct opt *opt, const char *arg __unused, bool unset)
{
	if (unset)
		return NULL;
	return error_create(EINVAL, "--%s is not part of this perf: %s", opt->long_name,
			    (const char *)opt->value);
}

struct error *opt_not_here(const struct opt *opt, const char *arg __unused, bool unset)
{
	if (unset)
		return NULL;
	return error_create(EINVAL, "--%s is not supported by this perf: %s", opt->long_name, opt->help);
}

struct error *opt_no_effect(const struct opt *opt __unused, const char *arg __unused,
			  bool unset __unused)
{
	return NULL;
}

struct error *opt_traces(const struct opt *opt, const char *arg __unused, bool unset)
{
	*(const char **)opt->value = unset ? NULL : opt->long_name;
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf inject: how a sample, an event's attributes and a feature section are rewritten.
 */
#include <byteswap.h>


#include "cmd/plain_sample.h"
#include "perfdata/rewrite.h"
#include "unit.h"

#define KIP 0xffffffff81000100ULL

/* A sample that is put together word by word, and its event. */
struct made {
	struct event_list events;
	struct event *ev;
	u64 words[8192];
	u32 nr;
	struct sample s;
	struct callchain cc;
	struct outbuf out;
};

static void make(struct made *m, const struct perf_event_attr *attr)
{
	memset(m, 0, sizeof(*m));
	m->ev = event_list_add(&m->events, attr);
	m->nr = 1;
	outbuf_init(&m->out);
}

static void word(struct made *m, u64 v)
{
	m->words[m->nr++] = v;
}

static void decode(struct made *m)
{
	struct perf_event_header *h = (struct perf_event_header *)m->words;

	*h = (struct perf_event_header){ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 8 * m->nr };
	assert_int_equal(sample_decode(m->ev, h, 0, &m->s), 0);
}

static void join(struct made *m, const u64 *ips, u32 nr)
{
	m->cc.spans[m->cc.nr_spans++] = (struct chain_span){
		.ips = ips, .nr = nr, .cpumode = PERF_RECORD_MISC_USER,
	};
	m->cc.user_half = USER_HALF_DEFERRED;
}

/* The rewritten sample has these words behind its header, and nothing else. */
static void expect(struct made *m, u32 cut, const u64 *want, u32 nr, bool convert)
{
	struct plain_plan plan = plain_plan(&m->ev->attr, convert);
	const struct perf_event_header *h;

	assert_int_equal(plain_sample(&m->out, &m->s, &m->cc, &plan), cut);
	h = (const void *)m->out.base;
	assert_int_equal(h->type, PERF_RECORD_SAMPLE);
	assert_int_equal(h->misc, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(h->size, outbuf_len(&m->out));
	assert_int_equal(h->size, 8 + 8 * nr);
	assert_memory_equal(h + 1, want, 8 * nr);
	outbuf_deinit(&m->out);
	event_list_deinit(&m->events);
}

static const struct perf_event_attr plain = {
	.size = sizeof(plain), .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
					      PERF_SAMPLE_PHYS_ADDR,
};

static const struct perf_event_attr dwarf = {
	.size = sizeof(dwarf), .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					      PERF_SAMPLE_STACK_USER | PERF_SAMPLE_PHYS_ADDR,
	.sample_regs_user = 0x180, .sample_stack_user = 16, .exclude_callchain_user = 1,
};

static struct made m;

/* ip, the callchain, raw data of four bytes, a physical address. */
static void deferred_sample(void)
{
	make(&m, &plain);
	word(&m, KIP);
	word(&m, 4);
	word(&m, PERF_CONTEXT_KERNEL);
	word(&m, KIP);
	word(&m, CONTEXT_USER_DEFERRED);
	word(&m, 0x700000001);
	word(&m, 0x1122334400000004);
	word(&m, 0x9999);
	decode(&m);
}

TEST(joined)
{
	const u64 ips[] = { 0x401000, 0x402000, 0x403000 };
	const u64 want[] = { KIP, 6, PERF_CONTEXT_KERNEL, KIP, PERF_CONTEXT_USER, 0x401000, 0x402000, 0x403000,
			     0x1122334400000004, 0x9999 };

	deferred_sample();
	join(&m, ips, 3);
	expect(&m, 0, want, ARRAY_SIZE(want), false);
}

TEST(without_its_half)
{
	const u64 want[] = { KIP, 2, PERF_CONTEXT_KERNEL, KIP, 0x1122334400000004, 0x9999 };

	deferred_sample();
	expect(&m, 0, want, ARRAY_SIZE(want), false);
}

/* 8191 words are the largest record: 10 of them are not frames, one is the header. */
TEST(too_long)
{
	static u64 ips[9000], want[8190];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ips); i++)
		ips[i] = 0x400000 + i;
	deferred_sample();
	join(&m, ips, ARRAY_SIZE(ips));
	want[0] = KIP;
	want[1] = 8190 - 4;
	want[2] = PERF_CONTEXT_KERNEL;
	want[3] = KIP;
	want[4] = PERF_CONTEXT_USER;
	memcpy(want + 5, ips, (8190 - 7) * sizeof(u64));
	want[8188] = 0x1122334400000004;
	want[8189] = 0x9999;
	expect(&m, 9000 - (8190 - 7), want, ARRAY_SIZE(want), false);
}

static void copied_sample(const struct perf_event_attr *attr, u64 abi, bool user_part)
{
	make(&m, attr);
	word(&m, KIP);
	word(&m, user_part ? 4 : 2);
	word(&m, PERF_CONTEXT_KERNEL);
	word(&m, KIP);
	if (user_part) {
		word(&m, PERF_CONTEXT_USER);
		word(&m, 0x401111);
	}
	word(&m, abi);
	if (abi) {
		word(&m, 0x7ffe0000);
		word(&m, 0x401000);
	}
	word(&m, abi ? 16 : 0);
	if (abi) {
		word(&m, 0x5ec4e7);
		word(&m, 0x5ec4e7);
		word(&m, 16);
	}
	word(&m, 0x9999);
	decode(&m);
}

static void dwarf_sample(u64 abi, bool user_part)
{
	copied_sample(&dwarf, abi, user_part);
}

TEST(converted)
{
	const u64 ips[] = { 0x401000, 0x402000 };
	const u64 want[] = { KIP, 5, PERF_CONTEXT_KERNEL, KIP, PERF_CONTEXT_USER, 0x401000, 0x402000, 0x9999 };

	dwarf_sample(PERF_SAMPLE_REGS_ABI_64, false);
	join(&m, ips, 2);
	expect(&m, 0, want, ARRAY_SIZE(want), true);
	/* What the kernel found by frame pointers is replaced, too. */
	dwarf_sample(PERF_SAMPLE_REGS_ABI_64, true);
	join(&m, ips, 2);
	expect(&m, 0, want, ARRAY_SIZE(want), true);
}

TEST(nothing_to_convert)
{
	const u64 kernel[] = { KIP, 2, PERF_CONTEXT_KERNEL, KIP, 0x9999 };
	struct perf_event_attr leads = dwarf;
	const u64 both[] = { KIP, 4, PERF_CONTEXT_KERNEL, KIP, PERF_CONTEXT_USER, 0x401111, 0x9999 };

	dwarf_sample(PERF_SAMPLE_REGS_ABI_NONE, false);
	expect(&m, 0, kernel, ARRAY_SIZE(kernel), true);
	dwarf_sample(PERF_SAMPLE_REGS_ABI_64, true);
	expect(&m, 0, both, ARRAY_SIZE(both), true);
	/* By frame pointers, for a walk that was not made */
	leads.exclude_callchain_user = 0;
	copied_sample(&leads, PERF_SAMPLE_REGS_ABI_64, true);
	expect(&m, 0, kernel, ARRAY_SIZE(kernel), true);
}

/* Without a callchain of its own a sample gets one in the place where it belongs. */
TEST(callchain_added)
{
	const u64 ips[] = { 0x401000 }, want[] = { KIP, 2, PERF_CONTEXT_USER, 0x401000, 0x9999 };
	struct perf_event_attr attr = dwarf;

	attr.sample_type &= ~(u64)PERF_SAMPLE_CALLCHAIN;
	make(&m, &attr);
	word(&m, KIP);
	word(&m, PERF_SAMPLE_REGS_ABI_64);
	word(&m, 0x7ffe0000);
	word(&m, 0x401000);
	word(&m, 0);
	word(&m, 0x9999);
	decode(&m);
	join(&m, ips, 1);
	expect(&m, 0, want, ARRAY_SIZE(want), true);
}

TEST(attributes)
{
	struct perf_event_attr attr = dwarf;

	attr_set_flags(&attr, attr_flags(&attr) | ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT);
	plain_attr(&attr, false);
	assert_memory_equal(&attr, &dwarf, sizeof(attr));
	plain_attr(&attr, true);
	assert_int_equal(attr.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PHYS_ADDR);
	assert_int_equal(attr.sample_regs_user, 0);
	assert_int_equal(attr.sample_stack_user, 0);
	assert_int_equal(attr.exclude_callchain_user, 0);
	/* Registers alone are no copy of a stack. */
	attr = (struct perf_event_attr){ .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 1 };
	plain_attr(&attr, true);
	assert_int_equal(attr.sample_type, PERF_SAMPLE_REGS_USER);
	assert_int_equal(attr.sample_regs_user, 1);
}

TEST(sections)
{
	const u32 cpus[] = { bswap_32(8), bswap_32(4) }, want[] = { 8, 4 };
	/* a list of two, the second longer than what is left */
	u32 list[] = { bswap_32(2), bswap_32(4), 0x00636261, bswap_32(4), 0x00646362 };
	struct outbuf o = { 0 };

	assert_true(feature_to_host(FEAT_NRCPUS, 0, cpus, sizeof(cpus), &o));
	assert_int_equal(outbuf_len(&o), sizeof(want));
	assert_memory_equal(o.base, want, sizeof(want));
	outbuf_deinit(&o);
	assert_true(feature_to_host(FEAT_CMDLINE, 0, list, sizeof(list), &o));
	assert_int_equal(((u32 *)o.base)[0], 2);
	assert_int_equal(((u32 *)o.base)[3], 4);
	assert_int_equal(((u32 *)o.base)[4], 0x00646362);
	outbuf_deinit(&o);
	list[3] = bswap_32(5);
	assert_false(feature_to_host(FEAT_CMDLINE, 0, list, sizeof(list), &o));
	list[1] = 0xffffffff;
	assert_false(feature_to_host(FEAT_CMDLINE, 0, list, sizeof(list), &o));
	assert_false(feature_to_host(FEAT_NRCPUS, 0, cpus, 6, &o));
	/* Contents whose layout is not known. */
	assert_false(feature_to_host(FEAT_BPF_PROG_INFO, 0, list, sizeof(list), &o));
	assert_false(feature_to_host(FEAT_MAX, 0, list, sizeof(list), &o));
}

UNIT_MAIN(NULL, NULL)

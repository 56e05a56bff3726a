// SPDX-License-Identifier: GPL-2.0
/* A sample as text: its fields in mainline's order, as numbers. */
#include <stdio.h>

#include "cmd/dump/dump.h"
#include "cmd/header/header.h"
#include "event/value_text.h"

static const char *context_name(u64 ip)
{
#define CONTEXT(c) { PERF_CONTEXT_##c, "PERF_CONTEXT_" #c }
	static const struct { u64 ip; const char *name; } contexts[] = {
		CONTEXT(HV), CONTEXT(KERNEL), CONTEXT(USER), CONTEXT(GUEST), CONTEXT(GUEST_KERNEL),
		CONTEXT(GUEST_USER), { CONTEXT_USER_DEFERRED, "PERF_CONTEXT_USER_DEFERRED" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		if (contexts[i].ip == ip)
			return contexts[i].name;
	return NULL;
}

void dump_chain(struct outbuf *o, const u64 *ips, u64 nr)
{
	u64 i;

	outbuf_printf(o, "... FP chain: nr:%llu\n", nr);
	for (i = 0; i < nr; i++) {
		const char *context = context_name(ips[i]);

		outbuf_puts(o, "..... ");
		outbuf_dec(o, i, 2, ' ');
		outbuf_puts(o, ": ");
		outbuf_hex(o, ips[i], 16, '0');
		if (context) {
			outbuf_puts(o, " (");
			outbuf_puts(o, context);
			outbuf_putc(o, ')');
		}
		outbuf_putc(o, '\n');
	}
}

/* As mainline: the kernel half, and the user half from the branches. */
static void put_lbr_chain(struct outbuf *o, const struct sample *s)
{
	u64 kernel = sample_user_half(s), i;

	if (kernel == s->callchain_nr || !s->branch_nr)
		return;
	outbuf_printf(o, "... LBR call chain: nr:%llu\n", kernel + 2 + s->branch_nr);
	for (i = 0; i <= kernel; i++)
		outbuf_printf(o, "..... %2llu: %016llx\n", i, s->callchain[i]);
	outbuf_printf(o, "..... %2llu: %016llx\n", i++, s->branch[1]);
	for (; i < kernel + 2 + s->branch_nr; i++)
		outbuf_printf(o, "..... %2llu: %016llx\n", i, s->branch[3 * (i - kernel - 2)]);
}

/* If the branches are a call stack: the target of the first, then the sources of all. */
static void put_branches(struct outbuf *o, const struct sample *s)
{
	bool stack = s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	u64 i;

	if (stack) {
		outbuf_printf(o, "... branch callstack: nr:%llu\n", s->branch_nr + 1);
		if (s->branch_nr)
			outbuf_printf(o, "..... %2d: %016llx\n", 0, s->branch[1]);
		for (i = 0; i < s->branch_nr; i++)
			outbuf_printf(o, "..... %2llu: %016llx\n", i + 1, s->branch[3 * i]);
		return;
	}
	outbuf_printf(o, "... branch stack: nr:%llu\n", s->branch_nr);
	for (i = 0; i < s->branch_nr; i++) {
		const u64 *b = s->branch + 3 * i;
		u64 f = b[2];

		outbuf_printf(o, "..... %2llu: %016llx -> %016llx %u cycles %s%s%s%s %x %s %s\n", i, b[0],
			      b[1], (u16)(f >> 4), f & 1 ? "M" : " ", f & 2 ? "P" : " ",
			      f & 8 ? "A" : " ", f & 4 ? "T" : " ", (u32)(f >> 34),
			      branch_type_name(f), branch_spec_name(f) ?: "");
	}
}

static void put_regs(struct outbuf *o, const char *arch, const char *kind, const struct regs_dump *r)
{
	static const char *const abi[] = { "none", "32-bit", "64-bit" };
	u32 bit, i = 0;

	outbuf_printf(o, "... %s regs: mask 0x%llx ABI %s\n", kind, r->mask,
		      r->abi < ARRAY_SIZE(abi) ? abi[r->abi] : "unknown");
	for (bit = 0; bit < 64; bit++)
		if (r->mask >> bit & 1)
			outbuf_printf(o, ".... %-5s 0x%016llx\n", reg_name(arch, bit), r->regs[i++]);
}

static void put_read(struct outbuf *o, const struct sample *s)
{
	u64 format = s->event->attr.read_format, nr = 1, value = 0, i;
	const u64 *p = s->read_format;
	bool group = format & PERF_FORMAT_GROUP;

	outbuf_puts(o, "... sample_read:\n");
	if (group)
		nr = *p++;
	else
		value = *p++;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		outbuf_printf(o, "...... time enabled %016llx\n", *p++);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		outbuf_printf(o, "...... time running %016llx\n", *p++);
	if (group)
		outbuf_printf(o, ".... group nr %llu\n", nr);
	for (i = 0; i < nr; i++) {
		u64 id = 0;

		if (group)
			value = *p++;
		if (format & PERF_FORMAT_ID)
			id = *p++;
		outbuf_printf(o, "..... id %016llx, value %016llx", id, value);
		if (format & PERF_FORMAT_LOST)
			outbuf_printf(o, ", lost %llu", *p++);
		outbuf_putc(o, '\n');
	}
}

static void put_page_size(struct outbuf *o, const char *what, u64 size)
{
	char text[32] = "N/A";

	outbuf_printf(o, " .. %s page size: %s\n", what, size ? short_size(size, text, sizeof(text)) : text);
}

void dump_sample(struct dump *d, const struct sample *s, const struct callchain *cc,
		 const struct thread *t)
{
	u64 type = s->event->attr.sample_type;
	const char *arch = d->s->features->arch;
	struct outbuf *o = d->o;

	outbuf_printf(o, "(IP, 0x%x): %d/%d: %#llx period: %llu addr: %#llx\n", s->header->misc,
		      (s32)s->pid, (s32)s->tid, s->ip, s->period, s->addr);
	if (attr_lbr_chains(&s->event->attr))
		put_lbr_chain(o, s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		dump_chain(o, s->callchain, s->callchain_nr);
		if (s->deferred)
			outbuf_puts(o, "...... (deferred)\n");
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(o, s);
	if (s->user_regs.regs)
		put_regs(o, arch, "user", &s->user_regs);
	if (s->intr_regs.regs)
		put_regs(o, arch, "intr", &s->intr_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		outbuf_printf(o, "... ustack: size %llu, offset 0x%llx\n", s->user_stack_size,
			      (u64)s->user_stack_at);
	if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		outbuf_printf(o, "... weight: %llu,0x%x,0x%x\n", s->weight, s->ins_lat,
			      s->p_stage_cyc);
	else if (type & PERF_SAMPLE_WEIGHT)
		outbuf_printf(o, "... weight: %llu\n", s->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		outbuf_printf(o, " . data_src: 0x%llx\n", s->data_src);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		outbuf_printf(o, " .. phys_addr: 0x%llx\n", s->phys_addr);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		put_page_size(o, "data", s->data_page_size);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		put_page_size(o, "code", s->code_page_size);
	if (type & PERF_SAMPLE_TRANSACTION)
		outbuf_printf(o, "... transaction: %llx\n", s->transaction);
	if (type & PERF_SAMPLE_READ)
		put_read(o, s);
}

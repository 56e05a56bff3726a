// SPDX-License-Identifier: GPL-2.0
/*
 * Rarely recorded fields: registers, addresses, weights, branches. Each is appended to the
 * printer's line; frames.c makes the names of addresses.
 */
#include <ctype.h>

#include "cmd/header/header.h"
#include "cmd/script/script.h"
#include "event/value_text.h"

/* Is the event a fault? Other addresses may not be memory addresses. */
static bool is_fault(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
		attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

void print_addr(struct printer *p, u64 fields, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct outbuf *o = p->out;
	u8 mode = s->cpumode;

	/* If the kernel accessed user memory, the address is a user address. */
	if (mode == PERF_RECORD_MISC_KERNEL && (s64)s->addr >= 0)
		mode = PERF_RECORD_MISC_USER;
	if (fields & FIELD(ADDR))
		outbuf_hex(o, s->addr, 16, ' ');
	if (fields & FIELD(ADDR) && is_fault(&s->event->attr))
		print_place(p, p->out, fields & ~FIELD(DSOFF), frame_at(p, v, s->addr, mode));
	if (fields & FIELD(DATA_SRC)) {
		outbuf_hex(o, s->data_src, 16, ' ');
		outbuf_putc(o, ' ');
		data_src_text(s->data_src, o);
	}
	if (fields & FIELD(WEIGHT))
		outbuf_dec(o, s->weight, 16, ' ');
	if (fields & FIELD(INS_LAT))
		outbuf_dec(o, s->ins_lat, 16, ' ');
	if (fields & FIELD(RETIRE_LAT))
		outbuf_dec(o, s->p_stage_cyc, 16, ' ');
	if (fields & FIELD(CGROUP)) {
		const char *name = timeline_cgroup_name(p->s->timeline, s->cgroup);

		outbuf_putc(o, ' ');
		outbuf_puts(o, name ? name : "unknown");
	}
}

static void put_regs(struct outbuf *o, const char *arch, const struct regs_dump *r)
{
	u64 mask = r->mask;
	u32 i = 0;

	if (!r->regs || !mask)
		return;
	outbuf_printf(o, " ABI:%llu ", r->abi);
	for (; mask; mask &= mask - 1) {
		u32 bit = __builtin_ctzll(mask);

		outbuf_printf(o, "%5s:0x%llx ", reg_name(arch, bit), r->regs[i++]);
	}
}

static void put_branch_end(struct printer *p, u64 fields, u64 addr, const struct visit *v)
{
	struct frame *f = frame_by_sign(p->frames, v->thread, addr, v->chain->time);
	struct outbuf *o = p->out;

	if (fields & FIELD(BRSTACKSYM)) {
		outbuf_puts(o, f->sym ? f->sym->name : "[unknown]");
		if (f->sym) {
			outbuf_puts(o, "+0x");
			outbuf_hex(o, f->addr - f->sym->start, 0, ' ');
		}
	} else {
		outbuf_puts(o, "0x");
		outbuf_hex(o, fields & FIELD(BRSTACKOFF) && f->map ?
			   addr - f->map->start + f->map->pgoff : addr, 0, ' ');
	}
	print_place(p, o, fields & FIELD(DSO), f);
}

/* The outcome of a branch. If predicted or mispredicted and not taken, it has two letters. */
static const char *branch_event(u64 flags)
{
	bool not_taken = flags & BRANCH_NOT_TAKEN;

	if (flags & BRANCH_PREDICTED)
		return not_taken ? "PN" : "P";
	if (not_taken)
		return "MN";
	return flags & BRANCH_MISPREDICTED ? "M" : "-";
}

static void put_branches(struct printer *p, u64 fields, const struct visit *v)
{
	struct outbuf *o = p->out;
	u64 i;

	for (i = 0; i < v->sample->branch_nr; i++) {
		const u64 *b = v->sample->branch + 3 * i;
		u64 flags = b[2];

		if (!(fields & FIELD(BRSTACKSYM)))
			outbuf_putc(o, ' ');
		put_branch_end(p, fields, b[0], v);
		outbuf_putc(o, '/');
		put_branch_end(p, fields, b[1], v);
		outbuf_printf(o, "/%s/%c/%c/%u/%s/%s ", branch_event(flags),
			      flags & BRANCH_IN_TX ? 'X' : '-', flags & BRANCH_ABORT ? 'A' : '-',
			      branch_cycles(flags), branch_type_name(flags),
			      branch_spec_name(flags) ?: "-");
	}
}

static void put_bpf_output(struct outbuf *o, const struct sample *s)
{
	const u8 *raw = s->raw;
	u32 i, j;

	for (i = 0; raw && i < s->raw_size; i += 16) {
		outbuf_printf(o, i ? "\n%17s %04x:" : "\n%17s %04x:", i ? "" : "BPF output:", i);
		for (j = i; j < i + 16; j++) {
			if (j < s->raw_size)
				outbuf_printf(o, " %02x", raw[j]);
			else
				outbuf_puts(o, "   ");
		}
		outbuf_puts(o, "  ");
		for (j = i; j < i + 16 && j < s->raw_size; j++)
			outbuf_putc(o, isprint(raw[j]) ? raw[j] : '.');
	}
}

static void put_page_size(struct outbuf *o, u64 size)
{
	char text[32];

	outbuf_printf(o, " %s", size ? short_size(size, text, sizeof(text)) : "N/A");
}

void print_after_ip(struct printer *p, u64 fields, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct outbuf *o = p->out;

	if (fields & FIELD(IREGS))
		put_regs(o, p->s->features->arch, &s->intr_regs);
	if (fields & FIELD(UREGS))
		put_regs(o, p->s->features->arch, &s->user_regs);
	if (fields & (FIELD(BRSTACK) | FIELD(BRSTACKOFF)))
		put_branches(p, fields & ~FIELD(BRSTACKSYM), v);
	if (fields & FIELD(BRSTACKSYM))
		put_branches(p, fields, v);
	if (fields & FIELD(BPF_OUTPUT))
		put_bpf_output(o, s);
	if (fields & FIELD(PHYS_ADDR))
		outbuf_hex(o, s->phys_addr, 16, ' ');
	if (fields & FIELD(DATA_PAGE_SIZE))
		put_page_size(o, s->data_page_size);
	if (fields & FIELD(CODE_PAGE_SIZE))
		put_page_size(o, s->code_page_size);
}

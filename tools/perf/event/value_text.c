// SPDX-License-Identifier: GPL-2.0
/*
 * Text of a sample's values: branches (flags, types, speculation, counts by type), registers,
 * data_src.
 */
#include <string.h>

#include "event/abi.h"
#include "event/value_text.h"

#define TYPE_EXTENDED 15	/* the type is in a second field; its values continue the kinds */
#define AREA_4K 12		/* as powers of two */
#define AREA_2M 21

const char *const branch_kind_names[BRANCH_KINDS] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
	"COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4",
	"ARCH_5",
};

/* A branch's index in branch_kind_names; 0: unknown. */
static u32 branch_kind(u64 flags)
{
	u32 type = flags >> 20 & 15, more = flags >> 26 & 15;

	if (type != TYPE_EXTENDED)
		return type;
	return TYPE_EXTENDED + more < BRANCH_KINDS ? TYPE_EXTENDED + more : 0;
}

const char *branch_type_name(u64 flags)
{
	return branch_kind_names[branch_kind(flags)];
}

const char *branch_spec_name(u64 flags)
{
	static const char *const specs[] = {
		NULL, "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH",
	};

	return specs[flags >> 24 & 3];
}

void branch_count(struct branch_counts *c, u64 from, u64 to, u64 flags)
{
	u32 kind = branch_kind(flags);

	if (!kind || !from)
		return;
	c->kinds[kind]++;
	if (kind == BRANCH_COND) {
		c->forward += to > from;
		c->backward += to <= from;
	}
	if (from >> AREA_2M != to >> AREA_2M)
		c->cross_2m++;
	else if (from >> AREA_4K != to >> AREA_4K)
		c->cross_4k++;
}

void branch_counts_add(struct branch_counts *to, const struct branch_counts *from)
{
	u32 i;

	for (i = 0; i < BRANCH_KINDS; i++)
		to->kinds[i] += from->kinds[i];
	to->forward += from->forward;
	to->backward += from->backward;
	to->cross_4k += from->cross_4k;
	to->cross_2m += from->cross_2m;
}

static const char *const x86[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS",
	"ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
	/* Each has two words. */
	[32] = "XMM0", "XMM0", "XMM1", "XMM1", "XMM2", "XMM2", "XMM3", "XMM3", "XMM4", "XMM4",
	"XMM5", "XMM5", "XMM6", "XMM6", "XMM7", "XMM7", "XMM8", "XMM8", "XMM9", "XMM9",
	"XMM10", "XMM10", "XMM11", "XMM11", "XMM12", "XMM12", "XMM13", "XMM13", "XMM14", "XMM14",
	"XMM15", "XMM15",
};

static const char *const arm64[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
	"x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "lr", "sp", "pc",
	[46] = "vg",
};

#ifdef __aarch64__
#define NATIVE	"aarch64"
#else
#define NATIVE	"x86_64"
#endif

const char *reg_name(const char *arch, u32 bit)
{
	const char *name = NULL;

	if (!arch)
		arch = NATIVE;
	if (!strncmp(arch, "x86", 3) || (arch[0] == 'i' && !strcmp(arch + 2, "86")))
		name = bit < ARRAY_SIZE(x86) ? x86[bit] : NULL;
	else if (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64"))
		name = bit < ARRAY_SIZE(arm64) ? arm64[bit] : NULL;
	return name ? name : "unknown";
}

/* Fields that an older <linux/perf_event.h> may lack. */
enum {
	LEVEL_NR_SHIFT = 33, REMOTE_SHIFT = 37, SNOOPX_SHIFT = 38, BLOCKED_SHIFT = 40,
	HOPS_SHIFT = 43
};
#define LEVEL_NR_NA 15

#define MASK(bits, shift) (((1ULL << (bits)) - 1) << (shift))

static u32 field(u64 src, u32 bits, u32 shift)
{
	return src >> shift & ((1ULL << bits) - 1);
}

/* Append the names of the set bits. Return: true if any is set. */
static bool put_bits(struct outbuf *o, u32 v, const char *const *names, u32 nr, const char *between)
{
	bool any = false;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!(v >> i & 1) || !names[i])
			continue;
		if (any)
			outbuf_puts(o, between);
		outbuf_puts(o, names[i]);
		any = true;
	}
	return any;
}

static void put_op(u64 src, struct outbuf *o)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	u32 v = field(src, 5, PERF_MEM_OP_SHIFT);

	outbuf_puts(o, v ? names[__builtin_ctz(v)] : "No");
}

/* Append the level by mem_lvl_num, which newer kernels set. Return: true if the sample has it. */
static bool put_level_number(u64 src, struct outbuf *o)
{
	static const char *const names[] = {
		[1] = "L1", [2] = "L2", [3] = "L3", [4] = "L4", [5] = "L2 MHB", [6] = "Memory-side Cache",
		[8] = "Uncached", [9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM",
	};
	static const char *const hops[8] = {
		[1] = "core, same node ", [2] = "node, same socket ", [3] = "socket, same board ", [4] = "board ",
	};
	u32 nr = field(src, 4, LEVEL_NR_SHIFT);

	if (!nr || nr == LEVEL_NR_NA)
		return false;
	outbuf_puts(o, field(src, 1, REMOTE_SHIFT) ? "Remote " : "");
	outbuf_puts(o, hops[field(src, 3, HOPS_SHIFT)] ?: "");
	if (names[nr])
		outbuf_puts(o, names[nr]);
	else
		outbuf_printf(o, "Unknown level %u", nr);
	return true;
}

static void put_level(u64 src, struct outbuf *o)
{
	static const char *const names[] = {
		NULL, NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
		"Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached",
	};
	u32 v = field(src, 14, PERF_MEM_LVL_SHIFT);

	if (!put_level_number(src, o) && !put_bits(o, v, names, ARRAY_SIZE(names), " or ")) {
		outbuf_puts(o, "N/A");
		return;
	}
	outbuf_puts(o, v & PERF_MEM_LVL_HIT ? " hit" : v & PERF_MEM_LVL_MISS ? " miss" : " ");
}

static void put_snoop(u64 src, struct outbuf *o)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
	u32 v = field(src, 5, PERF_MEM_SNOOP_SHIFT) | field(src, 2, SNOOPX_SHIFT) << 5;

	if (!put_bits(o, v, names, ARRAY_SIZE(names), " or "))
		outbuf_puts(o, "N/A");
}

static void put_tlb(u64 src, struct outbuf *o)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };
	u32 v = field(src, 7, PERF_MEM_TLB_SHIFT);

	if (!put_bits(o, v, names, ARRAY_SIZE(names), " or "))
		outbuf_puts(o, "N/A");
	outbuf_puts(o, v & PERF_MEM_TLB_HIT ? " hit" : "");
	outbuf_puts(o, v & PERF_MEM_TLB_MISS ? " miss" : "");
}

static void put_lock(u64 src, struct outbuf *o)
{
	u32 v = field(src, 2, PERF_MEM_LOCK_SHIFT);

	outbuf_puts(o, v & PERF_MEM_LOCK_NA ? "N/A" : v & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

static void put_blocked(u64 src, struct outbuf *o)
{
	static const char *const names[] = { NULL, "Data", "Addr" };
	u32 v = field(src, 3, BLOCKED_SHIFT);

	outbuf_putc(o, ' ');
	if (v & 1 || !put_bits(o, v, names, ARRAY_SIZE(names), " "))
		outbuf_puts(o, "N/A");
}

const struct data_src_field data_src_fields[DATA_SRC_PARTS] = {
	[DATA_SRC_OP] = { "|OP ", MASK(5, PERF_MEM_OP_SHIFT), put_op },
	[DATA_SRC_LEVEL] = { "|LVL ", MASK(14, PERF_MEM_LVL_SHIFT) | MASK(4, LEVEL_NR_SHIFT) |
			     MASK(1, REMOTE_SHIFT) | MASK(3, HOPS_SHIFT), put_level },
	[DATA_SRC_SNOOP] = { "|SNP ", MASK(5, PERF_MEM_SNOOP_SHIFT) | MASK(2, SNOOPX_SHIFT), put_snoop },
	[DATA_SRC_TLB] = { "|TLB ", MASK(7, PERF_MEM_TLB_SHIFT), put_tlb },
	[DATA_SRC_LOCK] = { "|LCK ", MASK(2, PERF_MEM_LOCK_SHIFT), put_lock },
	[DATA_SRC_BLOCKED] = { "|BLK ", MASK(3, BLOCKED_SHIFT), put_blocked },
};

void data_src_text(u64 src, struct outbuf *o)
{
	u32 i;

	for (i = 0; i < DATA_SRC_PARTS; i++) {
		outbuf_puts(o, data_src_fields[i].name);
		data_src_fields[i].put(src, o);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Branches by the flags of struct perf_branch_entry: names of types and speculation, and counts
 * by type. Owns nothing.
 */
#include "event/abi.h"
#include "event/branch.h"

#define TYPE_EXTENDED 15	/* the type is in a second field; its values continue the kinds */
#define AREA_4K 12		/* as powers of two */
#define AREA_2M 21

static const char *const kind_names[BRANCH_KINDS] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
	"COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4",
	"ARCH_5",
};

/* A branch's index in kind_names; 0: unknown. */
static u32 branch_kind(u64 flags)
{
	u32 type = flags >> 20 & 15, more = flags >> 26 & 15;

	if (type != TYPE_EXTENDED)
		return type;
	return TYPE_EXTENDED + more < BRANCH_KINDS ? TYPE_EXTENDED + more : 0;
}

const char *branch_kind_name(u32 kind)
{
	return kind_names[kind];
}

const char *branch_type_name(u64 flags)
{
	return kind_names[branch_kind(flags)];
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

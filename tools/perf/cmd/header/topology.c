// SPDX-License-Identifier: GPL-2.0
/*
 * The features that only -I shows: CPUs, NUMA nodes, caches, memory; decoded while they are
 * printed.
 */
#include <stdio.h>

#include "cmd/header/header.h"

void print_cpu_topology(const struct features *f, struct feature_cursor *c, struct outbuf *o)
{
	struct feature_cursor start = *c;
	bool dies = f->nr_topology && f->topology[0].die >= 0;
	u32 nr, i;

	nr = feature_u32(c);
	for (i = 0; i < nr && !c->bad; i++)
		outbuf_printf(o, "# sibling sockets : %s\n", feature_string(c) ?: "");
	if (dies) {
		/* The dies' siblings follow the cpus. */
		struct feature_cursor at = start;
		u32 list;

		for (list = 0; list < 2; list++)
			for (nr = feature_u32(&at), i = 0; i < nr && !at.bad; i++)
				feature_string(&at);
		for (i = 0; i < 2 * f->nr_topology; i++)
			feature_u32(&at);
		for (nr = feature_u32(&at), i = 0; i < nr && !at.bad; i++)
			outbuf_printf(o, "# sibling dies    : %s\n", feature_string(&at) ?: "");
	}
	nr = feature_u32(c);
	for (i = 0; i < nr && !c->bad; i++)
		outbuf_printf(o, "# sibling threads : %s\n", feature_string(c) ?: "");
	for (i = 0; i < f->nr_topology; i++) {
		outbuf_printf(o, "# CPU %u: Core ID %d", i, f->topology[i].core);
		if (dies)
			outbuf_printf(o, ", Die ID %d", f->topology[i].die);
		outbuf_printf(o, ", Socket ID %d\n", f->topology[i].socket);
	}
	if (!f->nr_topology)
		outbuf_puts(o, "# Core ID and Socket ID information is not available\n");
}

void print_numa_topology(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr = feature_u32(c), i;

	for (i = 0; i < nr && !c->bad; i++) {
		u32 node = feature_u32(c);
		u64 total = feature_u64(c), left = feature_u64(c);
		const char *cpus = feature_string(c);

		if (c->bad)
			return;
		outbuf_printf(o, "# node%u meminfo  : total = %llu kB, free = %llu kB\n", node, total,
			      left);
		outbuf_printf(o, "# node%u cpu list : %s\n", node, cpus);
	}
}

void print_cache(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr, i;

	feature_u32(c);
	nr = feature_u32(c);
	outbuf_puts(o, "# CPU cache info:\n");
	for (i = 0; i < nr && !c->bad; i++) {
		u32 level = feature_u32(c);
		const char *type, *size, *map;

		feature_u32(c);		/* line size, sets, ways */
		feature_u32(c);
		feature_u32(c);
		type = feature_string(c);
		size = feature_string(c);
		map = feature_string(c);
		if (c->bad)
			return;
		outbuf_printf(o, "#  L%u %-15s %8s [%s]\n", level, type, size, map);
	}
}

const char *short_size(u64 v, char *buf, size_t size)
{
	static const char units[] = "BKMGTPE";
	u32 i = 0;

	while (v >= 1024 && i < sizeof(units) - 2) {
		v /= 1024;
		i++;
	}
	snprintf(buf, size, "%llu%c", v, units[i]);
	return buf;
}

void number_runs_end(struct number_runs *r)
{
	if (!r->open)
		return;
	outbuf_printf(r->o, r->to > r->from ? "%s%lld-%lld" : "%s%lld", r->any ? "," : "", r->from, r->to);
	r->any = true;
	r->open = false;
}

void number_runs_add(struct number_runs *r, s64 nr)
{
	if (r->open && nr == r->to + 1) {
		r->to = nr;
		return;
	}
	number_runs_end(r);
	r->from = r->to = nr;
	r->open = true;
}

/* Set bits as "0-15,32-47". */
static void print_bits(const u64 *bits, u64 nr, struct outbuf *o)
{
	struct number_runs runs = { .o = o };
	u64 i;

	for (i = 0; i < nr; i++)
		if (bits[i / 64] >> i % 64 & 1)
			number_runs_add(&runs, i);
	number_runs_end(&runs);
}

void print_mem_topology(struct feature_cursor *c, struct outbuf *o)
{
	u64 block, nr, i, j;
	char size[32];

	feature_u64(c);
	block = feature_u64(c);
	nr = feature_u64(c);
	outbuf_printf(o, "# memory nodes (nr %llu, block size %#llx):\n", nr, block);
	for (i = 0; i < nr && !c->bad; i++) {
		u64 node = feature_u64(c), used = 0, nr_bits, words, *bits;

		feature_u64(c);
		nr_bits = feature_u64(c);
		if (c->bad || nr_bits > (u64)(c->end - c->p) * 8)
			return;
		words = (nr_bits + 63) / 64;
		bits = xcalloc(words + 1, sizeof(*bits));
		for (j = 0; j < words; j++) {
			bits[j] = feature_u64(c);
			used += __builtin_popcountll(bits[j]);
		}
		outbuf_printf(o, "# %4llu [%s]: ", node,
			      short_size(used * block, size, sizeof(size)));
		if (!c->bad)
			print_bits(bits, nr_bits, o);
		outbuf_putc(o, '\n');
		free(bits);
	}
}

/* The scheduler's domains of each cpu, to the end of the section. */
void print_domain_info(struct feature_cursor *c, struct outbuf *o)
{
	u32 version = feature_u32(c), most = feature_u32(c), i;

	outbuf_printf(o, "# schedstat version\t: %u\n# Maximum sched domains\t: %u\n", version, most);
	while (!c->bad && c->p < c->end) {
		u32 cpu = feature_u32(c), nr = feature_u32(c);

		if (c->bad)
			return;
		outbuf_printf(o, "# cpu\t\t: %u\n# nr_domains\t: %u\n", cpu, nr);
		for (i = 0; i < nr && !c->bad; i++) {
			u32 domain = feature_u32(c);
			const char *name = feature_string(c), *map = feature_string(c);
			const char *cpus = feature_string(c);

			if (c->bad)
				return;
			outbuf_printf(o, "# Domain\t\t: %u\n# Domain name      : %s\n", domain, name);
			outbuf_printf(o, "# Domain cpu map   : %s\n# Domain cpu list  : %s\n", map,
				      cpus);
		}
	}
}

void print_hybrid_topology(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr = feature_u32(c), i;

	outbuf_puts(o, "# hybrid cpu system:\n");
	for (i = 0; i < nr && !c->bad; i++) {
		const char *pmu = feature_string(c), *cpus = feature_string(c);

		if (!c->bad)
			outbuf_printf(o, "# %s cpu list : %s\n", pmu, cpus);
	}
}

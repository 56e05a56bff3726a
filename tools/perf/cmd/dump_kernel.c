// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's records as text, but for samples.
 */
#include "cmd/dump.h"

static void put_mmap(struct outbuf *o, const struct perf_event_header *h)
{
	const u32 *id = (const u32 *)(h + 1);
	const u64 *a = (const u64 *)(h + 2);

	outbuf_printf(o, " %d/%d: [%#llx(%#llx) @ %#llx]: %c %s\n", id[0], id[1], a[0], a[1], a[2],
		      h->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x', (const char *)(a + 3));
}

static void put_mmap2(struct outbuf *o, const struct perf_event_header *h)
{
	const char *p = (const char *)h;
	const u32 *id = (const u32 *)(p + 8), *dev = (const u32 *)(p + 40);
	const u32 *prot = (const u32 *)(p + 64);
	const u64 *a = (const u64 *)(p + 16), *ino = (const u64 *)(p + 48);
	u32 i;

	outbuf_printf(o, " %d/%d: [%#llx(%#llx) @ %#llx ", id[0], id[1], a[0], a[1], a[2]);
	if (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		outbuf_putc(o, '<');
		for (i = 0; i < (u8)p[40]; i++)
			outbuf_hex(o, (u8)p[44 + i], 2, '0');
		outbuf_putc(o, '>');
	} else {
		outbuf_printf(o, "%02x:%02x %llu %llu", dev[0], dev[1], ino[0], ino[1]);
	}
	/* PROT_READ, PROT_WRITE, PROT_EXEC, MAP_SHARED */
	outbuf_printf(o, "]: %c%c%c%c %s\n", prot[0] & 1 ? 'r' : '-', prot[0] & 2 ? 'w' : '-',
		      prot[0] & 4 ? 'x' : '-', prot[1] & 1 ? 's' : 'p', p + 72);
}

static void put_namespaces(struct outbuf *o, const struct perf_event_header *h)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const u32 *id = (const u32 *)(h + 1);
	const u64 *p = (const u64 *)(h + 2);
	u64 nr = *p++, i;

	outbuf_printf(o, " %d/%d - nr_namespaces: %llu\n\t\t[", id[0], id[1], nr);
	for (i = 0; i < nr; i++, p += 2) {
		if (i && i % 4 == 0)
			outbuf_puts(o, "\n\t\t ");
		outbuf_printf(o, "%llu/%s: %llu/%#llx%s", i,
			      i < ARRAY_SIZE(names) ? names[i] : "unknown", p[0], p[1],
			      i + 1 == nr ? "]\n" : ", ");
	}
	if (!nr)
		outbuf_puts(o, "]\n");
}

static void put_switch(struct outbuf *o, const struct perf_event_header *h)
{
	bool out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	const u32 *id = (const u32 *)(h + 1);
	const char *word = !out ? "IN         " : preempt ? "OUT preempt" : "OUT        ";

	if (h->type == PERF_RECORD_SWITCH)
		outbuf_printf(o, " %s\n", word);
	else
		outbuf_printf(o, " %s  %s pid/tid: %5d/%-5d\n", word, out ? "next" : "prev", id[0],
			      id[1]);
}

static void put_text_poke(struct outbuf *o, const struct perf_event_header *h)
{
	const u64 *addr = (const u64 *)(h + 1);
	const u16 *len = (const u16 *)(addr + 1);
	const u8 *p = (const u8 *)(len + 2);
	u32 i;

	outbuf_printf(o, " %llx  old len %u new len %u\n", *addr, len[0], len[1]);
	outbuf_puts(o, "            Old bytes:");
	for (i = 0; i < len[0]; i++)
		outbuf_printf(o, " %02x", p[i]);
	outbuf_puts(o, "\n            New bytes:");
	for (; i < (u32)len[0] + len[1]; i++)
		outbuf_printf(o, " %02x", p[i]);
	outbuf_putc(o, '\n');
}

static void put_aux(struct outbuf *o, const u64 *v)
{
	u64 flags = v[2];

	outbuf_printf(o, " offset: %#llx size: %#llx flags: %#llx [%s%s%s]\n", v[0], v[1], flags,
		      flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
		      flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
		      flags & PERF_AUX_FLAG_PARTIAL ? "P" : "");
}

void dump_kernel(struct dump *d, const struct record *rec, const struct event *ev)
{
	const struct perf_event_header *h = rec->header;
	const u64 *v = (const u64 *)(h + 1);
	const u32 *w = (const u32 *)v;
	const u16 *n = (const u16 *)v;
	struct outbuf *o = d->o;

	switch (h->type) {
	case PERF_RECORD_MMAP:
		put_mmap(o, h);
		break;
	case PERF_RECORD_MMAP2:
		put_mmap2(o, h);
		break;
	case PERF_RECORD_LOST:
		outbuf_printf(o, ": id:%llu: lost:%llu\n", v[0], v[1]);
		break;
	case PERF_RECORD_COMM:
		outbuf_printf(o, "%s: %s:%d/%d\n",
			      h->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "",
			      (const char *)(v + 1), w[0], w[1]);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		outbuf_printf(o, "(%d:%d):(%d:%d)\n", w[0], w[2], w[1], w[3]);
		break;
	case PERF_RECORD_READ:
		outbuf_printf(o, ": %d %d %s %llu\n", w[0], w[1], ev ? ev->name : "unknown", v[1]);
		break;
	case PERF_RECORD_AUX:
		put_aux(o, v);
		break;
	case PERF_RECORD_ITRACE_START:
		outbuf_printf(o, " pid: %d tid: %d\n", w[0], w[1]);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		outbuf_printf(o, ": id:%llu: lost samples :%llu\n", ev && ev->nr_ids ? ev->ids[0] : 0,
			      v[0]);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		put_switch(o, h);
		break;
	case PERF_RECORD_NAMESPACES:
		put_namespaces(o, h);
		break;
	case PERF_RECORD_KSYMBOL:
		outbuf_printf(o, " addr %llx len %u type %u flags 0x%x name %s\n", v[0], w[2], n[6],
			      n[7], (const char *)(v + 2));
		break;
	case PERF_RECORD_BPF_EVENT:
		outbuf_printf(o, " type %u, flags %u, id %u\n", n[0], n[1], w[1]);
		break;
	case PERF_RECORD_CGROUP:
		outbuf_printf(o, " cgroup: %llu %s\n", v[0], (const char *)(v + 1));
		break;
	case PERF_RECORD_TEXT_POKE:
		put_text_poke(o, h);
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		outbuf_printf(o, " hw_id: %#llx\n", v[0]);
		break;
	case REC_CALLCHAIN_DEFERRED: {
		struct sample s = { .pid = -1, .tid = -1 };

		if (ev)
			sample_id_decode(ev, h, &s);
		outbuf_printf(o, "(IP, 0x%x): %d/%d: %#llx\n", h->misc, (s32)s.pid, (s32)s.tid, v[0]);
		/* Mainline leaves the chain out where the event has none itself (dummy:u). */
		if (ev && ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			dump_chain(o, v + 2, v[1]);
		outbuf_puts(o, ": unhandled!\n");
		break;
	}
	default:
		outbuf_puts(o, dump_type_name(h->type) ? ": unhandled!\n" : "\n");
		break;
	}
}

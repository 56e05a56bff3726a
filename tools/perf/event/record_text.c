// SPDX-License-Identifier: GPL-2.0
#include "event/record_text.h"

static const void *at(const struct perf_event_header *rec, size_t pos)
{
	return (const char *)rec + pos;
}

static u64 u64_at(const struct perf_event_header *rec, size_t pos)
{
	return *(const u64 *)at(rec, pos);
}

static u32 u32_at(const struct perf_event_header *rec, size_t pos)
{
	return *(const u32 *)at(rec, pos);
}

static u16 u16_at(const struct perf_event_header *rec, size_t pos)
{
	return *(const u16 *)at(rec, pos);
}

static void mmap_text(const struct perf_event_header *rec, struct outbuf *o)
{
	outbuf_printf(o, "PERF_RECORD_MMAP %d/%d: [%#llx(%#llx) @ %#llx]: %c %s",
		      u32_at(rec, 8), u32_at(rec, 12), u64_at(rec, 16), u64_at(rec, 24),
		      u64_at(rec, 32), rec->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x',
		      (const char *)at(rec, 40));
}

static void mmap2_text(const struct perf_event_header *rec, struct outbuf *o)
{
	const u8 *id = at(rec, 44);
	u32 prot = u32_at(rec, 64), i, size;

	outbuf_printf(o, "PERF_RECORD_MMAP2 %d/%d: [%#llx(%#llx) @ %#llx ",
		      u32_at(rec, 8), u32_at(rec, 12), u64_at(rec, 16), u64_at(rec, 24),
		      u64_at(rec, 32));
	if (rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		size = min((u32)*(const u8 *)at(rec, 40), 20U);
		outbuf_putc(o, '<');
		for (i = 0; i < size; i++)
			outbuf_hex(o, id[i], 2, '0');
		outbuf_putc(o, '>');
	} else {
		outbuf_printf(o, "%02x:%02x %llu %llu", u32_at(rec, 40), u32_at(rec, 44),
			      u64_at(rec, 48), u64_at(rec, 56));
	}
	/* PROT_READ, _WRITE, _EXEC; MAP_SHARED */
	outbuf_printf(o, "]: %c%c%c%c %s", prot & 1 ? 'r' : '-', prot & 2 ? 'w' : '-',
		      prot & 4 ? 'x' : '-', u32_at(rec, 68) & 1 ? 's' : 'p',
		      (const char *)at(rec, 72));
}

static void namespaces_text(const struct perf_event_header *rec, struct outbuf *o)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	u64 nr = u64_at(rec, 16), room = (rec->size - 24) / 16, i;

	outbuf_printf(o, "PERF_RECORD_NAMESPACES %d/%d - nr_namespaces: %llu\n\t\t[",
		      u32_at(rec, 8), u32_at(rec, 12), nr);
	nr = min(nr, room);
	for (i = 0; i < nr; i++) {
		const char *name = i < ARRAY_SIZE(names) ? names[i] : "unknown";

		if (i)
			outbuf_puts(o, i % 4 ? ", " : ", \n\t\t ");
		outbuf_printf(o, "%llu/%s: %llu/%#llx", i, name, u64_at(rec, 24 + 16 * i),
			      u64_at(rec, 32 + 16 * i));
	}
	outbuf_putc(o, ']');
}

static void switch_text(const struct perf_event_header *rec, struct outbuf *o)
{
	bool out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT;

	outbuf_printf(o, "PERF_RECORD_SWITCH%s %s%s",
		      rec->type == PERF_RECORD_SWITCH_CPU_WIDE ? "_CPU_WIDE" : "",
		      out ? "OUT" : "IN ",
		      out && rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? " preempt" :
									     "        ");
	if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE)
		outbuf_printf(o, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev", u32_at(rec, 8),
			      u32_at(rec, 12));
}

static void aux_text(const struct perf_event_header *rec, struct outbuf *o)
{
	u64 flags = u64_at(rec, 24);

	outbuf_printf(o, "PERF_RECORD_AUX offset: %#llx size: %#llx flags: %#llx [%s%s%s%s]",
		      u64_at(rec, 8), u64_at(rec, 16), flags,
		      flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
		      flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
		      flags & PERF_AUX_FLAG_PARTIAL ? "P" : "",
		      flags & PERF_AUX_FLAG_COLLISION ? "C" : "");
}

bool record_text(const struct perf_event_header *rec, struct outbuf *o)
{
	switch (rec->type) {
	case PERF_RECORD_MMAP:
		mmap_text(rec, o);
		return true;
	case PERF_RECORD_MMAP2:
		mmap2_text(rec, o);
		return true;
	case PERF_RECORD_COMM:
		outbuf_printf(o, "PERF_RECORD_COMM%s: %s:%d/%d",
			      rec->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec" : "",
			      (const char *)at(rec, 16), u32_at(rec, 8), u32_at(rec, 12));
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		outbuf_printf(o, "PERF_RECORD_%s(%d:%d):(%d:%d)",
			      rec->type == PERF_RECORD_FORK ? "FORK" : "EXIT", u32_at(rec, 8),
			      u32_at(rec, 16), u32_at(rec, 12), u32_at(rec, 20));
		return true;
	case PERF_RECORD_LOST:
		outbuf_printf(o, "PERF_RECORD_LOST lost %llu", u64_at(rec, 16));
		return true;
	case PERF_RECORD_LOST_SAMPLES:
		outbuf_printf(o, "PERF_RECORD_LOST_SAMPLES lost %llu", u64_at(rec, 8));
		return true;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		outbuf_printf(o, "PERF_RECORD_%sTHROTTLE",
			      rec->type == PERF_RECORD_UNTHROTTLE ? "UN" : "");
		return true;
	case PERF_RECORD_NAMESPACES:
		namespaces_text(rec, o);
		return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		switch_text(rec, o);
		return true;
	case PERF_RECORD_KSYMBOL:
		outbuf_printf(o, "PERF_RECORD_KSYMBOL addr %llx len %u type %u flags 0x%x name %s",
			      u64_at(rec, 8), u32_at(rec, 16), u16_at(rec, 20), u16_at(rec, 22),
			      (const char *)at(rec, 24));
		return true;
	case PERF_RECORD_BPF_EVENT:
		outbuf_printf(o, "PERF_RECORD_BPF_EVENT type %u, flags %u, id %u", u16_at(rec, 8),
			      u16_at(rec, 10), u32_at(rec, 12));
		return true;
	case PERF_RECORD_CGROUP:
		outbuf_printf(o, "PERF_RECORD_CGROUP cgroup: %llu %s", u64_at(rec, 8),
			      (const char *)at(rec, 16));
		return true;
	case PERF_RECORD_TEXT_POKE:
		outbuf_printf(o, "PERF_RECORD_TEXT_POKE addr %#llx, old len %u, new len %u",
			      u64_at(rec, 8), u16_at(rec, 16), u16_at(rec, 18));
		return true;
	case PERF_RECORD_AUX:
		aux_text(rec, o);
		return true;
	case PERF_RECORD_ITRACE_START:
		outbuf_printf(o, "PERF_RECORD_ITRACE_START pid: %u tid: %u", u32_at(rec, 8),
			      u32_at(rec, 12));
		return true;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		outbuf_printf(o, "PERF_RECORD_AUX_OUTPUT_HW_ID hw_id: %#llx", u64_at(rec, 8));
		return true;
	default:
		return false;
	}
}

// SPDX-License-Identifier: GPL-2.0
#include "base/printable.h"
#include "event/record_text.h"

const char *record_type_name(u32 type)
{
	static const char *const names[] = {
		[PERF_RECORD_MMAP] = "MMAP", [PERF_RECORD_LOST] = "LOST", [PERF_RECORD_COMM] = "COMM",
		[PERF_RECORD_EXIT] = "EXIT", [PERF_RECORD_THROTTLE] = "THROTTLE",
		[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE", [PERF_RECORD_FORK] = "FORK",
		[PERF_RECORD_READ] = "READ", [PERF_RECORD_SAMPLE] = "SAMPLE",
		[PERF_RECORD_MMAP2] = "MMAP2", [PERF_RECORD_AUX] = "AUX",
		[PERF_RECORD_ITRACE_START] = "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES", [PERF_RECORD_SWITCH] = "SWITCH",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
		[PERF_RECORD_NAMESPACES] = "NAMESPACES", [PERF_RECORD_KSYMBOL] = "KSYMBOL",
		[PERF_RECORD_BPF_EVENT] = "BPF_EVENT", [PERF_RECORD_CGROUP] = "CGROUP",
		[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
		[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
		[REC_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
		[REC_HEADER_ATTR] = "ATTR", [REC_HEADER_EVENT_TYPE] = "EVENT_TYPE",
		[REC_HEADER_TRACING_DATA] = "TRACING_DATA", [REC_HEADER_BUILD_ID] = "BUILD_ID",
		[REC_FINISHED_ROUND] = "FINISHED_ROUND", [REC_ID_INDEX] = "ID_INDEX",
		[REC_AUXTRACE_INFO] = "AUXTRACE_INFO", [REC_AUXTRACE] = "AUXTRACE",
		[REC_AUXTRACE_ERROR] = "AUXTRACE_ERROR", [REC_THREAD_MAP] = "THREAD_MAP",
		[REC_CPU_MAP] = "CPU_MAP", [REC_STAT_CONFIG] = "STAT_CONFIG", [REC_STAT] = "STAT",
		[REC_STAT_ROUND] = "STAT_ROUND", [REC_EVENT_UPDATE] = "EVENT_UPDATE",
		[REC_TIME_CONV] = "TIME_CONV", [REC_HEADER_FEATURE] = "FEATURE",
		[REC_COMPRESSED] = "COMPRESSED", [REC_FINISHED_INIT] = "FINISHED_INIT",
		[REC_COMPRESSED2] = "COMPRESSED2", [REC_BPF_METADATA] = "BPF_METADATA",
	};

	return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

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
	outbuf_printf(o, " %d/%d: [%#llx(%#llx) @ %#llx]: %c ",
		      u32_at(rec, 8), u32_at(rec, 12), u64_at(rec, 16), u64_at(rec, 24),
		      u64_at(rec, 32), rec->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	outbuf_name(o, at(rec, 40));
}

static void mmap2_text(const struct perf_event_header *rec, struct outbuf *o)
{
	const u8 *id = at(rec, 44);
	u32 prot = u32_at(rec, 64), i, size;

	outbuf_printf(o, " %d/%d: [%#llx(%#llx) @ %#llx ",
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
	outbuf_printf(o, "]: %c%c%c%c ", prot & 1 ? 'r' : '-', prot & 2 ? 'w' : '-',
		      prot & 4 ? 'x' : '-', u32_at(rec, 68) & 1 ? 's' : 'p');
	outbuf_name(o, at(rec, 72));
}

static void namespaces_text(const struct perf_event_header *rec, struct outbuf *o)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	u64 nr = u64_at(rec, 16), room = (rec->size - 24) / 16, i;

	outbuf_printf(o, " %d/%d - nr_namespaces: %llu\n\t\t[",
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

	outbuf_printf(o, " %s%s", out ? "OUT" : "IN ",
		      out && rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? " preempt" :
									     "        ");
	if (rec->type == PERF_RECORD_SWITCH_CPU_WIDE)
		outbuf_printf(o, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev", u32_at(rec, 8),
			      u32_at(rec, 12));
}

static void aux_text(const struct perf_event_header *rec, struct outbuf *o)
{
	u64 flags = u64_at(rec, 24);

	outbuf_printf(o, " offset: %#llx size: %#llx flags: %#llx [%s%s%s]", u64_at(rec, 8),
		      u64_at(rec, 16), flags, flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
		      flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
		      flags & PERF_AUX_FLAG_PARTIAL ? "P" : "");
}

static void text_poke_text(const struct perf_event_header *rec, struct outbuf *o)
{
	u32 old = u16_at(rec, 16), new = u16_at(rec, 18), i;
	const u8 *p = at(rec, 20);

	outbuf_printf(o, " %llx  old len %u new len %u\n", u64_at(rec, 8), old, new);
	outbuf_puts(o, "            Old bytes:");
	for (i = 0; i < old; i++)
		outbuf_printf(o, " %02x", p[i]);
	outbuf_puts(o, "\n            New bytes:");
	for (; i < old + new; i++)
		outbuf_printf(o, " %02x", p[i]);
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
		outbuf_puts(o, rec->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec: " : ": ");
		outbuf_name(o, at(rec, 16));
		outbuf_printf(o, ":%d/%d", u32_at(rec, 8), u32_at(rec, 12));
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		outbuf_printf(o, "(%d:%d):(%d:%d)", u32_at(rec, 8), u32_at(rec, 16),
			      u32_at(rec, 12), u32_at(rec, 20));
		return true;
	case PERF_RECORD_NAMESPACES:
		namespaces_text(rec, o);
		return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		switch_text(rec, o);
		return true;
	case PERF_RECORD_KSYMBOL:
		outbuf_printf(o, " addr %llx len %u type %u flags 0x%x name ", u64_at(rec, 8),
			      u32_at(rec, 16), u16_at(rec, 20), u16_at(rec, 22));
		outbuf_name(o, at(rec, 24));
		return true;
	case PERF_RECORD_BPF_EVENT:
		outbuf_printf(o, " type %u, flags %u, id %u", u16_at(rec, 8), u16_at(rec, 10),
			      u32_at(rec, 12));
		return true;
	case PERF_RECORD_CGROUP:
		outbuf_printf(o, " cgroup: %llu ", u64_at(rec, 8));
		outbuf_name(o, at(rec, 16));
		return true;
	case PERF_RECORD_TEXT_POKE:
		text_poke_text(rec, o);
		return true;
	case PERF_RECORD_AUX:
		aux_text(rec, o);
		return true;
	case PERF_RECORD_ITRACE_START:
		outbuf_printf(o, " pid: %d tid: %d", u32_at(rec, 8), u32_at(rec, 12));
		return true;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		outbuf_printf(o, " hw_id: %#llx", u64_at(rec, 8));
		return true;
	default:
		return false;
	}
}

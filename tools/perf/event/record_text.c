// SPDX-License-Identifier: GPL-2.0
/* The kernel's records as text; the reader has checked that all of it lies inside the record. */
#include "base/text.h"
#include "event/records.h"
#include "event/value_text.h"

const char *record_type_name(u32 type)
{
	return record_shape(type)->name;
}

static void mmap_text(const void *rec, struct outbuf *o)
{
	const struct mmap_record *m = rec;

	outbuf_printf(o, " %d/%d: [%#llx(%#llx) @ %#llx]: %c ", m->pid, m->tid, m->addr, m->len,
		      m->pgoff, m->header.misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	outbuf_name(o, m->filename);
}

static void mmap2_text(const void *rec, struct outbuf *o)
{
	const struct mmap2_record *m = rec;
	u32 prot = m->prot, i;

	outbuf_printf(o, " %d/%d: [%#llx(%#llx) @ %#llx ", m->pid, m->tid, m->addr, m->len,
		      m->pgoff);
	if (mmap2_has_build_id(&m->header)) {
		outbuf_putc(o, '<');
		for (i = 0; i < m->build_id_size; i++)
			outbuf_hex(o, m->build_id[i], 2, '0');
		outbuf_putc(o, '>');
	} else {
		outbuf_printf(o, "%02x:%02x %llu %llu", m->maj, m->min, m->ino, m->ino_generation);
	}
	/* PROT_READ, _WRITE, _EXEC; MAP_SHARED */
	outbuf_printf(o, "]: %c%c%c%c ", prot & 1 ? 'r' : '-', prot & 2 ? 'w' : '-',
		      prot & 4 ? 'x' : '-', m->flags & 1 ? 's' : 'p');
	outbuf_name(o, m->filename);
}

static void namespaces_text(const void *rec, struct outbuf *o)
{
	const struct namespaces_record *n = rec;
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	u64 nr = n->nr, room = (n->header.size - sizeof(*n)) / sizeof(n->ns[0]), i;

	outbuf_printf(o, " %d/%d - nr_namespaces: %llu\n\t\t[", n->pid, n->tid, nr);
	nr = min(nr, room);
	for (i = 0; i < nr; i++) {
		const char *name = i < ARRAY_SIZE(names) ? names[i] : "unknown";

		if (i)
			outbuf_puts(o, i % 4 ? ", " : ", \n\t\t ");
		outbuf_printf(o, "%llu/%s: %llu/%#llx", i, name, n->ns[i].dev, n->ns[i].ino);
	}
	outbuf_putc(o, ']');
}

static void switch_text(const void *rec, struct outbuf *o)
{
	const struct perf_event_header *h = rec;
	const struct task_id_record *other = rec;
	bool out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;

	outbuf_printf(o, " %s%s", out ? "OUT" : "IN ",
		      out && h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? " preempt" :
									     "        ");
	if (h->type == PERF_RECORD_SWITCH_CPU_WIDE)
		outbuf_printf(o, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev", other->pid,
			      other->tid);
}

static void aux_text(const void *rec, struct outbuf *o)
{
	const struct aux_record *a = rec;
	u64 flags = a->flags;

	outbuf_printf(o, " offset: %#llx size: %#llx flags: %#llx [%s%s%s]", a->aux_offset,
		      a->aux_size, flags, flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
		      flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
		      flags & PERF_AUX_FLAG_PARTIAL ? "P" : "");
}

static void text_poke_text(const void *rec, struct outbuf *o)
{
	const struct text_poke_record *t = rec;
	u32 old = t->old_len, new = t->new_len, i;

	outbuf_printf(o, " %llx  old len %u new len %u\n", t->addr, old, new);
	outbuf_puts(o, "            Old bytes:");
	for (i = 0; i < old; i++)
		outbuf_printf(o, " %02x", t->bytes[i]);
	outbuf_puts(o, "\n            New bytes:");
	for (; i < old + new; i++)
		outbuf_printf(o, " %02x", t->bytes[i]);
}

static void comm_text(const void *rec, struct outbuf *o)
{
	const struct comm_record *c = rec;

	outbuf_puts(o, c->header.misc & PERF_RECORD_MISC_COMM_EXEC ? " exec: " : ": ");
	outbuf_name(o, c->comm);
	outbuf_printf(o, ":%d/%d", c->pid, c->tid);
}

static void ksymbol_text(const void *rec, struct outbuf *o)
{
	const struct ksymbol_record *k = rec;

	outbuf_printf(o, " addr %llx len %u type %u flags 0x%x name ", k->addr, k->len,
		      k->ksym_type, k->flags);
	outbuf_name(o, k->name);
}

static void task_text(const void *rec, struct outbuf *o)
{
	const struct task_record *t = rec;

	outbuf_printf(o, "(%d:%d):(%d:%d)", t->pid, t->tid, t->ppid, t->ptid);
}

static void bpf_text(const void *rec, struct outbuf *o)
{
	const struct bpf_record *b = rec;

	outbuf_printf(o, " type %u, flags %u, id %u", b->type, b->flags, b->id);
}

static void cgroup_text(const void *rec, struct outbuf *o)
{
	const struct cgroup_record *c = rec;

	outbuf_printf(o, " cgroup: %llu ", c->id);
	outbuf_name(o, c->path);
}

static void itrace_text(const void *rec, struct outbuf *o)
{
	const struct task_id_record *t = rec;

	outbuf_printf(o, " pid: %d tid: %d", t->pid, t->tid);
}

static void hw_id_text(const void *rec, struct outbuf *o)
{
	outbuf_printf(o, " hw_id: %#llx", ((const struct aux_hw_id_record *)rec)->hw_id);
}

bool record_text(const struct perf_event_header *rec, struct outbuf *o)
{
	static void (*const texts[])(const void *rec, struct outbuf *o) = {
		[PERF_RECORD_MMAP] = mmap_text, [PERF_RECORD_MMAP2] = mmap2_text,
		[PERF_RECORD_COMM] = comm_text, [PERF_RECORD_FORK] = task_text,
		[PERF_RECORD_EXIT] = task_text, [PERF_RECORD_NAMESPACES] = namespaces_text,
		[PERF_RECORD_SWITCH] = switch_text, [PERF_RECORD_SWITCH_CPU_WIDE] = switch_text,
		[PERF_RECORD_KSYMBOL] = ksymbol_text, [PERF_RECORD_BPF_EVENT] = bpf_text,
		[PERF_RECORD_CGROUP] = cgroup_text, [PERF_RECORD_TEXT_POKE] = text_poke_text,
		[PERF_RECORD_AUX] = aux_text, [PERF_RECORD_ITRACE_START] = itrace_text,
		[PERF_RECORD_AUX_OUTPUT_HW_ID] = hw_id_text,
	};

	if (rec->type >= ARRAY_SIZE(texts) || !texts[rec->type])
		return false;
	texts[rec->type](rec, o);
	return true;
}

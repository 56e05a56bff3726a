// SPDX-License-Identifier: GPL-2.0
/*
 * Samples and records as perf script prints them. Nothing here calls printf()
 * for what every sample has.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "cmd/script/script.h"
#include "event/format.h"
#include "event/record_text.h"
#include "event/records.h"

/* Two decimal digits. */
static inline char *put_two(char *p, u32 v)
{
	p[0] = '0' + v / 10;
	p[1] = '0' + v % 10;
	return p + 2;
}

/* Right-aligned decimal, at least @width wide. */
static char *put_dec(char *p, u64 v, int width)
{
	char tmp[24], *end = tmp + sizeof(tmp), *t = end;
	int len;

	while (v >= 100) {
		t -= 2;
		put_two(t, v % 100);
		v /= 100;
	}
	if (v >= 10) {
		t -= 2;
		put_two(t, v);
	} else {
		*--t = '0' + v;
	}
	len = end - t;
	for (; width > len; width--)
		*p++ = ' ';
	memcpy(p, t, len);
	return p + len;
}

static char *put_tid(char *p, u32 tid, int width)
{
	if ((s32)tid >= 0)
		return put_dec(p, tid, width);
	/* -1: not known; right-aligned with its sign */
	for (; width > 2; width--)
		*p++ = ' ';
	memcpy(p, "-1", 2);
	return p + 2;
}

/* "%16lx" */
static char *put_hex16(char *p, u64 v)
{
	static const char digits[] = "0123456789abcdef";
	int i, len = v ? (67 - __builtin_clzll(v)) / 4 : 1;

	memset(p, ' ', 16);
	for (i = 15; i >= 16 - len; i--) {
		p[i] = digits[v & 15];
		v >>= 4;
	}
	return p + 16;
}

static char *put_time(struct printer *p, char *c, u64 time)
{
	const struct script_options *o = p->opts;
	u64 t = time, sec, nsec;
	int i;

	if (o->reltime) {
		if (p->start_time == (u64)-1)
			p->start_time = time;
		t = time - p->start_time;
	} else if (o->deltatime) {
		t = p->last_time == (u64)-1 ? 0 : time - p->last_time;
		p->last_time = time;
	}
	sec = t / 1000000000;
	nsec = t % 1000000000;
	c = put_dec(c, sec, 5);
	*c++ = '.';
	if (o->ns) {
		for (i = 8; i >= 0; i--) {
			c[i] = '0' + nsec % 10;
			nsec /= 10;
		}
		c += 9;
	} else {
		nsec /= 1000;
		c = put_two(c, nsec / 10000);
		c = put_two(c, nsec / 100 % 100);
		c = put_two(c, nsec % 100);
	}
	*c++ = ':';
	*c++ = ' ';
	return c;
}

/* "2026-11-21 20:17:52.577493 ": when it was, by the clock on the wall */
static char *put_tod(struct printer *p, char *c, u64 time)
{
	const struct features *f = p->s->features;
	u64 ns = time + f->clock_wall_ns - f->clock_ns;
	time_t sec = ns / 1000000000;
	struct tm tm;

	if (!localtime_r(&sec, &tm))
		return c;
	c += strftime(c, 32, "%Y-%m-%d %H:%M:%S", &tm);
	return c + sprintf(c, ".%06u ", (u32)(ns % 1000000000 / 1000));
}

static char *put_misc(char *c, u32 type, u16 misc)
{
	char text[8] = "", *t = text;

	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		*t++ = 'K';
		break;
	case PERF_RECORD_MISC_USER:
		*t++ = 'U';
		break;
	case PERF_RECORD_MISC_HYPERVISOR:
		*t++ = 'H';
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		*t++ = 'G';
		break;
	case PERF_RECORD_MISC_GUEST_USER:
		*t++ = 'g';
		break;
	}
	if (misc & PERF_RECORD_MISC_SWITCH_OUT) {
		if (type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE) {
			*t++ = 'S';
			if (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
				*t++ = 'p';
		} else if (type == PERF_RECORD_COMM) {
			*t++ = 'E';
		} else if (type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2) {
			*t++ = 'M';
		}
	}
	memset(c, ' ', 6);
	memcpy(c, text, t - text);
	return c + 6;
}

void print_prefix(struct printer *p, const struct event_format *f, const struct sample *s,
		  const char *comm, u32 type, u16 misc)
{
	size_t len = strlen(comm);
	u64 fields = f->fields;
	char *c = outbuf_reserve(p->out, len + 192);

	if (fields & FIELD(COMM)) {
		/* A column where lines stand below each other, just a word above a callchain. */
		if (!f->callchain && len < 16) {
			memset(c, ' ', 16 - len);
			c += 16 - len;
		}
		memcpy(c, comm, len);
		c += len;
		*c++ = ' ';
	}
	if ((fields & (FIELD(PID) | FIELD(TID))) == (FIELD(PID) | FIELD(TID))) {
		char *start;

		c = put_tid(c, s->pid, 7);
		*c++ = '/';
		start = c;
		c = put_tid(c, s->tid, 0);
		while (c < start + 7)
			*c++ = ' ';
		*c++ = ' ';
	} else if (fields & (FIELD(PID) | FIELD(TID))) {
		c = put_tid(c, fields & FIELD(PID) ? s->pid : s->tid, 7);
		*c++ = ' ';
	}
	if (fields & FIELD(CPU)) {
		*c++ = '[';
		if (s->cpu < 100) {
			*c++ = '0';
			c = put_two(c, s->cpu);
		} else {
			c = put_dec(c, s->cpu, 3);
		}
		*c++ = ']';
		*c++ = ' ';
	}
	if (fields & FIELD(MISC))
		c = put_misc(c, type, misc);
	if (fields & FIELD(TOD))
		c = put_tod(p, c, s->time);
	if (fields & FIELD(TIME))
		c = put_time(p, c, s->time);
	p->out->pos = c;
}

void print_symbol(struct outbuf *o, u64 fields, const struct frame *f, const struct symbol *sym)
{
	outbuf_putc(o, ' ');
	outbuf_puts(o, sym ? sym->name : "[unknown]");
	if (f->sym && fields & FIELD(SYMOFF)) {
		outbuf_puts(o, "+0x");
		outbuf_hex(o, f->addr - f->sym->start, 0, ' ');
	}
}

/* A frame as a line, but for what stands before it. */
static void format_frame(struct printer *p, u64 fields, const struct frame *f, struct outbuf *o)
{
	const char *line;

	if (fields & FIELD(IP))
		o->pos = put_hex16(outbuf_reserve(o, 16), f->ip);
	if (fields & FIELD(SYM))
		print_symbol(o, fields, f, f->sym);
	if (fields & FIELD(DSO)) {
		outbuf_puts(o, " (");
		print_dso_name(p, o, f);
		if (fields & FIELD(DSOFF) && f->dso) {
			outbuf_puts(o, "+0x");
			/* A JIT's symbols count as its process does, the kernel's, too. */
			outbuf_hex(o, f->level == PERF_RECORD_MISC_USER &&
				   f->dso->kind != DSO_ANON ?
				   f->ip - f->map->start + f->map->pgoff : f->ip, 0, ' ');
		}
		outbuf_putc(o, ')');
	}
	if (fields & FIELD(SRCLINE) && f->dso) {
		/* What is inlined stands in lines of its own: this one calls it. */
		line = f->nr_inlines ? f->inlines[f->nr_inlines].srcline :
				       dso_srcline(f->dso, f->addr, p->opts->full_srcline);
		outbuf_puts(o, "\n  ");
		if (line) {
			outbuf_puts(o, line);
		} else {
			outbuf_puts(o, f->dso->short_name);
			outbuf_putc(o, '[');
			outbuf_hex(o, f->addr, 0, ' ');
			outbuf_putc(o, ']');
		}
	}
	outbuf_putc(o, '\n');
}

static void make_text(struct printer *p, u64 fields, struct frame *f)
{
	struct outbuf *o = &p->scratch;

	o->pos = o->base;
	format_frame(p, fields, f, o);
	f->text_len = o->pos - o->base;
	f->text = arena_alloc(&p->arena, f->text_len);
	memcpy(f->text, o->base, f->text_len);
}

/* The file that the kernel's or a module's symbols are of, as far as it is known. */
static const char *kernel_path(struct dso *d)
{
	const char *path = d->kind == DSO_KERNEL ? dso_debug_path(d) : NULL;

	return path ?: d->name;
}

void print_dso_name(struct printer *p, struct outbuf *o, const struct frame *f)
{
	const struct dso *d = f->dso;

	if (!d)
		outbuf_puts(o, "[unknown]");
	/* Memory that is not executable is nobody's code: no JIT's, either. */
	else if (d->kind == DSO_ANON && f->map->prot && !(f->map->prot & PROT_EXEC))
		outbuf_puts(o, "//anon");
	else if (d->kind == DSO_USER || d->kind == DSO_VDSO || d->kind == DSO_ANON)
		outbuf_puts(o, d->name);
	else
		outbuf_puts(o, p->opts->kernel_path ? kernel_path(f->dso) : d->short_name);
}

/* A frame, its line's end included; its text is made once. */
static inline void put_frame(struct printer *p, u64 fields, struct frame *f)
{
	/* Kinds of events may differ in their fields: texts are kept for one of them. */
	if (unlikely((fields & SCRIPT_FRAME) != p->frame_fields)) {
		format_frame(p, fields, f, p->out);
		return;
	}
	if (unlikely(!f->text))
		make_text(p, fields, f);
	outbuf_write(p->out, f->text, f->text_len);
}

static void put_inlines(struct printer *p, u64 fields, const struct frame *f)
{
	struct outbuf *o = p->out;
	u32 i;

	for (i = 0; i < f->nr_inlines; i++) {
		outbuf_putc(o, '\t');
		if (fields & FIELD(IP))
			o->pos = put_hex16(outbuf_reserve(o, 16), f->ip);
		if (fields & FIELD(SYM))
			print_symbol(o, fields, f, f->inlines[i].sym);
		if (fields & FIELD(SRCLINE) && f->inlines[i].srcline) {
			outbuf_puts(o, "\n  ");
			outbuf_puts(o, f->inlines[i].srcline);
		}
		outbuf_puts(o, " (inlined)\n");
	}
}

static void put_cookie(struct printer *p, u64 fields, u64 cookie)
{
	struct outbuf *o = p->out;

	outbuf_putc(o, '\t');
	if (fields & FIELD(IP))
		o->pos = put_hex16(outbuf_reserve(o, 16), cookie);
	if (fields & FIELD(SYM))
		outbuf_puts(o, " (cookie)");
	if (fields & FIELD(DSO))
		outbuf_puts(o, " ([unknown])");
	outbuf_putc(o, '\n');
}

void print_callchain(struct printer *p, u64 fields, const struct callchain *cc,
		     const struct thread *t)
{
	u32 left = p->opts->max_stack, i, j;

	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *space;

		space = timeline_space(p->s->timeline, t, span->cpumode, span->time);
		for (j = 0; j < span->nr; j++, left--) {
			struct frame *f;

			if (!left)
				return;
			f = frame_resolve(p->frames, space, span->ips[j], span->cpumode,
					  span->time);
			if (unlikely(f->nr_inlines))
				put_inlines(p, fields, f);
			outbuf_putc(p->out, '\t');
			put_frame(p, fields, f);
			if (unlikely(p->opts->stop_bt.arg) && f->sym &&
			    name_list_has(&p->opts->stop_bt, f->sym->name))
				return;
		}
	}
	if (cc->deferred && !cc->stitched && left)
		put_cookie(p, fields, cc->cookie);
}

void print_sample(struct printer *p, const struct sample *s, const struct callchain *cc,
		  const struct thread *t)
{
	const struct event_format *f = &p->formats[s->event->idx];
	struct outbuf *o = p->out;
	u64 fields = f->fields;
	char tmp[THREAD_NAME_SIZE], *c;

	print_prefix(p, f, s, thread_comm_at(p->s->timeline, t, cc->time, -1, tmp),
		     PERF_RECORD_SAMPLE, s->header->misc);
	if (fields & FIELD(PERIOD)) {
		c = put_dec(outbuf_reserve(o, 32), s->period, 10);
		*c++ = ' ';
		o->pos = c;
	}
	if (fields & FIELD(EVENT))
		outbuf_write(o, f->name, f->name_len);
	if (unlikely(fields & SCRIPT_RARE_BEFORE))
		print_before_ip(p, fields, s, cc, t);
	if (fields & FIELD(TRACE) && s->raw)
		tracepoint_print(p->s->events, s, o);
	if (unlikely(fields & SCRIPT_RARE_ADDR))
		print_addr(p, fields, s, cc, t);
	if (fields & FIELD(IP)) {
		if (f->callchain && s->callchain) {
			outbuf_putc(o, '\n');
			print_callchain(p, fields, cc, t);
			if (unlikely(fields & SCRIPT_RARE_AFTER))
				print_after_ip(p, fields, s, cc, t);
		} else {
			const struct space *space;

			space = timeline_space(p->s->timeline, t, s->cpumode, cc->time);
			outbuf_putc(o, ' ');
			put_frame(p, fields, frame_resolve(p->frames, space, s->ip, s->cpumode,
							   cc->time));
			if (unlikely(fields & SCRIPT_RARE_AFTER)) {
				o->pos--;
				print_after_ip(p, fields, s, cc, t);
				outbuf_putc(o, '\n');
			}
			return;
		}
	} else if (unlikely(fields & SCRIPT_RARE_AFTER)) {
		print_after_ip(p, fields, s, cc, t);
	}
	outbuf_putc(o, '\n');
}

static void print_deferred(struct printer *p, const struct event_format *f,
			   const struct record *rec, const struct sample *s, u64 time)
{
	const struct thread *t = timeline_thread(p->s->timeline, s->pid, s->tid, time);
	char tmp[THREAD_NAME_SIZE];
	struct callchain cc;

	session_deferred_chain(rec->header, time, &cc);
	print_prefix(p, f, s, thread_comm_at(p->s->timeline, t, time, -1, tmp), rec->header->type,
		     rec->header->misc);
	outbuf_puts(p->out, "DEFERRED CALLCHAIN [cookie: ");
	outbuf_hex(p->out, cc.cookie, 0, ' ');
	outbuf_puts(p->out, "]\n");
	print_callchain(p, f->fields & FIELD(IP) ? f->fields : p->frame_fields, &cc, t);
	outbuf_putc(p->out, '\n');
}

/* Whose comm stands before a record: that of the task it speaks of. */
static u32 record_task(const struct perf_event_header *h, u32 *pid)
{
	const struct task_id_record *id = (const void *)h;	/* as all of these begin */
	const struct task_record *task = (const void *)h;

	switch (h->type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
		*pid = id->pid;
		return id->tid;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*pid = task->pid;
		return task->tid;
	default:
		return -1;
	}
}

static bool shown(const struct script_options *o, u32 type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return o->show_task;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return o->show_mmap;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return o->show_switch;
	case PERF_RECORD_LOST:
		return o->show_lost;
	case PERF_RECORD_NAMESPACES:
		return o->show_namespaces;
	case PERF_RECORD_KSYMBOL:
		return o->show_bpf || o->show_text_poke;
	case PERF_RECORD_BPF_EVENT:
		return o->show_bpf;
	case PERF_RECORD_CGROUP:
		return o->show_cgroup;
	case PERF_RECORD_TEXT_POKE:
		return o->show_text_poke;
	case REC_CALLCHAIN_DEFERRED:
		return o->show_deferred;
	case REC_FINISHED_ROUND:
		return o->show_rounds;
	default:
		return false;
	}
}

static void put_record(struct outbuf *o, const struct perf_event_header *h)
{
	outbuf_puts(o, "PERF_RECORD_");
	outbuf_puts(o, record_type_name(h->type));
	if (h->type == PERF_RECORD_LOST)
		outbuf_printf(o, " lost %llu", record_lost(h));
	else
		record_text(h, o);
}

void print_record(struct printer *p, const struct record *rec, const struct event *ev, u64 time)
{
	const struct event_list *events = p->s->events;
	const struct event_format *f;
	u32 type = rec->header->type, pid = -1, tid;
	const struct thread *t;
	char tmp[THREAD_NAME_SIZE];
	struct sample s;

	if (!shown(p->opts, type))
		return;
	if (type == REC_FINISHED_ROUND) {
		outbuf_puts(p->out, "PERF_RECORD_FINISHED_ROUND\n");
		return;
	}
	if (!ev && events->nr)
		ev = events->events[0];
	if (!ev || sample_id_decode(ev, rec->header, &s))
		return;
	f = &p->formats[ev->idx];
	if (type == REC_CALLCHAIN_DEFERRED) {
		print_deferred(p, f, rec, &s, time);
		return;
	}
	tid = record_task(rec->header, &pid);
	if (tid == (u32)-1) {
		pid = s.pid;
		tid = s.tid;
	}
	if (!ev->layout.id_size) {
		s.pid = pid;
		s.tid = tid;
		s.cpu = 0;
		s.time = 0;
	}
	t = timeline_thread(p->s->timeline, pid, tid, time);
	print_prefix(p, f, &s, thread_comm_at(p->s->timeline, t, time, rec->seq, tmp), type,
		     rec->header->misc);
	put_record(p->out, rec->header);
	outbuf_putc(p->out, '\n');
}

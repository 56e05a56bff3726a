// SPDX-License-Identifier: GPL-2.0
/*
 * Samples and records as perf script prints them: the part before the frames, and the order of
 * all parts. Fields of every sample are printed without printf().
 *
 * The printer is the caller's, one for each thread; only --reltime and --deltatime change it,
 * and therefore run on one thread.
 */
#include <stdio.h>
#include <time.h>

#include "cmd/script/script.h"
#include "event/format.h"
#include "event/records.h"
#include "event/value_text.h"

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
	/* unknown: right-aligned "-1" */
	for (; width > 2; width--)
		*p++ = ' ';
	memcpy(p, "-1", 2);
	return p + 2;
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

/* "2026-11-21 20:17:52.577493 ": the time of day */
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
	static const char modes[8] = "\0KUHGg";	/* by PERF_RECORD_MISC_* */
	char text[8] = "", *t = text;

	*t = modes[misc & PERF_RECORD_MISC_CPUMODE_MASK];
	t += *t != 0;
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

/* The start of each line: comm, task, cpu, time. */
static void print_prefix(struct printer *p, const struct event_format *f, const struct sample *s,
			 const char *comm, u32 type, u16 misc)
{
	size_t len = strlen(comm);
	u64 fields = f->fields;
	char *c = outbuf_reserve(p->out, len + 192);

	if (fields & FIELD(COMM)) {
		/* Padded to a column if samples are single lines, not if they have callchains. */
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

void print_sample(struct printer *p, const struct visit *v)
{
	const struct sample *s = v->sample;
	const struct event_format *f = &p->formats[s->event->idx];
	struct outbuf *o = p->out;
	u64 fields = f->fields;
	char tmp[THREAD_NAME_SIZE], *c;

	print_prefix(p, f, s, thread_comm_at(p->s->timeline, v->thread, v->chain->time, -1, tmp),
		     PERF_RECORD_SAMPLE, s->header->misc);
	if (fields & FIELD(PERIOD)) {
		c = put_dec(outbuf_reserve(o, 32), s->period, 10);
		*c++ = ' ';
		o->pos = c;
	}
	if (fields & FIELD(EVENT))
		outbuf_write(o, f->name, f->name_len);
	/* Only decoded instruction traces have flags: the column is empty. */
	if (unlikely(fields & FIELD(FLAGS)))
		outbuf_fill(o, ' ', 24);
	if (fields & FIELD(TRACE) && s->raw)
		tracepoint_print(p->s->events, s, o);
	if (unlikely(fields & SCRIPT_RARE_ADDR))
		print_addr(p, fields, v);
	if (fields & FIELD(IP) && f->callchain && s->callchain) {
		outbuf_putc(o, '\n');
		print_callchain(p, fields, v->chain, v->thread);
	} else if (fields & FIELD(IP)) {
		outbuf_putc(o, ' ');
		print_frame(p, fields, frame_at(p, v, s->ip, s->cpumode));
		o->pos--;	/* its newline */
	}
	if (unlikely(fields & SCRIPT_RARE_AFTER))
		print_after_ip(p, fields, v);
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

/* The thread of a record, whose comm precedes it; -1: none. */
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

// SPDX-License-Identifier: GPL-2.0
/*
 * unwind-walk ours|libdw FILE: the user callchains of a --call-graph dwarf recording, in the
 * form of "perf script -F tid,time,ip,sym", walked by ours or by libdwfl, for unwind.py.
 */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "session/session.h"

#define FRAMES 127	/* as script has it */

/* A process's files, as far as it mapped any. */
struct proc {
	Dwfl *dwfl;
	bool attached;
	const struct sample *s;		/* whose stack is walked */
	u64 ips[FRAMES];
	u32 nr;
};

struct ctx {
	struct session *s;
	bool ours;
	struct hash procs;		/* pid -> struct proc * */
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* PERF_REG_X86_* by DWARF number */
static const u8 order[17] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };

static u64 reg(const struct regs_dump *r, u32 nr)
{
	if (!(r->mask >> order[nr] & 1))
		return 0;
	return r->regs[__builtin_popcountll(r->mask & ((1ULL << order[nr]) - 1))];
}

static pid_t next_thread(Dwfl *dwfl __unused, void *arg, void **thread)
{
	if (*thread)
		return 0;
	*thread = arg;
	return ((struct proc *)arg)->s->tid;
}

static bool get_thread(Dwfl *dwfl __unused, pid_t tid __unused, void *arg, void **thread)
{
	*thread = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl __unused, Dwarf_Addr addr, Dwarf_Word *value, void *arg)
{
	const struct sample *s = ((struct proc *)arg)->s;
	u64 off = addr - reg(&s->user_regs, 7);

	if (off >= s->user_stack_size || s->user_stack_size - off < sizeof(*value))
		return false;
	memcpy(value, (const u8 *)s->user_stack + off, sizeof(*value));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct proc *p = arg;
	Dwarf_Word regs[17];
	u32 i;

	for (i = 0; i < 17; i++)
		regs[i] = reg(&p->s->user_regs, i);
	dwfl_thread_state_register_pc(thread, regs[16]);
	return dwfl_thread_state_registers(thread, 0, 17, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread, .get_thread = get_thread, .memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct proc *p = arg;
	bool exact;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	p->ips[p->nr++] = exact ? pc : pc - 1;
	return p->nr < FRAMES ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static struct proc *proc_of(struct ctx *c, u32 pid)
{
	u64 *v = hash_insert(&c->procs, pid, 0, NULL);

	if (!*v) {
		struct proc *p = xcalloc(1, sizeof(*p));

		p->dwfl = dwfl_begin(&callbacks);
		*v = (uintptr_t)p;
	}
	return (struct proc *)(uintptr_t)*v;
}

/* All of a file's mappings are one module, at the address of its first byte. */
static int on_record(void *ctx, const struct record *rec, const struct event *ev __unused,
		     u64 time __unused)
{
	const struct perf_event_header *h = rec->header;
	const u32 *id = (const u32 *)(h + 1);
	const u64 *a = (const u64 *)(h + 2);
	const char *name = (const char *)h + 72;
	struct proc *p;

	if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC) {
		p = proc_of(ctx, id[0]);
		dwfl_end(p->dwfl);
		p->dwfl = dwfl_begin(&callbacks);
		p->attached = false;
	}
	if (h->type != PERF_RECORD_MMAP2 || id[0] == (u32)-1 || *name != '/')
		return 0;
	p = proc_of(ctx, id[0]);
	dwfl_report_begin_add(p->dwfl);
	dwfl_report_elf(p->dwfl, name, name, -1, a[0] - a[2], false);
	dwfl_report_end(p->dwfl, NULL, NULL);
	return 0;
}

static void put_frame(struct ctx *c, const struct space *sp, u64 ip, u64 time)
{
	const struct map *m = sp ? space_find(c->s->timeline, sp, ip, time, NULL) : NULL;
	const struct symbol *sym = NULL;

	if (m && m->dso)
		sym = dso_find_symbol(m->dso, dso_map_ip(m->dso, ip, m->start, m->pgoff));
	printf("\t%16llx %s\n", ip, sym ? sym->name : "[unknown]");
}

static void put_ours(struct ctx *c, const struct space *sp, const struct callchain *cc)
{
	u32 i, j;

	for (i = 0; i < cc->nr_spans; i++)
		for (j = 0; cc->spans[i].cpumode == PERF_RECORD_MISC_USER && j < cc->spans[i].nr; j++)
			put_frame(c, sp, cc->spans[i].ips[j], cc->time);
}

static void put_libdw(struct ctx *c, const struct space *sp, const struct callchain *cc,
		      const struct sample *s)
{
	struct proc *p = proc_of(c, s->pid);
	u32 i;

	p->s = s;
	p->nr = 0;
	if (!p->attached)
		p->attached = dwfl_attach_state(p->dwfl, NULL, s->pid, &thread_callbacks, p);
	if (p->attached)
		dwfl_getthread_frames(p->dwfl, s->tid, on_frame, p);
	for (i = 0; i < p->nr; i++)
		put_frame(c, sp, p->ips[i], cc->time);
}

static int on_sample(void *ctx, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct sample *s = v->sample;
	struct ctx *c = ctx;
	const struct space *sp = thread_space(c->s->timeline, v->thread, cc->time);

	printf("%u %llu.%06llu:\n", s->tid, s->time / 1000000000, s->time / 1000 % 1000000);
	if (!s->user_stack || !s->user_regs.regs)
		return 0;
	if (c->ours)
		put_ours(c, sp, cc);
	else
		put_libdw(c, sp, cc, s);
	return 0;
}

int main(int argc, char **argv)
{
	struct ctx c = { .ours = argc > 1 && !strcmp(argv[1], "ours") };
	struct session_config cfg = { .input = argc > 2 ? argv[2] : NULL, .no_progress = true,
				      .no_unwind = !c.ours };
	const struct session_ops ops = { .sample = on_sample, .record = c.ours ? NULL : on_record };
	int ret;

	if (error_report(session_open(&cfg, &c.s)))
		return 1;
	ret = session_run(c.s, &ops, &c);
	session_close(c.s);
	return ret != 0;
}

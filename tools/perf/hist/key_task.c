// SPDX-License-Identifier: GPL-2.0
/*
 * key_task.c - keys that belong to the sample: who ran, where, when
 */
#include "hist/sort_keys.h"

static int cmp_string(const struct hist_env *env __unused, const struct sort_key *k __unused,
		      u64 a, u64 b)
{
	if (a == b)
		return 0;
	return strcmp((const char *)(uintptr_t)a, (const char *)(uintptr_t)b);
}

static int cmp_signed(const struct hist_env *env __unused, const struct sort_key *k __unused,
		      u64 a, u64 b)
{
	return (s64)a < (s64)b ? -1 : (s64)a > (s64)b;
}

TEXT(text_string)
{
	outbuf_puts(o, (const char *)(uintptr_t)v);
}

VALUE(value_comm)
{
	return (uintptr_t)hist_string(env, p->comm);
}

VALUE(value_comm_nodigit)
{
	char s[64];
	size_t i, n = 0;
	bool digits = false;

	for (i = 0; p->comm[i] && n < sizeof(s) - 4; i++) {
		if (p->comm[i] >= '0' && p->comm[i] <= '9') {
			if (!digits) {
				memcpy(s + n, "<N>", 3);
				n += 3;
			}
			digits = true;
		} else {
			s[n++] = p->comm[i];
			digits = false;
		}
	}
	s[n] = 0;
	return (uintptr_t)hist_string(env, s);
}

VALUE(value_tid)
{
	return (s64)(s32)p->thread->tid;
}

VALUE(value_tgid)
{
	return (s64)(s32)p->thread->pid;
}

/* Tasks are shown by the last name they had. */
TEXT(text_pid)
{
	const char *comm = thread_comm(env->session->timeline, e->thread, (u64)-2);

	outbuf_printf(o, "%7d:%s", (int)v, comm);
}

VALUE(value_cpu)
{
	return (s64)(s32)p->sample->cpu;
}

TEXT(text_cpu)
{
	outbuf_printf(o, "%.3d", (int)v);
}

VALUE(value_socket)
{
	const struct features *f = env->session->features;

	if (p->sample->cpu >= f->nr_topology)
		return -1;
	return (s64)f->topology[p->sample->cpu].socket;
}

TEXT(text_socket)
{
	outbuf_printf(o, "%.3d", (int)v);
}

VALUE(value_parent)
{
	return (uintptr_t)hist_string(env, p->parent ? p->parent : "[other]");
}

/* "[other]" comes last. */
static int cmp_parent(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	return cmp_string(env, k, b, a);
}

VALUE(value_time)
{
	u64 q = env->cfg.time_quantum;

	if (p->sample->time == (u64)-1)
		return 0;
	return q ? p->sample->time / q * q : p->sample->time;
}

TEXT(text_time)
{
	if (env->cfg.time_ns)
		outbuf_printf(o, "%llu.%09llu", v / 1000000000, v % 1000000000);
	else
		outbuf_printf(o, "%llu.%06llu", v / 1000000000, v % 1000000000 / 1000);
}

VALUE(value_cgroup)
{
	const char *name = timeline_cgroup_name(env->session->timeline, p->sample->cgroup);

	return (uintptr_t)hist_string(env, name ? name : p->sample->cgroup ? "unknown" : "N/A");
}

VALUE(value_cgroup_id)
{
	return p->sample->cgroup;
}

TEXT(text_cgroup_id)
{
	outbuf_printf(o, "0/0x%llx", v);
}

VALUE(value_weight)
{
	return p->sample->weight;
}

VALUE(value_ins_lat)
{
	return p->sample->ins_lat;
}

VALUE(value_p_stage)
{
	return p->sample->p_stage_cyc;
}

TEXT(text_number)
{
	outbuf_dec(o, v, 0, ' ');
}

VALUE(value_transaction)
{
	return p->sample->transaction;
}

TEXT(text_transaction)
{
	static const struct { u64 bit; const char *name; } flags[] = {
		{ PERF_TXN_ELISION, "EL " }, { PERF_TXN_TRANSACTION, "TX " },
		{ PERF_TXN_SYNC, "SYNC " }, { PERF_TXN_ASYNC, "ASYNC " },
		{ PERF_TXN_RETRY, "RETRY " }, { PERF_TXN_CONFLICT, "CON " },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE " }, { PERF_TXN_CAPACITY_READ, "CAP-READ " },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (v & flags[i].bit)
			outbuf_puts(o, flags[i].name);
	if (v && !(v & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		outbuf_puts(o, "NEITHER ");
	if (v & PERF_TXN_ABORT_MASK)
		outbuf_printf(o, ":%llx", (v & PERF_TXN_ABORT_MASK) >> PERF_TXN_ABORT_SHIFT);
}

const struct sort_key sort_keys_task[] = {
	{ .name = "comm", .of_task = true, .header = "Command", .value = value_comm, .cmp = cmp_string,
	  .text = text_string },
	{ .name = "comm_nodigit", .of_task = true, .header = "CommandNoDigit", .value = value_comm_nodigit,
	  .cmp = cmp_string, .text = text_string },
	{ .name = "pid", .of_task = true, .alias = "tid", .header = "    Pid:Command", .value = value_tid,
	  .cmp = cmp_signed, .text = text_pid },
	{ .name = "tgid", .of_task = true, .header = "   Tgid:Command", .value = value_tgid, .cmp = cmp_signed,
	  .text = text_pid },
	{ .name = "parent", .header = "Parent symbol", .value = value_parent, .cmp = cmp_parent,
	  .text = text_string },
	{ .name = "cpu", .fixed = true, .header = "CPU", .value = value_cpu, .cmp = cmp_signed,
	  .text = text_cpu },
	{ .name = "socket", .header = "Socket", .right = true, .value = value_socket,
	  .cmp = cmp_signed, .text = text_socket },
	{ .name = "time", .ragged = true, .header = "Time", .min_width = 12, .value = value_time,
	  .text = text_time },
	{ .name = "cgroup", .header = "Cgroup", .value = value_cgroup, .cmp = cmp_string,
	  .text = text_string },
	{ .name = "cgroup_id", .header = "cgroup id (dev/inode)", .value = value_cgroup_id,
	  .text = text_cgroup_id },
	{ .name = "weight", .header = "Weight", .min_width = 12, .value = value_weight,
	  .text = text_number },
	{ .name = "local_weight", .header = "Local Weight", .value = value_weight,
	  .text = text_number },
	{ .name = "ins_lat", .header = "INSTR Latency", .value = value_ins_lat,
	  .text = text_number },
	{ .name = "local_ins_lat", .header = "Local INSTR Latency", .value = value_ins_lat,
	  .text = text_number },
	{ .name = "p_stage_cyc", .header = "Pipeline Stage Cycle", .value = value_p_stage,
	  .text = text_number },
	{ .name = "local_p_stage_cyc", .header = "Local Pipeline Stage Cycle",
	  .value = value_p_stage, .text = text_number },
	{ .name = "transaction", .header = "Transaction", .min_width = 27,
	  .value = value_transaction, .text = text_transaction },
	{ .name = NULL },
};

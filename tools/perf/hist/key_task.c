// SPDX-License-Identifier: GPL-2.0
/*
 * key_task.c - keys of the sample: task, CPU, time
 */
#include "hist/hist_private.h"

KEY_VALUE(comm, (uintptr_t)hist_string(env, p->comm))

static u64 value_comm_nodigit(struct hist_env *env, const struct sort_key *k,
			      const struct hist_point *p)
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

KEY_VALUE(tid, (s64)(s32)p->thread->tid)
KEY_VALUE(tgid, (s64)(s32)p->thread->pid)

static const char *last_comm(const struct hist_cell *c)
{
	return thread_comm(c->env->session->timeline, c->thread, (u64)-2);
}

/* Tasks are shown with their last name. */
KEY_TEXT(pid, outbuf_printf(o, "%7d:%s", (int)c->value, last_comm(c)))

/* The name of the process is that of its first thread. */
static void text_tgid(const struct hist_cell *c, struct outbuf *o)
{
	struct timeline *tl = c->env->session->timeline;
	const struct thread *leader = timeline_thread(tl, c->value, c->value, c->time);

	outbuf_printf(o, "%7d:%s", (int)c->value, thread_comm(tl, leader, (u64)-2));
}

KEY_VALUE(cpu, (s64)(s32)p->sample->cpu)
KEY_TEXT(cpu, outbuf_printf(o, "%.3d", (int)c->value))

static u64 value_socket(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	const struct features *f = env->session->features;

	if (p->sample->cpu >= f->nr_topology)
		return -1;
	return (s64)f->topology[p->sample->cpu].socket;
}

KEY_TEXT(socket, outbuf_printf(o, "%.3d", (int)c->value))
KEY_VALUE(parent, (uintptr_t)hist_string(env, p->parent ? p->parent : "[other]"))

/* "[other]" comes last. */
static int cmp_parent(const struct hist_env *env, const struct sort_key *k, u64 a, u64 b)
{
	return sort_string_cmp(env, k, b, a);
}

static u64 value_quantum(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	u64 q = env->cfg.time_quantum;

	if (p->sample->time == (u64)-1)
		return 0;
	return q ? p->sample->time / q * q : p->sample->time;
}

static void text_time(const struct hist_cell *c, struct outbuf *o)
{
	u64 v = c->value;

	if (c->env->cfg.time_ns)
		outbuf_printf(o, "%llu.%09llu", v / 1000000000, v % 1000000000);
	else
		outbuf_printf(o, "%llu.%06llu", v / 1000000000, v % 1000000000 / 1000);
}

KEY_VALUE(parallelism, p->sample->parallelism)
KEY_TEXT(parallelism, outbuf_printf(o, "%llu", c->value))

static u64 value_cgroup(struct hist_env *env, const struct sort_key *k, const struct hist_point *p)
{
	return (uintptr_t)hist_string(env, timeline_cgroup_name(env->session->timeline, p->sample->cgroup));
}

KEY_VALUE(cgroup_id, p->sample->cgroup)
KEY_TEXT(cgroup_id, outbuf_printf(o, "0/0x%llx", c->value))
KEY_VALUE(weight, p->sample->weight)
KEY_VALUE(ins_lat, p->sample->ins_lat)
KEY_VALUE(p_stage, p->sample->p_stage_cyc)
KEY_TEXT(number, outbuf_dec(o, c->value, 0, ' '))

/* The sum over all samples of the row. */
KEY_TEXT(sum, outbuf_dec(o, c->value * c->samples, 0, ' '))
KEY_VALUE(transaction, p->sample->transaction)

static void text_transaction(const struct hist_cell *c, struct outbuf *o)
{
	u64 v = c->value;
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

/* As mainline: as wide as the thread's last name, so an earlier one ("perf-exec") may be cut. */
static u32 extent_comm(const struct hist_cell *c, const struct outbuf *text)
{
	return strlen(last_comm(c));
}

const struct sort_key sort_keys_task[] = {
	SORT_KEY(comm, "Command", value_comm, sort_string_text, .of_task = true,
		 .cmp = sort_string_cmp, .cut = true, .extent = extent_comm),
	SORT_KEY(comm_nodigit, "CommandNoDigit", value_comm_nodigit, sort_string_text,
		 .of_task = true, .cmp = sort_string_cmp),
	SORT_KEY(pid, "    Pid:Command", value_tid, text_pid, .alias = "tid", .of_task = true,
		 .cmp = sort_addr_cmp),
	SORT_KEY(tgid, "   Tgid:Command", value_tgid, text_tgid, .of_task = true,
		 .cmp = sort_addr_cmp),
	SORT_KEY(parent, "Parent symbol", value_parent, sort_string_text, .cmp = cmp_parent),
	SORT_KEY(cpu, "CPU", value_cpu, text_cpu, .fixed = true, .cmp = sort_addr_cmp),
	SORT_KEY(socket, "Socket", value_socket, text_socket, .right = true, .cmp = sort_addr_cmp),
	SORT_KEY(time, "Time", value_quantum, text_time, .ragged = true, .min_width = 12),
	SORT_KEY(cgroup, "Cgroup", value_cgroup, sort_string_text, .cmp = sort_string_cmp),
	SORT_KEY(cgroup_id, "cgroup id (dev/inode)", value_cgroup_id, text_cgroup_id),
	SORT_KEY(weight, "Weight", value_weight, text_sum, .min_width = 12, .cmp = sort_descending),
	SORT_KEY(local_weight, "Local Weight", value_weight, text_number, .cmp = sort_descending),
	SORT_KEY(ins_lat, "INSTR Latency", value_ins_lat, text_sum, .cmp = sort_descending),
	SORT_KEY(local_ins_lat, "Local INSTR Latency", value_ins_lat, text_number,
		 .cmp = sort_descending),
	SORT_KEY(p_stage_cyc, "Pipeline Stage Cycle", value_p_stage, text_sum,
		 .cmp = sort_descending),
	SORT_KEY(local_p_stage_cyc, "Local Pipeline Stage Cycle", value_p_stage, text_number,
		 .cmp = sort_descending),
	SORT_KEY(retire_lat, "Retire Latency", value_p_stage, text_sum, .cmp = sort_descending),
	SORT_KEY(local_retire_lat, "Local Retire Latency", value_p_stage, text_number,
		 .cmp = sort_descending),
	SORT_KEY(parallelism, "Parallelism", value_parallelism, text_parallelism, .right = true,
		 .need = NEED_PARALLELISM),
	SORT_KEY(transaction, "Transaction", value_transaction, text_transaction, .min_width = 27),
	{ .name = NULL },
};

// SPDX-License-Identifier: GPL-2.0
/*
 * A part of walk.bpf.c: an iterator that writes a struct task_item of each thread of user space
 * that is not on a CPU. Threads that have not run since the iteration before have no registers and
 * stack; once a second they have.
 */
#define SECOND_SHIFT	30
#define TRIES		3		/* for threads that run meanwhile */

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct task_item);
} items SEC(".maps");

static __always_inline __u64 turns_of(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* Did it leave its CPU for the task that runs this program? Then it is on it but for that. */
static __always_inline bool gave_way(struct task_struct *task)
{
	return task->sched_info.last_queued &&
	       task->sched_info.last_queued == bpf_get_current_task_btf()->sched_info.last_arrival;
}

/* Return: false: there are no registers */
static __always_inline bool read_task(struct task_struct *task, struct task_item *t)
{
	struct pt_regs *r = (void *)t->stack;	/* (until the stack is read) */
	__u64 at, size;
	char *to;
	int i;

	if (bpf_probe_read_kernel(r, sizeof(*r), (void *)bpf_task_pt_regs(task)))
		return false;
	t->regs[0] = r->rax, t->regs[1] = r->rbx, t->regs[2] = r->rcx, t->regs[3] = r->rdx;
	t->regs[4] = r->rsi, t->regs[5] = r->rdi, t->regs[6] = r->rbp, t->regs[7] = r->rsp;
	t->regs[8] = r->rip, t->regs[9] = r->eflags, t->regs[10] = r->cs, t->regs[11] = r->ss;
	t->regs[12] = r->r8, t->regs[13] = r->r9, t->regs[14] = r->r10, t->regs[15] = r->r11;
	t->regs[16] = r->r12, t->regs[17] = r->r13, t->regs[18] = r->r14, t->regs[19] = r->r15;
	at = t->regs[7];
	t->size = 0;
	for (i = 0; i < TASK_STACK / PAGE; i++) {
		size = PAGE - (at & (PAGE - 1));
		to = t->stack + (t->size & (TASK_STACK - 1));
		if (bpf_copy_from_user_task(to, size, (void *)at, task, 0))
			break;
		t->size += size;
		at += size;
	}
	t->more = i == TASK_STACK / PAGE;
	return true;
}

SEC("iter.s/task")
int each_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	__u32 zero = 0, size = offsetof(struct task_item, regs);
	__u64 turns, mark, *last;
	struct task_item *t;
	int i;

	if (!task || !task->mm || task->exit_state || task->on_cpu || gave_way(task))
		return 0;
	last = bpf_task_storage_get(&seen, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	t = bpf_map_lookup_elem(&items, &zero);
	if (!t || !last)
		return 0;
	t->pid = task->tgid;
	t->tid = task->pid;
	t->again = 1;
	t->size = 0;
	for (i = 0; i < TRIES; i++) {
		turns = turns_of(task);
		mark = 1 + turns + (bpf_ktime_get_ns() >> SECOND_SHIFT);
		if (*last == mark)
			break;
		t->again = 0;
		if (read_task(task, t) && turns_of(task) == turns && !task->on_cpu)
			break;
		t->size = 0;
	}
	if (!t->again)
		size = offsetof(struct task_item, stack) + ((t->size + 7) & (2 * TASK_STACK - 8));
	if (!bpf_seq_write(seq, t, size) && t->size)
		*last = mark;
	return 0;
}

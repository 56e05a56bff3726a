// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the kernel when an event takes a sample. Walks the current task's 64-bit user stack by
 * unwind tables, or frame pointers in code without, in the steps of kernel/unwind/table_walk.c, and
 * writes the callchain into the event's buffer before the sample.
 *
 * An address's mapping is looked up in the kernel's maple tree without a lock. Nodes may be freed
 * meanwhile: they are read with fault handling, and only compared and used in arithmetic. A race
 * with munmap() or exec() can give a wrong callchain. The address of its inode tells a file; the
 * recorder keeps it open and gets that from file_key().
 *
 * User memory and tables are untrusted: each step adds an entry to a callchain of bounded length,
 * and all indices are masked.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/unwind_table.h>
#include <asm/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "base/plain_frame.h"
#include "bpf/layout.h"

#define WORD		8
#define PAGE		4096
#define USER_CS		0x33			/* of 64-bit code */
#define USER32_CS	0x23
#define LIMIT		0x7ffffffff000ULL	/* end of user addresses */
#define RECENT		2048			/* cached rules, a power of two */
#define MAPS		4
#define VM_EXEC		4
#define LEVELS		8			/* limit of the maple tree's depth */

/* DWARF register numbers on x86-64 */
#define DWARF_RBP	6
#define DWARF_RSP	7

/* Kernel structs: members are found by name (CO-RE), their offsets here do not matter. */
struct file {
	void *f_inode;
} __attribute__((preserve_access_index));

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
} __attribute__((preserve_access_index));

struct maple_tree {
	void *ma_root;
} __attribute__((preserve_access_index));

struct mm_struct {
	struct maple_tree mm_mt;
	struct {
		void *vdso;
	} __attribute__((preserve_access_index)) context;	/* mm_context_t */
} __attribute__((preserve_access_index));

struct upid {
	int nr;
} __attribute__((preserve_access_index));

struct pid {
	unsigned int level;
	struct upid numbers[];
} __attribute__((preserve_access_index));

struct sched_info {
	unsigned long long last_arrival, last_queued;
} __attribute__((preserve_access_index));

struct task_struct {
	struct mm_struct *mm;
	int pid, tgid, on_cpu, exit_state;
	unsigned long nvcsw, nivcsw;
	struct sched_info sched_info;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_time;
	struct perf_event_context *perf_event_ctxp;
} __attribute__((preserve_access_index));

struct perf_event_context {
	int nr_events;
} __attribute__((preserve_access_index));

/* Before Linux 6.2: one for the events of hardware, one for the others. */
struct task_struct___two {
	struct perf_event_context *perf_event_ctxp[2];
} __attribute__((preserve_access_index));

/* Nodes of the maple tree (include/linux/maple_tree.h): 256 bytes, as words. */
#define NODE_WORDS	32
#define LEAF_NODE	1
#define RANGE_NODE	2
#define ARANGE_NODE	3
#define PIVOTS		1			/* word 0 is the parent */
#define RANGE_PIVOTS	15
#define ARANGE_PIVOTS	9
/* word with the number of pivots, unless all are used */
#define RANGE_END	31
#define ARANGE_END	30

struct node {
	__u64 word[NODE_WORDS];
};

/* A mapping. */
struct area {
	__u64 start, size;			/* size 0: none */
	__u64 offset;				/* file offset of the start */
	__u64 file;				/* key of the file */
	bool code;				/* executable */
};

struct mapping {
	struct area area;			/* .file 0: no table */
	struct walk_table table;
};

/* State of one walk, per CPU: event programs do not interrupt each other. */
struct program_walk {
	__u64 ip, sp, fp;			/* fp 0: unknown */
	__u64 regs[16];				/* by DWARF number */
	bool known;				/* regs are of this frame */
	bool exact;			/* ip is no return address */
	bool wants_copy;		/* met a file or register that tables lack */
	__u32 last, next;			/* index in map: last used; next to replace */
	__u64 mm;
	struct mapping map[MAPS];
	struct node node;
	struct plain_frame plain;
	/* Python functions, as WALK_PYTHON_ENTRY(), and the calls of the evaluator that run them */
	__u64 python[WALK_PYTHON_FRAMES];
	struct {
		__u64 native;			/* an address in the evaluator's frame */
		__u32 end;			/* number of the functions up to here */
	} run[WALK_PYTHON_FRAMES];
	__u32 nr_python, nr_runs, next_python, next_run;
	bool python_read;
	__u64 python_file, python_bias;		/* the interpreter that they are read of */
	struct walk_record out;
};

struct walk_loop {
	struct program_walk *w;
};

#define MAP(kind, nr, key_type, value_type) {		\
	__uint(type, BPF_MAP_TYPE_##kind);		\
	__uint(max_entries, nr);			\
	__type(key, key_type);				\
	__type(value, value_type);			\
}

/* A slice of a CPU's time: when it began, and what walks took of it, in ns. */
struct slice {
	__u64 begin, busy;
};

struct MAP(PERCPU_ARRAY, 1, __u32, struct slice) slices SEC(".maps");

struct recent {
	__u64 file, off;
	struct unwind_table_rule rule;
};

struct table_segment {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WALK_SEGMENT_PAGES);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 1 << WALK_PAGE_SHIFT);
	__uint(map_flags, BPF_F_MMAPABLE);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, WALK_MAX_SEGMENTS);
	__uint(key_size, sizeof(__u32));
	__array(values, struct table_segment);
} segments SEC(".maps");

struct MAP(HASH, WALK_MAX_FILES, __u64, struct walk_table) files SEC(".maps");

/* Each CPU's ring buffer. With copies the kernel adds registers and stack, and wakes us up. */
struct buffers {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} buffers SEC(".maps"), copies SEC(".maps");

struct MAP(PERCPU_ARRAY, 1, __u32, struct program_walk) walks SEC(".maps");
struct MAP(PERCPU_ARRAY, RECENT, __u32, struct recent) recents SEC(".maps");

struct walk_counts counts;

/* Result of a step. */
enum walk_step {
	STEP_CALLER,		/* the frame is now the caller's */
	STEP_OUTERMOST,		/* no caller */
	STEP_CUT,		/* caller not found, or user memory not readable */
	STEP_UNKNOWN,		/* no usable rule: try the frame pointer */
};

/* Mapping */

/* Index of a node's first pivot >= @at, or @end. A global function is verified once. */
__noinline int find_pivot(const struct node *node, __u64 at, __u64 end)
{
	__u64 i;

	if (!node)
		return 0;
#pragma clang loop unroll(disable)
	for (i = 0; i < RANGE_PIVOTS && i < end && node->word[PIVOTS + i] < at; i++)
		;
	return i;
}

/* Return: the struct vm_area_struct at an address, or 0. @node: buffer for a node. */
static __always_inline __u64 find_vma(struct mm_struct *mm, __u64 at, struct node *node)
{
	__u64 entry = 0, type, end, slots, i;

	bpf_core_read(&entry, sizeof(entry), &mm->mm_mt.ma_root);
#pragma clang loop unroll(disable)
	for (i = 0; i < LEVELS && entry >= PAGE; i++) {
		type = entry >> 3 & 15;
		if (bpf_probe_read_kernel(node, sizeof(*node), (void *)(entry & ~0xffULL)))
			return 0;
		if (type == ARANGE_NODE) {
			end = node->word[ARANGE_END] & 0xff;
			slots = PIVOTS + ARANGE_PIVOTS;
		} else {
			end = node->word[RANGE_PIVOTS] ? RANGE_PIVOTS : node->word[RANGE_END] & 0xff;
			slots = PIVOTS + RANGE_PIVOTS;
		}
		entry = node->word[(slots + find_pivot(node, at, end)) & (NODE_WORDS - 1)];
		if (type == LEAF_NODE)
			return entry & 3 ? 0 : entry;
	}
	return 0;
}

/* Return: true if the address is mapped. @node: buffer for a node. */
static __always_inline bool read_area(struct mm_struct *mm, __u64 at, struct node *node, struct area *a)
{
	struct vm_area_struct *vma = (void *)find_vma(mm, at, node);
	__u64 start = 0, end = 0, pgoff = 0, flags = 0, inode = 0;
	struct file *file = NULL;

	a->size = 0;
	if (!vma)
		return false;
	bpf_core_read(&start, sizeof(start), &vma->vm_start);
	bpf_core_read(&end, sizeof(end), &vma->vm_end);
	bpf_core_read(&pgoff, sizeof(pgoff), &vma->vm_pgoff);
	bpf_core_read(&flags, sizeof(flags), &vma->vm_flags);
	bpf_core_read(&file, sizeof(file), &vma->vm_file);
	if (at - start >= end - start)
		return false;
	if (file)
		bpf_core_read(&inode, sizeof(inode), &file->f_inode);
	else if (start == (__u64)BPF_CORE_READ(mm, context.vdso))
		inode = WALK_VDSO;
	a->start = start;
	a->size = end - start;
	a->offset = file ? pgoff * PAGE : 0;
	a->file = inode;
	a->code = flags & VM_EXEC;
	return true;
}

#include "bpf/python.bpf.c"

/* Set @w->last to the mapping of an address, cached if possible; size 0: no code. */
static __noinline void find_mapping(struct program_walk *w, __u64 at)
{
	struct walk_table *table;
	struct mapping *m;
	__u64 file;
	__u32 i;

	for (i = 0; i < MAPS; i++) {
		if (at - w->map[i].area.start < w->map[i].area.size) {
			w->last = i;
			return;
		}
	}
	i = w->next & (MAPS - 1);
	w->last = i;
	w->next = i + 1;
	m = &w->map[i];
	file = read_area((void *)w->mm, at, &w->node, &m->area) ? m->area.file : 0;
	if (!m->area.code)
		m->area.size = 0;
	table = file ? bpf_map_lookup_elem(&files, &file) : NULL;
	if (table) {
		m->table = *table;
	} else {
		m->area.file = 0;
		w->wants_copy |= file != 0;
	}
}

/* Rule */

/* A word of the tables; 0 outside them. A global function is verified once. */
__noinline __u32 table_word(__u64 at)
{
	__u32 segment = at >> WALK_SEGMENT_SHIFT, page = at >> WALK_PAGE_SHIFT & (WALK_SEGMENT_PAGES - 1);
	void *map = bpf_map_lookup_elem(&segments, &segment);
	char *p = map ? bpf_map_lookup_elem(map, &page) : NULL;

	return p ? *(__u32 *)(p + (at & ((1 << WALK_PAGE_SHIFT) - 4))) : 0;
}

/* Look up the rule at an offset in the table. Return: true if found. */
static __noinline int search_rule(const struct mapping *m, __u64 off, struct unwind_table_rule *r)
{
	const struct walk_table *t = &m->table;
	__u64 in = off - t->first, page, row, nr, half, at, i;
	__u32 *to = (__u32 *)r;

	if (in >= t->bytes)
		return 0;
	page = t->pages + (in >> (t->page_shift & 31)) * 4;
	in &= (1ULL << (t->page_shift & 31)) - 1;
	/* From the row before the page's first. A branch would multiply the verifier's states. */
	row = table_word(page);
	nr = table_word(page + 4) - row + 1;
#pragma clang loop unroll(disable)
	for (i = 0; i < 17; i++) {
		half = nr / 2;
		at = table_word(t->rows + (row + half - 1) * 4) & 0xffff;
		row += half & -((at - in - 1) >> 63);
		nr -= half;
	}
	if (!row)
		return 0;
	i = table_word(t->rows + (row - 1) * 4) >> 16;
	if (i >= t->nr_rules)
		return 0;
	off = t->rules + i * sizeof(*r);
	to[0] = table_word(off);
	to[1] = table_word(off + 4);
	to[2] = table_word(off + 8);
	to[3] = table_word(off + 12);
	return 1;
}

/* A cached rule: most return addresses repeat. NULL: no rule. */
static __always_inline const struct unwind_table_rule *find_rule(const struct mapping *m, __u64 off)
{
	__u32 i = (off ^ off >> 11 ^ m->area.file >> 6) & (RECENT - 1);
	struct recent *r = bpf_map_lookup_elem(&recents, &i);

	if (!r)
		return NULL;
	if (r->file != m->area.file || r->off != off) {
		r->file = 0;
		if (!search_rule(m, off, &r->rule))
			return NULL;
		r->file = m->area.file;
		r->off = off;
	}
	return &r->rule;
}

/* Step */

static __always_inline bool is_user(__u64 at)
{
	return at < LIMIT - 2 * WORD;
}

static __always_inline bool read_user(__u64 at, __u64 *val)
{
	return !bpf_probe_read_user(val, sizeof(*val), (void *)at);
}

static __always_inline enum walk_step frame_reg(struct program_walk *w, __u32 reg, __u64 *val)
{
	if (reg == DWARF_RSP) {
		*val = w->sp;
		return STEP_CALLER;
	}
	if (reg == DWARF_RBP) {
		*val = w->fp;
		return w->fp ? STEP_CALLER : STEP_UNKNOWN;
	}
	/* By the frame pointer the caller would be left out, as it is the caller's. */
	*val = w->regs[reg & 15];
	w->wants_copy |= !w->known;
	return w->known ? STEP_CALLER : STEP_CUT;
}

/* Step to the frame interrupted by a signal: its registers are in the struct ucontext. */
static __always_inline enum walk_step step_signal(struct program_walk *w, __u64 ucontext)
{
	/* r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip (struct sigcontext) */
	__u64 *c = w->node.word, *r = w->regs;

	if (!is_user(ucontext))
		return STEP_CUT;
	if (bpf_probe_read_user(c, 17 * WORD, (void *)(ucontext + 40)))
		return STEP_CUT;
	r[0] = c[13], r[1] = c[12], r[2] = c[14], r[3] = c[11], r[4] = c[9], r[5] = c[8];
	r[8] = c[0], r[9] = c[1], r[10] = c[2], r[11] = c[3], r[12] = c[4], r[13] = c[5], r[14] = c[6], r[15] = c[7];
	w->fp = c[10];
	w->sp = c[15];
	w->ip = c[16];
	w->known = w->exact = true;
	return STEP_CALLER;
}

static __always_inline enum walk_step step_to(struct program_walk *w, __u64 ip, __u64 sp, __u64 fp)
{
	w->ip = ip;
	w->sp = sp;
	w->fp = fp;
	w->known = w->exact = false;
	return STEP_CALLER;
}

/* Does the frame pointer lead to another stack? The table of Go's runtime.systemstack() says so. */
static __always_inline bool is_other_stack(const struct unwind_table_rule *r)
{
	return r->kind == UNWIND_TABLE_CFA && r->reg == DWARF_RBP &&
	       r->fp == UNWIND_TABLE_FP_FP && !r->fp_off;
}

static __always_inline enum walk_step step_rule(struct program_walk *w, const struct unwind_table_rule *r)
{
	__u64 cfa, at, fp_at = 0, ra, fp = w->fp, two[2];
	bool other_stack = is_other_stack(r);
	enum walk_step step;

	if (r->kind == UNWIND_TABLE_OUTERMOST)
		return STEP_OUTERMOST;
	if (r->kind == UNWIND_TABLE_UNKNOWN)
		return STEP_UNKNOWN;
	step = frame_reg(w, r->reg, &cfa);
	if (step != STEP_CALLER)
		return step;
	cfa += r->off;
	if (r->kind == UNWIND_TABLE_SIGNAL)
		return step_signal(w, cfa);
	if (r->kind == UNWIND_TABLE_DEREF) {
		if (!is_user(cfa))
			return STEP_CUT;
		if (!read_user(cfa, &cfa))
			return STEP_CUT;
		cfa += r->arg;
	} else if (r->kind == UNWIND_TABLE_PLT && (w->ip & 15) >= (__u32)r->arg) {
		cfa += WORD;
	}
	if (r->fp == UNWIND_TABLE_FP_CFA) {
		fp_at = cfa + r->fp_off;
	} else if (r->fp == UNWIND_TABLE_FP_FP) {
		/*
		 * Where gcc's function realigns its stack, this is also for the code after "leave".
		 */
		at = w->fp + r->fp_off;
		fp_at = other_stack || (at >= w->sp && at < cfa) ? at : 0;
	} else if (r->fp == UNWIND_TABLE_FP_SP) {
		fp_at = w->sp + r->fp_off;
	}
	/* A caller's frame is above its callee's, on one stack. */
	if ((cfa <= w->sp && !other_stack) || cfa & (WORD - 1) || !is_user(cfa) || !is_user(fp_at))
		return STEP_CUT;
	/* Common case: the frame pointer was pushed first, next to the return address. */
	if (fp_at == cfa - 2 * WORD && !r->ra)
		return bpf_probe_read_user(two, sizeof(two), (void *)fp_at) ? STEP_CUT : step_to(w, two[1], cfa, two[0]);
	if (r->ra) {
		step = frame_reg(w, r->arg, &ra);
		if (step != STEP_CALLER)
			return step;
	} else if (!read_user(cfa - WORD, &ra)) {
		return STEP_CUT;
	}
	if (fp_at) {
		if (!read_user(fp_at, &fp))
			return STEP_CUT;
	} else if (r->fp == UNWIND_TABLE_FP_LOST) {
		fp = 0;
	}
	return step_to(w, ra, cfa, fp);
}

/* Step in code without a table: it has a frame pointer, or the walk ends here. */
static __always_inline enum walk_step step_frame_pointer(struct program_walk *w)
{
	__u64 fp = w->fp, two[2];

	if (fp < w->sp || fp < PAGE || fp & (WORD - 1) || !is_user(fp))
		return STEP_CUT;
	if (bpf_probe_read_user(two, sizeof(two), (void *)fp))
		return STEP_CUT;
	return step_to(w, two[1], fp + 2 * WORD, two[0]);
}

static int plain_one(__u32 __attribute__((unused)) i, struct walk_loop *l)
{
	return plain_frame_step(&l->w->plain);
}

/* Step in code without a table whose instructions tell where its caller is. */
static __noinline int step_plain(struct program_walk *w)
{
	struct plain_frame *f = &w->plain;
	struct walk_loop l = { .w = w };
	__u64 ra, fp = w->fp;

	f->at = f->popped = 0;
	f->size = f->fp_at = 0;
	f->pops_fp = f->ends = 0;
	if (!is_user(w->ip) || bpf_probe_read_user(f->code, sizeof(f->code), (void *)w->ip))
		return STEP_UNKNOWN;
	bpf_loop(PLAIN_STEPS, plain_one, &l, 0);
	if (!f->ends || !is_user(w->sp + f->size) || !read_user(w->sp + f->size, &ra) ||
	    (f->pops_fp && !read_user(w->sp + f->fp_at, &fp)))
		return STEP_UNKNOWN;
	return step_to(w, ra, w->sp + f->size + WORD, fp);
}

/* Is the return address a function's start, as makecontext() stores it, without rule in front? */
static __always_inline bool is_start(const struct program_walk *w, const struct mapping *m)
{
	const struct unwind_table_rule *rule;

	if (w->exact || !m->area.file)
		return false;
	rule = find_rule(m, w->ip - m->area.start + m->area.offset);
	return rule && rule->kind != UNWIND_TABLE_UNKNOWN;
}

/* Walk one frame. Return: non-zero if it is the last. */
static int next_frame(__u32 i, struct walk_loop *l)
{
	const struct unwind_table_rule *rule = NULL;
	struct program_walk *w = l->w;
	enum walk_step step = STEP_UNKNOWN;
	const struct mapping *m;
	__u64 code = w->ip - !w->exact, sp = w->sp;

	m = &w->map[w->last & (MAPS - 1)];
	if (code - m->area.start >= m->area.size) {
		find_mapping(w, code);
		m = &w->map[w->last & (MAPS - 1)];
		/* Not a return address: what led here had no frame pointer. */
		if (i && !w->exact && !m->area.size)
			return 1;
		if (m->area.file && m->table.python && !w->python_read)
			read_python(w);
	}
	if (m->area.file)
		rule = find_rule(m, code - m->area.start + m->area.offset);
	if ((!rule || rule->kind == UNWIND_TABLE_UNKNOWN) && is_start(w, m)) {
		code = w->ip;
		step = STEP_OUTERMOST;
	} else if (rule) {
		/* A signal handler returns to the start of a function that did not call it. */
		if (rule->kind == UNWIND_TABLE_SIGNAL)
			code = w->ip;
		step = step_rule(w, rule);
	}
	w->out.ips[w->out.nr & (WALK_MAX_FRAMES - 1)] = code;
	w->out.nr++;
	if (step == STEP_UNKNOWN)
		step = step_plain(w);
	if (step == STEP_UNKNOWN)
		step = step_frame_pointer(w);
	if (w->next_run < w->nr_runs && step == STEP_CALLER)
		put_python(w, sp);
	w->out.whole = step == STEP_OUTERMOST || (step == STEP_CALLER && !w->ip);
	return w->out.whole || step != STEP_CALLER || w->ip >= LIMIT ||
	       w->out.nr >= WALK_MAX_FRAMES;
}

/* Read the registers of the task's entry. Return: did it run 64-bit code? Else a copy is walked. */
static __always_inline bool begin(struct program_walk *w)
{
	void *entry = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	struct pt_regs *regs = (void *)w->node.word;
	__u64 *r = w->regs;

	_Static_assert(sizeof(*regs) <= sizeof(w->node), "older kernels have no room on the stack");
	if (bpf_probe_read_kernel(regs, sizeof(*regs), entry))
		return false;
	w->wants_copy = (__u16)regs->cs == USER32_CS;
	if ((__u16)regs->cs != USER_CS || regs->rip >= LIMIT)
		return false;
	r[0] = regs->rax, r[1] = regs->rdx, r[2] = regs->rcx, r[3] = regs->rbx, r[4] = regs->rsi, r[5] = regs->rdi;
	r[8] = regs->r8, r[9] = regs->r9, r[10] = regs->r10, r[11] = regs->r11;
	r[12] = regs->r12, r[13] = regs->r13, r[14] = regs->r14, r[15] = regs->r15;
	w->ip = regs->rip;
	w->sp = regs->rsp;
	w->fp = regs->rbp;
	w->known = w->exact = true;
	return true;
}

static __always_inline struct program_walk *get_walk(struct task_struct *task)
{
	__u32 zero = 0, i;
	struct program_walk *w = bpf_map_lookup_elem(&walks, &zero);

	if (!w)
		return NULL;
	w->mm = (__u64)BPF_CORE_READ(task, mm);
	w->last = w->next = 0;
	w->wants_copy = false;
	w->nr_python = w->nr_runs = w->next_python = w->next_run = 0;
	w->python_read = false;
	for (i = 0; i < MAPS; i++)
		w->map[i].area.size = 0;
	return w;
}

static __always_inline int walk_stack(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct walk_loop l = { .w = get_walk(task) };
	struct program_walk *w = l.w;
	__u64 nr, size;

	if (!w)
		return 1;
	w->out.magic = WALK_MAGIC;
	w->out.nr = 0;
	w->out.whole = w->out.no_room = false;
	w->out.python = 0;
	if (w->mm && begin(w))
		bpf_loop(WALK_MAX_FRAMES, next_frame, &l, 0);
	nr = w->out.nr;
	if (nr > WALK_MAX_FRAMES)
		return 1;
	size = WALK_HEAD + nr * WORD;
	if (w->wants_copy) {
		nr += put_behind(w);
		if (nr > WALK_MAX_FRAMES)
			return 1;
		if (!bpf_perf_event_output(ctx, &copies, BPF_F_CURRENT_CPU, &w->out.magic,
					   WALK_HEAD + nr * WORD))
			return 1;
		__sync_fetch_and_add(&counts.unsent, 1);
		w->out.no_room = true;
	}
	if (bpf_perf_event_output(ctx, &buffers, BPF_F_CURRENT_CPU, &w->out.magic, size))
		__sync_fetch_and_add(&counts.unsent, 1);
	return 1;
}

/* Return 0, which drops the sample, once walks took WALK_BUSY_NS of this CPU's slice of time. */
SEC("perf_event")
int walk_event(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 zero = 0;
	struct slice *s = bpf_map_lookup_elem(&slices, &zero);

	if (!s)
		return 1;
	if (now - s->begin >= WALK_SLICE_NS) {
		s->begin = now;
		s->busy = 0;
	} else if (s->busy >= WALK_BUSY_NS) {
		__sync_fetch_and_add(&counts.throttled, 1);
		return 0;
	}
	walk_stack(ctx);
	s->busy += bpf_ktime_get_ns() - now;
	return 1;
}

/* Runs on each hit of a tracepoint, by any task, before the event's filter. */
SEC("tp")
int walk_tracepoint(void *ctx)
{
	return walk_stack(ctx);
}

/*
 * Has the task events of its own? Others have no sample here. A task that had events keeps its
 * context: the recorder, which its own record would wake.
 */
static __always_inline bool has_events(struct task_struct *task)
{
	struct task_struct___two *two = (void *)task;
	struct perf_event_context *first, *second = NULL;

	if (bpf_core_field_exists(two->perf_event_ctxp)) {
		first = BPF_CORE_READ(two, perf_event_ctxp[0]);
		second = BPF_CORE_READ(two, perf_event_ctxp[1]);
	} else {
		first = BPF_CORE_READ(task, perf_event_ctxp);
	}
	return (first && BPF_CORE_READ(first, nr_events)) ||
	       (second && BPF_CORE_READ(second, nr_events));
}

/* The same, for a recording of tasks. */
SEC("tp")
int walk_tracepoint_of_tasks(void *ctx)
{
	return has_events((void *)bpf_get_current_task()) ? walk_stack(ctx) : 1;
}

/* For the recorder. args: where it has mapped the file; 1: the key's upper half is returned */
SEC("raw_tp")
int file_key(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 at = ctx->args[0], half = ctx->args[1];
	struct node node;
	struct area a;

	if (!read_area(BPF_CORE_READ(task, mm), at, &node, &a))
		return 0;
	return half ? a.file >> 32 : a.file;
}

#include "bpf/tasks.bpf.c"

char _license[] SEC("license") = "GPL";

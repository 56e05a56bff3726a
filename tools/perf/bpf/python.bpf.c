// SPDX-License-Identifier: GPL-2.0
/*
 * Part of walk.bpf.c: the Python functions of the thread that is sampled. The steps are those of
 * runtime/python_frames.c, which describes the structures.
 *
 * The frames are read before the native stack is walked on, as soon as the walk meets a file with
 * an interpreter. A code object that was not seen before is sent to the recorder, by a ring of its
 * own, and gets a number; its address, with its names and line table, tells it from a later one.
 */
#include "runtime/python_layout.h"

struct python_code_key {
	__u64 space, born;			/* the process: its mm, and when it began */
	__u64 code, name, lines;
};

#define FRAME_WORDS	16			/* of a frame, a power of two: 12 are read */
#define CODE_WORDS	32			/* of a code object, a power of two: 18 are read */
#define UNREADABLE	(~0U)			/* a code object, in place of its number */
#define FRAME_READ	96
#define CODE_READ	144
/* Thread states and interpreters looked at for a new thread. */
#define MAX_THREADS	1024
/* A thread may get a thread state soon: the next search is after so many times the last one. */
#define SEARCH_PAUSE	100

/* State of the frames of one walk. */
struct program_python {
	__u64 frame, cframe, type;
	__u64 born;
	bool failed;
	__u64 head[FRAME_WORDS], code[CODE_WORDS];
};

struct python_thread {
	__u64 mm, file, bias;			/* its interpreter */
	__u64 state;				/* address of the thread state; 0: none */
	__u64 again;				/* when it is searched for again, in ns */
};

/* by the file's key; by the TID in the initial PID namespace */
struct MAP(HASH, WALK_MAX_PYTHONS, __u64, struct python_image) pythons SEC(".maps");
struct MAP(LRU_HASH, 8192, __u32, struct python_thread) python_threads SEC(".maps");
struct MAP(LRU_HASH, 16384, struct python_code_key, __u32) python_codes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, WALK_CODES_RING);
} new_codes SEC(".maps");

struct MAP(PERCPU_ARRAY, 1, __u32, struct walk_code) code_room SEC(".maps");
struct MAP(PERCPU_ARRAY, 1, __u32, struct program_python) python_walks SEC(".maps");

/* For older verifiers: a number of bytes below @size, a power of two. */
#define BELOW(bytes, size) ({			\
	__u64 _n = (bytes);			\
						\
	asm volatile("" : "+r"(_n));		\
	_n & ((size) - 1);			\
})

static __always_inline __u64 user_word(__u64 at)
{
	__u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)at);
	return word;
}

struct thread_search {
	const struct python_layout *l;
	__u64 interp, thread, tid, found;
};

static int search_thread(__u32 __attribute__((unused)) i, struct thread_search *s)
{
	if (!s->thread) {
		if (!s->interp)
			return 1;
		s->thread = user_word(s->interp + s->l->interp_threads);
		s->interp = user_word(s->interp + s->l->interp_next);
		return 0;
	}
	if (user_word(s->thread + s->l->thread_native_id) == s->tid) {
		s->found = s->thread;
		return 1;
	}
	s->thread = user_word(s->thread + s->l->thread_next);
	return 0;
}

/* The task's TID in its own PID namespace. */
static __always_inline __u32 inner_tid(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level), nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr),
			      (char *)pid + bpf_core_field_offset(struct pid, numbers) +
			      (level & 31) * bpf_core_type_size(struct upid));
	return nr;
}

/* The thread state of the current thread, 0 if it runs no Python code. @w: has its interpreter */
__noinline __u64 python_thread_state(const struct python_image *image, const struct program_walk *w)
{
	struct thread_search s = { .tid = inner_tid() };
	__u32 tid = bpf_get_current_pid_tgid();
	struct python_thread *known = bpf_map_lookup_elem(&python_threads, &tid), found = { 0 };
	__u64 now = bpf_ktime_get_ns();

	if (!image || !w)
		return 0;
	s.l = &image->layout;
	if (known && (known->mm != w->mm || known->file != w->python_file ||
		      known->bias != w->python_bias))
		known = NULL;
	if (known && !known->state && now < known->again)
		return 0;
	if (known && user_word(known->state + s.l->thread_native_id) == s.tid)
		return known->state;
	/*
	 * Linux before 6.7 takes the callback as called once, and leaves code for other values than
	 * these out: so the search begins with words that were read.
	 */
	s.interp = user_word(image->runtime + w->python_bias + image->layout.interpreters);
	s.thread = user_word(s.interp + image->layout.interp_threads);
	s.interp = user_word(s.interp + image->layout.interp_next);
	bpf_loop(MAX_THREADS, search_thread, &s, 0);
	found.mm = w->mm;
	found.file = w->python_file;
	found.bias = w->python_bias;
	found.state = s.found;
	found.again = now + SEARCH_PAUSE * (bpf_ktime_get_ns() - now);
	bpf_map_update_elem(&python_threads, &tid, &found, BPF_ANY);
	return s.found;
}

/* Copy a str. Return: false if it cannot be read. */
static __always_inline bool copy_str(const struct python_layout *l, __u64 addr, struct walk_str *s,
				     char *room)
{
	__u64 bytes;

	if (bpf_probe_read_user(&s->length, sizeof(s->length), (void *)(addr + l->str_length)) ||
	    bpf_probe_read_user(&s->state, sizeof(s->state), (void *)(addr + l->str_state)))
		return false;
	/* The first characters of a long one. */
	bytes = s->length * (s->state >> 2 & 7);
	if (bytes >= WALK_NAME)
		bytes = WALK_NAME - 1;
	bytes = BELOW(bytes, WALK_NAME);
	s->bytes = bytes;
	addr += s->state & (1 << 6) ? l->str_ascii : l->str_wide;
	return !bpf_probe_read_user(room, bytes, (void *)addr);
}

/* Send a code object to the recorder. Return: its number; 0: no room; UNREADABLE */
__noinline __u32 send_code(const struct python_image *image, const struct python_code_key *key)
{
	const struct python_layout *l;
	__u32 zero = 0, id, lines = 0;
	struct walk_code *c;
	__u64 size;

	if (!image || !key)
		return UNREADABLE;
	l = &image->layout;
	c = bpf_map_lookup_elem(&code_room, &zero);
	if (!c)
		return UNREADABLE;
	if (bpf_probe_read_user(&c->first_line, sizeof(c->first_line),
				(void *)(key->code + l->code_first_line)))
		return UNREADABLE;
	if (!copy_str(l, key->name, &c->name, c->name_room) ||
	    !copy_str(l, user_word(key->code + l->code_file), &c->file, c->file_room))
		return UNREADABLE;
	size = user_word(key->lines + l->bytes_size);
	if (size >= WALK_LINES)
		size = WALK_LINES - 1;
	size = BELOW(size, WALK_LINES);
	if (!bpf_probe_read_user(c->lines, size, (void *)(key->lines + l->bytes_data)))
		lines = size;
	c->nr_lines = lines;
	id = ++c->count << WALK_CPU_BITS;
	id |= bpf_get_smp_processor_id() & ((1 << WALK_CPU_BITS) - 1);
	c->id = id;
	size = offsetof(struct walk_code, lines) + BELOW(lines, WALK_LINES);
	if (bpf_ringbuf_output(&new_codes, c, size, 0))
		return 0;
	return id;
}

static __always_inline __u64 head_word(const struct program_python *p, __u32 at)
{
	return p->head[at >> 3 & (FRAME_WORDS - 1)];
}

static __always_inline __u8 head_byte(const struct program_python *p, __u32 at)
{
	return head_word(p, at) >> (at & 7) * 8;
}

struct python_loop {
	struct program_walk *w;
	struct program_python *p;
	const struct python_image *image;
};

/* The functions since the last one are those of the evaluator's call with @native in its frame. */
static __always_inline void end_run(struct program_walk *w, __u64 native)
{
	__u32 n = w->nr_runs & (WALK_PYTHON_FRAMES - 1);

	w->run[n].native = native;
	w->run[n].end = w->nr_python;
	w->nr_runs = n + 1;
}

static __noinline int fail(struct program_python *p)
{
	p->failed = true;
	return 1;
}

/* Read one frame. Return: non-zero if it is the last. */
static int next_python(__u32 __attribute__((unused)) i, struct python_loop *loop)
{
	struct program_walk *w = loop->w;
	struct program_python *p = loop->p;
	const struct python_layout *l = &loop->image->layout;
	struct python_code_key key = { .space = w->mm, .born = p->born };
	__u64 frame = p->frame, instr;
	__u32 n = w->nr_python & (WALK_PYTHON_FRAMES - 1), *known, id;

	if (!frame || w->nr_python >= WALK_PYTHON_FRAMES)
		return 1;
	if (bpf_probe_read_user(p->head, FRAME_READ, (void *)frame))
		return fail(p);
	p->frame = head_word(p, l->frame_previous);
	if (!l->frame_is_entry && head_byte(p, l->frame_owner) >= PYTHON_OWNED_BY_C_STACK) {
		end_run(w, frame);
		return w->nr_runs == WALK_PYTHON_FRAMES;
	}
	key.code = head_word(p, l->frame_code) & ~3ULL;
	instr = head_word(p, l->frame_instr) - key.code - l->code_start;
	if (bpf_probe_read_user(p->code, CODE_READ, (void *)key.code))
		return fail(p);
	if (p->type && p->code[PYTHON_OBJECT_TYPE / 8] != p->type)
		return fail(p);
	key.name = p->code[l->code_name >> 3 & (CODE_WORDS - 1)];
	key.lines = p->code[l->code_lines >> 3 & (CODE_WORDS - 1)];
	/* Of the frame below __init__() of a new object (3.12 on): Python does not show it. */
	if (key.name == p->code[l->code_file >> 3 & (CODE_WORDS - 1)])
		return 0;
	known = bpf_map_lookup_elem(&python_codes, &key);
	if (known) {
		id = *known;
	} else {
		id = send_code(loop->image, &key);
		if (id == UNREADABLE)
			return fail(p);
		/* The next sample with it tries again. */
		if (id)
			bpf_map_update_elem(&python_codes, &key, &id, BPF_ANY);
		else
			w->out.python |= WALK_PYTHON_UNSENT;
	}
	if (!id)
		instr = 0;
	else if (instr >= WALK_PYTHON_NO_LINE)
		instr = (__s64)instr < 0 ? WALK_PYTHON_BEGIN : WALK_PYTHON_NO_LINE;
	w->python[n] = WALK_PYTHON_ENTRY(id, instr);
	w->nr_python++;
	if (l->frame_is_entry && head_byte(p, l->frame_is_entry)) {
		end_run(w, p->cframe);
		p->cframe = user_word(p->cframe + l->cframe_previous);
		if (!p->cframe || user_word(p->cframe + l->cframe_frame) != p->frame)
			return fail(p);
	}
	return 0;
}

/* Read the Python functions of the thread. @w: has its interpreter */
static __noinline int read_functions(struct program_walk *w, const struct python_image *image)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct python_loop loop = { .w = w, .image = image };
	const struct python_layout *l = &image->layout;
	struct program_python *p;
	__u32 zero = 0;
	__u64 thread;

	w->python_read = true;
	loop.p = p = bpf_map_lookup_elem(&python_walks, &zero);
	if (!p)
		return 0;
	thread = python_thread_state(image, w);
	if (!thread)
		return 0;
	p->type = image->code_type ? image->code_type + w->python_bias : 0;
	p->born = BPF_CORE_READ(task, group_leader, start_time);
	p->failed = false;
	p->cframe = l->thread_cframe ? user_word(thread + l->thread_cframe) : 0;
	p->frame = user_word(l->thread_cframe ? p->cframe + l->cframe_frame :
						thread + l->thread_frame);
	bpf_loop(2 * WALK_PYTHON_FRAMES, next_python, &loop, 0);
	if (p->failed) {
		w->nr_runs = 0;
		w->out.python = WALK_PYTHON_FAILED;
	}
	return 0;
}

/* The same; @w->last is the mapping of an interpreter's code. */
__noinline int read_python(struct program_walk *w)
{
	const struct python_image *image;
	const struct area *a;
	__u64 file;

	if (!w)
		return 0;
	a = &w->map[w->last & (MAPS - 1)].area;
	w->python_file = file = a->file;
	image = bpf_map_lookup_elem(&pythons, &file);
	if (!image)
		return 0;
	w->python_bias = a->start - a->offset - image->code_delta;
	return read_functions(w, image);
}

static int put_one(__u32 __attribute__((unused)) i, struct walk_loop *l)
{
	struct program_walk *w = l->w;
	__u32 to = w->out.nr & (WALK_MAX_FRAMES - 1);

	if (w->next_python >= w->run[w->next_run & (WALK_PYTHON_FRAMES - 1)].end)
		return 1;
	w->out.ips[to] = w->python[w->next_python & (WALK_PYTHON_FRAMES - 1)];
	w->out.nr++;
	w->next_python++;
	return 0;
}

/* Put Python functions in the place of the frame from @from on, if it is their evaluator's. */
__noinline int put_python(struct program_walk *w, __u64 from)
{
	struct walk_loop l = { .w = w };

	if (!w || w->run[w->next_run & (WALK_PYTHON_FRAMES - 1)].native - from >= w->sp - from)
		return 0;
	w->out.nr--;
	bpf_loop(WALK_PYTHON_FRAMES, put_one, &l, 0);
	w->next_run++;
	w->out.python |= WALK_PYTHON_READ;
	return 0;
}

static int put_run(__u32 __attribute__((unused)) i, struct walk_loop *l)
{
	struct program_walk *w = l->w;
	__u32 run = w->next_run & (WALK_PYTHON_FRAMES - 1), to = w->out.nr;

	if (w->next_run >= w->nr_runs)
		return 1;
	w->out.ips[to & (WALK_MAX_FRAMES - 1)] = w->run[run].native;
	w->out.ips[(to + 1) & (WALK_MAX_FRAMES - 1)] = w->run[run].end - w->next_python;
	w->out.nr = to + 2;
	bpf_loop(WALK_PYTHON_FRAMES, put_one, l, 0);
	w->next_run++;
	return 0;
}

/* Put Python functions behind a callchain that comes with a copy (struct walk_record). */
__noinline int put_behind(struct program_walk *w)
{
	__u32 tid = bpf_get_current_pid_tgid(), nr;
	const struct python_image *image;
	struct python_thread *known;
	struct walk_loop l = { .w = w };
	__u64 file;			/* (Linux 6.1 takes keys on the stack alone.) */

	if (!w)
		return 0;
	/* The walk did not come to the interpreter: one before did. */
	known = w->python_read ? NULL : bpf_map_lookup_elem(&python_threads, &tid);
	if (known && known->mm == w->mm) {
		w->python_file = file = known->file;
		w->python_bias = known->bias;
		image = bpf_map_lookup_elem(&pythons, &file);
		if (image)
			read_functions(w, image);
	}
	nr = w->out.nr;
	if (!w->nr_runs || nr + w->nr_python + 2 * w->nr_runs >= WALK_MAX_FRAMES)
		return 0;
	w->next_run = w->next_python = 0;
	bpf_loop(WALK_PYTHON_FRAMES, put_run, &l, 0);
	w->out.ips[w->out.nr & (WALK_MAX_FRAMES - 1)] = WALK_PYTHON_ENTRY(0, w->out.nr - nr);
	nr = w->out.nr + 1 - nr;
	w->out.nr -= nr - 1;
	return nr;
}

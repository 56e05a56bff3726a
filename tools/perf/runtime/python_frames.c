// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of Python functions of a thread in another process, and which call of the evaluator
 * runs each. bpf/python.bpf.c takes the same steps.
 *
 * 3.11: each call of the evaluator has a struct _PyCFrame on the thread's stack, in a list of its
 * own; its oldest frame has is_entry set. From 3.12 on the evaluator puts a frame that is no
 * function's on the thread's stack, below those that it runs: frames of the owners 3 and above.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/uio.h>

#include "runtime/python.h"

/* Thread states and interpreters looked at: a list that is longer is a circle. */
#define MAX_THREADS	1024
/* The fields that are used are in the first part of a frame and of a code object. */
#define FRAME_HEAD	96
#define CODE_HEAD	144
#define COMPARED	512		/* bytes of the stack that must not have changed */

static bool read_all(const struct python_target *t, u64 addr, void *to, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)addr, size };

	return process_vm_readv(t->pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* 0 if it cannot be read. */
static u64 word_of(const struct python_target *t, u64 addr)
{
	u64 word;

	return read_all(t, addr, &word, sizeof(word)) ? word : 0;
}

static const char *inside(const struct python_memory *m, u64 addr, u32 size)
{
	const u64 at = addr - m->addr;

	return at < m->size && m->size - at >= size ? m->bytes + at : NULL;
}

/* Memory from the pages that were read. */
static const char *in_pages(const struct python_stack *s, u64 addr, u32 size)
{
	const char *p = NULL;
	u32 i;

	for (i = s->nr_pages; i && !p; i--)
		p = inside(&s->pages[i - 1], addr, size);
	return p;
}

/*
 * Memory from the copy of the stack, the thread state, the pages read, or read now with its page,
 * as callers' frames are near. NULL: it cannot be read.
 */
static const char *view(const struct python_target *t, struct python_stack *s, u64 addr, u32 size)
{
	const char *p = inside(&s->copy, addr, size) ?: inside(&s->state, addr, size) ?:
			in_pages(s, addr, size);
	const u64 page = addr & ~(PYTHON_PAGE - 1ULL);
	const u32 bytes = addr - page + size > PYTHON_PAGE ? 2 * PYTHON_PAGE : PYTHON_PAGE;
	const u32 at = min(s->nr_pages, PYTHON_PAGES - 1U);

	if (p)
		return p;
	s->nr_pages = at + 1;
	s->pages[at] = (struct python_memory){ page, bytes, s->rooms[at] };
	if (!read_all(t, page, s->rooms[at], bytes))
		s->pages[at].size = 0;
	return inside(&s->pages[at], addr, size);
}

static u64 word_at(const struct python_target *t, struct python_stack *s, u64 addr)
{
	const char *p = view(t, s, addr, sizeof(u64));
	u64 word = 0;

	if (p)
		memcpy(&word, p, sizeof(word));
	return word;
}

/* Read the thread state, and the pages where the innermost frames may be, by one system call. */
static void read_state(const struct python_target *t, u64 state, struct python_stack *s)
{
	const u64 page = s->innermost & ~(PYTHON_PAGE - 1ULL), size = sizeof(s->state_room);
	char *room = s->rooms[0];
	struct iovec here[] = {
		{ s->state_room, size }, { room + PYTHON_PAGE, PYTHON_PAGE }, { room, PYTHON_PAGE },
	};
	struct iovec there[] = {
		{ (void *)state, size }, { (void *)page, PYTHON_PAGE },
		{ (void *)(page - PYTHON_PAGE), PYTHON_PAGE },
	};
	ssize_t n = process_vm_readv(t->pid, here, 3, there, 3, 0);

	s->nr_pages = 1;
	s->state = (struct python_memory){ state, n < (ssize_t)size ? 0 : size, s->state_room };
	s->pages[0] = (struct python_memory){ page - PYTHON_PAGE, 2 * PYTHON_PAGE, room };
	if (n < (ssize_t)(size + 2 * PYTHON_PAGE))
		s->pages[0] = (struct python_memory){ page, PYTHON_PAGE, room + PYTHON_PAGE };
	if (n < (ssize_t)(size + PYTHON_PAGE))
		s->pages[0].size = 0;
}

u64 python_find_thread(const struct python_target *t, u32 tid)
{
	const struct python_layout *l = &t->image->layout;
	u64 interp = word_of(t, t->image->runtime + t->bias + l->interpreters), thread = 0;
	u32 left;

	for (left = MAX_THREADS; left && (interp || thread); left--) {
		if (!thread) {
			thread = word_of(t, interp + l->interp_threads);
			interp = word_of(t, interp + l->interp_next);
		} else if (word_of(t, thread + l->thread_native_id) == tid) {
			return thread;
		} else {
			thread = word_of(t, thread + l->thread_next);
		}
	}
	return 0;
}

/* A word of what was read of a structure; 0 outside it, as the layout may be a file's own. */
static u64 word_in(const char *head, u32 size, u32 at)
{
	u64 word = 0;

	if (at <= size - sizeof(word))
		memcpy(&word, head + at, sizeof(word));
	return word;
}

/*
 * Is the copy of the innermost function? The evaluator has its next instruction in a register,
 * which C functions save. While a function ends, there is a frame whose caller is the innermost.
 * When one has begun or goes on, there is first no more than its frame, which may become another's.
 * @code: its head
 */
static bool is_copied(const struct python_layout *l, struct python_stack *s, const char *code)
{
	const u64 begin = s->calls[0].code + l->code_start;
	const u64 size = 2 * word_in(code, CODE_HEAD, PYTHON_OBJECT_SIZE);
	bool has_frame = false;
	const char *p = s->regs, *head;
	u64 inner, word;
	u32 run = 0;

	while (run < s->nr_runs && !s->runs[run].end)
		run++;
	inner = run < s->nr_runs ? s->runs[run].native - s->copy.addr : 0;
	if (!p)
		return true;
	/*
	 * There is more of the stack than was copied. Functions called since need not have reached
	 * as deep as those that were left: the parser's, 20 kB below the evaluator's.
	 */
	if (inner >= s->copy.size)
		return s->unsure = true;
	for (; p < s->copy.bytes + inner; p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		if (word - begin <= size)
			return true;
		head = in_pages(s, word, FRAME_HEAD);
		if (head && word_in(head, FRAME_HEAD, l->frame_previous) == s->innermost)
			return true;
		has_frame |= p < s->copy.bytes && word == s->innermost;
	}
	s->unsure |= has_frame;
	return has_frame;
}

bool python_stands_still(const struct python_target *t, const struct python_memory *copy)
{
	u64 size = min(copy->size, (u64)COMPARED);
	char now[COMPARED];

	return size && read_all(t, copy->addr, now, size) && !memcmp(now, copy->bytes, size);
}

/* What is another when a thread has gone on meanwhile. */
struct innermost {
	u64	at[2], words[2];	/* the pointers to its frame */
	char	head[FRAME_HEAD];	/* of its frame, with its next instruction */
};

/*
 * Read all calls' code objects at once, the top of the stack, and the innermost frame once more.
 * Left out as by Python: the code below a new object's __init__() (3.12 on), whose name is its
 * file.
 */
static int read_codes(const struct python_target *t, struct python_stack *s,
		      const struct innermost *seen)
{
	const struct python_layout *l = &t->image->layout;
	const u64 type = t->image->code_type ? t->image->code_type + t->bias : 0;
	const u64 compared = min(s->copy.size, (u64)COMPARED);
	struct iovec here[WALK_PYTHON_FRAMES + 4], there[WALK_PYTHON_FRAMES + 4];
	char heads[WALK_PYTHON_FRAMES][CODE_HEAD], now[COMPARED];
	struct innermost again;
	u32 head_of[WALK_PYTHON_FRAMES], i, at, run = 0, nr = 0;
	const char *head;

	/* One may be called many times. */
	for (i = 0; i < s->nr; i++) {
		there[nr] = (struct iovec){ (void *)s->calls[i].code, CODE_HEAD };
		for (at = 0; there[at].iov_base != there[nr].iov_base; at++)
			;
		here[at] = (struct iovec){ heads[at], CODE_HEAD };
		head_of[i] = at;
		nr += at == nr;
	}
	here[nr] = (struct iovec){ now, compared };
	there[nr] = (struct iovec){ (void *)s->copy.addr, compared };
	for (i = 0; i < 2; i++) {
		here[nr + 1 + i] = (struct iovec){ &again.words[i], sizeof(u64) };
		there[nr + 1 + i] = (struct iovec){ (void *)seen->at[i], sizeof(u64) };
	}
	here[nr + 3] = (struct iovec){ again.head, FRAME_HEAD };
	there[nr + 3] = (struct iovec){ (void *)s->innermost, FRAME_HEAD };
	if (process_vm_readv(t->pid, here, nr + 4, there, nr + 4, 0) !=
	    (ssize_t)(nr * CODE_HEAD + compared + sizeof(again.words) + FRAME_HEAD))
		return -EFAULT;
	if (!compared || memcmp(now, s->copy.bytes, compared) || !is_copied(l, s, heads[0]) ||
	    memcmp(again.words, seen->words, sizeof(again.words)) ||
	    memcmp(again.head, seen->head, FRAME_HEAD))
		return -EAGAIN;
	for (i = 0, nr = 0; i < s->nr; i++) {
		head = heads[head_of[i]];
		if (type && word_in(head, CODE_HEAD, PYTHON_OBJECT_TYPE) != type)
			return -EAGAIN;
		for (; run < s->nr_runs && s->runs[run].end == i; run++)
			s->runs[run].end = nr;
		s->calls[nr] = s->calls[i];
		s->calls[nr].name = word_in(head, CODE_HEAD, l->code_name);
		s->calls[nr].lines = word_in(head, CODE_HEAD, l->code_lines);
		nr += s->calls[nr].name != word_in(head, CODE_HEAD, l->code_file);
	}
	for (; run < s->nr_runs; run++)
		s->runs[run].end = nr;
	s->nr = nr;
	return 0;
}

static void end_run(struct python_stack *s, u64 native)
{
	s->runs[s->nr_runs++] = (struct python_run){ native, s->nr };
}

int python_stack_read(const struct python_target *t, u64 state, u32 tid, struct python_stack *s)
{
	const struct python_layout *l = &t->image->layout;
	u64 frame, cframe = 0, first, code, instr;
	struct innermost seen;
	u32 left = 2 * WALK_PYTHON_FRAMES;
	const char *head;
	bool is_entry;
	u8 owner;

	s->nr = s->nr_runs = 0;
	s->unsure = false;
	read_state(t, state, s);
	if (word_at(t, s, state + l->thread_native_id) != tid)
		return -ESRCH;
	if (l->thread_cframe) {
		cframe = word_at(t, s, state + l->thread_cframe);
		if (!cframe)
			return 0;
	}
	first = cframe;
	seen.at[1] = cframe ? cframe + l->cframe_frame : state + l->thread_frame;
	seen.at[0] = cframe ? state + l->thread_cframe : seen.at[1];
	frame = word_at(t, s, seen.at[1]);
	seen.words[0] = cframe ?: frame;
	seen.words[1] = frame;
	s->innermost = frame;
	while (frame && left-- && s->nr < WALK_PYTHON_FRAMES && s->nr_runs < WALK_PYTHON_FRAMES) {
		head = view(t, s, frame, FRAME_HEAD);
		if (!head)
			return -EFAULT;
		if (frame == s->innermost)
			memcpy(seen.head, head, FRAME_HEAD);
		owner = word_in(head, FRAME_HEAD, l->frame_owner);
		if (!l->frame_is_entry && owner >= PYTHON_OWNED_BY_C_STACK) {
			end_run(s, frame);
			frame = word_in(head, FRAME_HEAD, l->frame_previous);
			continue;
		}
		/* From 3.14 on the lowest bits are flags. */
		code = word_in(head, FRAME_HEAD, l->frame_code) & ~3ULL;
		instr = word_in(head, FRAME_HEAD, l->frame_instr) - code - l->code_start;
		if (instr >= WALK_PYTHON_NO_LINE)
			instr = (s64)instr < 0 ? WALK_PYTHON_BEGIN : WALK_PYTHON_NO_LINE;
		is_entry = l->frame_is_entry && (u8)word_in(head, FRAME_HEAD, l->frame_is_entry);
		s->calls[s->nr++] = (struct python_call){ .code = code, .instr = instr };
		frame = word_in(head, FRAME_HEAD, l->frame_previous);
		if (!is_entry)
			continue;
		end_run(s, cframe);
		cframe = word_at(t, s, cframe + l->cframe_previous);
		if (cframe && word_at(t, s, cframe + l->cframe_frame) == frame)
			continue;
		if (!cframe || s->nr_runs > 1)
			return -EAGAIN;
		/* A call of the evaluator begins: its frame is not set yet, but left over. */
		s->unsure = true;
		s->nr = s->nr_runs = 0;
		end_run(s, first);
		frame = word_at(t, s, cframe + l->cframe_frame);
		s->innermost = frame;
	}
	return s->nr ? read_codes(t, s, &seen) : 0;
}

static bool read_str(const struct python_target *t, u64 addr, struct walk_str *s, char *room)
{
	const struct python_layout *l = &t->image->layout;
	u64 bytes;

	if (!read_all(t, addr + l->str_length, &s->length, sizeof(s->length)) ||
	    !read_all(t, addr + l->str_state, &s->state, sizeof(s->state)))
		return false;
	bytes = min(s->length, (u64)WALK_NAME) * (s->state >> 2 & 7);
	s->bytes = min(bytes, WALK_NAME - 1ULL);
	addr += s->state & 1 << 6 ? l->str_ascii : l->str_wide;
	return read_all(t, addr, room, s->bytes);
}

bool python_code_read(const struct python_target *t, const struct python_call *call,
		      struct walk_code *code)
{
	const struct python_layout *l = &t->image->layout;

	code->nr_lines = min(word_of(t, call->lines + l->bytes_size), WALK_LINES - 1ULL);
	return read_all(t, call->code + l->code_first_line, &code->first_line,
			   sizeof(code->first_line)) &&
	       read_str(t, call->name, &code->name, code->name_room) &&
	       read_str(t, word_of(t, call->code + l->code_file), &code->file, code->file_room) &&
	       read_all(t, call->lines + l->bytes_data, code->lines, code->nr_lines);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The stack of Python functions of a thread that stands still: what tells that it is the sample's.
 * The "process" is this one; the layout is that of no version.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/python.h"
#include "unit.h"

#define TID	7
#define CODE	256			/* bytes of a code object */
#define START	156			/* its instructions are the last 100 */

static struct python_image image = {
	.layout = {
		.thread_native_id = 0, .thread_cframe = 8, .cframe_frame = 0, .cframe_previous = 8,
		.frame_previous = 0, .frame_code = 8, .frame_instr = 16, .frame_owner = 24,
		.frame_is_entry = 25, .code_name = 24, .code_file = 32, .code_lines = 40,
		.code_start = START,
	},
};
static struct python_target target = { .image = &image };
static struct python_stack s;
static u64 thread[64];
static u64 stack[96];			/* calls of the evaluator are at OUTER and INNER */
static u64 copy[18 + ARRAY_SIZE(stack)]; /* registers, size, stack */
static char *pages, *codes;

#define OUTER	(&stack[80])
#define INNER	(&stack[40])

static u64 code(u32 nr)
{
	return (uintptr_t)codes + nr * CODE;
}

/* Make a frame. Return: its address */
static u64 frame(u32 page, u32 at, u64 previous, u32 code_nr, bool is_entry)
{
	char *p = pages + page * PYTHON_PAGE + at;

	memcpy(p, (u64[]){ previous, code(code_nr), code(code_nr) + START + 20 }, 24);
	p[25] = is_entry;
	return (uintptr_t)p;
}

static void cframe(u64 *at, u64 its_frame, u64 *previous)
{
	at[0] = its_frame;
	at[1] = (uintptr_t)previous;
}

static int read_stack(void)
{
	memcpy(copy + 18, stack, sizeof(stack));
	s.copy = (struct python_memory){ (uintptr_t)stack, sizeof(stack), (char *)(copy + 18) };
	s.regs = (char *)copy;
	return python_stack_read(&target, (uintptr_t)thread, TID, &s);
}

/* Functions 0 to 2, of one call of the evaluator, whose frames are far from each other. */
static int setup(void **state __unused)
{
	static u64 root[2];
	u64 outer;
	u32 i;

	target.pid = getpid();
	pages = mmap(NULL, 32 * PYTHON_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	codes = pages + 30 * PYTHON_PAGE;
	for (i = 0; i < 8; i++)
		memcpy((char *)code(i) + 16, (u64[]){ 50, i + 1 }, 16);
	memset(stack, 0, sizeof(stack));
	memset(copy, 0, sizeof(copy));
	outer = frame(5, 64, frame(20, 64, 0, 2, true), 1, false);
	cframe(OUTER, frame(10, 64, outer, 0, false), root);
	thread[0] = TID;
	thread[1] = (uintptr_t)OUTER;
	return 0;
}

static int teardown(void **state __unused)
{
	return munmap(pages, 32 * PYTHON_PAGE);
}

TEST_WITH(instruction, setup, teardown)
{
	assert_int_equal(read_stack(), -EAGAIN);
	stack[3] = code(1) + START + 8;
	assert_int_equal(read_stack(), -EAGAIN);
	copy[4] = code(0) + START + 8;
	assert_int_equal(read_stack(), 0);
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.calls[2].name, 3);
	assert_false(s.unsure);
}

TEST_WITH(function_that_ends, setup, teardown)
{
	stack[3] = frame(10, 256, OUTER[0], 3, false);
	assert_int_equal(read_stack(), 0);
	assert_false(s.unsure);
}

TEST_WITH(function_that_begins, setup, teardown)
{
	stack[3] = OUTER[0];
	assert_int_equal(read_stack(), -EAGAIN);
	copy[4] = OUTER[0];
	assert_int_equal(read_stack(), 0);
	assert_true(s.unsure);
}

/* Its frame is left over from an earlier call. */
TEST_WITH(evaluator_that_begins, setup, teardown)
{
	cframe(INNER, frame(12, 0, 0, 4, true), OUTER);
	thread[1] = (uintptr_t)INNER;
	stack[60] = code(0) + START + 8;
	assert_int_equal(read_stack(), 0);
	assert_true(s.unsure);
	assert_int_equal(s.nr_runs, 2);
	assert_int_equal(s.runs[0].native, (uintptr_t)INNER);
	assert_int_equal(s.runs[0].end, 0);
	assert_int_equal(s.runs[1].end, 3);
	/* The outer one's is, too: that is nobody's stack. */
	cframe(OUTER, frame(13, 0, 1, 4, true), (u64 *)OUTER[1]);
	assert_int_equal(read_stack(), -EAGAIN);
}

TEST_WITH(function_called_twice, setup, teardown)
{
	frame(5, 64, frame(20, 64, 0, 0, true), 0, false);
	copy[4] = code(0) + START + 8;
	assert_int_equal(read_stack(), 0);
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.calls[0].name, 1);
	assert_int_equal(s.calls[2].name, 1);
}

/* The parser is deeper than a copy is long: nothing tells what was called since. */
TEST_WITH(stack_deeper_than_its_copy, setup, teardown)
{
	copy[4] = code(0) + START + 8;
	assert_int_equal(read_stack(), 0);
	assert_false(s.unsure);
	s.copy.size = (char *)OUTER - (char *)stack;
	assert_int_equal(python_stack_read(&target, (uintptr_t)thread, TID, &s), 0);
	assert_true(s.unsure);
}

/* The word that tells the innermost frame is where its page is put, which has the caller. */
TEST_WITH(function_that_ends_meanwhile, setup, teardown)
{
	u64 *at = (u64 *)&s.rooms[2][1024];

	s.innermost = 0;
	cframe(at, OUTER[0], (u64 *)OUTER[1]);
	thread[1] = (uintptr_t)at;
	cframe((u64 *)(pages + 10 * PYTHON_PAGE + 1024), OUTER[0], (u64 *)OUTER[1]);
	assert_int_equal(read_stack(), 0);
	cframe(at, OUTER[0], (u64 *)OUTER[1]);
	*(u64 *)(pages + 10 * PYTHON_PAGE + 1024) = (uintptr_t)pages + 5 * PYTHON_PAGE + 64;
	s.innermost = 0;
	assert_int_equal(read_stack(), -EAGAIN);
}

UNIT_MAIN(NULL, NULL)

// SPDX-License-Identifier: GPL-2.0
/*
 * DWARF unwinding: of a recorded stack, on any machine; of this program's own, where that is
 * one of x86, copied as the kernel copies it, through every kind of frame that compilers
 * make; and of stacks that are none.
 */
#include <dwarf.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "session/session.h"
#include "symbol/dso.h"
#include "unwind/dwarf_expr.h"
#include "unwind/dwarf_unwind.h"

#define PERF_REGS_MASK 0xff0fffULL	/* those of perf record on x86-64 */
#define NR_REGS 20
#define MAX_IPS 64
#define GOLDEN "tools/testing/golden/c"

static struct dso_table *dsos;
static struct dwarf_unwinder *unwinder;

/* Whose stack is walked. */
struct subject {
	struct timeline *timeline;
	const struct thread *thread;
	u64 time;
	u32 text;		/* bytes of code around its ip */
	void (*take)(void);	/* a stack of more than 12 frames */
};

/* The task of this program; one of an x86 recording. */
static struct subject own, recorded;
static const struct subject *subject = &own;

/* What a sample would have. */
static u64 regs[NR_REGS];
static u8 stack[1 << 16];
static u64 stack_size;
static enum walk_stop stop;	/* of the last walk */

static u32 unwind_at(u64 size, u64 *ips, u32 max)
{
	struct sample s = {
		.pid = getpid(), .tid = getpid(), .time = 1,
		.user_regs = { .abi = 2, .mask = PERF_REGS_MASK, .regs = regs },
		.user_stack = stack, .user_stack_size = size,
	};

	return dwarf_unwind(unwinder, subject->timeline, subject->thread, &s, subject->time, ips,
			    NULL, max, &stop);
}

static const char *name_of(u64 ip)
{
	const struct space *space = thread_space(subject->timeline, subject->thread, subject->time);
	const struct map *m = space_find(subject->timeline, space, ip, subject->time, NULL);
	const struct symbol *sym;

	if (!m || !m->dso)
		return "[nowhere]";
	sym = dso_find_symbol(m->dso, dso_map_ip(m->dso, ip, m->start, m->pgoff));
	return sym ? sym->name : "[unknown]";
}

static void check_chain(const char *const *want, u32 nr)
{
	u64 ips[MAX_IPS];
	u32 n = unwind_at(stack_size, ips, MAX_IPS), i;

	assert_true(n >= nr);
	for (i = 0; i < nr; i++)
		assert_string_equal(name_of(ips[i]), want[i]);
}

static u64 stack_end;		/* of our own */

#if defined(__x86_64__)
static __attribute__((noinline)) void capture(void)
{
	/* DWARF and ucontext have their own orders; this is <asm/perf_regs.h>'s. */
	static const int order[NR_REGS] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
		REG_EFL, REG_CSGSFS, REG_CSGSFS, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
		REG_R14, REG_R15,
	};
	ucontext_t uc;
	u32 i;

	getcontext(&uc);
	for (i = 0; i < NR_REGS; i++)
		regs[i] = uc.uc_mcontext.gregs[order[i]];
	stack_size = min((u64)sizeof(stack), stack_end - uc.uc_mcontext.gregs[REG_RSP]);
	memcpy(stack, (void *)uc.uc_mcontext.gregs[REG_RSP], stack_size);
	asm volatile("" ::: "memory");
}

/*
 * Frames of several kinds. No tail calls: each must be on the stack. Clang has no
 * frame pointers left out function by function.
 */
#ifdef __clang__
#define FRAME __attribute__((noinline, disable_tail_calls))
#define NO_FP
#else
#define FRAME __attribute__((noipa, optimize("no-optimize-sibling-calls")))
#define NO_FP __attribute__((optimize("omit-frame-pointer")))
#endif

static FRAME NO_FP int leaf(int n)
{
	capture();
	return n + 1;
}

static FRAME int with_frame_pointer(int n)
{
	volatile char room[100];

	room[n % 100] = 1;
	return leaf(n) + room[0];
}

static FRAME NO_FP int variable_room(int n)
{
	volatile char *room = __builtin_alloca(n * 16 + 16);

	room[0] = n;
	return with_frame_pointer(n) + room[0];
}

/* Its CFA is an expression. */
static FRAME __attribute__((force_align_arg_pointer)) int realigned(int n)
{
	volatile _Alignas(64) char room[64];

	room[n % 64] = 1;
	return variable_room(n) + room[1];
}

static FRAME NO_FP int deep(int n)
{
	int below = n ? deep(n - 1) : realigned(3);

	asm volatile("" : "+r"(below));	/* no loop, no tail call */
	return below + 1;
}

static void on_signal(int sig)
{
	realigned(sig);
	asm volatile("");
}

static FRAME NO_FP int interrupted(void)
{
	volatile int x = 1;

	/* The signal comes at an instruction of this function, not in a call. */
	asm volatile("syscall" :: "a"(SYS_tgkill), "D"(getpid()), "S"(getpid()), "d"(SIGUSR1) :
		     "rcx", "r11", "memory");
	return x;
}

static void test_frames(void **state __unused)
{
	static const char *const want[] = {
		"capture", "leaf", "with_frame_pointer", "variable_room", "realigned",
		"deep", "deep", "deep", "deep", "test_frames",
	};
	u64 ips[MAX_IPS];
	u32 n;

	deep(3);
	check_chain(want, ARRAY_SIZE(want));
	/* To the very start of the program. */
	n = unwind_at(stack_size, ips, MAX_IPS);
	assert_true(n < MAX_IPS);
	assert_string_equal(name_of(ips[n - 1]), "_start");
}

/* Nothing is mapped in the first page: a return address there is none, and no entry of the callchain. */
static void test_first_page(void **state __unused)
{
	u64 ips[MAX_IPS], *words = (u64 *)stack;
	u32 i;

	deep(3);
	assert_true(unwind_at(stack_size, ips, MAX_IPS) > 6);
	for (i = 0; i < stack_size / sizeof(u64) && words[i] != ips[5] + 1; i++)
		;
	assert_true(i < stack_size / sizeof(u64));
	words[i] = 3;
	assert_int_equal(unwind_at(stack_size, ips, MAX_IPS), 5);
	words[i] = 0x2000;
	assert_int_equal(unwind_at(stack_size, ips, MAX_IPS), 6);
}

static void test_signal(void **state __unused)
{
	static const char *const want[] = {
		"capture", "leaf", "with_frame_pointer", "variable_room", "realigned", "on_signal",
	};
	struct { u64 handler, flags, restorer, mask; } action;	/* as the kernel has it */
	u64 ips[MAX_IPS];
	u32 n;

	signal(SIGUSR1, on_signal);
	assert_int_equal(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, sizeof(action.mask)), 0);
	interrupted();
	check_chain(want, ARRAY_SIZE(want));
	n = unwind_at(stack_size, ips, MAX_IPS);
	assert_true(n > 8);
	/* The C library's trampoline, no caller of the handler: the function in front of it is not in the chain. */
	assert_int_equal(ips[6], action.restorer);
	assert_string_equal(name_of(ips[7]), "interrupted");
	assert_string_equal(name_of(ips[8]), "test_signal");
}

/* The row of the ret says where %rbp was saved, though it has been loaded from there again. */
asm(".text\n"
    ".type popped, @function\n"
    "popped:	.cfi_startproc\n"
    "	push %rbp\n"
    "	.cfi_def_cfa_offset 16\n"
    "	.cfi_offset %rbp, -16\n"
    "	pop %rbp\n"
    "	.cfi_def_cfa_offset 8\n"
    "popped_ret: ret\n"
    "	.cfi_endproc\n"
    ".size popped, . - popped\n");
extern const char popped_ret[];

static void test_popped(void **state __unused)
{
	static const char *const want[] = {
		"popped", "capture", "leaf", "with_frame_pointer", "variable_room", "realigned", "deep",
	};

	/* As if capture() had called popped(). */
	deep(3);
	stack_size = min(stack_size, (u64)sizeof(stack) - 8);
	memmove(stack + 8, stack, stack_size);
	stack_size += 8;
	memcpy(stack, &regs[8], 8);
	regs[7] -= 8;
	regs[8] = (uintptr_t)popped_ret;
	check_chain(want, ARRAY_SIZE(want));
}

static void take_own(void)
{
	deep(10);
}

static int use_own(void **state __unused)
{
	own.take = take_own;
	subject = &own;
	return 0;
}
#endif

/* A sample that was recorded, and its registers and stack as they were. */
static struct session *session;
static u64 recorded_regs[NR_REGS];
static u8 recorded_stack[4096];
static u64 recorded_size;

static int keep_sample(void *ctx __unused, const struct visit *v)
{
	const struct sample *s = v->sample;

	if (recorded_size || !s->user_stack_size || s->user_stack_size > sizeof(recorded_stack) ||
	    s->user_regs.mask != PERF_REGS_MASK)
		return 0;
	recorded.thread = v->thread;
	recorded.time = v->chain->time;
	memcpy(recorded_regs, s->user_regs.regs, sizeof(recorded_regs));
	memcpy(recorded_stack, s->user_stack, s->user_stack_size);
	recorded_size = s->user_stack_size;
	return 0;
}

static void take_recorded(void)
{
	memcpy(regs, recorded_regs, sizeof(regs));
	memcpy(stack, recorded_stack, recorded_size);
	stack_size = recorded_size;
}

static int use_recorded(void **state __unused)
{
	static const struct session_ops ops = { .sample = keep_sample, .keep_threads = true };
	static const struct session_config cfg = {
		.input = GOLDEN "/deepsys.dwarf.data", .symbols = { .symfs = GOLDEN "/symfs" },
		.no_unwind = true, .no_progress = true,
	};

	if (!session && (error_report(session_open(&cfg, &session)) || session_run(session, &ops, NULL)))
		return -1;
	recorded.timeline = session->timeline;
	recorded.text = 0x1000;
	recorded.take = take_recorded;
	subject = &recorded;
	return recorded_size ? 0 : -1;
}

static int use_none(void **state __unused)
{
	subject = &own;
	return 0;
}

/* The golden recording's program, from its system call to its start. */
static void test_recorded_chain(void **state __unused)
{
	static const char *const want[] = {
		"read_zeroes", "descend", "descend", "descend", "descend", "descend", "descend",
		"descend", "descend", "descend", "descend", "descend", "descend", "descend",
		"tiny_main", "tiny_start", "_start",
	};
	u64 ips[MAX_IPS];

	subject->take();
	check_chain(want, ARRAY_SIZE(want));
	assert_int_equal(unwind_at(stack_size, ips, MAX_IPS), ARRAY_SIZE(want));
	assert_int_equal(stop, WALK_OUTERMOST);
}

/* A shorter copy gives the start of the same chain. */
static void test_short_copies(void **state __unused)
{
	u64 whole[MAX_IPS], ips[MAX_IPS], size;
	u32 all, n, before = 1;		/* the ip itself, if there is any copy */

	subject->take();
	all = unwind_at(stack_size, whole, MAX_IPS);
	assert_int_equal(unwind_at(0, ips, MAX_IPS), 0);
	for (size = 8; size < 4096; size += 8) {
		n = unwind_at(size, ips, MAX_IPS);
		assert_true(n >= before && n <= all);
		/* Callers that need nothing of the stack are not cut. */
		assert_int_equal(stop, n == all ? WALK_OUTERMOST : WALK_COPY_END);
		assert_memory_equal(ips, whole, n * sizeof(u64));
		before = n;
	}
	assert_true(before > 12);
}

static void test_max(void **state __unused)
{
	u64 ips[MAX_IPS];
	u32 max;

	subject->take();
	for (max = 0; max < 10; max++)
		assert_int_equal(unwind_at(stack_size, ips, max), max);
	assert_int_equal(stop, WALK_LIMIT);
}

static void test_nothing(void **state __unused)
{
	struct sample s = { .user_regs = { .abi = 2, .mask = 1 << 7, .regs = regs } };
	u64 ips[4];

	assert_int_equal(dwarf_unwind(unwinder, own.timeline, own.thread, &s, 1, ips, NULL, 4,
				      &stop), 0);
	s.user_regs.abi = 0;
	s.user_regs.mask = PERF_REGS_MASK;
	assert_int_equal(dwarf_unwind(unwinder, own.timeline, own.thread, &s, 1, ips, NULL, 4,
				      &stop), 0);
	/* Registers without a stack. */
	s.user_regs.abi = 2;
	assert_int_equal(dwarf_unwind(unwinder, own.timeline, own.thread, &s, 1, ips, NULL, 4,
				      &stop), 0);
}

/* Stacks full of our own code addresses, of random words, of pointers to themselves. */
static void test_hostile(void **state __unused)
{
	unsigned int seed = 7;
	u64 ips[MAX_IPS], save[NR_REGS], *words = (u64 *)stack;
	u32 round, i, nr;

	subject->take();
	memcpy(save, regs, sizeof(save));
	for (round = 0; round < 3000; round++) {
		memcpy(regs, save, sizeof(save));
		for (i = 0; i < 512; i++) {
			switch (rand_r(&seed) % 4) {
			case 0:
				words[i] = save[8] + rand_r(&seed) % subject->text - subject->text / 2;
				break;
			case 1:
				words[i] = regs[7] + 8 * (rand_r(&seed) % 512);
				break;
			case 2:
				words[i] = (u64)rand_r(&seed) << 33 ^ rand_r(&seed);
				break;
			}
		}
		for (i = 0; i < NR_REGS; i++)
			if (rand_r(&seed) % 8 == 0)
				regs[i] = words[rand_r(&seed) % 512];
		nr = unwind_at(4096, ips, MAX_IPS);
		assert_true(nr >= 1 && nr <= MAX_IPS);
	}
	/* A stack pointer at the top of the address space. */
	memcpy(regs, save, sizeof(save));
	regs[7] = -8;
	nr = unwind_at(4096, ips, MAX_IPS);
	assert_true(nr >= 1 && nr <= MAX_IPS);
}

/* A JIT's code has no tables: its frame pointer is followed into code that is mapped. */
static void test_frame_pointer(void **state __unused)
{
	u64 ips[MAX_IPS], *words = (u64 *)stack, code = 0x10000000;
	struct map_info m = {
		.pid = getpid(), .tid = getpid(), .start = code, .len = 0x1000, .name = "//anon",
		.prot = PROT_READ | PROT_EXEC, .record_size = sizeof(m),
	};

	timeline_map_record(own.timeline, &m, 0);
	timeline_seal_until(own.timeline, UINT64_MAX);
	memset(regs, 0, sizeof(regs));
	memset(stack, 0, sizeof(stack));
	regs[8] = code + 0x10;			/* ip */
	regs[7] = 0x7000;			/* sp */
	regs[6] = 0x7010;			/* bp */
	words[2] = 0x7020;
	words[3] = code + 0x20;
	words[4] = 0x7010;			/* backwards: not a caller's frame */
	words[5] = code + 0x30;
	assert_int_equal(unwind_at(4096, ips, MAX_IPS), 3);
	assert_int_equal(ips[1], code + 0x1f);
	assert_int_equal(ips[2], code + 0x2f);
	/* What it leads to must be code. */
	words[3] = 0x12345;
	assert_int_equal(unwind_at(4096, ips, MAX_IPS), 1);
	/* A call through a wild pointer has pushed where it came from. */
	regs[8] = 0;
	words[0] = code + 0x40;
	assert_int_equal(unwind_at(4096, ips, MAX_IPS), 2);
	assert_int_equal(ips[1], code + 0x3f);
}

static bool read_none(void *ctx __unused, u64 addr, u32 size __unused, u64 *v)
{
	*v = addr + 1;
	return addr == 0x100;
}

static bool eval(const Dwarf_Op *ops, size_t nr, u64 *v)
{
	static const u64 r[CFI_REGS] = { [7] = 0x1000, [16] = 0x400b };
	struct dwarf_expr_context x = {
		.regs = r, .known = 1 << 7 | 1 << 16, .cfa = 0x2000, .has_cfa = true, .word = 8,
		.read = read_none,
	};
	struct cfi_expr e = { ops, nr };

	return dwarf_expr_eval(&e, &x, v);
}

static void test_expr(void **state __unused)
{
	/* What ld writes for the stubs of the procedure linkage table. */
	static const Dwarf_Op plt[] = {
		{ DW_OP_breg7, 8, 0, 0 }, { DW_OP_breg16, 0, 0, 2 }, { DW_OP_lit15, 0, 0, 4 },
		{ DW_OP_and, 0, 0, 5 }, { DW_OP_lit11, 0, 0, 6 }, { DW_OP_ge, 0, 0, 7 },
		{ DW_OP_lit3, 0, 0, 8 }, { DW_OP_shl, 0, 0, 9 }, { DW_OP_plus, 0, 0, 10 },
	};
	static const Dwarf_Op unknown_reg[] = { { DW_OP_breg3, 0, 0, 0 } };
	static const Dwarf_Op underflow[] = { { DW_OP_plus, 0, 0, 0 } };
	static const Dwarf_Op loop[] = { { DW_OP_nop, 0, 0, 0 }, { DW_OP_skip, (u64)-4, 0, 1 } };
	static const Dwarf_Op divide[] = {
		{ DW_OP_lit1, 0, 0, 0 }, { DW_OP_lit0, 0, 0, 1 }, { DW_OP_div, 0, 0, 2 },
	};
	static const Dwarf_Op min_div[] = {
		{ DW_OP_const8u, 1ULL << 63, 0, 0 }, { DW_OP_consts, (u64)-1, 0, 9 },
		{ DW_OP_div, 0, 0, 11 },
	};
	static const Dwarf_Op deref[] = { { DW_OP_constu, 0x100, 0, 0 }, { DW_OP_deref, 0, 0, 3 } };
	static const Dwarf_Op wild[] = { { DW_OP_constu, 0x108, 0, 0 }, { DW_OP_deref, 0, 0, 3 } };
	static const Dwarf_Op branch[] = {
		{ DW_OP_lit5, 0, 0, 0 }, { DW_OP_lit1, 0, 0, 1 }, { DW_OP_bra, 1, 0, 2 },
		{ DW_OP_lit9, 0, 0, 5 }, { DW_OP_call_frame_cfa, 0, 0, 6 }, { DW_OP_plus, 0, 0, 7 },
	};
	static Dwarf_Op overflow[200];
	u64 v = 0;
	u32 i;

	assert_true(eval(plt, ARRAY_SIZE(plt), &v));
	assert_int_equal(v, 0x1010);
	assert_true(eval(branch, ARRAY_SIZE(branch), &v));
	assert_int_equal(v, 0x2005);
	assert_true(eval(deref, ARRAY_SIZE(deref), &v));
	assert_int_equal(v, 0x101);
	assert_true(eval(min_div, ARRAY_SIZE(min_div), &v));
	assert_int_equal(v, 1ULL << 63);
	assert_false(eval(wild, ARRAY_SIZE(wild), &v));
	assert_false(eval(unknown_reg, ARRAY_SIZE(unknown_reg), &v));
	assert_false(eval(underflow, ARRAY_SIZE(underflow), &v));
	assert_false(eval(loop, ARRAY_SIZE(loop), &v));
	assert_false(eval(divide, ARRAY_SIZE(divide), &v));
	assert_false(eval(NULL, 0, &v));
	for (i = 0; i < ARRAY_SIZE(overflow); i++)
		overflow[i] = (Dwarf_Op){ DW_OP_lit1, 0, 0, i };
	assert_false(eval(overflow, ARRAY_SIZE(overflow), &v));
}

static void read_map(const void *rec, struct map_info *m)
{
	*m = *(const struct map_info *)rec;
}

static int set_up(void **state __unused)
{
	static struct arena records;
	char line[PATH_MAX + 128], perms[8];
	FILE *f = fopen("/proc/self/maps", "r");

	if (!f)
		return -1;
	dsos = dso_table_create(NULL);
	own.timeline = timeline_create(dsos);
	timeline_records(own.timeline, read_map, NULL, NULL);
	own.time = 1;
	own.text = 0x10000;
	timeline_comm(own.timeline, getpid(), getpid(), "dwarf", true, 0);
	while (fgets(line, sizeof(line), f)) {
		struct map_info m = { .pid = getpid(), .tid = getpid(), .record_size = sizeof(m) };
		char name[PATH_MAX] = "";
		u64 end;

		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4095s", &m.start, &end, perms,
			   &m.pgoff, name) < 4 || !*name)
			continue;
		if (!strcmp(name, "[stack]"))
			stack_end = end;
		m.len = end - m.start;
		m.prot = PROT_READ | (perms[2] == 'x' ? PROT_EXEC : 0);
		m.name = arena_strndup(&records, name, strlen(name));
		timeline_map_record(own.timeline,
				    memcpy(arena_alloc(&records, sizeof(m)), &m, sizeof(m)), 0);
	}
	fclose(f);
	timeline_seal_until(own.timeline, UINT64_MAX);
	own.thread = timeline_thread(own.timeline, getpid(), getpid(), 1);
	unwinder = dwarf_unwinder_create(false);
	return 0;
}

static int tear_down(void **state __unused)
{
	dwarf_unwinder_destroy(unwinder);
	if (session)
		session_close(session);
	timeline_destroy(own.timeline);
	dso_table_destroy(dsos);
	return 0;
}

#define RECORDED(test) { "recorded: " #test, test, use_recorded, use_none, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_first_page),
		cmocka_unit_test(test_signal), cmocka_unit_test(test_popped),
		cmocka_unit_test_setup_teardown(test_short_copies, use_own, use_none),
		cmocka_unit_test_setup_teardown(test_max, use_own, use_none),
		cmocka_unit_test_setup_teardown(test_hostile, use_own, use_none),
#endif
		RECORDED(test_recorded_chain), RECORDED(test_short_copies), RECORDED(test_max),
		RECORDED(test_hostile),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_frame_pointer),
		cmocka_unit_test(test_expr),
	};

	return cmocka_run_group_tests_name("dwarf", tests, set_up, tear_down);
}

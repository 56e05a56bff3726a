// SPDX-License-Identifier: GPL-2.0
/* Calls of code without a frame pointer, whose table is made by hand. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>

#include "bare.h"
#include "test.h"

#ifdef __x86_64__

/* Returns the address that it returns to. Position-independent. */
asm(".pushsection .text\n"
    ".globl bare_text, bare_ip, bare_end\n"
    ".type bare_text, @function\n"
    "bare_text:\n"
    "	push	%rbp\n"
    "	sub	$32, %rsp\n"
    "	xor	%ebp, %ebp\n"
    "	mov	$110, %eax\n"		/* getppid */
    "	syscall\n"
    "bare_ip:\n"
    "	mov	40(%rsp), %rax\n"
    "	add	$32, %rsp\n"
    "	pop	%rbp\n"
    "	ret\n"
    "bare_end:\n"
    ".size bare_text, . - bare_text\n"
    ".popsection\n");
_Static_assert(SYS_getppid == 110, "the number in bare_text");
#define FRAME	16

#elif defined(__aarch64__)

asm(".pushsection .text\n"
    ".globl bare_text, bare_ip, bare_end\n"
    ".type bare_text, @function\n"
    "bare_text:\n"
    "	sub	sp, sp, 48\n"
    "	stp	x29, x30, [sp, 16]\n"
    "	mov	x29, 0\n"
    "	mov	x8, 173\n"		/* getppid */
    "	svc	0\n"
    "bare_ip:\n"
    "	ldp	x29, x30, [sp, 16]\n"
    "	add	sp, sp, 48\n"
    "	mov	x0, x30\n"
    "	ret\n"
    "bare_end:\n"
    ".size bare_text, . - bare_text\n"
    ".popsection\n");
_Static_assert(SYS_getppid == 173, "the number in bare_text");
#define FRAME	32

#else

/* 32-bit code is walked as if there were no tables. */
asm(".pushsection .text\n"
    ".globl bare_text, bare_ip, bare_end\n"
    ".type bare_text, @function\n"
    "bare_text:\n"
    "	push	%ebp\n"
    "	sub	$32, %esp\n"
    "	xor	%ebp, %ebp\n"
    "	mov	$64, %eax\n"
    "	int	$0x80\n"
    "bare_ip:\n"
    "	mov	36(%esp), %eax\n"
    "	add	$32, %esp\n"
    "	pop	%ebp\n"
    "	ret\n"
    "bare_end:\n"
    ".size bare_text, . - bare_text\n"
    ".popsection\n");
_Static_assert(SYS_getppid == 64, "the number in bare_text");
#define FRAME	16

#endif

struct table bare_table_with(u64 off, struct unwind_table_rule rule)
{
	struct table_code code[] = {
		{ off, ENTRY_RULE },
		{ off + (bare_ip - bare_text), rule },
		{ off + (bare_end - bare_text), { .kind = UNWIND_TABLE_UNKNOWN } },
	};

	return table_make(code, ARRAY_SIZE(code));
}

struct table bare_table(u64 off)
{
	return bare_table_with(off, (struct unwind_table_rule){
		.kind = UNWIND_TABLE_CFA, .reg = DWARF_SP, .off = 48,
		.fp = UNWIND_TABLE_FP_CFA, .fp_off = -FRAME, RA_IN_FRAME(FRAME)
	});
}

u64 bare_offset(void)
{
	return exe_offset((unsigned long)bare_text);
}

static noinline void leaf(struct path *p, void *data)
{
	const char *text = data;
	unsigned long (*fn)(void);

	memcpy(&fn, &text, sizeof(fn));
	path_enter(p);
	p->ra[p->nr_ra] = fn();
	p->nr_ra++;
	path_note(p, (unsigned long)(text + (bare_ip - bare_text)));
	p->nr_ra--;
	path_leave(p);
}

void bare_run(struct path *p, int depth, const char *text)
{
	p->leaf = PATH_CALL;
	p->fn = leaf;
	p->data = (void *)text;
	path_run(p, depth);
}

void bare_watch(struct recorder *r, pid_t pid)
{
	struct perf_event_attr attr;
	int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < 2; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(r, &attr, pid, -1, i ? -1 : 5);
	}
	recorder_filter_syscall(r, SYS_getppid);
	recorder_enable(r);
}

struct bare_seen bare_take(struct recorder *r, const struct path *p)
{
	struct bare_seen seen = { 0 };
	struct chain chain;
	int i;

	recorder_disable(r);
	recorder_read(r);
	for (i = 0; i < r->nr; i++) {
		if (r->rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		chain = recorder_chain(r, i);
		if (path_matches(p, &chain))
			seen.whole++;
		else if (chain.nr == 1 && chain.ip[0] == p->want[0])
			seen.cut++;
		else if (!seen.other++)
			path_is(p, &chain);
	}
	recorder_close(r);
	return seen;
}

struct bare_seen bare_once(const char *text)
{
	struct bare_seen seen;
	struct path p = { 0 };
	struct recorder r;

	bare_watch(&r, 0);
	bare_run(&p, 5, text);
	seen = bare_take(&r, &p);
	path_free(&p);
	return seen;
}

bool bare_is_whole(void)
{
	struct bare_seen seen = bare_once(bare_text);

	return seen.whole == 2 && !seen.cut && !seen.other;
}

bool bare_is_cut(void)
{
	struct bare_seen seen = bare_once(bare_text);

	return seen.cut == 2 && !seen.whole && !seen.other;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A user stack is whatever the user wrote there. The walk must end, soon,
 * and nothing but what the program itself could read may come out.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bare.h"
#include "hostile.h"
#include "stats.h"
#include "test.h"

#ifdef __x86_64__
asm(".pushsection .text\n"
    ".globl hostile, hostile_ip\n"
    ".type hostile, @function\n"
    "hostile:\n"
    "	push	%rbp\n"
    "	push	%rbx\n"
    "	mov	%rsp, %rbx\n"
    "	mov	%rdx, %rsp\n"
    "	mov	%rdi, %rbp\n"
    "	mov	%rsi, %rax\n"
    "	syscall\n"
    "hostile_ip:\n"
    "	mov	%rbx, %rsp\n"
    "	pop	%rbx\n"
    "	pop	%rbp\n"
    "	ret\n"
    ".size hostile, . - hostile\n"
    ".popsection\n");
#elif defined(__aarch64__)
asm(".pushsection .text\n"
    ".globl hostile, hostile_ip\n"
    ".type hostile, @function\n"
    "hostile:\n"
    "	stp	x29, x30, [sp, -32]!\n"
    "	str	x19, [sp, 16]\n"
    "	mov	x19, sp\n"
    "	mov	sp, x2\n"
    "	mov	x29, x0\n"
    "	mov	x8, x1\n"
    "	svc	0\n"
    "hostile_ip:\n"
    "	mov	sp, x19\n"
    "	ldr	x19, [sp, 16]\n"
    "	ldp	x29, x30, [sp], 32\n"
    "	ret\n"
    ".size hostile, . - hostile\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl hostile, hostile_ip\n"
    ".type hostile, @function\n"
    "hostile:\n"
    "	push	%ebp\n"
    "	push	%ebx\n"
    "	mov	%esp, %ebx\n"
    "	mov	12(%esp), %ebp\n"
    "	mov	16(%esp), %eax\n"
    "	mov	20(%esp), %esp\n"
    "	int	$0x80\n"
    "hostile_ip:\n"
    "	mov	%ebx, %esp\n"
    "	pop	%ebx\n"
    "	pop	%ebp\n"
    "	ret\n"
    ".size hostile, . - hostile\n"
    ".popsection\n");
#endif

struct shape {
	const char *name;
	unsigned long fp;
	int nr;			/* of entries expected, the ip with them; 0: at most that of a chain */
	u64 want[4];
};

/* Below every frame that the tests make up. */
static char *low_stack;

static void add_events(struct recorder *r)
{
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < 3; i++) {
		attr_syscall(&attr, i == 2);
		attr_defer(&attr);
		recorder_add(r, &attr, 0, -1, i ? -1 : 8);
	}
	recorder_filter_syscall(r, SYS_getppid);
}

static void try_shape(const struct shape *s)
{
	/* Opened once: closing an event takes time. */
	static struct recorder r;
	int i, j, samples = 0, bad = 0;
	struct chain chain;

	if (!r.nr_events)
		add_events(&r);
	recorder_enable(&r);
	for (i = 0; i < 5; i++)
		hostile(s->fp, SYS_getppid, low_stack);
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		chain = recorder_chain(&r, i);
		samples++;
		if (chain.state == CHAIN_ORPHAN || chain.nr < 1 || chain.nr > 127 ||
		    chain.ip[0] != (unsigned long)hostile_ip)
			bad++;
		else if (s->nr && (chain.nr != s->nr || memcmp(chain.ip, s->want, 8 * s->nr)))
			bad++;
		for (j = 0; j < chain.nr; j++)
			bad += chain.ip[j] > USER_END;
		bad += r.rec[i].is_dup_context;
		if (bad == 1) {
			diag("chain of %d", chain.nr);
			for (j = 0; j < chain.nr && j < 6; j++)
				diag("  %#llx", (unsigned long long)chain.ip[j]);
		}
	}
	ok(samples == 15 && !bad, "%s: %d samples, %d wrong", s->name, samples, bad);
	recorder_clear(&r);
}

TEST(hostile, "stacks that are wrong: unmapped, looping, in the kernel, ...")
{
	size_t page = sysconf(_SC_PAGESIZE);
	u64 ip = (unsigned long)hostile_ip;
	struct frame *f;
	char *mem = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	unsigned int i;

	if (mem == MAP_FAILED)
		die("mmap");
	memset(mem, 0, 4 * page);
	f = (struct frame *)mem;
	low_stack = (char *)&f[1];
	/* A good frame that leads on to a given one. */
	#define LEAD(n, to) (f[10 + n].next = (unsigned long)(to), f[10 + n].ret = 0x1000 + (n), \
			     (unsigned long)&f[10 + n])
	f[100] = (struct frame){ (unsigned long)&f[100], 0x5000 };	/* itself */
	f[110] = (struct frame){ (unsigned long)&f[112], 0x5100 };	/* two in a circle */
	f[112] = (struct frame){ (unsigned long)&f[110], 0x5200 };
	f[122] = (struct frame){ (unsigned long)&f[120], 0x5300 };	/* downward */
	f[120] = (struct frame){ (unsigned long)&f[125], 0x5400 };
	mprotect(mem + 2 * page, page, PROT_NONE);

	struct shape shapes[] = {
		{ "frame pointer 0", 0, 1, { ip } },
		{ "unmapped", 0x10000, 1, { ip } },
		{ "the last word of the address space", -sizeof(long), 1, { ip } },
		{ "misaligned, unmapped", 0x10001, 1, { ip } },
		{ "itself", (unsigned long)&f[100], 2, { ip, 0x5000 } },
		{ "two frames in a circle", (unsigned long)&f[110], 3, { ip, 0x5100, 0x5200 } },
		{ "downward", (unsigned long)&f[122], 2, { ip, 0x5300 } },
		{ "no access", (unsigned long)mem + 2 * page, 1, { ip } },
		{ "half of the frame without access",
		  (unsigned long)mem + 2 * page - sizeof(long), 1, { ip } },
		{ "beyond the end of the mapping", LEAD(1, mem + 16 * page), 2, { ip, 0x1001 } },
		{ "then no access", LEAD(2, mem + 2 * page), 2, { ip, 0x1002 } },
#ifdef __LP64__
		{ "not canonical", 0x8000000000000000UL, 1, { ip } },
		{ "just not canonical", 0x0000800000000000UL, 1, { ip } },
		{ "the end of user space", 0x00007ffffffff000UL - 8, 1, { ip } },
		{ "kernel text", 0xffffffff81000000UL, 1, { ip } },
		{ "the direct map", 0xffff888000001000UL, 1, { ip } },
		{ "then kernel text", LEAD(3, 0xffffffff81000000UL), 2, { ip, 0x1003 } },
		{ "then the direct map", LEAD(4, 0xffff888000001000UL), 2, { ip, 0x1004 } },
		{ "then not canonical", LEAD(5, 0x8000000000000000UL), 2, { ip, 0x1005 } },
#else
		{ "above 3 GB", 0xc0000000UL, 0, { 0 } },
		{ "then the last page", LEAD(3, 0xfffff000UL), 2, { ip, 0x1003 } },
#endif
	};
	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		try_shape(&shapes[i]);

	/* Return addresses that look like something else. */
	f[200] = (struct frame){ 0, (unsigned long)PERF_CONTEXT_USER };
	f[202] = (struct frame){ 0, (unsigned long)CONTEXT_USER_DEFERRED };
#ifdef __LP64__
	f[204] = (struct frame){ 0, 0xffffffff81000000UL };
	struct shape ret[] = {
		{ "a return address that reads like a context marker", (unsigned long)&f[200], 0, { 0 } },
		{ "... like the deferred marker", (unsigned long)&f[202], 0, { 0 } },
		{ "... into the kernel", (unsigned long)&f[204], 0, { 0 } },
	};
	for (i = 0; i < ARRAY_SIZE(ret); i++)
		try_shape(&ret[i]);
#endif
}

#ifdef __aarch64__

/*
 * hostile() has no rule, and its frame record does not tell the caller's stack pointer. @rule is
 * that of the caller, and of its caller.
 */
static void try_rule(const struct unwind_table_rule *rule, const struct shape *s)
{
	struct table t = bare_table_with(bare_offset(), *rule);
	int event = table_owner();

	if (table_add_file(event, "/proc/self/exe", &t))
		die("table");
	try_shape(s);
	close(event);
	table_free(&t);
}

TEST(tablerecord, "arm64: the caller of a frame record, whose stack pointer is not known")
{
	static const struct unwind_table_rule with_record = {
		.kind = UNWIND_TABLE_CFA, .reg = DWARF_SP, .off = 48,
		.fp = UNWIND_TABLE_FP_CFA, .fp_off = -32, .arg = -24,
	}, others[] = {
		{ .kind = UNWIND_TABLE_CFA, .reg = DWARF_SP, .off = 16, .arg = -16 },
		{ .kind = UNWIND_TABLE_CFA, .reg = DWARF_SP, .off = 48,
		  .fp = UNWIND_TABLE_FP_CFA, .fp_off = -32, .arg = -16 },
		ENTRY_RULE,
		{ .kind = UNWIND_TABLE_SIGNAL, .reg = DWARF_SP, .off = 128 },
	};
	static const char *const what[] = {
		"no frame record", "two registers that are none", "a leaf", "a signal's trampoline",
	};
	/* Return addresses in code with the rule, and behind hostile() in code without one. */
	u64 ip = (unsigned long)hostile_ip, a = (unsigned long)bare_ip + 4, b = a + 4, tables;
	struct frame f[128] = { 0 };
	struct shape s = { "a frame record", (unsigned long)&f[10], 4, { ip, a, b, ip + 4 } };
	unsigned int i;

	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	tables = stats_read("tables");
	low_stack = (char *)f;
	f[10] = (struct frame){ (unsigned long)&f[20], a };
	/* It ends at &f[22]; the next one has its record 16 bytes above its end. */
	f[20] = (struct frame){ (unsigned long)&f[60], b };
	f[23] = (struct frame){ 0, ip + 4 };
	/* Of a frame further out. */
	f[60] = (struct frame){ 0, ip + 8 };
	try_rule(&with_record, &s);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		s.name = what[i];
		s.nr = 2;
		try_rule(&others[i], &s);
	}
	/* They count until they are freed. */
	while (stats_read("tables") != tables)
		usleep(1000);
}

#endif

static volatile int stop;
static struct frame *moving;

/* Frame 1 is now well, now elsewhere. */
static void *shake(void *data)
{
	unsigned long bad[] = {
		(unsigned long)&moving[4], 0, 1, -1UL, -4096UL, (unsigned long)&moving[0],
		(unsigned long)&moving[1] + 1, (unsigned long)(-1UL >> 1), 0x10000,
	};
	unsigned int i = 0;

	(void)data;
	while (!stop) {
		*(volatile unsigned long *)&moving[2].next = bad[i++ % ARRAY_SIZE(bad)];
		*(volatile unsigned long *)&moving[2].ret = 0x2000 + (i & 1);
	}
	return NULL;
}

TEST(changing, "a stack that another thread changes while it is walked")
{
	char *mem = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct recorder r = { 0 };
	struct chain chain;
	pthread_t thread;
	int i, j, samples = 0, wrong = 0, lengths[9] = { 0 };

	if (mem == MAP_FAILED)
		die("mmap");
	low_stack = mem + 4096;
	moving = (struct frame *)(mem + 8192);
	moving[0] = (struct frame){ (unsigned long)&moving[2], 0x1000 };
	moving[2] = (struct frame){ (unsigned long)&moving[4], 0x2000 };
	moving[4] = (struct frame){ 0, 0x3000 };
	if (pthread_create(&thread, NULL, shake, NULL))
		die("pthread_create");
	add_events(&r);
	recorder_enable(&r);
	for (i = 0; i < 1500; i++) {
		hostile((unsigned long)&moving[0], SYS_getppid, low_stack);
		if (i % 50 == 0)
			recorder_read(&r);
	}
	recorder_disable(&r);
	recorder_read(&r);
	stop = 1;
	pthread_join(thread, NULL);
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		chain = recorder_chain(&r, i);
		if (chain.state == CHAIN_ORPHAN || chain.nr < 3 || chain.nr > 4 ||
		    chain.ip[1] != 0x1000 || (chain.ip[2] & ~1ULL) != 0x2000)
			wrong++;
		for (j = 0; j < chain.nr; j++)
			wrong += chain.ip[j] > USER_END;
		lengths[chain.nr < 8 ? chain.nr : 8]++;
	}
	diag("chains by length: 2: %d, 3: %d, 4: %d, 5: %d, more: %d", lengths[2], lengths[3],
	     lengths[4], lengths[5], lengths[6] + lengths[7] + lengths[8]);
	ok(samples == 4500 - (int)r.lost, "%d samples", samples);
	ok(!wrong, "%d with something else than what was there", wrong);
	recorder_close(&r);

	/* And the walk does see frame 2 when it stays. */
	moving[2] = (struct frame){ (unsigned long)&moving[4], 0x2000 };
	struct shape still = {
		"then left alone", (unsigned long)&moving[0], 4,
		{ (unsigned long)hostile_ip, 0x1000, 0x2000, 0x3000 },
	};
	try_shape(&still);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs that take user stacks, bpf_get_stackid() and bpf_get_stack():
 * as ever, whatever is deferred beside them or on their own event; by unwind tables
 * if there are any.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bare.h"
#include "test.h"

#define ENTRIES		128
#define STACK_ENTRIES	127	/* kernel.perf_event_max_stack */
#define DEPTH		23
#define ROUNDS		10

/* What the program leaves, the one value of an array map. */
struct seen {
	u64 hits;
	int64_t len;			/* of bpf_get_stack(), bytes */
	int64_t id;			/* of bpf_get_stackid() */
	union {
		u64 ip[ENTRIES];
		struct {
			int32_t status;
			uint8_t build_id[20];
			u64 offset;
		} at[ENTRIES / 4];
	};
};

/* Which hits count: the bytes of the program's context that it looks at. */
struct only {
	int offset;
	u64 from, to;			/* from <= value < to */
};

/* Where the fault's address stands in struct bpf_perf_event_data (64-bit). */
#ifdef __aarch64__
#define CTX_ADDR	280
#else
#define CTX_ADDR	176
#endif
/* Where the number stands in raw_syscalls:sys_enter. */
#define CTX_SYSCALL	8

struct bpf {
	int seen, stacks, prog;
};

static int bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

static int map_create(u32 type, u32 value_size, u32 entries)
{
	union bpf_attr attr = {
		.map_type = type, .key_size = 4, .value_size = value_size, .max_entries = entries,
	};
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0) {
		errno = -fd;
		die("map of type %u", type);
	}
	return fd;
}

static int map_lookup(int map, u32 key, void *value)
{
	union bpf_attr attr = {
		.map_fd = map, .key = (unsigned long)&key, .value = (unsigned long)value,
	};

	return bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

static void map_clear(int map)
{
	static const struct seen none;
	u32 key = 0;
	union bpf_attr attr = {
		.map_fd = map, .key = (unsigned long)&key, .value = (unsigned long)&none,
	};

	if (bpf(BPF_MAP_UPDATE_ELEM, &attr))
		die("update of a map");
}

/* The instructions that are needed. */
#define INSN(c, d, s, o, i)	\
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOVI(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADDI(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_DW | BPF_MEM, d, s, o, 0)
#define STORE(d, o, s)	INSN(BPF_STX | BPF_DW | BPF_MEM, d, s, o, 0)
#define STOREI(d, o, i)	INSN(BPF_ST | BPF_W | BPF_MEM, d, 0, o, i)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define EXIT		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define IMM64(d, s, v)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, s, 0, (u32)(v)), \
			INSN(0, 0, 0, 0, (u32)((u64)(v) >> 32))
#define MAP(d, fd)	IMM64(d, BPF_PSEUDO_MAP_FD, fd)
/* To the end, where r0 is set to 1: let the sample be taken. */
#define UNLESS(op, d, s)	INSN(BPF_JMP | (op) | BPF_X, d, s, -1, 0)
#define UNLESSI(op, d, i)	INSN(BPF_JMP | (op) | BPF_K, d, 0, -1, i)

/*
 * A program that counts its hits in this process and, if @flags is not -1,
 * takes the stack.
 */
static struct bpf bpf_load(u32 type, struct only only, long flags)
{
	static char log[16384];
	struct bpf b = {
		.seen = map_create(BPF_MAP_TYPE_ARRAY, sizeof(struct seen), 1),
		.stacks = map_create(BPF_MAP_TYPE_STACK_TRACE, STACK_ENTRIES * 8, 64),
	};
	const struct bpf_insn start[] = {
		MOV(6, 1),
		CALL(get_current_pid_tgid),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
		UNLESSI(BPF_JNE, 0, getpid()),
		LOAD(1, 6, only.offset),
		IMM64(2, 0, only.from),
		UNLESS(BPF_JLT, 1, 2),
		IMM64(2, 0, only.to),
		UNLESS(BPF_JGE, 1, 2),
		STOREI(10, -4, 0),
		MAP(1, b.seen),
		MOV(2, 10),
		ADDI(2, -4),
		CALL(map_lookup_elem),
		UNLESSI(BPF_JEQ, 0, 0),
		MOV(7, 0),
		LOAD(1, 7, offsetof(struct seen, hits)),
		ADDI(1, 1),
		STORE(7, offsetof(struct seen, hits), 1),
	};
	const struct bpf_insn take[] = {
		MOV(1, 6),
		MOV(2, 7),
		ADDI(2, offsetof(struct seen, ip)),
		MOVI(3, sizeof(((struct seen *)0)->ip)),
		MOVI(4, flags),
		CALL(get_stack),
		STORE(7, offsetof(struct seen, len), 0),
		MOV(1, 6),
		MAP(2, b.stacks),
		MOVI(3, BPF_F_USER_STACK),
		CALL(get_stackid),
		STORE(7, offsetof(struct seen, id), 0),
	};
	const struct bpf_insn end[] = { MOVI(0, 1), EXIT };
	struct bpf_insn insn[64];
	int i, nr = 0;
	union bpf_attr attr = {
		.prog_type = type, .insns = (unsigned long)insn, .license = (unsigned long)"GPL",
		.log_buf = (unsigned long)log, .log_size = sizeof(log), .log_level = 1,
	};

	memcpy(insn, start, sizeof(start));
	nr += ARRAY_SIZE(start);
	if (flags != -1) {
		memcpy(insn + nr, take, sizeof(take));
		nr += ARRAY_SIZE(take);
	}
	for (i = 0; i < nr; i++)
		if (insn[i].off == -1 && (insn[i].code & 7) == BPF_JMP)
			insn[i].off = nr - i - 1;
	memcpy(insn + nr, end, sizeof(end));
	attr.insn_cnt = nr + ARRAY_SIZE(end);
	b.prog = bpf(BPF_PROG_LOAD, &attr);
	if (b.prog < 0) {
		diag("%s", log);
		errno = -b.prog;
		die("program");
	}
	return b;
}

static void bpf_close(struct bpf *b)
{
	close(b->prog);
	close(b->seen);
	close(b->stacks);
}

static void bpf_attach(const struct bpf *b, int event)
{
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, b->prog))
		die("PERF_EVENT_IOC_SET_BPF");
}

/*
 * What the program's last hit saw is the path. @marked: the program took it
 * from the sample's callchain, as of old with the marker before it.
 */
static void check_seen(const struct bpf *b, const struct path *p, u64 hits, bool marked,
		       const char *name)
{
	struct chain chain = { .state = CHAIN_INLINE };
	u64 stack[STACK_ENTRIES] = { 0 };
	struct seen seen;
	int skip = marked;

	if (map_lookup(b->seen, 0, &seen))
		die("lookup");
	ok(seen.hits == hits, "%s: the program ran %llu times", name,
	   (unsigned long long)seen.hits);
	chain.ip = seen.ip + skip;
	chain.nr = seen.len < 0 ? 0 : seen.len / 8 - skip;
	ok((!skip || seen.ip[0] == (u64)PERF_CONTEXT_USER) && path_is(p, &chain),
	   "%s: bpf_get_stack() gives the call path, %d entries", name, chain.nr);
	if (seen.id < 0 || map_lookup(b->stacks, seen.id, stack))
		diag("bpf_get_stackid(): %lld", (long long)seen.id);
	chain.ip = stack + skip;
	for (chain.nr = 0; chain.nr < STACK_ENTRIES - skip && chain.ip[chain.nr]; chain.nr++)
		;
	ok((!skip || stack[0] == (u64)PERF_CONTEXT_USER) && path_is(p, &chain),
	   "%s: bpf_get_stackid() gives the call path, %d entries", name, chain.nr);
}

/* Fresh memory, a page fault for each page. */
static char *fresh(size_t *size)
{
	char *mem;

	*size = ROUNDS * sysconf(_SC_PAGESIZE);
	mem = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		die("mmap");
	return mem;
}

extern const char bpf_touch_ip[];

static noinline void touch(struct path *p, void *data)
{
	path_enter(p);
	path_note(p, (unsigned long)bpf_touch_ip);
	asm volatile(".globl bpf_touch_ip\n"
		     "bpf_touch_ip:	" WRITE_BYTE : : "r"(data) : "memory");
	path_leave(p);
}

static void fault(struct path *p, char *page, bool in_kernel)
{
	if (in_kernel) {
		path_syscall_at(p, DEPTH, SYS_getcwd, (long)page, sysconf(_SC_PAGESIZE), 0, 0);
		return;
	}
	p->leaf = PATH_CALL;
	p->fn = touch;
	p->data = page;
	path_run(p, DEPTH);
}

static void attr_faults(struct perf_event_attr *attr)
{
	attr_init(attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

/* Two events beside the program's, if this kernel knows how to defer. */
static void watch(struct recorder *r, void (*init)(struct perf_event_attr *attr))
{
	struct perf_event_attr attr;
	int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < 2; i++) {
		init(&attr);
		if (have_defer())
			attr_defer(&attr);
		recorder_add(r, &attr, 0, -1, i ? -1 : 7);
	}
}

/* A program on an event of page faults. @callchain: its event has callchains, too. */
static void fault_case(bool in_kernel, bool callchain, bool takes, const char *name)
{
	struct perf_event_attr attr;
	struct path p = { 0 };
	struct recorder r, own = { 0 };
	struct tally t;
	struct bpf b;
	size_t size;
	char *warm = fresh(&size), *mem = fresh(&size);
	int i;

	b = bpf_load(BPF_PROG_TYPE_PERF_EVENT,
		     (struct only){ CTX_ADDR, (unsigned long)mem, (unsigned long)mem + size },
		     takes ? BPF_F_USER_STACK : -1);
	attr_faults(&attr);
	attr.sample_type &= ~(callchain ? 0 : PERF_SAMPLE_CALLCHAIN);
	if (callchain && have_defer())
		attr_defer(&attr);
	recorder_add(&own, &attr, 0, -1, 7);
	bpf_attach(&b, own.fd[0]);
	watch(&r, attr_faults);
	fault(&p, warm, in_kernel);
	recorder_enable(&r);
	recorder_enable(&own);
	for (i = 0; i < ROUNDS; i++)
		fault(&p, mem + i * (size / ROUNDS), in_kernel);
	recorder_disable(&own);
	recorder_disable(&r);
	recorder_read(&r);
	if (takes)
		check_seen(&b, &p, ROUNDS, callchain, name);
	check_samples(&r, 0, &p, name);
	if (callchain) {
		recorder_read(&own);
		tally(&own, &t, NULL, NULL);
		if (takes)
			ok(t.samples >= ROUNDS && t.is_inline == t.samples,
			   "%s: none of the program's %d samples is deferred", name, t.samples);
		else if (defer_inline() == 0)
			ok(t.samples >= ROUNDS && t.deferred == t.samples,
			   "%s: all %d samples are deferred", name, t.samples);
		if (t.samples)
			check_samples(&own, 0, &p, name);
	}
	recorder_close(&own);
	recorder_close(&r);
	bpf_close(&b);
	munmap(mem, size);
	munmap(warm, size);
	path_free(&p);
}

static void attr_enter(struct perf_event_attr *attr)
{
	attr_syscall(attr, false);
}

/* A program on a tracepoint, which walks by itself. */
static void tracepoint_case(void)
{
	struct only only = { CTX_SYSCALL, SYS_getppid, SYS_getppid + 1 };
	struct bpf b = bpf_load(BPF_PROG_TYPE_TRACEPOINT, only, BPF_F_USER_STACK);
	struct path p = { 0 };
	struct recorder r;
	int i;

	watch(&r, attr_enter);
	recorder_filter_syscall(&r, SYS_getppid);
	bpf_attach(&b, r.fd[0]);
	map_clear(b.seen);
	recorder_enable(&r);
	for (i = 0; i < ROUNDS; i++)
		path_syscall_at(&p, DEPTH, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	check_seen(&b, &p, ROUNDS, false, "tracepoint");
	check_samples(&r, 0, &p, "tracepoint");
	recorder_close(&r);
	bpf_close(&b);
	path_free(&p);
}

static void build_id_case(void)
{
	struct only only = { CTX_SYSCALL, SYS_getppid, SYS_getppid + 1 };
	struct bpf b = bpf_load(BPF_PROG_TYPE_TRACEPOINT, only,
				BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	struct path p = { 0 };
	struct recorder r;
	struct seen seen;
	int i, nr, right = 0;

	watch(&r, attr_enter);
	recorder_filter_syscall(&r, SYS_getppid);
	bpf_attach(&b, r.fd[0]);
	recorder_enable(&r);
	path_syscall_at(&p, DEPTH, SYS_getppid, 0, 0, 0, 0);
	recorder_disable(&r);
	recorder_read(&r);
	if (map_lookup(b.seen, 0, &seen))
		die("lookup");
	nr = seen.len < 0 ? 0 : seen.len / sizeof(seen.at[0]);
	for (i = 0; i < nr && i < p.nr_want; i++) {
		if (seen.at[i].status == BPF_STACK_BUILD_ID_VALID &&
		    seen.at[i].offset == exe_offset(p.want[i]) &&
		    !memcmp(seen.at[i].build_id, seen.at[0].build_id, 20))
			right++;
		else
			diag("%d: status %d, offset %#llx, path %#lx", i, seen.at[i].status,
			     (unsigned long long)seen.at[i].offset, exe_offset(p.want[i]));
	}
	ok(nr == p.nr_want && right == nr, "build ids: %d entries of %d, %d right", nr, p.nr_want,
	   right);
	check_samples(&r, 0, &p, "build ids");
	recorder_close(&r);
	bpf_close(&b);
	path_free(&p);
}

TEST(bpf, "BPF programs take user stacks as ever")
{
	fault_case(false, false, true, "user mode");
	fault_case(true, false, true, "in the kernel");
	fault_case(false, true, true, "user mode, callchain");
	fault_case(true, true, true, "in the kernel, callchain");
	fault_case(true, true, false, "a program without stacks");
	tracepoint_case();
	build_id_case();
}

TEST(beside, "a plain software event beside a deferred one has its own callchain")
{
	struct perf_event_attr attr;
	struct recorder r, plain = { 0 };
	struct path p = { 0 };
	struct tally t;
	size_t size;
	char *warm = fresh(&size), *mem = fresh(&size);
	int i;

	watch(&r, attr_faults);
	attr_faults(&attr);
	recorder_add(&plain, &attr, 0, -1, 7);
	fault(&p, warm, true);
	recorder_enable(&r);
	recorder_enable(&plain);
	for (i = 0; i < ROUNDS; i++)
		fault(&p, mem + i * (size / ROUNDS), true);
	recorder_disable(&plain);
	recorder_disable(&r);
	recorder_read(&plain);
	check_samples(&plain, 0, &p, "plain");
	tally(&plain, &t, NULL, NULL);
	ok(t.samples >= ROUNDS && t.is_inline == t.samples, "plain: %d of %d samples inline",
	   t.is_inline, t.samples);
	recorder_read(&r);
	check_samples(&r, 0, &p, "deferred");
	recorder_close(&plain);
	recorder_close(&r);
}

/* The program's next hit is in bare(); how many entries bpf_get_stack() gave. */
static int bare_hit(const struct bpf *b, struct path *p)
{
	struct seen seen;

	map_clear(b->seen);
	bare_run(p, 5, bare_text);
	if (map_lookup(b->seen, 0, &seen))
		die("lookup");
	return seen.hits == 1 && seen.ip[0] == p->want[0] ? seen.len / 8 : 0;
}

TEST(tablebpf, "user stacks of BPF programs are walked by unwind tables")
{
	struct only only = { CTX_SYSCALL, SYS_getppid, SYS_getppid + 1 };
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	struct table t;
	int owner, fd;
	struct bpf b;

	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("/proc/self/exe");
	t = bare_table(bare_offset());
	b = bpf_load(BPF_PROG_TYPE_TRACEPOINT, only, BPF_F_USER_STACK);
	attr_enter(&attr);
	recorder_add(&r, &attr, 0, -1, 7);
	recorder_filter_syscall(&r, SYS_getppid);
	bpf_attach(&b, r.fd[0]);
	recorder_enable(&r);
	ok(bare_hit(&b, &p) == 1, "no table: the ip alone");
	owner = table_owner();
	ok(!table_add(owner, fd, &t), "registered");
	if (have_plain_tables()) {
		bare_hit(&b, &p);
		check_seen(&b, &p, 1, false, "a table");
	} else {
		ok(bare_hit(&b, &p) == 1, "a table that this walk cannot use: the ip alone");
	}
	close(owner);
	ok(bare_hit(&b, &p) == 1, "no more table: the ip alone");
	recorder_close(&r);
	bpf_close(&b);
	close(fd);
	table_free(&t);
	path_free(&p);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The targets of fuzzing. Most are command lines of the tool, of which the first byte of an
 * input chooses one (seeds.py knows how many each has): the input is the recording, or a file
 * that symbols are read from.
 * Owns nothing between two inputs.
 */
#include <glob.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "base/outbuf.h"
#include "cfi/elf.h"
#include "cfi/table.h"
#include "event/records.h"
#include "fuzz.h"
#include "input.h"
#include "symbol/dso.h"

#define RUN_ONE_OF(lines, variant) fuzz_line((lines)[(variant) % ARRAY_SIZE(lines)])

/* A recording, decoded without a consumer, twice. */
static void run_read(u8 variant, const u8 *data, size_t size)
{
	u64 before = 0, nr;
	struct reader *r;
	int pass;

	fuzz_put_input(data, size);
	if (error_report(reader_open(fuzz_path("in"), variant & 1, &r)))
		return;
	for (pass = 0; pass < 2; pass++) {
		nr = fuzz_decode(r);
		/* Both passes over a recording must have the same records. */
		if (pass && nr != before)
			abort();
		before = nr;
		if (reader_rewind(r))
			break;
	}
	reader_close(r);
}

static const char *const pipe_lines[] = {
	"script -f --symfs DIR -i -",
	"script -f --symfs DIR --show-task-events --show-mmap-events --show-lost-events --show-round-events --header -I -i -",
	"report -f --stdio -j 1 --symfs DIR -i -",
	"report -f --stdio --tasks --mmaps --symfs DIR -i -",
	"report -f -D --symfs DIR -i -",
	"inject -f --symfs DIR -i - -o OUT",
	"data convert -f --to-folded - --symfs DIR -i -",
	NULL
};

static const char *const script_lines[] = {
	"script -f --symfs DIR -i IN",
	"script -f --symfs DIR --ns --reltime --show-task-events --show-mmap-events --show-switch-events "
	"--show-lost-events --show-namespace-events --show-cgroup-events --show-bpf-events "
	"--show-text-poke-events --show-round-events -i IN",
	"script -f --symfs GOLDEN/symfs --inline --full-source-path -F +misc,+symoff,+dsoff,+srcline -i IN",
	"script -f --symfs GOLDEN/symfs -k GOLDEN/none --kallsyms GOLDEN/kallsyms -F comm,pid,tid,cpu,tod,time,period,event,ip,sym,dso -i IN",
	"script -f --symfs DIR -F comm,trace,flags -i IN",
	"script -f --symfs DIR -F comm,addr,data_src,weight,ins_lat,retire_lat,phys_addr,data_page_size,code_page_size -i IN",
	"script -f --symfs DIR -F comm,iregs,uregs -i IN",
	"script -f --symfs DIR -F comm,brstack,brstacksym,brstackoff -i IN",
	"script -f --symfs DIR -F comm,cgroup,machine_pid,vcpu,bpf-output,synth -i IN",
	"script -f --symfs DIR -F comm,addr,sym -i IN",
	"script -f --symfs DIR -F comm,weight,data_src -i IN",
	"script -f --symfs DIR -G --deltatime -F -comm,+addr -i IN",
	"script -f --symfs DIR --max-stack 2 --stop-bt main --full-source-path --show-kernel-path -v -i IN",
	"script -f --symfs DIR --no-merge-callchains --function-starts -i IN",
	"script -f --symfs DIR --time 10%-60%,80%-90% --comms seed,deepsys --dsos deepsys --pid 10,20 -C 0-2 -i IN",
	"script -f --symfs DIR --switch-on ev --switch-off event -S main,0x401100 --addr-range 64 -i IN",
	NULL
};

static const char *const report_lines[] = {
	"report -f --stdio -j 1 --symfs DIR -i IN",
	"report -f --stdio -j 1 --symfs DIR --children -g caller -i IN",
	"report -f --stdio -j 1 --symfs DIR -g fractal,0.5,callee,address,count -i IN",
	"report -f --stdio -j 1 --symfs DIR -g flat --no-children -s pid,tgid,comm,comm_nodigit,cpu,time -i IN",
	"report -f --stdio -j 1 --symfs DIR -g none -s dso,symbol,symoff,symbol_size,dso_size,addr -i IN",
	"report -f --stdio -j 1 --symfs GOLDEN/symfs --inline -s srcline,srcfile,sym -i IN",
	"report -f --stdio -j 1 --symfs DIR -s cgroup,cgroup_id,socket -i IN",
	"report -f --stdio -j 1 --symfs DIR -s dso_from,dso_to,symbol_from,symbol_to,srcline_from,srcline_to,mispredict,in_tx,abort,cycles -b -i IN",
	"report -f --stdio -j 1 --symfs DIR -s code_page_size,data_page_size,data_addr,phys_daddr,dcacheline,mem,tlb,snoop,locked -i IN",
	"report -f --stdio -j 1 --symfs DIR -s weight,local_weight,ins_lat,local_ins_lat,p_stage_cyc,local_p_stage_cyc -i IN",
	"report -f --stdio -j 1 --symfs DIR -s transaction,cpu -i IN",
	"report -f --stdio -j 1 --symfs DIR -s trace -i IN",
	"report -f --stdio -j 1 --symfs DIR -s trace_fields -i IN",
	"report -f --stdio -j 1 --symfs DIR --hierarchy -s comm,dso,sym -n --show-total-period --show-cpu-utilization -i IN",
	"report -f --stdio -j 1 --symfs DIR --group -t , --percent-limit 1 -p ^x -s parent,sym --ignore-callees main -i IN",
	"report -f --stdio -j 3 --symfs DIR -i IN",
	"report -f --stdio -j 1 --symfs DIR -s mem,locked -i IN",
	"report -f --stdio -j 1 --symfs DIR -s weight,cpu -i IN",
	"report -f --stdio -j 1 --symfs DIR --kernel --sort dso -w 10,20 --stdio-color=always -i IN",
	"report -f --stdio -j 1 --symfs DIR --user -U --raw-trace -s sym -v -i IN",
	"report -f --stdio -j 1 --symfs DIR --time 0.000000001,0.00000002 --parallelism 1-3 --latency --tid 10,11 -c seed -i IN",
	"report -f --stdio -j 1 --symfs DIR -T -x --percentage relative --switch-on ev --show-on-off-events --symbol-filter a -i IN",
	"report -f --stdio -j 1 --symfs DIR --hierarchy --children -s time,parallelism,sym --time-quantum 1ms -i IN",
	"report -f --stdio --symfs DIR --total-cycles -i IN",
	"report -f --stdio -j 1 --symfs DIR --branch-history -i IN",
	"report -f --stdio -j 2 --symfs GOLDEN/symfs --branch-history --no-children -g srcline -p main -i IN",
	"report -f --stdio -j 1 --symfs DIR -F overhead,sample,comm,addr_from,addr_to -b --max-stack 3 -i IN",
	"report -f --stdio -j 1 --symfs DIR -s ev.what,addr,comm --raw-trace -g graph,1,2,caller,function,period -i IN",
	NULL
};

static const char *const flame_lines[] = {
	"report -f -j 1 --symfs DIR --flamegraph=- -i IN",
	"report -f -j 1 --symfs DIR --folded -i IN",
	"report -f -j 1 --symfs GOLDEN/symfs --inline --flamegraph=OUT -i IN",
	"report -f -j 1 --symfs DIR --flamegraph=OUT --diff GOLDEN/useronly.defer.data -i IN",
	"report -f -j 1 --symfs GOLDEN/symfs --flamegraph=OUT --diff IN -i GOLDEN/useronly.defer.data",
	NULL
};

static const char *const dump_lines[] = {
	"report -f -D --symfs DIR -i IN",
	"script -f -D --symfs DIR -i IN",
	"script -f --dump-unsorted-raw-trace --symfs DIR -i IN",
	"report -f --stats --symfs DIR -i IN",
	"report -f --tasks --mmaps --symfs DIR -i IN",
	NULL
};

static const char *const header_lines[] = {
	"report -f --header-only -I -i IN",
	"script -f --header -i IN",
	"script -f --header-only -I -i -",
	NULL
};

static const char *const inject_lines[] = {
	"inject -f --symfs DIR -i IN -o OUT",
	"inject -f --symfs DIR -z -i IN -o OUT",
	"inject -f --symfs GOLDEN/symfs --convert-callchain -i IN -o OUT",
	"inject -f --symfs GOLDEN/symfs -b -i IN -o OUT",
	"inject -f --symfs DIR -i IN",
	NULL
};

static const char *const data_lines[] = {
	"data convert -f --symfs DIR --to-folded - -i IN",
	"data convert -f --symfs DIR --to-speedscope - -i IN",
	"data convert -f --symfs DIR --to-firefox - --to-perfetto OUT -i IN",
	"data convert -f --symfs DIR --to-pprof OUT --to-otlp - -i IN",
	"data convert -f --symfs DIR --to-json - -i IN",
	"data convert -f --symfs DIR --to-jsonl - -i IN",
	"data convert -f --symfs GOLDEN/symfs --no-inline --to-pprof - --to-firefox OUT -i IN",
	NULL
};

static const char *const annotate_lines[] = {
	"annotate -f --stdio --symfs DIR -i IN",
	"annotate -f --stdio --symfs GOLDEN/symfs --source --asm-raw -i IN",
	"annotate -f --stdio --symfs GOLDEN/symfs --percent-limit 0 --comms seed,deepsys --time 0%-50% -i IN",
	"annotate -f --stdio --symfs GOLDEN/symfs -i IN -s spin",
	NULL
};

/* Where the records of the recording begin that perf record compresses: behind what describes the events. */
static size_t first_packed(const u8 *data, const struct fuzz_frame *f)
{
	size_t at = f->start, len;

	while (f->pipe && (len = fuzz_record_size(data, f, at)) && data[at] >= REC_HEADER_ATTR)
		at += len;
	return at;
}

/* The records of the recording are compressed first: what is changed is behind the compression. */
static void run_zstd(u8 variant, const u8 *data, size_t size)
{
	static const char *const lines[] = {
		"script -f --symfs DIR -i IN", "report -f -D --symfs DIR -i IN", "inject -f --symfs DIR -i IN -o OUT",
		"script -f --symfs DIR -i -",
	};
	static const u16 pieces[] = { 65000, 4096, 130, 61 };
	size_t bound, n, at, start, piece = pieces[variant / 4 % ARRAY_SIZE(pieces)];
	struct fuzz_frame f;
	struct outbuf o;
	char *packed;
	u64 len;

	if (!fuzz_frame(data, size, &f) || f.swap)
		return;
	start = first_packed(data, &f);
	bound = ZSTD_compressBound(f.end - start);
	packed = xmalloc(bound);
	n = ZSTD_compress(packed, bound, data + start, f.end - start, 1);
	outbuf_init(&o);
	outbuf_write(&o, data, start);
	for (at = 0; at < n; at += piece) {
		u64 here = min(piece, n - at);
		struct perf_event_header h = { .type = variant & 64 ? REC_COMPRESSED : REC_COMPRESSED2 };

		h.size = sizeof(h) + (h.type == REC_COMPRESSED ? here : 8 + (here + 7) / 8 * 8);
		outbuf_write(&o, &h, sizeof(h));
		if (h.type == REC_COMPRESSED2)
			outbuf_write(&o, &here, sizeof(here));
		outbuf_write(&o, packed + at, here);
		for (; h.type == REC_COMPRESSED2 && here % 8; here++)
			outbuf_putc(&o, 0);
	}
	/* Features would lie elsewhere: there are none. */
	if (!f.pipe) {
		len = outbuf_len(&o) - f.start;
		memcpy(o.base + 48, &len, sizeof(len));
		memset(o.base + 72, 0, 32);
	}
	fuzz_put_input((u8 *)o.base, outbuf_len(&o));
	outbuf_deinit(&o);
	free(packed);
	RUN_ONE_OF(lines, variant);
}

/* The input is raw data of a sample, behind a byte with its length, and a TRACING_DATA section. */
static void run_tracing(u8 variant, const u8 *data, size_t size)
{
	static const char *const lines[] = {
		"script -f -F trace -i IN", "report -f --stdio -j 1 -s trace -i IN",
		"report -f --stdio -j 1 -s trace_fields -i IN", "data convert -f --to-json - -i IN",
		"script -f -F trace --header -i IN",
		"report -f --stdio -j 1 -s trace --raw-trace -i IN", "report -f --stdio -j 1 -s sys:ev.what,%1.addr,common_pid -i IN",
	};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = 128, .config = 77, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
	};
	size_t raw = size ? min((size_t)data[0], size - 1) : 0, padded = (raw + 4 + 7) / 8 * 8 - 4;
	struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 36 + padded };
	u64 head[13] = { 0, 104, 144, 104, 144, 248, h.size, 0, 0, 1 << 1 };
	u64 body[3] = { 0x1000, 10 | 11ULL << 32, 5 };
	u64 feature[2] = { 248 + h.size + 16, size - min(size, raw + 1) };
	u32 raw_size = padded;
	u8 file[248] = { 0 };
	struct outbuf o;

	memcpy(head, "PERFILE2", 8);
	memcpy(file, head, sizeof(head));
	memcpy(file + 104, &attr, 128);
	outbuf_init(&o);
	outbuf_write(&o, file, sizeof(file));
	outbuf_write(&o, &h, sizeof(h));
	outbuf_write(&o, body, sizeof(body));
	outbuf_write(&o, &raw_size, sizeof(raw_size));
	outbuf_write(&o, data + !!size, raw);
	for (; padded > raw; padded--)
		outbuf_putc(&o, 0);
	outbuf_write(&o, feature, sizeof(feature));
	outbuf_write(&o, data + size - feature[1], feature[1]);
	fuzz_put_input((u8 *)o.base, outbuf_len(&o));
	outbuf_deinit(&o);
	RUN_ONE_OF(lines, variant);
}

/* The input is the names in a recording, unpacked: in a frame of zstd that compresses nothing. */
static void run_names(u8 variant, const u8 *data, size_t size)
{
	static const char *const lines[] = {
		"script -f -F ip,sym,symoff,dso,srcline --inline -i IN",
		"script -f -F ip,sym,srcline --no-demangle --full-source-path -i IN",
		"report -f --stdio -j 1 -s sym,srcline,dso -g caller,srcline -i IN",
		"inject -f --embed -i IN -o OUT", "data convert -f --to-pprof OUT -i IN",
	};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = 128, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};
	const struct {
		struct perf_event_header header;
		u32 pid, tid;
		u64 addr, len, pgoff;
		char name[8];
	} map = { { PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, 48 }, 10, 10, 0x400000, 0x10000, 0, "/bin/x" };
	struct {
		struct perf_event_header header;
		u64 ip;
		u32 pid, tid;
		u64 time;
	} sample = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32 }, 0x401000, 10, 10, 5 };
	const u64 nr = 8, len = sizeof(map) + nr * sizeof(sample), most = min(size, (size_t)65536);
	const u64 head[13] = { 0, 104, 144, 104, 144, 248, len, 0, 0, [12] = 1ULL << (FEAT_NAMES - 192) };
	const u64 feature[2] = { 248 + len + 16, 8 + 9 + most };
	const u32 frame[4] = { 1, 9 + most, ZSTD_MAGICNUMBER, 0x7000 | (1 | most << 3) << 16 };
	const u8 last = most >> 13;
	u8 file[248] = { 0 };
	struct outbuf o;
	u64 i;

	memcpy(file, head, sizeof(head));
	memcpy(file, "PERFILE2", 8);
	memcpy(file + 104, &attr, 128);
	outbuf_init(&o);
	outbuf_write(&o, file, sizeof(file));
	outbuf_write(&o, &map, sizeof(map));
	for (i = 0; i < nr; i++, sample.ip += 0x10)
		outbuf_write(&o, &sample, sizeof(sample));
	outbuf_write(&o, feature, sizeof(feature));
	outbuf_write(&o, frame, sizeof(frame));
	outbuf_write(&o, &last, 1);
	outbuf_write(&o, data, most);
	fuzz_put_input((u8 *)o.base, outbuf_len(&o));
	outbuf_deinit(&o);
	RUN_ONE_OF(lines, variant);
}

/* Two files in one input: the first two bytes are the size of the one that stays in @data. */
static void put_second(const u8 **data, size_t *size)
{
	size_t first = *size < 2 ? 0 : min((size_t)((*data)[0] | (*data)[1] << 8), *size - 2);

	if (*size < 2)
		return;
	fuzz_put_file("g/second", *data + 2 + first, *size - 2 - first);
	*data += 2;
	*size = first;
}

/*
 * A file with code: its symbols, lines and inlined functions, also as a compressed module, and with a
 * file "second" that its .gnu_debuglink or .gnu_debugaltlink names.
 */
static void run_elf(u8 variant, const u8 *data, size_t size)
{
	static const char *const names[] = { "g/deepsys", "g/deepsys", "m.ko.gz", "m.ko.xz", "m.ko.zst", "g/deepsys" };
	u8 kind = variant % ARRAY_SIZE(names);
	struct symbol_config cfg = { .symfs = fuzz_path(""), .function_starts = kind == 1 };
	struct dso_table *t = dso_table_create(&cfg);
	char name[64];
	struct dso *d;
	u64 addr, end;

	unlink(fuzz_path("g/second"));
	if (kind == 5)
		put_second(&data, &size);
	fuzz_put_file(names[kind], data, size);
	snprintf(name, sizeof(name), "/%s", names[kind]);
	d = dso_get(t, name, *names[kind] == 'm' ? DSO_MODULE : DSO_USER, NULL, 0, 0);
	/* The code of the seeds is at the front: some bytes long, so that it needs small steps. */
	for (addr = 0, end = max(size, (size_t)0x3000); addr < end; addr += addr < 0x400 ? 5 : 37) {
		u64 at = dso_map_ip(d, addr + 0x400000, 0x400000, 0);
		const struct inline_frame *frames;

		dso_find_symbol(d, at);
		if (addr % 5 == 0) {
			dso_srcline(d, at, variant & 64);
			dso_inlines(d, at, &frames);
			dso_inline_line(d, at, 1);
		}
	}
	dso_why_no_symbols(d);
	dso_table_destroy(t);
}

/* A file whose unwind information copies of stacks are walked by. */
static void run_walk(u8 variant, const u8 *data, size_t size)
{
	static const char *const lines[] = {
		"script -f --no-inline --symfs DIR -F ip,sym -i GOLDEN/deepsys.dwarf.data",
		"script -f --no-inline --symfs DIR -F ip,sym -i GOLDEN/../arm64/calls.data",
	};

	fuzz_put_file(variant & 1 ? "calls" : "g/deepsys", data, size);
	RUN_ONE_OF(lines, variant);
}

/* A file with the code, and the names of the source, of what the recording ran. */
static void run_code(u8 variant, const u8 *data, size_t size)
{
	static const char *const lines[] = {
		"annotate -f --stdio --symfs DIR --source -i GOLDEN/deepsys.dwarf.data",
		"annotate -f --stdio --symfs DIR --asm-raw --percent-limit 0 -i GOLDEN/deepsys.defer.data",
	};

	fuzz_put_file("g/deepsys", data, size);
	RUN_ONE_OF(lines, variant);
}

static void run_unwind(u8 variant, const u8 *data, size_t size)
{
	struct unwind_made made = { 0 };
	struct unwind_table_rule rule;
	struct unwind_range *ranges;
	const char *why = NULL;
	struct unwind_elf *elf;
	char key[UNWIND_ELF_KEY];
	struct unwind_table t;
	u64 off;

	fuzz_put_file("in", data, size);
	if (!unwind_file(fuzz_path("in"), &made, &why)) {
		/* What is made must pass the check of the reader. */
		if (unwind_table_check(made.data, made.size, &t))
			abort();
		for (off = 0; off < 0x3000; off += 13)
			unwind_table_find(&t, off);
		free(made.data);
	} else if (!why) {
		abort();
	}
	unwind_file_rule(fuzz_path("in"), 0x1000 + 16 * variant, &rule);
	if (!unwind_elf_open(fuzz_path("in"), &elf, &why))
		unwind_elf_key(elf, key);
	unwind_elf_close(elf);
	unwind_ranges(fuzz_path("in"), &ranges);
	free(ranges);
}

/* A table by itself. */
static void run_table(u8 variant, const u8 *data, size_t size)
{
	u64 *copy = xmalloc((size + 7) / 8 * 8);
	struct unwind_table t;
	char text[96];
	u64 off;

	memcpy(copy, data, size);
	if (!unwind_table_check(copy, size, &t))
		for (off = 0; off < 0x8000; off += 11)
			unwind_rule_text(unwind_table_find(&t, t.head->first + off), t.head->arch, text, sizeof(text));
	free(copy);
}

static const char *const kallsyms_lines[] = {
	"script -f --symfs DIR --kallsyms IN -F ip,sym,symoff,dso -i GOLDEN/kernchains.fp.data",
	"report -f --stdio -j 1 --symfs DIR --kallsyms IN -i GOLDEN/useronly.defer.data",
	"script -f -k IN -F ip,sym,symoff,dso -i GOLDEN/kernchains.fp.data",
	NULL
};

/* The map of this process: its place is fixed. */
static void run_jitmap(u8 variant, const u8 *data, size_t size)
{
	struct symbol_config cfg = { .force = variant & 1 };
	struct dso_table *t = dso_table_create(&cfg);
	char path[64];
	struct dso *d;
	u64 addr;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	fuzz_write(path, data, size);
	d = dso_get(t, "//anon", DSO_ANON, NULL, 0, getpid());
	for (addr = 0; addr < 0x10000; addr += 251) {
		dso_find_symbol(d, addr);
		dso_find_symbol(d, addr << 32);
	}
	dso_table_destroy(t);
	unlink(path);
}

/* A JIT compiler's dump, which the recording names. */
static void run_jitdump(u8 variant, const u8 *data, size_t size)
{
	struct symbol_config cfg = { .force = true };
	struct dso_table *t = dso_table_create(&cfg);
	struct dso *d;
	u64 addr;

	fuzz_put_file("jit-10.dump", data, size);
	dso_note_jit(t, fuzz_path("jit-10.dump"), 10);
	d = dso_get(t, "//anon", DSO_ANON, NULL, 0, 10);
	for (addr = 0x10000; addr < 0x11000; addr += 13) {
		dso_find_symbol(d, addr << (variant & 1) * 32);
		dso_srcline(d, addr << (variant & 1) * 32, addr & 1);
	}
	dso_table_destroy(t);
}

/* A recording of one event, whose process 10 maps memory without a file and a jit-10.dump, and has two samples. */
static void put_jit_recording(const char *dump)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = 128, .sample_period = 1, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};
	u64 head[13] = { 0, 104, 144, 104, 144, 248 }, id[2] = { 10 | 10ULL << 32, 1 };
	const char *const names[] = { "//anon", dump };
	struct outbuf o, all;
	u32 i;

	outbuf_init(&o);
	for (i = 0; i < 2; i++) {
		size_t len = ALIGN_UP(strlen(names[i]) + 1, (size_t)8);
		struct mmap2_record m = {
			.header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(m) + len + sizeof(id) }, .pid = 10,
			.tid = 10, .addr = 0x10000ULL << 16 * i, .len = 0x10000, .prot = 5, .flags = 2,
		};

		outbuf_write(&o, &m, sizeof(m));
		memset(outbuf_reserve(&o, len), 0, len);
		memcpy(o.pos, names[i], strlen(names[i]));
		o.pos += len;
		outbuf_write(&o, id, sizeof(id));
	}
	for (i = 0; i < 2; i++) {
		const struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32 };
		const u64 body[3] = { 0x10010 + 0x80 * i, id[0], 100 };

		outbuf_write(&o, &h, sizeof(h));
		outbuf_write(&o, body, sizeof(body));
	}
	outbuf_init(&all);
	memcpy(head, "PERFILE2", 8);
	head[6] = outbuf_len(&o);
	outbuf_write(&all, head, sizeof(head));
	outbuf_write(&all, &attr, 128);
	outbuf_write(&all, (u64[]){ 0, 0 }, 16);
	outbuf_write(&all, o.base, outbuf_len(&o));
	fuzz_put_input((u8 *)all.base, outbuf_len(&all));
	outbuf_deinit(&all);
	outbuf_deinit(&o);
}

/* A JIT compiler's dump whose code becomes files, which are read. */
static void run_jitcode(u8 variant, const u8 *data, size_t size)
{
	char pattern[256];
	glob_t made;
	size_t i;

	fuzz_put_file("jit-10.dump", data, size);
	put_jit_recording(fuzz_path("jit-10.dump"));
	if (fuzz_line("inject -f --jit -i IN -o OUT"))
		return;
	fuzz_line(variant & 1 ? "script -f -F ip,sym,srcline -i OUT" : "script -f --function-starts -F ip,sym -i OUT");
	snprintf(pattern, sizeof(pattern), "%s", fuzz_path("jitted-*.so"));
	if (glob(pattern, 0, NULL, &made))
		return;
	for (i = 0; i < made.gl_pathc; i++)
		unlink(made.gl_pathv[i]);
	globfree(&made);
}

static const struct fuzz_target targets[] = {
	{ "read", .run = run_read, .records = true },
	{ "pipe", .lines = pipe_lines, .records = true },
	{ "script", .lines = script_lines, .records = true },
	{ "report", .lines = report_lines, .records = true },
	{ "flame", .lines = flame_lines, .records = true },
	{ "dump", .lines = dump_lines, .records = true },
	{ "header", .lines = header_lines, .records = true },
	{ "inject", .lines = inject_lines, .records = true },
	{ "data", .lines = data_lines, .records = true },
	{ "annotate", .lines = annotate_lines, .records = true },
	{ "zstd", .run = run_zstd, .records = true },
	{ "tracing", .run = run_tracing, .text = true },
	{ "names", .run = run_names },
	{ "elf", .run = run_elf },
	{ "walk", .run = run_walk },
	{ "code", .run = run_code },
	{ "unwind", .run = run_unwind },
	{ "table", .run = run_table },
	{ "kallsyms", .lines = kallsyms_lines, .text = true },
	{ "jitmap", .run = run_jitmap, .text = true },
	{ "jitdump", .run = run_jitdump },
	{ "jitcode", .run = run_jitcode },
};

const struct fuzz_target *fuzz_target_at(size_t nr)
{
	return nr < ARRAY_SIZE(targets) ? &targets[nr] : NULL;
}

const struct fuzz_target *fuzz_target_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(name, targets[i].name))
			return &targets[i];
	return NULL;
}

void fuzz_run(const struct fuzz_target *t, const u8 *data, size_t size)
{
	size_t nr = 0;

	if (!size)
		return;
	if (t->run) {
		t->run(data[0], data + 1, size - 1);
		return;
	}
	while (t->lines[nr])
		nr++;
	fuzz_put_input(data + 1, size - 1);
	fuzz_line(t->lines[data[0] % nr]);
}

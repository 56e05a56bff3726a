// SPDX-License-Identifier: GPL-2.0
/*
 * Names for the Python functions that the BPF program or the readers found: from numbers of code
 * objects and offsets of instructions to addresses, and the file that these are in. A function is a
 * name, a source file and the line where it begins, in all processes. struct python_names owns the
 * functions, which keep their addresses, and knows which processes have the mapping.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/printable.h"
#include "bpf/layout.h"
#include "buildid/buildid_cache.h"
#include "cmd/record/recorder.h"
#include "event/records.h"
#include "runtime/code_elf.h"
#include "runtime/python.h"

/* No program has code here: mappings begin at the upper or lower end of the address space. */
#define BASE		0x4fff00000000ULL
#define SIZE		0x100000000ULL
#define LINE_BYTES	4
#define IN_LINE		2
/* Lines of a function that have an address; those of the others are not shown. */
#define MAX_LINES	65536
/* Bounds for programs that make functions without end. Beyond is the function UNKNOWN. */
#define MOST_FUNCTIONS	(1u << 18)
#define MOST_BYTES	(64u << 20)
#define MOST_CODES	(1u << 16)
#define MOST_ADDRESSES	(1u << 20)
#define UNKNOWN		0
/* The CPU that sends a code object may stand still meanwhile: it is another machine's. */
#define WAIT_MS		50

struct python_function {
	char *name, *file;		/* in the arena */
	u32 first, last;		/* lines */
	u64 offset, size;		/* of its addresses; LINE_BYTES at first are for no line */
};

/* A code object. */
struct python_seen {
	u32 id;
	u32 function;			/* index */
	struct python_code python;
};

struct python_names {
	python_codes_fn codes_of;
	void *source;
	u8 build_id[CODE_ELF_BUILD_ID];
	struct arena arena;
	struct python_function *functions;
	u32 nr_functions, cap_functions;
	u64 size;			/* of all addresses */
	struct hash by_name;		/* hash of name and file, line -> index */
	struct python_seen *codes;	/* the last ones, in turn */
	u32 nr_codes, cap_codes, next_code;
	struct hash by_id;		/* -> index in @codes */
	struct hash addresses;		/* entry -> address */
	struct hash mapped;		/* PIDs with the mapping */
	struct hash born;		/* PID -> time of its fork() or last execve() */
	/* times of the newest record, and of that before this round and the one before */
	u64 newest, newest_before, time;
	u32 nr_written;			/* functions in the file */
};

static u32 add_function(struct python_names *n, const char *name, const char *file, u32 first,
			u32 last)
{
	struct python_function *f;

	/* The table of files ends with an empty one. */
	if (!*file)
		file = "?";
	GROW(n->functions, n->nr_functions, n->cap_functions);
	f = &n->functions[n->nr_functions];
	*f = (struct python_function){
		.name = arena_strndup(&n->arena, name, strlen(name)),
		.file = arena_strndup(&n->arena, file, strlen(file)),
		.first = first, .last = last, .offset = n->size,
		.size = (last - first + 2ULL) * LINE_BYTES,
	};
	make_printable(f->name, strlen(f->name), false);
	n->size += f->size;
	return n->nr_functions++;
}

static u32 function_of(struct python_names *n, const struct python_code *code)
{
	const char *base = strrchr(code->file, '/');
	u64 key = hash_mix(hash_bytes(code->name, strlen(code->name)),
			   hash_bytes(code->file, strlen(code->file)));
	u64 *slot = hash_find(&n->by_name, key, code->first_line);
	u32 first, last, nr;
	char text[1200];

	if (slot)
		return *slot;
	if (n->nr_functions >= MOST_FUNCTIONS || n->size >= MOST_BYTES)
		return UNKNOWN;
	python_code_lines(code, &first, &last);
	last = min(last, first + MAX_LINES - 1);
	snprintf(text, sizeof(text), "%s (%s:%u)", code->name, base ? base + 1 : code->file,
		 code->first_line);
	nr = add_function(n, text, code->file, first, last);
	*hash_insert(&n->by_name, key, code->first_line, NULL) = nr;
	return nr;
}

/* Room for one more code object: that of the oldest, if there are MOST_CODES. */
static u32 new_code(struct python_names *n)
{
	u32 at = n->nr_codes;

	if (at < MOST_CODES) {
		GROW(n->codes, n->nr_codes, n->cap_codes);
		n->codes[n->nr_codes++] = (struct python_seen){ 0 };
		return at;
	}
	at = n->next_code++ % MOST_CODES;
	hash_remove(&n->by_id, n->codes[at].id, 0);
	return at;
}

static int add_code(void *ctx, void *data, size_t size)
{
	struct python_names *n = ctx;
	const struct walk_code *c = data;
	u32 name = min(c->name.bytes, (u32)WALK_NAME), file = min(c->file.bytes, (u32)WALK_NAME);
	struct python_seen *to;
	const u64 *slot;
	u32 at;

	if (size < sizeof(*c) - sizeof(c->lines) || c->nr_lines > size - (sizeof(*c) - sizeof(c->lines)))
		return 0;
	slot = hash_find(&n->by_id, c->id, 0);
	at = slot ? *slot : new_code(n);
	*hash_insert(&n->by_id, c->id, 0, NULL) = at;
	to = &n->codes[at];
	to->id = c->id;
	python_code_deinit(&to->python);
	to->python = (struct python_code){
		.first_line = c->first_line,
		.name = python_str(c->name_room, name, c->name.state),
		.file = python_str(c->file_room, file, c->file.state),
		.lines = memcpy(xmalloc(c->nr_lines + 1), c->lines, c->nr_lines),
		.nr_lines = c->nr_lines,
	};
	to->function = function_of(n, &to->python);
	return 0;
}

static u64 entry_address(struct python_names *n, u64 entry)
{
	const u64 *known = hash_find(&n->addresses, entry, 0), *code = NULL;
	s32 instr = entry & 0xffffff;
	u32 id = entry >> 24, line = 0, nr = UNKNOWN, ms;
	const struct python_function *f;
	u64 address;

	if (known)
		return *known;
	/* 0: of one that could not be sent. Others come, behind one that is being sent. */
	for (ms = 0; id && !(code = hash_find(&n->by_id, id, 0)) && ms < WAIT_MS; ms++) {
		if (ms)
			usleep(1000);
		n->codes_of(n->source, add_code, n);
	}
	if (code) {
		nr = n->codes[*code].function;
		/* No code is as long as WALK_PYTHON_NO_LINE. */
		line = python_code_line(&n->codes[*code].python,
					instr == WALK_PYTHON_BEGIN ? -1 : instr);
	}
	f = &n->functions[nr];
	line = line < f->first || line > f->last ? 0 : line - f->first + 1;
	address = BASE + CODE_ELF_BEGIN + f->offset + (u64)line * LINE_BYTES + IN_LINE;
	if (n->addresses.nr >= MOST_ADDRESSES)
		hash_deinit(&n->addresses);
	*hash_insert(&n->addresses, entry, 0, NULL) = address;
	return address;
}

/* The record of the mapping of a process. */
static void put_mapping(struct python_names *n, const struct sample *s, struct outbuf *o)
{
	const struct event *ev = s->event;
	struct mmap2_record m = {
		.header = {
			.type = PERF_RECORD_MMAP2,
			.misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
		},
		.pid = s->pid, .tid = s->pid, .addr = BASE, .len = SIZE,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
		.build_id_size = CODE_ELF_BUILD_ID,
	};
	char name[ALIGN_UP(sizeof(PYTHON_MAPPING), 8)] = PYTHON_MAPPING;
	const u64 *born = hash_find(&n->born, s->pid, 0);
	u64 time = max(n->time, born ? *born : 0);

	memcpy(m.build_id, n->build_id, sizeof(n->build_id));
	m.header.size = sizeof(m) + sizeof(name) + ev->layout.id_size;
	outbuf_write(o, &m, sizeof(m));
	outbuf_write(o, name, sizeof(name));
	outbuf_fill(o, 0, ev->layout.id_size);
	if (ev->layout.id_time)
		memcpy(o->pos - ev->layout.id_time, &time, sizeof(time));
}

bool python_names_ips(struct python_names *n, u64 *ips, u32 nr, const struct sample *s,
		      struct outbuf *o)
{
	bool any = false, innermost = ips[0] >> 56 == WALK_PYTHON_MARK, added;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (ips[i] >> 56 != WALK_PYTHON_MARK)
			continue;
		ips[i] = entry_address(n, ips[i]);
		any = true;
	}
	if (!any)
		return false;
	hash_insert(&n->mapped, s->pid, 0, &added);
	if (added)
		put_mapping(n, s, o);
	return innermost;
}

void python_names_set_ip(const struct sample *s, char *record, u64 ip)
{
	u64 type = s->event->attr.sample_type;
	bool has_id = type & PERF_SAMPLE_IDENTIFIER;

	record += sizeof(struct perf_event_header) + has_id * sizeof(u64);
	if (type & PERF_SAMPLE_IP && s->cpumode == PERF_RECORD_MISC_USER)
		memcpy(record, &ip, sizeof(ip));
}

void python_names_note(struct python_names *n, const struct event_list *events,
		       const struct perf_event_header *h)
{
	const struct task_record *t = (const void *)h;
	u64 time = record_time(events, h);

	if (time == UINT64_MAX)
		return;
	n->newest = max(n->newest, time);
	/* COMM begins with the PID, too. */
	if (!(h->type == PERF_RECORD_FORK && t->pid != t->ppid) &&
	    !(h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	*hash_insert(&n->born, t->pid, 0, NULL) = time + 1;
	hash_remove(&n->mapped, t->pid, 0);
}

void python_names_round(struct python_names *n)
{
	n->time = n->newest_before;
	n->newest_before = n->newest;
	/* Also those of callchains that will not come: the ring would stay full. */
	n->codes_of(n->source, add_code, n);
}

void python_names_again(struct python_names *n)
{
	hash_deinit(&n->mapped);
}

/* The lines of all functions; to be freed. */
static struct code_elf_line *make_lines(const struct python_names *n, u32 *nr)
{
	struct code_elf_line *lines = xcalloc(n->size / LINE_BYTES, sizeof(*lines));
	const struct python_function *f;
	u32 i, line;

	for (*nr = 0, i = 0; i < n->nr_functions; i++) {
		f = &n->functions[i];
		lines[(*nr)++] = (struct code_elf_line){ f->offset, f->file, 0 };
		/* A hostile one may be the highest number there is. */
		for (line = 0; line <= f->last - f->first; line++)
			lines[(*nr)++] = (struct code_elf_line){
				f->offset + (line + 1ULL) * LINE_BYTES, f->file, f->first + line,
			};
	}
	return lines;
}

static void make_file(const struct python_names *n, struct outbuf *o)
{
	struct code_elf_function *functions = xcalloc(n->nr_functions, sizeof(*functions));
	struct code_elf elf = {
		.functions = functions, .nr_functions = n->nr_functions, .size = n->size,
		.machine = EM_X86_64, .build_id = n->build_id,
	};
	struct code_elf_line *lines = make_lines(n, &elf.nr_lines);
	u32 i;

	for (i = 0; i < n->nr_functions; i++)
		functions[i] = (struct code_elf_function){
			n->functions[i].name, n->functions[i].offset, n->functions[i].size,
		};
	elf.lines = lines;
	code_elf_make(&elf, o);
	free(lines);
	free(functions);
}

static int write_file(const struct buildid_cache *cache, const char *hex, const struct outbuf *o)
{
	_cleanup_close_ int folder = buildid_cache_folder(cache, PYTHON_MAPPING, hex), fd = -1;

	if (folder < 0)
		return folder;
	fd = openat(folder, ".tmp.elf", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -errno;
	return write_all(fd, o->base, outbuf_len(o)) ?:
	       buildid_cache_name(folder, ".tmp.elf", "elf") ?:
	       buildid_cache_link(cache, PYTHON_MAPPING, hex);
}

void python_names_write(struct python_names *n)
{
	struct buildid_cache cache;
	char hex[BUILDID_HEX];
	struct outbuf o;
	int err;
	u32 i;

	if (n->nr_written == n->nr_functions)
		return;
	outbuf_init(&o);
	make_file(n, &o);
	for (i = 0; i < sizeof(n->build_id); i++)
		sprintf(hex + 2 * i, "%02x", n->build_id[i]);
	err = buildid_cache_open(&cache, NULL, true) ?: write_file(&cache, hex, &o);
	buildid_cache_close(&cache);
	outbuf_deinit(&o);
	if (err)
		diag_warn("the names of Python functions could not be written into ~/.debug: %s",
			  strerror(-err));
	n->nr_written = n->nr_functions;
}

struct python_names *python_names_create(python_codes_fn codes_of, void *source)
{
	struct python_names *n = xcalloc(1, sizeof(*n));

	n->codes_of = codes_of;
	n->source = source;
	if (getrandom(n->build_id, sizeof(n->build_id), 0) != sizeof(n->build_id))
		diag_fatal("no random numbers: %s", strerror(errno));
	add_function(n, "[unknown Python function]", "?", 0, 0);
	n->nr_written = n->nr_functions;
	return n;
}

void python_names_free(struct python_names *n)
{
	u32 i;

	for (i = 0; i < n->nr_codes; i++)
		python_code_deinit(&n->codes[i].python);
	free(n->codes);
	free(n->functions);
	arena_deinit(&n->arena);
	hash_deinit(&n->by_name);
	hash_deinit(&n->by_id);
	hash_deinit(&n->addresses);
	hash_deinit(&n->mapped);
	hash_deinit(&n->born);
	free(n);
}

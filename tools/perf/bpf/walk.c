// SPDX-License-Identifier: GPL-2.0
/*
 * Loads the program that walks user stacks in the kernel, with libbpf, which is loaded on demand.
 * struct bpf_walk owns it, its maps, its buffers' events, and the tables' segments.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/unwind_table.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <walk_object.h>		/* made by the build: the program; one byte if it could not be compiled */

#include "base/arena.h"
#include "base/diag.h"
#include "bpf/layout.h"
#include "bpf/walk.h"
#include "measure/attr.h"
#include "measure/open.h"

#define SEGMENT (1u << WALK_SEGMENT_SHIFT)

struct bpf_walk {
	struct bpf_object *object;
	int event, tracepoint, key;	/* programs */
	int segments, files, pythons, codes, buffers, copies, counts;	/* maps */
	struct ring_buffer *ring;	/* of @codes; NULL: not used yet */
	char *segment[WALK_MAX_SEGMENTS];
	u64 used;			/* bytes used in the segments */
	int *events;			/* one per buffer */
	u32 nr_events, cap_events;
};

bool bpf_walk_built(void)
{
	return sizeof(walk_object) > 1;
}

/* From libbpf 1.0 on */
struct bpf_object;
struct bpf_program;
struct ring_buffer;

#define LIBBPF_INFO 1

static struct {
	void *(*set_print)(int (*fn)(int level, const char *format, va_list args));
	struct bpf_object *(*open_mem)(const void *buf, size_t size, const void *opts);
	int (*load)(struct bpf_object *object);
	void (*close)(struct bpf_object *object);
	int (*map_fd)(const struct bpf_object *object, const char *name);
	struct bpf_program *(*find_program)(const struct bpf_object *object, const char *name);
	int (*program_fd)(const struct bpf_program *program);
	int (*set_autoload)(struct bpf_program *program, bool autoload);
	struct ring_buffer *(*ring_new)(int map, int (*fn)(void *ctx, void *data, size_t size), void *ctx,
					const void *opts);
	int (*ring_consume)(struct ring_buffer *ring);
	void (*ring_free)(struct ring_buffer *ring);
} lib;

#ifdef PERF_STATIC
static const char *load_library(void)
{
	return "a static perf loads no library";
}
#else
static const char *load_library(void)
{
	const struct { const char *name; void **fn; } symbols[] = {
		{ "libbpf_set_print", (void **)&lib.set_print },
		{ "bpf_object__open_mem", (void **)&lib.open_mem },
		{ "bpf_object__load", (void **)&lib.load },
		{ "bpf_object__close", (void **)&lib.close },
		{ "bpf_object__find_map_fd_by_name", (void **)&lib.map_fd },
		{ "bpf_object__find_program_by_name", (void **)&lib.find_program },
		{ "bpf_program__fd", (void **)&lib.program_fd },
		{ "bpf_program__set_autoload", (void **)&lib.set_autoload },
		{ "ring_buffer__new", (void **)&lib.ring_new },
		{ "ring_buffer__consume", (void **)&lib.ring_consume },
		{ "ring_buffer__free", (void **)&lib.ring_free },
	};
	void *so = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	u32 i;

	if (!so)
		return "libbpf is not installed";
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		*symbols[i].fn = dlsym(so, symbols[i].name);
		if (!*symbols[i].fn)
			return "libbpf.so.1 is not the library that it is expected to be";
	}
	return NULL;
}
#endif

/* Messages of libbpf and the verifier, with -vv. */
static int print(int level, const char *format, va_list args)
{
	return verbose >= 2 && level <= LIBBPF_INFO ? vfprintf(stderr, format, args) : 0;
}

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

static int map_update(int map, const void *key, const void *value, u64 flags)
{
	union bpf_attr attr = { .map_fd = map, .key = (uintptr_t)key, .value = (uintptr_t)value, .flags = flags };

	return sys_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static bool kernel_before_6_1(void)
{
	struct utsname u;
	int major, minor;

	return !uname(&u) && sscanf(u.release, "%d.%d", &major, &minor) == 2 && (major < 6 || (major == 6 && minor < 1));
}

/* Can the program look up mappings? Not if the kernel's maple tree has changed. */
static bool finds_mappings(const struct bpf_walk *w)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	u64 key = 0;
	int err = fd < 0 ? -errno : bpf_walk_key(w->key, fd, &key);

	if (fd >= 0)
		close(fd);
	return !err && (s64)key < 0;
}

static const char *load_object(struct bpf_walk *w, enum bpf_tracepoints tracepoints)
{
	static const char *const names[] = {
		[BPF_TRACEPOINTS_OF_ALL] = "walk_tracepoint",
		[BPF_TRACEPOINTS_OF_TASKS] = "walk_tracepoint_of_tasks",
		[BPF_TASKS] = "each_task",
	};
	static char why[96];
	u32 i;
	int err;

	lib.set_print(print);
	w->object = lib.open_mem(walk_object, sizeof(walk_object), NULL);
	for (i = BPF_TRACEPOINTS_OF_ALL; w->object && i < ARRAY_SIZE(names); i++)
		lib.set_autoload(lib.find_program(w->object, names[i]), i == tracepoints);
	err = w->object ? lib.load(w->object) : -errno;
	if (err) {
		snprintf(why, sizeof(why), "the kernel does not take the BPF program: %s", strerror(-err));
		return why;
	}
	w->event = lib.program_fd(lib.find_program(w->object, "walk_event"));
	if (tracepoints)
		w->tracepoint = lib.program_fd(lib.find_program(w->object, names[tracepoints]));
	w->key = lib.program_fd(lib.find_program(w->object, "file_key"));
	w->segments = lib.map_fd(w->object, "segments");
	w->files = lib.map_fd(w->object, "files");
	w->pythons = lib.map_fd(w->object, "pythons");
	w->codes = lib.map_fd(w->object, "new_codes");
	w->buffers = lib.map_fd(w->object, "buffers");
	w->copies = lib.map_fd(w->object, "copies");
	w->counts = lib.map_fd(w->object, ".bss");
	return finds_mappings(w) ? NULL : "the BPF program finds no mappings in this kernel";
}

const char *bpf_walk_load(struct bpf_walk **walk, enum bpf_tracepoints tracepoints)
{
	const char *why;

	*walk = NULL;
	if (!bpf_walk_built())
		return "this perf was built without clang or libbpf";
	if (geteuid())
		return "only root may load BPF programs";
	if (kernel_before_6_1())
		return "BPF walks stacks on Linux 6.1 and later";
	why = load_library();
	if (why)
		return why;
	*walk = xcalloc(1, sizeof(**walk));
	why = load_object(*walk, tracepoints);
	if (why) {
		bpf_walk_free(*walk);
		*walk = NULL;
	}
	return why;
}

void bpf_walk_free(struct bpf_walk *w)
{
	u32 i;

	if (!w)
		return;
	for (i = 0; i < w->nr_events; i++)
		close(w->events[i]);
	free(w->events);
	for (i = 0; i < WALK_MAX_SEGMENTS && w->segment[i]; i++)
		munmap(w->segment[i], SEGMENT);
	if (w->ring)
		lib.ring_free(w->ring);
	lib.close(w->object);
	free(w);
}

int bpf_walk_attach(const struct bpf_walk *w, int event, bool tracepoint)
{
	/* A tracepoint runs the program once, even if several events attach it. */
	if (!ioctl(event, PERF_EVENT_IOC_SET_BPF, tracepoint ? w->tracepoint : w->event) || (tracepoint && errno == EEXIST))
		return 0;
	return -errno;
}

/* @copy: bytes of the stack in each record */
static int add_buffer(struct bpf_walk *w, int map, u32 cpu, int event,
		      const struct perf_event_attr *attr, u32 copy)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.wakeup_events = map == w->copies,
		.use_clockid = attr->use_clockid,
		.clockid = attr->clockid,
	};
	int fd;

	if (copy)
		attr_copy_stack(&a, copy);
	fd = perf_open(&a, -1, cpu, -1, 0);
	if (fd < 0)
		return fd;
	GROW(w->events, w->nr_events, w->cap_events);
	w->events[w->nr_events++] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, event) || map_update(map, &cpu, &fd, BPF_ANY))
		return -errno;
	return 0;
}

int bpf_walk_buffer(struct bpf_walk *w, u32 cpu, int event, const struct perf_event_attr *attr,
		    u32 copy)
{
	return add_buffer(w, w->buffers, cpu, event, attr, 0) ?:
	       add_buffer(w, w->copies, cpu, event, attr, copy);
}

int bpf_walk_key_program(const struct bpf_walk *w)
{
	return w->key;
}

int bpf_walk_key(int program, int file, u64 *key)
{
	long page = sysconf(_SC_PAGESIZE);
	void *at = file < 0 ? (void *)getauxval(AT_SYSINFO_EHDR) :
			      mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 0);
	u32 half[2], upper;
	int err = 0;

	if (at == MAP_FAILED)
		return -errno;
	for (upper = 0; upper < 2 && !err; upper++) {
		u64 args[2] = { (uintptr_t)at, upper };
		union bpf_attr attr = {
			.test = { .prog_fd = program, .ctx_in = (uintptr_t)args, .ctx_size_in = sizeof(args) },
		};

		err = sys_bpf(BPF_PROG_TEST_RUN, &attr);
		half[upper] = attr.test.retval;
	}
	if (file >= 0)
		munmap(at, page);
	if (err)
		return err;
	*key = (u64)half[1] << 32 | half[0];
	return *key ? 0 : -ENOENT;
}

/* Create segments for @bytes bytes. Return: 0, or -errno. */
static int grow_to(struct bpf_walk *w, u64 bytes)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = sizeof(u32), .value_size = 1 << WALK_PAGE_SHIFT,
		.max_entries = WALK_SEGMENT_PAGES, .map_flags = BPF_F_MMAPABLE, .map_name = "unwind_tables",
	};
	u32 i;
	int fd;

	for (i = 0; (u64)i * SEGMENT < bytes; i++) {
		if (i == WALK_MAX_SEGMENTS)
			return -ENOSPC;
		if (w->segment[i])
			continue;
		fd = sys_bpf(BPF_MAP_CREATE, &attr);
		if (fd < 0)
			return fd;
		w->segment[i] = mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (w->segment[i] == MAP_FAILED || map_update(w->segments, &i, &fd, BPF_ANY)) {
			w->segment[i] = NULL;
			close(fd);
			return -ENOMEM;
		}
		close(fd);
	}
	return 0;
}

static void copy_in(struct bpf_walk *w, u64 to, const char *data, size_t size)
{
	while (size) {
		size_t n = min(size, (size_t)(SEGMENT - to % SEGMENT));

		memcpy(w->segment[to / SEGMENT] + to % SEGMENT, data, n);
		to += n;
		data += n;
		size -= n;
	}
}

int bpf_walk_add(struct bpf_walk *w, u64 key, const void *data, size_t size,
		 const struct python_image *python)
{
	static const struct unwind_table_head none;
	const struct unwind_table_head *h = size ? data : &none;
	u64 at = w->used, rules = at + sizeof(*h), pages = rules + h->nr_rules * sizeof(struct unwind_table_rule);
	const struct walk_table table = {
		.first = h->first, .bytes = (u64)h->nr_pages << h->page_shift,
		.rules = rules, .pages = pages, .rows = pages + (h->nr_pages + 1ULL) * sizeof(u32),
		.nr_rules = h->nr_rules, .page_shift = h->page_shift,
		/* More interpreters than the map has room for are files as others. */
		.python = python && !map_update(w->pythons, &key, python, BPF_ANY),
	};
	int err = grow_to(w, at + size);

	if (err)
		return err;
	copy_in(w, at, data, size);
	err = map_update(w->files, &key, &table, BPF_NOEXIST);
	if (!err)
		w->used = ALIGN_UP(at + size, 8ULL);
	return err == -E2BIG ? -ENOSPC : err;
}

void bpf_walk_codes(void *walk, int (*fn)(void *ctx, void *code, size_t size), void *ctx)
{
	struct bpf_walk *w = walk;

	if (!w->ring)
		w->ring = lib.ring_new(w->codes, fn, ctx, NULL);
	if (w->ring)
		lib.ring_consume(w->ring);
}

int bpf_walk_tasks(const struct bpf_walk *w)
{
	union bpf_attr attr = {
		.link_create = { .prog_fd = w->tracepoint, .attach_type = BPF_TRACE_ITER },
	};

	return sys_bpf(BPF_LINK_CREATE, &attr);
}

int bpf_list_tasks(int tasks)
{
	union bpf_attr attr = { .iter_create.link_fd = tasks };

	return sys_bpf(BPF_ITER_CREATE, &attr);
}

struct walk_counts bpf_walk_counts(const struct bpf_walk *w)
{
	struct walk_counts counts = { 0 };
	u32 zero = 0;

	union bpf_attr attr = { .map_fd = w->counts, .key = (uintptr_t)&zero, .value = (uintptr_t)&counts };

	sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return counts;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables as user space registers them: what is refused and why, how long
 * they live, whose tasks they serve, and the limits. What walks make of them:
 * tools/testing/selftests/tables.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bare.h"
#include "hostile.h"
#include "stats.h"
#include "test.h"

#define FILE_MAX	"/proc/sys/kernel/unwind_table_file_max_kb"
#define ALL_MAX		"/proc/sys/kernel/unwind_table_max_kb"
#define NOBODY		65534
#define COPY		256

/* 32-bit code has no tables: the same calls, and chains as without. */
static const bool walks = sizeof(long) == 8;

static bool without_tables(void)
{
	if (have_tables())
		return false;
	skip("no CONFIG_UNWIND_USER_TABLE", "tables");
	return true;
}

static int exe_fd(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("/proc/self/exe");
	return fd;
}

static void set_long(const char *path, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	if (!write_text(path, text))
		die("%s", path);
}

/* What was freed counts until it is: a grace period, and who frees it. */
static bool are_left(u64 tables, u64 bytes)
{
	u64 end = now_ns() + 20000000000ULL;

	while (stats_read("tables") != tables || stats_read("table_bytes") != bytes) {
		if (now_ns() > end)
			return false;
		usleep(1000);
	}
	return true;
}

static void expect(int event, const void *args, int want, const char *what)
{
	int err = table_add_args(event, args);

	ok(err == want, "%s: %s", what, err ? strerror(-err) : "taken");
	if (err != want)
		diag("should be: %s", strerror(-want));
}

/* The argument's own fields. */
static void bad_args(int event, const struct unwind_table_add *good)
{
	struct {
		struct unwind_table_add add;
		u64 more[2];
	} longer = { .add = *good };
	struct unwind_table_add add;
	int pipes[2], fd;

	add = *good, add.size = 0;
	expect(event, &add, -EINVAL, "size 0");
	add.size = sizeof(add) - 1;
	expect(event, &add, -EINVAL, "a size that is too small");
	longer.add.size = sizeof(longer);
	longer.more[1] = 1;
	expect(event, &longer, -E2BIG, "something that this kernel does not know");
	add.size = 1 << 20;
	expect(event, &add, -E2BIG, "a size of 1 MB");
	add = *good, add.reserved = 1;
	expect(event, &add, -EINVAL, "reserved 1");
	add = *good, add.flags = 1U << 31;
	expect(event, &add, -EINVAL, "an unknown flag");
	add.flags = 1U << 1;
	expect(event, &add, -EINVAL, "the flag that had rows pinned");
	add = *good, add.flags = UNWIND_TABLE_ADD_VDSO;
	expect(event, &add, -EINVAL, "a file for the vDSO");
	expect(event, NULL, -EFAULT, "no argument");

	if (pipe(pipes))
		die("pipe");
	add = *good, add.fd = -1;
	expect(event, &add, -EBADF, "no file");
	add.fd = 12345;
	expect(event, &add, -EBADF, "a file that is not open");
	add.fd = fd = open("/proc/self/exe", O_PATH);
	expect(event, &add, -EBADF, "a file opened by O_PATH");
	close(fd);
	add.fd = pipes[0];
	expect(event, &add, -ENODEV, "a pipe");
	add.fd = event;
	expect(event, &add, -ENODEV, "the event itself");
	add.fd = fd = open("/", O_RDONLY);
	expect(event, &add, -ENODEV, "a folder");
	close(fd);
	add.fd = fd = open("/dev/zero", O_RDONLY);
	expect(event, &add, -ENODEV, "a device");
	close(fd);
	add.fd = fd = open("/tmp", O_TMPFILE | O_WRONLY, 0600);
	expect(event, &add, -EACCES, "a file open for writing only");
	close(fd);
	close(pipes[0]);
	close(pipes[1]);

	add = *good, add.addr = 0;
	expect(event, &add, -EFAULT, "a table at 0");
	add.addr = -4096ULL;
	expect(event, &add, -EFAULT, "a table in the kernel");
	add = *good, add.bytes--;
	expect(event, &add, -EMSGSIZE, "a byte less than the table says");
	add.bytes = 0;
	expect(event, &add, -EMSGSIZE, "an empty table");
	add.bytes = 10ULL << 40;
	expect(event, &add, -EFBIG, "10 TB");
	add.bytes = -1ULL;
	expect(event, &add, -EFBIG, "2^64 - 1 bytes");
	add = *good, add.bytes = 8 << 20;
	add.addr = (unsigned long)mmap(NULL, add.bytes, PROT_READ,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(event, &add, -ENOEXEC, "8 MB of zeroes");
	munmap((void *)(unsigned long)add.addr, add.bytes);
}

/* One field of a sound table is changed to @value, must give @err, and is put back. */
#define DEFECT(field, value, err)					\
	do {								\
		typeof(field) was = (field);				\
									\
		(field) = (value);					\
		expect(event, &add, -(err), #field " = " #value);	\
		(field) = was;						\
	} while (0)

static void bad_tables(int event, const struct unwind_table_add *good, struct table *t)
{
	struct unwind_table_head *head = table_head(t);
	struct unwind_table_rule *rule = table_rules(t) + 2;
	u32 *pages = table_pages(t);
	struct unwind_table_add add = *good;

	DEFECT(head->magic, 0x55775462, ENOEXEC);
	DEFECT(head->version, 2, EPROTONOSUPPORT);
	DEFECT(head->arch, 3, EPROTONOSUPPORT);
	DEFECT(head->head_size, 72, EPROTONOSUPPORT);
	DEFECT(head->reserved, 1, EPROTONOSUPPORT);
	DEFECT(head->reserved2[1], 1, EPROTONOSUPPORT);
	DEFECT(head->size, head->size + 4, EMSGSIZE);
	DEFECT(head->nr_rows, head->nr_rows + 1, EMSGSIZE);
	DEFECT(head->nr_pages, 0xffffffff, EMSGSIZE);
	DEFECT(head->nr_rules, 0, ERANGE);
	DEFECT(head->page_shift, 7, ERANGE);
	DEFECT(head->page_shift, 17, ERANGE);
	DEFECT(head->first, head->first + 1, ERANGE);
	DEFECT(head->first, 1ULL << 63, ERANGE);
	DEFECT(pages[0], 1, EBADSLT);
	DEFECT(pages[head->nr_pages], head->nr_rows - 1, EBADSLT);
	DEFECT(rule->kind, 6, EBADRQC);
	DEFECT(rule->kind, UNWIND_TABLE_UNKNOWN, EBADRQC);
	DEFECT(rule->reg, 32, EBADRQC);
	DEFECT(rule->fp, 5, EBADRQC);
	DEFECT(rule->fp, UNWIND_TABLE_FP_SAME, EBADRQC);
	DEFECT(rule->ra, 2, EBADRQC);
#ifdef __aarch64__
	DEFECT(rule->kind, UNWIND_TABLE_DEREF, EBADRQC);
#else
	DEFECT(rule->arg, 1, EBADRQC);
#endif
}

TEST(tableargs, "unwind tables: everything that is refused has its errno")
{
	struct unwind_table_add add = { .size = sizeof(add) };
	struct {
		struct unwind_table_add add;
		u64 more[2];
	} longer = { 0 };
	u64 tables, bytes;
	struct table t;
	int event;

	if (without_tables())
		return;
	event = table_owner();
	t = bare_table(bare_offset());
	tables = stats_read("tables");
	bytes = stats_read("table_bytes");
	add.fd = exe_fd();
	add.addr = (unsigned long)t.data;
	add.bytes = t.bytes;
	bad_args(event, &add);
	bad_tables(event, &add, &t);
	ok(are_left(tables, bytes), "nothing is left of what was refused");

	longer.add = add;
	longer.add.size = sizeof(longer);
	expect(event, &longer, 0, "a longer argument with zeroes");
	expect(event, &add, -EEXIST, "the file once more");
	add.fd = -1;
	add.flags = UNWIND_TABLE_ADD_VDSO;
	expect(event, &add, 0, "the vDSO's");
	expect(event, &add, -EEXIST, "the vDSO's once more");
	ok(stats_read("tables") == tables + 2, "two tables");
	close(event);
	table_free(&t);
}

/* A file system of its own, which can only be unmounted when no file of it is in use. */
#define MNT	"/tmp/table-mnt"

static void check_file_not_held(void)
{
	struct table t = bare_table(0);
	int event = table_owner();
	int fd;

	mkdir(MNT, 0700);
	if (mount("none", MNT, "tmpfs", 0, NULL))
		die("mount tmpfs");
	fd = open(MNT "/file", O_RDWR | O_CREAT, 0600);
	ok(!table_add(event, fd, &t), "a table for a file");
	close(fd);
	ok(!umount(MNT), "its file system is not held");
	close(event);
	umount2(MNT, MNT_DETACH);
	rmdir(MNT);
	table_free(&t);
}

TEST(tablelife, "unwind tables live until the last close of their event")
{
	int event, other, dup_fd, pipes[2], fd, status;
	u64 tables, bytes, one;
	struct table t, t2;
	char c;
	pid_t pid;

	if (without_tables())
		return;
	fd = exe_fd();
	t = bare_table(bare_offset());
	tables = stats_read("tables");
	bytes = stats_read("table_bytes");
	ok(bare_is_cut(), "without a table the chain ends at code without a frame pointer");

	event = table_owner();
	ok(!table_add(event, fd, &t), "registered");
	one = stats_read("table_bytes") - bytes;
	ok(stats_read("tables") == tables + 1 && one >= t.bytes,
	   "%llu bytes for a table of %zu", (unsigned long long)one, t.bytes);
	ok(walks ? bare_is_whole() : bare_is_cut(), "chains are %s", walks ? "whole" : "as before");
	close(event);
	ok(are_left(tables, bytes), "nothing is left after close");
	ok(bare_is_cut(), "nor used");

	/* dup() and fork() */
	event = table_owner();
	ok(!table_add(event, fd, &t), "registered");
	dup_fd = dup(event);
	close(event);
	ok(stats_read("tables") == tables + 1 && bare_is_whole() == walks,
	   "a duplicate of the event's descriptor keeps it");
	if (pipe(pipes))
		die("pipe");
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		_exit(read(pipes[0], &c, 1));
	}
	close(dup_fd);
	ok(stats_read("tables") == tables + 1 && bare_is_whole() == walks, "so does a child");
	close(pipes[0]);
	close(pipes[1]);
	waitpid(pid, &status, 0);
	ok(are_left(tables, bytes) && bare_is_cut(), "until it exits");

	/* Two owners */
	event = table_owner();
	other = table_owner();
	ok(!table_add(event, fd, &t) && !table_add(other, fd, &t), "two events");
	ok(stats_read("tables") == tables + 2 && stats_read("table_bytes") == bytes + 2 * one,
	   "have a table each");
	close(event);
	ok(are_left(tables + 1, bytes + one) && bare_is_whole() == walks, "one of them keeps its own");
	t2 = bare_table_with(bare_offset(), (struct unwind_table_rule){ 0 });
	event = table_owner();
	ok(!table_add(event, fd, &t2) && bare_is_cut(), "the last one is used");
	close(event);
	ok(bare_is_whole() == walks, "and after it the earlier one");
	close(other);
	ok(are_left(tables, bytes), "nothing is left");
	check_file_not_held();
	ok(are_left(tables, bytes), "nor of that table");
	close(fd);
	table_free(&t);
	table_free(&t2);
}

/* A thread whose stack's next frame is on a page that userfaultfd @uffd is asked for. */
struct waiter {
	char *mem, *page;
	size_t size;
	int uffd;
	pthread_t thread;
};

/* The walk for this sample waits there. */
static void *walk_and_wait(void *data)
{
	struct waiter *w = data;
	struct perf_event_attr attr;
	struct recorder r = { 0 };

	attr_syscall(&attr, false);
	attr_defer(&attr);
	recorder_add(&r, &attr, 0, -1, 5);
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	hostile((unsigned long)w->page, SYS_getppid, w->mem);
	recorder_close(&r);
	return NULL;
}

static bool waiter_start(struct waiter *w)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	struct pollfd fd = { .events = POLLIN };

	w->uffd = fd.fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (w->uffd < 0 && errno == ENOSYS) {
		skip("no CONFIG_USERFAULTFD", "userfaultfd");
		return false;
	}
	w->size = sysconf(_SC_PAGESIZE);
	w->mem = mmap(NULL, 2 * w->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->mem == MAP_FAILED)
		die("mmap");
	w->mem[0] = 0;
	w->page = w->mem + w->size;
	reg.range.start = (unsigned long)w->page;
	reg.range.len = w->size;
	if (w->uffd < 0 || ioctl(w->uffd, UFFDIO_API, &api) || ioctl(w->uffd, UFFDIO_REGISTER, &reg))
		die("userfaultfd");
	if (pthread_create(&w->thread, NULL, walk_and_wait, w))
		die("pthread_create");
	return ok(poll(&fd, 1, 30000) == 1, "a walk waits for its stack");
}

static void waiter_stop(struct waiter *w)
{
	struct uffdio_zeropage zero = { .range = { (unsigned long)w->page, w->size } };

	if (ioctl(w->uffd, UFFDIO_ZEROPAGE, &zero))
		die("UFFDIO_ZEROPAGE");
	pthread_join(w->thread, NULL);
	close(w->uffd);
	munmap(w->mem, 2 * w->size);
}

TEST(tablewait, "a walk that waits for its stack keeps its own tables, and no others")
{
	u64 at, tables, bytes;
	struct waiter w = { 0 };
	struct table t, small;
	int event, fd, i;

	if (without_tables())
		return;
	at = exe_offset((unsigned long)hostile_ip);
	t = table_make((struct table_code[]){
		{ at, { .kind = UNWIND_TABLE_CFA, .reg = DWARF_FP, .off = 16,
			.fp = UNWIND_TABLE_FP_CFA, .fp_off = -16, RA_IN_FRAME(16) } },
		{ at + 1, { .kind = UNWIND_TABLE_UNKNOWN } },
	}, 2);
	small = bare_table(0);
	fd = exe_fd();
	tables = stats_read("tables");
	bytes = stats_read("table_bytes");
	event = table_owner();
	ok(!table_add(event, fd, &t), "registered");
	if (waiter_start(&w)) {
		check_file_not_held();
		close(event);
		/* Time for the others, which nobody holds. */
		if (!walks)
			ok(are_left(tables, bytes), "32-bit code uses no table");
		for (i = 0; i < 2000 && stats_read("tables") != tables + walks; i++)
			usleep(5000);
		event = table_owner();
		ok(!table_add(event, fd, &small), "the file has another table meanwhile");
		usleep(200000);
		ok(stats_read("tables") == tables + 1 + walks, "the walk's table counts beside it");
		waiter_stop(&w);
		for (i = 0; i < 2000 && stats_read("tables") != tables + 1; i++)
			usleep(5000);
		ok(stats_read("tables") == tables + 1, "the first one is gone after the walk");
	}
	close(event);
	ok(are_left(tables, bytes), "nothing is left");
	close(fd);
	table_free(&t);
	table_free(&small);
}

/* A task with these user ids calls bare(); what its samples had. */
static struct bare_seen seen_of(uid_t real, uid_t effective, uid_t saved)
{
	struct bare_seen seen = { 0 };
	struct path p = { 0 };
	int pipes[2], status;
	struct recorder r;
	pid_t pid;
	char c;

	if (pipe(pipes))
		die("pipe");
	/* The same path here and there: it is known before the child runs. */
	bare_run(&p, 5, bare_text);
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		if (setresuid(real, effective, saved) || read(pipes[0], &c, 1) != 1)
			_exit(1);
		bare_run(&p, 5, bare_text);
		_exit(0);
	}
	bare_watch(&r, pid);
	if (write(pipes[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid || status)
		die("child: status %#x", status);
	seen = bare_take(&r, &p);
	close(pipes[0]);
	close(pipes[1]);
	path_free(&p);
	return seen;
}

static void expect_seen(const char *what, uid_t real, uid_t effective, uid_t saved, bool served)
{
	struct bare_seen seen = seen_of(real, effective, saved);

	served &= walks;
	ok(served ? seen.whole == 2 && !seen.cut && !seen.other :
		    seen.cut == 2 && !seen.whole && !seen.other,
	   "%s: %d samples whole, %d cut, %d other", what, seen.whole, seen.cut, seen.other);
}

/* A process of user @uid that has a table for this program until it is stopped. */
static pid_t owner_start(uid_t uid, struct table *t, int want)
{
	int there[2], err = 0, fd = exe_fd();
	pid_t pid;

	if (pipe(there))
		die("pipe");
	pid = fork();
	if (!pid) {
		if (setresuid(uid, uid, uid))
			_exit(1);
		err = table_add(table_owner(), fd, t);
		if (write(there[1], &err, sizeof(err)) != sizeof(err))
			_exit(2);
		for (;;)
			pause();
	}
	close(there[1]);
	if (read(there[0], &err, sizeof(err)) != sizeof(err))
		die("owner");
	close(there[0]);
	close(fd);
	ok(err == want, "user %d registers: %s", (int)uid, err ? strerror(-err) : "taken");
	return pid;
}

static void owner_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(tablescope, "unwind tables are registered with CAP_PERFMON alone, and serve every task")
{
	struct table t;
	pid_t root, user;
	u64 tables, bytes;

	if (without_tables())
		return;
	t = bare_table(bare_offset());
	tables = stats_read("tables");
	bytes = stats_read("table_bytes");

	user = owner_start(NOBODY, &t, -EPERM);
	ok(are_left(tables, bytes), "nothing is kept");
	expect_seen("the user", NOBODY, NOBODY, NOBODY, false);
	owner_stop(user);
	root = owner_start(0, &t, 0);
	expect_seen("root", 0, 0, 0, true);
	expect_seen("another user", 1000, 1000, 1000, true);
	expect_seen("a set-user-id program", NOBODY, 0, 0, true);
	user = owner_start(NOBODY, &t, -EPERM);
	expect_seen("beside the user's attempt", NOBODY, NOBODY, NOBODY, true);
	owner_stop(user);
	owner_stop(root);
	expect_seen("later", 0, 0, 0, false);
	table_free(&t);
}

/* How many tables there are. Debug kernels are slow, and keep freed memory. */
static int many(void)
{
	return getenv("SWEEP_SHORT") ? 1000 : 20000;
}

/* One event for each table of this program's file; the last table is a right one. */
static void own_many_of_one(int fd, int nr)
{
	struct table t;
	int i;

	for (i = 1; i <= nr; i++) {
		t = i == nr ? bare_table(bare_offset()) : bare_table(i * 4096ULL);
		if (table_add(table_owner(), fd, &t))
			die("table %d of a file", i);
		table_free(&t);
	}
}

/* One event, with tables of that many files and of this program. */
static void own_many_files(int fd, int nr)
{
	struct table t = bare_table(bare_offset());
	int i, other, event = table_owner();

	for (i = 1; i < nr; i++) {
		other = memfd_create("file", MFD_CLOEXEC);
		if (other < 0 || table_add(event, other, &t))
			die("table of file %d", i);
		close(other);
	}
	if (table_add(event, fd, &t))
		die("table of this program");
}

/* A process that has these tables until it is stopped. */
static pid_t start_many(void (*own)(int fd, int nr), int nr)
{
	struct rlimit limit = { nr + 100, nr + 100 };
	int pipes[2], fd = exe_fd();
	pid_t pid;
	char c;

	if (pipe(pipes))
		die("pipe");
	pid = fork();
	if (!pid) {
		if (setrlimit(RLIMIT_NOFILE, &limit))
			die("child");
		own(fd, nr);
		if (write(pipes[1], "", 1) != 1)
			die("pipe");
		for (;;)
			pause();
	}
	close(pipes[1]);
	if (read(pipes[0], &c, 1) != 1)
		die("child");
	close(pipes[0]);
	close(fd);
	return pid;
}

/* Two samples of a call, behind a first call that is walked, have @want bytes of the stack. */
static void expect_copy(u64 want, bool no_chain, const char *what)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	int i, nr = 0, right = 0;

	for (i = 0; i < 2; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		attr_stack(&attr, COPY);
		attr.exclude_callchain_user = no_chain;
		recorder_add(&r, &attr, 0, -1, i ? -1 : 5);
	}
	recorder_filter_syscall(&r, SYS_getppid);
	recorder_enable(&r);
	for (i = 0; i < 2; i++) {
		recorder_clear(&r);
		bare_run(&p, 5, bare_text);
		recorder_read(&r);
	}
	recorder_disable(&r);
	for (i = 0; i < r.nr; i++) {
		nr += r.rec[i].type == PERF_RECORD_SAMPLE;
		right += r.rec[i].type == PERF_RECORD_SAMPLE && r.rec[i].copied == want;
	}
	ok(nr == 2 && right == 2 && !r.bad, "%s: %llu bytes in %d of %d samples", what,
	   (unsigned long long)want, right, nr);
	recorder_close(&r);
	path_free(&p);
}

TEST(tablecopy, "a stack is copied only where the walk of it was cut")
{
	static const struct unwind_table_rule outermost = { .kind = UNWIND_TABLE_OUTERMOST };
	struct table cut, whole;
	int event;

	if (without_tables())
		return;
	cut = bare_table(bare_offset());
	whole = bare_table_with(bare_offset(), outermost);
	expect_copy(COPY, false, "no table");
	event = table_owner();
	ok(!table_add_file(event, "/proc/self/exe", &cut), "registered");
	expect_copy(COPY, false, "a table of the function alone");
	close(event);
	event = table_owner();
	ok(!table_add_file(event, "/proc/self/exe", &whole), "registered");
	expect_copy(walks ? 0 : COPY, false, "a table that says where the stack ends");
	expect_copy(COPY, true, "the same without a user callchain");
	close(event);
	expect_copy(COPY, false, "no more table");
	table_free(&cut);
	table_free(&whole);
}

TEST(tablemany, "a walk finds its unwind table among many of its file, and of other files")
{
	u64 tables, bytes;
	long all_max;
	pid_t pid;

	if (without_tables())
		return;
	all_max = read_long(ALL_MAX);
	set_long(ALL_MAX, 2 << 20);
	tables = stats_read("tables");
	bytes = stats_read("table_bytes");
	pid = start_many(own_many_of_one, 1000);
	ok(stats_read("tables") == tables + 1000, "1000 tables of a file");
	expect_seen("by the last one", NOBODY, NOBODY, NOBODY, true);
	owner_stop(pid);
	pid = start_many(own_many_files, many());
	ok(are_left(tables + many(), stats_read("table_bytes")), "tables of %d files", many());
	expect_seen("one of them", NOBODY, NOBODY, NOBODY, true);
	owner_stop(pid);
	ok(are_left(tables, bytes), "nothing is left");
	set_long(ALL_MAX, all_max);
}

/* kB of memory that is free. */
static long mem_free(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "MemFree: %ld", &kb) != 1)
		;
	if (kb < 0)
		die("/proc/meminfo");
	fclose(f);
	return kb;
}

/* No table, 64 MB long, again and again. */
static void add_zeroes(int fd)
{
	struct unwind_table_add add = { .size = sizeof(add), .fd = fd, .bytes = 64 << 20 };
	int event = table_owner();

	add.addr = (unsigned long)mmap(NULL, add.bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (;;)
		table_add_args(event, &add);
}

TEST(tablebusy, "unwind tables: what is being copied, or freed, counts within the limit")
{
	long all_max, low, least, now, limit = 64 << 10;
	struct unwind_table_add add = { .size = sizeof(add), .bytes = 8 << 20 };
	struct table big;
	int event, fd, i;
	u64 end;
	pid_t pid[6];

	if (without_tables())
		return;
	all_max = read_long(ALL_MAX);
	fd = exe_fd();
	event = table_owner();
	add.fd = fd;
	add.addr = (unsigned long)mmap(NULL, add.bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	set_long(ALL_MAX, 4 << 10);
	expect(event, &add, -ENOSPC, "8 MB of zeroes, where 4 are allowed");
	close(event);

	/* One of them fits. */
	set_long(ALL_MAX, limit + 1024);
	low = mem_free();
	for (i = 0; i < (int)ARRAY_SIZE(pid); i++) {
		pid[i] = fork();
		if (!pid[i])
			add_zeroes(fd);
	}
	least = low;
	for (end = now_ns() + 3000000000ULL; now_ns() < end; usleep(1000)) {
		now = mem_free();
		least = now < least ? now : least;
	}
	for (i = 0; i < (int)ARRAY_SIZE(pid); i++)
		owner_stop(pid[i]);
	ok(low - least < 2 * limit, "%d processes that register take %ld MB of %ld", i,
	   (low - least) >> 10, limit >> 10);

	/* Closed before the next one. */
	big = table_of_size(1200000);
	set_long(ALL_MAX, 8 << 10);
	least = low = mem_free();
	for (i = 0; i < 400; i++) {
		event = table_owner();
		table_add(event, fd, &big);
		close(event);
		now = mem_free();
		least = now < least ? now : least;
	}
	ok(low - least < 32 << 10, "register and close take %ld MB of 8", (low - least) >> 10);
	set_long(ALL_MAX, all_max);
	close(fd);
	table_free(&big);
}

TEST(tablelimit, "unwind tables: a limit for a file's, and for all")
{
	long file_max, all_max;
	struct table big, small;
	u64 tables, bytes;
	int event, fd;

	if (without_tables())
		return;
	file_max = read_long(FILE_MAX);
	all_max = read_long(ALL_MAX);
	tables = stats_read("tables");
	bytes = stats_read("table_bytes");
	fd = exe_fd();
	big = table_of_size(40000);
	small = bare_table(bare_offset());
	event = table_owner();

	set_long(FILE_MAX, big.bytes >> 10);
	ok(table_add(event, fd, &big) == -EFBIG, "%zu bytes, a file may have %ld KB",
	   big.bytes, read_long(FILE_MAX));
	set_long(FILE_MAX, (big.bytes >> 10) + 1);
	ok(!table_add(event, fd, &big), "one KB more will do");
	close(event);
	are_left(tables, bytes);
	set_long(FILE_MAX, file_max);

	event = table_owner();
	set_long(ALL_MAX, big.bytes >> 10);
	ok(table_add(event, fd, &big) == -ENOSPC, "all may have %ld KB", read_long(ALL_MAX));
	ok(!table_add(event, fd, &small), "a small one");
	close(event);

	set_long(ALL_MAX, 0);
	event = table_owner();
	ok(table_add(event, fd, &small) == -ENOSPC, "a limit of 0 takes none");
	close(event);
	set_long(ALL_MAX, all_max);
	ok(are_left(tables, bytes), "nothing is left");
	close(fd);
	table_free(&big);
	table_free(&small);
}

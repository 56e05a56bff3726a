// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without privileges gets of deferred callchains at
 * kernel.perf_event_paranoid 2 and 3: the processes that may be sampled, set-user-id
 * programs, addresses of the kernel in chains, tables of events that others opened; and
 * that it gets no more as root of a user namespace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bare.h"
#include "test.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define USER		65534
#define OTHER_USER	1000
#define COMM_EXEC	(1 << 13)

static void *shared_page(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void set_paranoid(long level)
{
	char text[16];

	snprintf(text, sizeof(text), "%ld", level);
	if (!write_text(PARANOID, text))
		die(PARANOID);
}

static void become(uid_t uid)
{
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		_exit(100);
}

/* Every fault of user code. */
static void attr_faults(struct perf_event_attr *attr)
{
	attr_init(attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	attr->exclude_kernel = 1;
	attr->exclude_callchain_kernel = 1;
	attr_defer(attr);
}

/* A process of @uid, which ptrace() may attach to or not, until it is stopped. */
static pid_t victim_start(uid_t uid, bool dumpable)
{
	volatile int *ready = shared_page();
	pid_t pid = fork();

	if (!pid) {
		become(uid);
		prctl(PR_SET_DUMPABLE, dumpable);
		*ready = 1;
		for (;;)
			pause();
	}
	while (!*ready)
		usleep(1000);
	munmap((void *)ready, 4096);
	return pid;
}

static void stop_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

enum {
	OWN, OWN_KERNEL, OWN_CHAIN, ALL_OF_CPU, OUTPUT_OF_CPU, MINE, PROTECTED, OTHERS, ROOTS, NR_TRIES
};

static const struct {
	const char *name;
	int err;	/* at 2 */
} tries[NR_TRIES] = {
	[OWN]		= { "the own user code", 0 },
	[OWN_KERNEL]	= { "the own kernel code", EACCES },
	[OWN_CHAIN]	= { "the own kernel callchains, as those that are not deferred", },
	[ALL_OF_CPU]	= { "all of a CPU", EACCES },
	[OUTPUT_OF_CPU]	= { "the records 22 of a CPU", EACCES },
	[MINE]		= { "another process of the user", 0 },
	[PROTECTED]	= { "one that is protected by PR_SET_DUMPABLE", EACCES },
	[OTHERS]	= { "another user's", EACCES },
	[ROOTS]		= { "root's", EACCES },
};

static int open_and_close(struct perf_event_attr *attr, pid_t pid)
{
	int fd = event_open(attr, pid, pid == -1 ? 0 : -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/* As @USER, open event @nr on @pid; 0 or an errno. */
static int try_open(int nr, pid_t pid)
{
	struct perf_event_attr attr;

	attr_faults(&attr);
	attr.exclude_kernel = nr != OWN_KERNEL;
	attr.exclude_callchain_kernel = nr != OWN_CHAIN;
	if (nr == OUTPUT_OF_CPU) {
		attr_dummy(&attr);
		attr.exclude_kernel = 1;
		attr.exclude_callchain_kernel = 1;
		attr_flag(&attr, DEFER_OUTPUT);
	}
	return open_and_close(&attr, pid);
}

/*
 * As @USER, what this kernel says of kernel callchains that are not deferred. 6.12.117 refuses
 * them at 2; 6.1.192 gives them, as all kernels did before that was mended.
 */
static int try_plain_chain(void)
{
	struct perf_event_attr attr;

	attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	attr.exclude_kernel = 1;
	attr.exclude_callchain_kernel = 0;
	return open_and_close(&attr, 0);
}

TEST(paranoid, "perf_event_paranoid 2 and 3: which events a user without privileges can open")
{
	pid_t target[NR_TRIES] = { [ALL_OF_CPU] = -1, [OUTPUT_OF_CPU] = -1, [ROOTS] = getpid() };
	volatile int *result = shared_page(), *plain_chain = &result[NR_TRIES];
	long was = read_long(PARANOID), level;
	int i, status;
	pid_t pid;

	target[MINE] = victim_start(USER, true);
	target[PROTECTED] = victim_start(USER, false);
	target[OTHERS] = victim_start(OTHER_USER, true);
	for (level = 2; level <= 3; level++) {
		set_paranoid(level);
		pid = fork();
		if (!pid) {
			become(USER);
			for (i = 0; i < NR_TRIES; i++)
				result[i] = try_open(i, target[i]);
			*plain_chain = try_plain_chain();
			_exit(0);
		}
		ok(waitpid(pid, &status, 0) == pid && !status, "%ld: tried", level);
		for (i = 0; i < NR_TRIES; i++) {
			int want = level > 2 ? EACCES : i == OWN_CHAIN ? *plain_chain : tries[i].err;

			ok(result[i] == want, "%ld: %s: %s", level,
			   tries[i].name, result[i] ? strerror(result[i]) : "opened");
			result[i] = -1;
		}
	}
	set_paranoid(was);
	stop_process(target[MINE]);
	stop_process(target[PROTECTED]);
	stop_process(target[OTHERS]);
	munmap((void *)result, 4096);
}

struct execed {
	volatile int ready, go;
	int before, after, after_22, execs;
	u64 lost;
};

/* Samples and records 22 on both sides of the exec that PERF_RECORD_COMM tells. */
static void count_execed(struct recorder *r, struct execed *sh)
{
	u64 exec = -1ULL;
	int i;

	for (i = 0; i < r->nr; i++) {
		if (r->rec[i].type == PERF_RECORD_COMM && r->rec[i].misc & COMM_EXEC) {
			exec = r->rec[i].time;
			sh->execs++;
		}
	}
	for (i = 0; i < r->nr; i++) {
		struct rec *rec = &r->rec[i];

		if (rec->type == PERF_RECORD_SAMPLE && rec->time < exec)
			sh->before++;
		else if (rec->type == PERF_RECORD_SAMPLE)
			sh->after++;
		else if (rec->type == RECORD_CALLCHAIN_DEFERRED && rec->time > exec)
			sh->after_22++;
	}
	sh->lost = recorder_lost(r);
}

/* As @USER: record a child that executes @program, an O_PATH descriptor. */
static int record_exec(int program, struct execed *sh)
{
	static char *argv[] = { "unwind", "nothing", NULL }, *envp[] = { NULL };
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	int status;
	pid_t pid;

	become(USER);
	prctl(PR_SET_DUMPABLE, 1);
	pid = fork();
	if (!pid) {
		char *page;

		sh->ready = 1;
		while (!sh->go)
			usleep(1000);
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page != MAP_FAILED)
			*page = 1;
		fexecve(program, argv, envp);
		_exit(1);
	}
	while (!sh->ready)
		usleep(1000);
	attr_faults(&attr);
	attr.comm = 1;
	attr.comm_exec = 1;
	recorder_add(&r, &attr, pid, -1, 6);
	recorder_enable(&r);
	sh->go = 1;
	waitpid(pid, &status, 0);
	recorder_read(&r);
	count_execed(&r, sh);
	recorder_close(&r);
	return status ? 1 : 0;
}

static void copy_self(const char *to, mode_t mode)
{
	int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
	static char buf[65536];
	ssize_t n;

	if (in < 0 || out < 0)
		die("%s", to);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, n) != n)
			die("%s", to);
	close(in);
	if (n || fchmod(out, mode) || close(out))
		die("%s", to);
}

static void check_exec(const char *what, mode_t mode, bool seen)
{
	static const char program[] = "/tmp/priv-program";
	struct execed *sh = shared_page();
	int status, fd;
	pid_t pid;

	unlink(program);
	copy_self(program, mode);
	/* The user may not be able to search the folders on the way there. */
	fd = open(program, O_PATH);
	if (fd < 0)
		die("%s", program);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(record_exec(fd, sh));
	ok(waitpid(pid, &status, 0) == pid && !status && sh->execs == 1 && !sh->lost, "%s ran", what);
	ok(sh->before > 0, "%d samples of the user's own code before", sh->before);
	ok(seen ? sh->after > 0 : !sh->after && !sh->after_22,
	   "%d samples and %d records 22 of it", sh->after, sh->after_22);
	close(fd);
	unlink(program);
	munmap(sh, 4096);
}

TEST(setuidexec, "a user's event ends where the process executes a set-user-id program")
{
	long was = read_long(PARANOID);

	set_paranoid(2);
	check_exec("a program", 0755, true);
	check_exec("a set-user-id program", 04755, false);
	check_exec("a set-group-id program", 02755, false);
	check_exec("a program that the user cannot read", 0711, false);
	set_paranoid(was);
}

/* Fault with a return address of the kernel on the stack. */
static noinline void fault_below_kernel(volatile char *page)
{
	volatile unsigned long *frame = __builtin_frame_address(0);
	unsigned long was = frame[1];

	frame[1] = -0x7f000000L;
	*page = 1;
	frame[1] = was;
}

struct addresses {
	int faults, samples, records, kernel, malformed;
};

#define FAULTS	64

static void record_faults(struct addresses *sh)
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	char *pages;
	int i, j;

	become(USER);
	pages = mmap(NULL, FAULTS * 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		_exit(1);
	madvise(pages, FAULTS * 4096, MADV_NOHUGEPAGE);
	attr_faults(&attr);
	recorder_add(&r, &attr, 0, -1, 6);
	recorder_enable(&r);
	for (i = 0; i < FAULTS; i++)
		fault_below_kernel(pages + i * 4096);
	recorder_disable(&r);
	recorder_read(&r);
	for (i = 0; i < r.nr; i++) {
		struct rec *rec = &r.rec[i];

		sh->samples += rec->type == PERF_RECORD_SAMPLE;
		sh->records += rec->type == RECORD_CALLCHAIN_DEFERRED;
		sh->kernel += rec->nr_kernel || rec->ip >> 47;
		for (j = 0; j < rec->nr; j++)
			sh->kernel += rec->user[j] >> 47 != 0;
	}
	sh->malformed = r.bad;
	recorder_close(&r);
}

TEST(kerneladdr, "a user without privileges gets no address of the kernel, from no stack")
{
	struct addresses *sh = shared_page();
	long was = read_long(PARANOID);
	int status;
	pid_t pid;

	set_paranoid(2);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		record_faults(sh);
		_exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid && !status && !sh->malformed, "recorded");
	ok(sh->samples >= FAULTS, "%d samples of %d faults", sh->samples, FAULTS);
	if (!defer_inline())
		ok(sh->records >= FAULTS, "%d records 22", sh->records);
	ok(!sh->kernel, "%d addresses of the kernel in samples and records 22", sh->kernel);
	set_paranoid(was);
	munmap(sh, 4096);
}

/* How often bare() was whole in a task of @uid. */
static int whole_as(uid_t uid)
{
	volatile int *seen = shared_page();
	struct recorder r = { 0 };
	struct path p = { 0 };
	int whole, status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setresuid(uid, uid, uid))
			_exit(1);
		while (!*seen)
			usleep(1000);
		bare_run(&p, 3, bare_text);
		_exit(0);
	}
	bare_run(&p, 3, bare_text);
	bare_watch(&r, pid);
	*seen = 1;
	if (waitpid(pid, &status, 0) != pid || status)
		die("task of user %d", (int)uid);
	whole = bare_take(&r, &p).whole;
	munmap((void *)seen, 4096);
	path_free(&p);
	return whole;
}

/* Register for @event as @uid; 0 or an errno. */
static int add_as(uid_t uid, int event, const struct table *t)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setresuid(uid, uid, uid))
			_exit(255);
		_exit(-table_add(event, fd, t));
	}
	close(fd);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		die("task of user %d", (int)uid);
	return WEXITSTATUS(status);
}

TEST(tablepass, "unwind tables: who opened the event counts, not who registers for it")
{
	struct table t;
	int event, whole;

	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	whole = sizeof(long) == 8 ? 2 : 0;
	t = bare_table(bare_offset());

	if (seteuid(USER))
		die("seteuid");
	event = table_owner();
	if (seteuid(0))
		die("seteuid");
	ok(add_as(0, event, &t) == EPERM, "root cannot register for a user's event");
	close(event);

	event = table_owner();
	ok(!add_as(USER, event, &t), "a user registers for root's event");
	ok(whole_as(OTHER_USER) == whole, "which serves every task");
	close(event);
	ok(!whole_as(USER), "until it is closed");
	table_free(&t);
}

/* Write to a file of this process in the /proc that @proc has open. */
static void write_own(int proc, const char *file, const char *text)
{
	int fd = openat(proc, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(101);
	close(fd);
}

/*
 * Become @uid and then root, with every capability, of a user namespace in which there
 * is nobody else.
 */
static void become_ns_root(uid_t uid)
{
	/* The user may not be able to search the folder that it is in. */
	int proc = open("/proc", O_PATH | O_CLOEXEC);
	char map[32];

	become(uid);
	/* The files of /proc/self would be root's. */
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER))
		_exit(102);
	snprintf(map, sizeof(map), "0 %u 1", uid);
	write_own(proc, "self/setgroups", "deny");
	write_own(proc, "self/uid_map", map);
	write_own(proc, "self/gid_map", map);
	close(proc);
	/* The last takes CAP_SYS_ADMIN in the namespace. */
	if (geteuid() || getegid() || unshare(CLONE_NEWPID))
		_exit(103);
}

/* What the tries give to @USER, and to a root of a namespace whom @USER is outside of it. */
struct ns_tries {
	int user[NR_TRIES], ns_root[NR_TRIES];
};

static void compare_tries(const pid_t *target, long level)
{
	struct ns_tries *t = shared_page();
	int i, as_root, status;
	pid_t pid;

	set_paranoid(level);
	fflush(stdout);
	for (as_root = 0; as_root < 2; as_root++) {
		pid = fork();
		if (!pid) {
			if (as_root)
				become_ns_root(USER);
			else
				become(USER);
			for (i = 0; i < NR_TRIES; i++)
				(as_root ? t->ns_root : t->user)[i] = try_open(i, target[i]);
			_exit(0);
		}
		ok(waitpid(pid, &status, 0) == pid && !status, "%ld: tried as %s", level,
		   as_root ? "root of a namespace" : "a user");
	}
	for (i = 0; i < NR_TRIES; i++)
		ok(t->ns_root[i] == EACCES || (!t->ns_root[i] && !t->user[i]), "%ld: %s: %s, the user's own: %s",
		   level, tries[i].name, t->ns_root[i] ? strerror(t->ns_root[i]) : "opened",
		   t->user[i] ? strerror(t->user[i]) : "opened");
	if (level < 3)
		ok(!t->ns_root[OWN], "%ld: it does get what any user gets", level);
	munmap(t, 4096);
}

/* What a root of a namespace, @uid outside of it, gets for a table of this program. */
static void ns_owner(uid_t uid, const struct table *t)
{
	int fd = open("/proc/self/exe", O_RDONLY), status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		become_ns_root(uid);
		_exit(-table_add(table_owner(), fd, t));
	}
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == EPERM,
	   "root of a namespace, user %d outside, registers no table: status %#x", (int)uid, status);
	close(fd);
}

TEST(userns, "root of a user namespace of its own gets what the user outside gets")
{
	pid_t target[NR_TRIES] = { [ALL_OF_CPU] = -1, [OUTPUT_OF_CPU] = -1, [ROOTS] = getpid() };
	long was = read_long(PARANOID), level;
	struct table t;

	if (access("/proc/self/ns/user", F_OK)) {
		skip("no CONFIG_USER_NS", "user namespaces");
		return;
	}
	target[MINE] = victim_start(USER, true);
	target[PROTECTED] = victim_start(USER, false);
	target[OTHERS] = victim_start(OTHER_USER, true);
	for (level = 1; level <= 3; level++)
		compare_tries(target, level);
	set_paranoid(was);
	stop_process(target[MINE]);
	stop_process(target[PROTECTED]);
	stop_process(target[OTHERS]);

	/* (Linux 6.1) */
	if (!have_tables())
		return;
	t = bare_table(bare_offset());
	ns_owner(USER, &t);
	ns_owner(0, &t);
	table_free(&t);
}

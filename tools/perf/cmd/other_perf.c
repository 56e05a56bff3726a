// SPDX-License-Identifier: GPL-2.0
/*
 * Finds and runs the other perf. PATH is searched as by execvp(), except that some files are
 * skipped by device and inode: this program, and programs that this process has been passed to
 * before. The latter are listed in the environment (PERF_DELEGATED), with the process id, which
 * exec keeps: two copies of this perf in PATH pass a command on twice, not forever. A script
 * that starts this perf as its child makes another process each time: for that the variable has
 * a count, too. Owns only the caller's struct other_perf.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "cmd/other_perf.h"
#include "event/abi.h"

#define GUARD "PERF_DELEGATED"

enum {
	MAX_PASSED	= 16,	/* files that are skipped */
	MAX_DEPTH	= 16,	/* nested processes that passed a command on */
};

/* Files to skip, and the number of nested processes that passed a command on. */
struct passed {
	struct { u64 dev, ino; } file[MAX_PASSED];
	u32 nr, depth;
};

static const struct {
	const char *name, *help;
} known[] = {
	{ "bench", "Benchmarks of the system" },
	{ "c2c", "Find cache lines that CPUs contend for" },
	{ "check", "Show which features that perf was built with" },
	{ "daemon", "Run recordings in the background" },
	{ "evlist", "List the events of a recording" },
	{ "ftrace", "Use the kernel's function tracer" },
	{ "iostat", "Show I/O of PCIe ports" },
	{ "kallsyms", "Search the running kernel's symbols" },
	{ "kmem", "Analyze the kernel's memory allocations" },
	{ "kvm", "Profile a guest" },
	{ "kwork", "Analyze interrupts, softirqs and work queues" },
	{ "lock", "Analyze locks" },
	{ "mem", "Profile memory accesses" },
	{ "probe", "Define dynamic tracepoints" },
	{ "sched", "Analyze the scheduler" },
	{ "stat", "Count events while a command runs" },
	{ "test", "Run the other perf's own tests" },
	{ "timechart", "Draw the activity of the system over time" },
	{ "trace", "Trace system calls, live" },
};

/* These read recordings: perf.data if they are told none. */
static const char *const readers[] = { "c2c", "evlist", "kmem", "kvm", "kwork", "lock", "mem", "sched", "timechart" };

const char *other_known(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(known))
		return NULL;
	*help = known[i].help;
	return known[i].name;
}

bool other_disabled(void)
{
	const char *no = getenv("PERF_NO_DELEGATE");

	return no && *no && strcmp(no, "0");
}

static void pass_over(struct passed *p, u64 dev, u64 ino)
{
	if (p->nr < MAX_PASSED) {
		p->file[p->nr].dev = dev;
		p->file[p->nr++].ino = ino;
	}
}

static bool is_passed(const struct passed *p, const struct stat *st)
{
	u32 i;

	for (i = 0; i < p->nr; i++)
		if (p->file[i].dev == st->st_dev && p->file[i].ino == st->st_ino)
			return true;
	return false;
}

/* Initialise from the environment, and add this program. */
static void passed_init(struct passed *p)
{
	const char *guard = getenv(GUARD);
	unsigned long long dev, ino;
	struct stat st;
	int pid, n;

	*p = (struct passed){};
	if (guard && sscanf(guard, "%d %u%n", &pid, &p->depth, &n) == 2) {
		/* The files are valid only for the process that was passed on to them. */
		for (guard += n; pid == getpid() && sscanf(guard, " %llu:%llu%n", &dev, &ino, &n) == 2;
		     guard += n)
			pass_over(p, dev, ino);
		if (pid != getpid())
			p->depth++;
	}
	if (!stat("/proc/self/exe", &st) && !is_passed(p, &st))
		pass_over(p, st.st_dev, st.st_ino);
}

static void passed_export(const struct passed *p)
{
	char text[MAX_PASSED * 48];
	u32 i;
	int n = snprintf(text, sizeof(text), "%d %u", getpid(), p->depth);

	for (i = 0; i < p->nr; i++)
		n += snprintf(text + n, sizeof(text) - n, " %llu:%llu",
			      (unsigned long long)p->file[i].dev, (unsigned long long)p->file[i].ino);
	setenv(GUARD, text, 1);
}

/* The next perf in PATH; later searches skip it. */
static bool find(struct passed *p, char *path, size_t size)
{
	const char *dirs = getenv("PATH") ?: "/bin:/usr/bin";
	struct stat st;
	size_t len;
	int n;

	if (p->nr == MAX_PASSED)
		return false;
	for (;; dirs += len + 1) {
		len = strcspn(dirs, ":");
		/* An empty entry is the current directory. */
		n = snprintf(path, size, "%.*s%s", (int)len, dirs, len ? "/perf" : "./perf");
		if ((size_t)n < size && !stat(path, &st) && S_ISREG(st.st_mode) &&
		    !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) && !is_passed(p, &st)) {
			pass_over(p, st.st_dev, st.st_ino);
			return true;
		}
		if (!dirs[len])
			break;
	}
	*path = 0;
	return false;
}

/* Append the words of a line of "perf --list-cmds" to the names. */
static void add_names(void *ctx, char *line)
{
	char *word;

	while ((word = strsep(&line, " ")))
		if (*word)
			words_add(ctx, "%s", word);
}

/* This perf would list only its own commands. */
static void list_commands(struct other_perf *o)
{
	_cleanup_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char *argv[] = { "perf", "--list-cmds", NULL };
	int status;

	setenv("PERF_NO_DELEGATE", "1", 1);
	status = child_run(&(struct child){
		.program = o->path, .argv = argv, .out = CHILD_READ, .err = null, .what = "perf --list-cmds",
		.line = add_names, .ctx = &o->names,
	});
	unsetenv("PERF_NO_DELEGATE");
	if (status)
		words_deinit(&o->names);
}

bool other_has(const struct other_perf *o, const char *name)
{
	u32 i;

	for (i = 0; i < o->names.nr; i++)
		if (!strcmp(o->names.v[i], name))
			return true;
	return false;
}

bool other_init(struct other_perf *o)
{
	struct passed p;

	*o = (struct other_perf){};
	if (other_disabled())
		return false;
	passed_init(&p);
	while (find(&p, o->path, sizeof(o->path))) {
		list_commands(o);
		/* A perf with this command is a copy of this one. */
		if (!other_has(o, "unwind"))
			return true;
		other_deinit(o);
	}
	return false;
}

void other_deinit(struct other_perf *o)
{
	words_deinit(&o->names);
}

static void keep_first(void *ctx, char *line)
{
	struct word_list *w = ctx;

	if (!w->nr)
		words_add(w, "%s", line);
}

/* Run the other perf at @path. Return: its status; @first gets its first line. */
static int ask(const char *path, char **argv, bool of_stderr, struct word_list *first)
{
	_cleanup_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	return child_run(&(struct child){
		.program = path, .argv = argv, .out = of_stderr ? null : CHILD_READ, .err = of_stderr ? CHILD_READ : null,
		.what = argv[1], .line = keep_first, .ctx = first,
	});
}

/* Is this file a recording that the other perf cannot read, as one of a newer kernel? Then say so. */
static bool unreadable(const char *path, char *file, const char *what)
{
	char *evlist[] = { "perf", "evlist", "-i", file, NULL }, *version[] = { "perf", "--version", NULL };
	_cleanup_words_ struct word_list why = { 0 }, who = { 0 };
	struct stat st;
	_cleanup_close_ int fd = open_regular(file, 0, &st);
	bool cannot = false;
	int status = 0;
	u64 magic;

	if (fd >= 0 && pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
	    magic == PERFILE2_MAGIC)
		status = ask(path, evlist, true, &why);
	/* 127: it cannot be run, which other_exec() says. */
	if (status > 0 && WEXITSTATUS(status) != 127) {
		ask(path, version, false, &who);
		diag_error("%s: %s (%s) cannot read %s: %s; a newer perf in PATH can, or this one's report and script",
			   what, path, who.nr ? who.v[0] : "version unknown", file, why.nr ? why.v[0] : "no reason given");
		cannot = true;
	}
	return cannot;
}

/* Commands that read recordings are told them by -i or as operands. */
static bool reads_unreadable(const char *path, char **argv, const char *what)
{
	bool reads = false, told = false;
	size_t i;

	for (; *argv; argv++) {
		char *file = *argv + (!strncmp(*argv, "--input=", 8) ? 8 : !strncmp(*argv, "-i", 2) ? 2 : 0);

		for (i = 0; !reads && i < ARRAY_SIZE(readers); i++)
			reads = !strcmp(*argv, readers[i]);
		if (!strcmp(*argv, "record"))
			return false;
		told |= file != *argv || !access(file, F_OK);
		if (reads && unreadable(path, file, what))
			return true;
	}
	return reads && !told && unreadable(path, "perf.data", what);
}

int other_exec(char **argv, const char *what)
{
	struct passed p;
	char path[4096];

	passed_init(&p);
	if (other_disabled())
		diag_error("%s is a command of another perf, and PERF_NO_DELEGATE is set", what);
	else if (p.depth >= MAX_DEPTH)
		diag_error("%s: passed on %d times: is a perf in PATH a script that runs this one?",
			   what, MAX_DEPTH);
	else if (!find(&p, path, sizeof(path)))
		diag_error("%s is a command of another perf, and there is none in PATH: "
			   "it is in the package linux-perf (Debian) or perf (Fedora)", what);
	else if (!reads_unreadable(path, argv + 1, what)) {
		passed_export(&p);
		/* perf interprets its name: "perf-deferred" would be a command. */
		argv[0] = path;
		execv(path, argv);
		diag_error("%s: cannot run %s: %s", what, path, strerror(errno));
	}
	return 1;
}

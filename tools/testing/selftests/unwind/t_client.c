// SPDX-License-Identifier: GPL-2.0
/*
 * Clients beside perf, requests and samples from NMIs: through
 * tools/testing/modules/. The suite loads the module before these tests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "worker.h"

#define DIR	"/sys/kernel/debug/unwind_test/"

struct done {
	int client, tid, nr;
	unsigned long long cookie;
	u64 ip[136];
};

static bool present(const char *what)
{
	if (!access(DIR "control", W_OK))
		return true;
	skip("unwind_test.ko is not loaded", "%s", what);
	return false;
}

static int control(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int control(const char *fmt, ...)
{
	char text[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return write_text(DIR "control", text) ? 0 : -errno;
}

static long stat(const char *name)
{
	char key[32];
	long value = -1, n;
	FILE *f = fopen(DIR "stats", "r");

	if (!f)
		die(DIR "stats");
	while (fscanf(f, "%31s %ld", key, &n) == 2)
		if (!strcmp(key, name))
			value = n;
	fclose(f);
	return value;
}

/* All completions in the log. */
static int read_log(struct done *a, int max)
{
	FILE *f = fopen(DIR "log", "r");
	char *line = NULL, *p;
	size_t size = 0;
	int n = 0, i, used;

	if (!f)
		die(DIR "log");
	while (n < max && getline(&line, &size, f) > 0) {
		if (sscanf(line, "completion %d %d %llx %d%n", &a[n].client, &a[n].tid, &a[n].cookie,
			   &a[n].nr, &used) != 4)
			die("log: %s", line);
		p = line + used;
		for (i = 0; i < a[n].nr && i < 136; i++)
			a[n].ip[i] = strtoull(p, &p, 16);
		n++;
	}
	free(line);
	fclose(f);
	return n;
}

static struct done completions[1024];

static bool completion_is(const struct done *a, const struct path *p)
{
	struct chain chain = { CHAIN_DEFERRED, a->ip, a->nr, NULL };

	return path_is(p, &chain);
}

/* A command to the module from the end of a known path. */
static long control_at(struct path *p, int depth, const char *text)
{
	int fd = open(DIR "control", O_WRONLY);
	long ret;

	if (fd < 0)
		die(DIR "control");
	ret = path_syscall_at(p, depth, SYS_write, fd, (long)text, strlen(text), 0);
	close(fd);
	return ret < 0 ? ret : 0;
}

TEST(client, "other clients beside perf: one walk, one cookie, a callback each")
{
	struct perf_event_attr attr;
	struct recorder r = { 0 };
	struct path p = { 0 };
	int i, n, right = 0, shared = 0;
	struct tally t;

	if (!present("clients"))
		return;
	ok(!control("init 0") && !control("init 1"), "two clients register");
	control("reset");
	for (i = 0; i < 10; i++)
		control_at(&p, 31, "request 0");
	n = read_log(completions, 1024);
	for (i = 0; i < n; i++)
		right += completions[i].client == 0 && completions[i].tid == getpid() &&
			 completions[i].cookie && completion_is(&completions[i], &p);
	ok(n == 10 && right == 10, "10 requests: %d completions, %d of them right", n, right);

	/* The same entry for perf and both clients: no more is needed than one name. */
	for (i = 0; i < 3; i++) {
		attr_syscall(&attr, false);
		attr_defer(&attr);
		recorder_add(&r, &attr, 0, -1, i ? -1 : 7);
	}
	recorder_filter_syscall(&r, SYS_write);
	control("reset");
	recorder_enable(&r);
	control_at(&p, 31, "request 1");
	recorder_disable(&r);
	recorder_read(&r);
	n = read_log(completions, 1024);
	ok(n == 1 && completions[0].client == 1 && completion_is(&completions[0], &p), "one completion beside perf");
	check_samples(&r, 0, &p, "perf beside a client");
	tally(&r, &t, NULL, NULL);
	for (i = 0; i < r.nr; i++)
		shared += r.rec[i].type == PERF_RECORD_SAMPLE && r.rec[i].cookie &&
			  r.rec[i].cookie == completions[0].cookie;
	ok(shared == t.deferred, "%d deferred samples, %d with the client's cookie", t.deferred,
	   shared);
	recorder_close(&r);

	ok(!control("cancel 0"), "client 0 is cancelled");
	ok(control("request 0") == -EINVAL, "a cancelled client's request is refused");
	control("reset");
	ok(!control_at(&p, 31, "request 1"), "the other one's is not");
	n = read_log(completions, 1024);
	ok(n == 1 && completions[0].client == 1, "and it is completed");
	control("cancel 1");
}

static volatile int stop;
static long refused, taken, other;

static void *requester(void *data)
{
	struct path p = { 0 };
	long ret;

	while (!stop) {
		ret = control_at(&p, 1 + (long)data * 7, "request 0");
		if (!ret)
			__sync_fetch_and_add(&taken, 1);
		else if (ret == -EINVAL)
			__sync_fetch_and_add(&refused, 1);
		else
			__sync_fetch_and_add(&other, 1);
	}
	path_free(&p);
	return NULL;
}

TEST(cancel, "a client that comes and goes while its requests are in flight")
{
	long late, i, n, wrong = 0;
	pthread_t thread[4];

	if (!present("cancel"))
		return;
	control("reset");
	late = stat("late");
	for (i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, requester, (void *)i))
			die("pthread_create");
	for (i = 0; i < 40; i++) {
		if (control("init 0"))
			ok(false, "init");
		usleep(3000);
		if (control("cancel 0"))
			ok(false, "cancel");
		usleep(1000);
	}
	stop = 1;
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ok(taken > 0 && refused > 0 && !other, "%ld requests taken, %ld refused, %ld else", taken,
	   refused, other);
	ok(stat("late") == late, "no callback after cancel");
	n = read_log(completions, 1024);
	for (i = 0; i < n; i++)
		wrong += completions[i].nr < 4 || !completions[i].cookie;
	ok(n > 0 && !wrong, "%ld completions looked at, %ld wrong", n, wrong);
	ok(control("request 0") == -EINVAL, "refused after the last cancel");
}

TEST(cancelpending, "a cancelled client's pending request is dropped, and not completed for the next client")
{
	int status, n;
	long first;
	pid_t pid;

	if (!present("cancel"))
		return;
	control("init 0");
	control("reset");
	first = stat("first");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(!!control("linger 0"));
	while (stat("first") == first)
		usleep(1000);
	ok(!control("cancel 0") && !control("init 0"), "cancelled, and registered again");
	waitpid(pid, &status, 0);
	n = read_log(completions, 1024);
	ok(WIFEXITED(status) && !WEXITSTATUS(status) && !n, "%d completions", n);
	control("cancel 0");
}

TEST(nmi, "requests from NMIs in kernel mode")
{
	int i, n, right = 0;
	struct path p = { 0 };
	long nmis, refused0;

	if (!present("NMIs"))
		return;
	control("init 0");
	control("reset");
	nmis = stat("nmis");
	refused0 = stat("refused");
	for (i = 0; i < 20; i++)
		control_at(&p, 5 + i, "self 0 5");
	ok(stat("nmis") - nmis >= 20, "%ld NMIs", stat("nmis") - nmis);
	ok(stat("refused") == refused0, "no request refused");
	n = read_log(completions, 1024);
	for (i = 0; i < n; i++) {
		path_want_syscall(&p, 5 + i);
		right += completion_is(&completions[i], &p);
	}
	ok(n == 20, "20 entries with up to 5 NMIs each: %d completions", n);
	ok(right == n, "%d with the chain of the call path", right);
	ok(control("cancel 0") == 0, "cancelled");
}

#define SPIN_DEPTH	40

/* A task that spins on @cpu below SPIN_DEPTH calls until until[0] is set; the test goes to CPU 0. */
static pid_t start_spinner(struct path *p, volatile int *until, int cpu)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		pin(cpu);
		p->until = until;
		until[1] = 1;
		path_run(p, SPIN_DEPTH);
		_exit(0);
	}
	while (!until[1])
		usleep(1000);
	pin(0);
	return pid;
}

TEST(nmiuser, "requests from NMIs while another CPU is in user mode")
{
	struct path p = { .leaf = PATH_SPIN }, want;
	volatile int *until = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				   -1, 0);
	int i, n, right = 0, spinning = 0, cpu = nr_cpus() - 1;
	long nmis, user, queued, completed;
	pid_t pid;

	if (!present("NMIs"))
		return;
	if (nr_cpus() < 2) {
		skip("one CPU only", "NMIs on another CPU");
		return;
	}
	control("init 0");
	control("reset");
	pid = start_spinner(&p, until, cpu);
	nmis = stat("nmis");
	user = stat("nmis_user");
	queued = stat("first");
	completed = stat("completions");
	control("cpu %d 0 60", cpu);
	nmis = stat("nmis") - nmis;
	user = stat("nmis_user") - user;
	until[0] = 1;
	waitpid(pid, NULL, 0);
	ok(nmis > 0 && user > 0, "%ld NMIs, %ld in user mode", nmis, user);
	n = read_log(completions, 1024);
	path_want_syscall(&want, SPIN_DEPTH);
	for (i = 0; i < n; i++) {
		if (completions[i].tid != pid)
			continue;
		if (!path_spins_at(completions[i].ip[0]))
			continue;
		spinning++;
		right += completions[i].nr == want.nr_want &&
			 !memcmp(&completions[i].ip[2], &want.want[2], 8 * (want.nr_want - 2));
	}
	ok(spinning > 0 && right == spinning, "%d completions in the spinning function, %d right",
	   spinning, right);
	/*
	 * Not one per cookie: an NMI between the completion and the return to user
	 * space makes a request of the same entry.
	 */
	queued = stat("first") - queued;
	completed = stat("completions") - completed;
	ok(queued > 0 && completed == queued, "%ld requests were queued, %ld completed", queued, completed);
	control("cancel 0");
}

#define PMU	"/sys/bus/event_source/devices/unwind_test/type"

/*
 * Events that sample in NMIs: on a tracepoint there, whose registers are
 * the kernel's, or of the module's PMU, whose registers the NMI interrupted.
 */
static void watch_nmis(struct recorder *r, pid_t pid, bool pmu, int nr)
{
	struct perf_event_attr attr;
	int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < nr; i++) {
		if (pmu)
			attr_init(&attr, read_long(PMU), 0);
		else
			attr_tracepoint(&attr, "nmi/nmi_handler");
		attr_defer(&attr);
		recorder_add(r, &attr, pid, -1, i ? -1 : 9);
	}
	recorder_enable(r);
}

static void sample_kernel(bool pmu, const char *name)
{
	struct path p = { 0 };
	struct recorder r;
	struct tally t;
	int i, flat = 0;
	long nmis;

	nmis = stat("nmis");
	watch_nmis(&r, 0, pmu, 3);
	for (i = 0; i < 20; i++)
		control_at(&p, 40, "self 0 5");
	recorder_disable(&r);
	recorder_read(&r);
	nmis = stat("nmis") - nmis;
	check_samples(&r, 0, &p, name);
	tally(&r, &t, NULL, NULL);
	ok(nmis > 0 && t.samples >= 3 * nmis, "%s: %ld NMIs, %d samples", name, nmis, t.samples);
	check_policy(&t);
	for (i = 0; i < r.nr; i++)
		flat += r.rec[i].type == PERF_RECORD_SAMPLE && !r.rec[i].nr_kernel;
	ok(!flat, "%s: %d without a kernel callchain", name, flat);
	recorder_close(&r);
}

TEST(nmisample, "samples that perf takes in NMIs, in kernel mode")
{
	if (!present("samples in NMIs"))
		return;
	sample_kernel(false, "a tracepoint");
	sample_kernel(true, "a counter");
}

static bool is_spinning(const struct rec *rec, const struct chain *chain, void *data)
{
	const struct path *want = data;

	(void)rec;
	/* It may have been on its way in or out of the function that spins. */
	if (!chain->nr || !path_spins_at(chain->ip[0]))
		return true;
	return chain->nr == want->nr_want &&
	       !memcmp(chain->ip + 2, want->want + 2, 8 * (want->nr_want - 2));
}

static void sample_user(pid_t pid, int cpu, bool pmu, const char *name)
{
	struct path want = { 0 };
	struct chain chain;
	struct recorder r;
	struct tally t;
	int i, spinning = 0, user_regs = 0, odd = 0;
	long user;

	/* In an entry so many samples would share a record. */
	watch_nmis(&r, pid, pmu, 8);
	user = stat("nmis_user");
	control("cpu %d 0 60", cpu);
	user = stat("nmis_user") - user;
	recorder_read_all(&r);
	recorder_disable(&r);
	path_want_syscall(&want, SPIN_DEPTH);
	tally(&r, &t, is_spinning, &want);
	for (i = 0; i < r.nr; i++) {
		if (r.rec[i].type != PERF_RECORD_SAMPLE)
			continue;
		chain = recorder_chain(&r, i);
		spinning += chain.nr && path_spins_at(chain.ip[0]);
		if ((r.rec[i].misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
			continue;
		user_regs++;
		odd += r.rec[i].is_inline != (defer_inline() == 1);
	}
	ok(user > 0 && spinning > 0, "%s: %ld NMIs in user mode, %d samples of the spinning function",
	   name, user, spinning);
	ok(!t.wrong && !t.orphans && !t.none, "%s: %d samples, all with the chain of the call path",
	   name, t.samples);
	if (pmu)
		ok(user_regs > 0 && !odd, "%s: %d samples with the registers of user mode, %d not %s",
		   name, user_regs, odd, defer_inline() ? "walked at once" : "deferred");
	path_free(&want);
	recorder_close(&r);
}

TEST(nmisampleuser, "samples that perf takes in NMIs, in user mode")
{
	struct path p = { .leaf = PATH_SPIN };
	volatile int *until = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				   -1, 0);
	int cpu = nr_cpus() - 1;
	pid_t pid;

	if (!present("samples in NMIs in user mode"))
		return;
	if (nr_cpus() < 2) {
		skip("one CPU only", "NMIs on another CPU");
		return;
	}
	pid = start_spinner(&p, until, cpu);
	sample_user(pid, cpu, false, "a tracepoint");
	sample_user(pid, cpu, true, "a counter");
	until[0] = 1;
	waitpid(pid, NULL, 0);
}

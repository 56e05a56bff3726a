// SPDX-License-Identifier: GPL-2.0
/*
 * perf unwind --serve: keeps the tables of all that runs registered, for every tracer.
 *
 *	serve --> generation --> cmd/tables       tables, and the buffers with mappings
 *	   '----> status                          the socket of --status
 *
 * Bounded: tables by --limit; names of files by the number that makes a generation end; work by a pause
 * after each round that found records, and by the time between two generations. Records that do not fit
 * into the buffers meanwhile are lost; then /proc is read.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/outbuf.h"
#include "cmd/unwind/generation.h"
#include "cmd/unwind/unwind.h"
#include "measure/table.h"

#define PAUSE_MS	10
/* Seconds from one generation to the next, and at least, if the tables are full. */
#define GENERATION_S	3600
#define FULL_S		60
/* Seconds between two readings of /proc after lost records. */
#define LOOK_S		10
#define MAX_FILES	50000

struct server {
	struct generation *generation;
	u64 limit;
	u64 started, begun, looked;	/* seconds */
	u64 generations, lost;
	int signals, socket, folder;
};

static u64 seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec;
}

/* Return: 0, or -1 after diag_error(). */
static int check_kernel(void)
{
	int event = table_event_open();

	if (event >= 0)
		return close(event);
	if (event == -ENOTTY || event == -EPERM)
		return diag_error("--serve: %s", table_missing());
	return diag_error("--serve: no event can be opened: %s", strerror(-event));
}

static double cpu_time(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Resident memory in kB. */
static long resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void answer(struct server *s)
{
	double cpu = cpu_time(RUSAGE_SELF) + cpu_time(RUSAGE_CHILDREN);
	u64 up = seconds() - s->started;
	struct tables_figures f;
	_cleanup_outbuf_ struct outbuf o = { 0 };
	char text[512];

	tables_figures(s->generation->tables, &f);
	snprintf(text, sizeof(text),
		 "tables          %llu\n"
		 "bytes           %llu of %llu (--limit)\n"
		 "without table   %llu files\n"
		 "waiting         %llu files\n"
		 "lost            %llu records\n"
		 "generation      %llu, %llu s old\n"
		 "memory          %ld kB, beside the tables\n"
		 "processor time  %.2f s in %llu s\n",
		 f.registered, f.bytes, s->limit, f.refused, f.waiting, s->lost, s->generations,
		 seconds() - s->begun, resident(), cpu, up);
	outbuf_puts(&o, text);
	status_answer(s->socket, &o);
}

/* Return: 0, or -1 after diag_error(). */
static int begin(struct server *s)
{
	struct generation *next = generation_begin(s->limit, s->signals);

	if (!next)
		return -1;
	generation_end(s->generation);
	s->generation = next;
	s->begun = s->looked = seconds();
	s->generations++;
	return 0;
}

static bool is_due(struct server *s, u64 now)
{
	struct tables_figures f;

	if (now - s->begun >= GENERATION_S)
		return true;
	tables_figures(s->generation->tables, &f);
	return now - s->begun >= FULL_S && (f.full || f.files >= MAX_FILES);
}

/* What is to be done now and then. */
static int keep_up(struct server *s)
{
	u64 now = seconds();

	if (is_due(s, now))
		return begin(s);
	if (!s->generation->lost || now - s->looked < LOOK_S)
		return 0;
	s->lost += s->generation->lost;
	s->looked = now;
	generation_look(s->generation);
	return 0;
}

/* Wait for a record, a signal, a question, or until it is time to look again. */
static void wait_any(struct server *s, struct pollfd *p)
{
	p[0] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = s->socket, .events = POLLIN };
	p[2] = (struct pollfd){ .fd = s->generation->maps.epoll, .events = POLLIN };
	poll(p, 3, LOOK_S * 1000);
}

static int run(struct server *s)
{
	struct tables_figures f;
	struct pollfd p[3];
	int err = begin(s);

	if (err)
		return err;
	tables_figures(s->generation->tables, &f);
	fprintf(stderr, "perf unwind: %llu tables of %llu bytes are registered, for all tracers\n", f.registered,
		f.bytes);
	do {
		wait_any(s, p);
		if (p[1].revents)
			answer(s);
		if (!p[0].revents && generation_drain(s->generation))
			poll(p, 1, PAUSE_MS);
	} while (!p[0].revents && !keep_up(s));
	return p[0].revents ? 0 : -1;
}

int unwind_serve(u64 limit)
{
	struct server s = { .limit = limit, .started = seconds(), .signals = -1, .folder = -1 };
	sigset_t set;
	int err = check_kernel();

	if (err)
		return err;
	s.socket = status_listen(&s.folder);
	if (s.socket < 0)
		err = -1;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!err) {
		s.signals = signalfd(-1, &set, SFD_CLOEXEC);
		err = s.signals < 0 ? diag_error("cannot wait for signals: %s", strerror(errno)) : run(&s);
		generation_end(s.generation);
		status_remove();
		close(s.signals);
		close(s.socket);
	}
	if (s.folder >= 0)
		close(s.folder);
	return err;
}

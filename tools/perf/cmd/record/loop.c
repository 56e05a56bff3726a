// SPDX-License-Identifier: GPL-2.0
/*
 * While recording goes on: one epoll for buffers, signals, timers and control.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "cmd/record/record.h"

/* What an epoll event means: one of these, or FIRST_RING + index of a ring. */
enum { ON_SIGNAL, ON_TIMER, ON_SWITCH_TIMER, ON_CONTROL, FIRST_RING };

static u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int watch(struct record *rec, int fd, u64 what)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = what };

	return epoll_ctl(rec->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static bool has_ended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR);
}

/*
 * The event that epoll watches for a buffer has ended with its task: watch
 * another that writes there. One descriptor per buffer is enough, the kernel
 * wakes all that share it.
 */
static void watch_next(struct record *rec, struct ring *ring, u32 index)
{
	epoll_ctl(rec->epoll, EPOLL_CTL_DEL, ring->fds[ring->watched], NULL);
	while (++ring->watched < ring->nr_fds)
		if (!has_ended(ring->fds[ring->watched]) &&
		    !watch(rec, ring->fds[ring->watched], FIRST_RING + index))
			return;
}

static bool all_ended(const struct record *rec)
{
	u32 i;

	for (i = 0; i < rec->rings.nr; i++)
		if (rec->rings.v[i].watched < rec->rings.v[i].nr_fds)
			return false;
	return true;
}

static void set_timer(int fd, u64 first_ms, u64 every_ms)
{
	struct itimerspec t = {
		.it_value = { first_ms / 1000, first_ms % 1000 * 1000000 },
		.it_interval = { every_ms / 1000, every_ms % 1000 * 1000000 },
	};

	timerfd_settime(fd, 0, &t, NULL);
}

static void enable(struct record *rec, bool on)
{
	rings_ioctl(&rec->rings, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
	rec->enabled = on;
}

/* -D: events go on, or off at the end of a span. */
static void delay_over(struct record *rec)
{
	u64 expired;
	u64 now = (monotonic_ns() - rec->start_ns) / 1000000, next;

	if (read(rec->timer, &expired, sizeof(expired)) < 0)
		return;
	if (!rec->nr_spans) {
		enable(rec, true);
		return;
	}
	enable(rec, !rec->enabled);
	if (rec->enabled)
		next = rec->spans[rec->next_span].off;
	else if (++rec->next_span < rec->nr_spans)
		next = rec->spans[rec->next_span].on;
	else
		return;
	set_timer(rec->timer, next > now ? next - now : 1, 0);
}

static void child_ended(struct record *rec)
{
	struct workload *w = &rec->workload;

	if (w->pid && !w->ended && waitpid(w->pid, &w->status, WNOHANG) == w->pid) {
		w->ended = true;
		rec->done = true;
	}
}

static int on_signal(struct record *rec)
{
	struct signalfd_siginfo si;

	while (read(rec->signals, &si, sizeof(si)) == sizeof(si)) {
		switch (si.ssi_signo) {
		case SIGCHLD:
			child_ended(rec);
			break;
		case SIGUSR2:
			rec->switch_wanted = true;
			break;
		default:
			rec->signal = si.ssi_signo;
			rec->done = true;
		}
	}
	return 0;
}

static int open_all(struct record *rec)
{
	sigset_t set;
	u32 i;

	rec->epoll = epoll_create1(EPOLL_CLOEXEC);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR2);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);	/* nohup */
	else
		sigaddset(&set, SIGHUP);
	rec->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	rec->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	rec->switch_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (rec->epoll < 0 || rec->signals < 0 || rec->timer < 0 || rec->switch_timer < 0)
		return diag_error("cannot wait for events: %s", strerror(errno));
	watch(rec, rec->signals, ON_SIGNAL);
	watch(rec, rec->timer, ON_TIMER);
	watch(rec, rec->switch_timer, ON_SWITCH_TIMER);
	if (rec->control_fd >= 0)
		watch(rec, rec->control_fd, ON_CONTROL);
	for (i = 0; i < rec->rings.nr; i++) {
		struct ring *ring = &rec->rings.v[i];

		if (ring->backward)
			ring->watched = ring->nr_fds;
		else if (watch(rec, ring->fds[0], FIRST_RING + i))
			return diag_error("cannot wait for a kernel buffer: %s", strerror(errno));
	}
	return 0;
}

/* Backward rings never say that they are full; their tasks' end is seen here. */
static bool backward_ended(const struct record *rec)
{
	u32 i, j;

	for (i = 0; i < rec->rings.nr; i++)
		for (j = 0; rec->rings.v[i].backward && j < rec->rings.v[i].nr_fds; j++)
			if (!has_ended(rec->rings.v[i].fds[j]))
				return false;
	return true;
}

static int start(struct record *rec)
{
	rec->start_ns = monotonic_ns();
	if (rec->switch_ms)
		set_timer(rec->switch_timer, rec->switch_ms, rec->switch_ms);
	if (rec->ring.delay_given) {
		if (rec->ring.delay_ms == 0 && rec->nr_spans)
			set_timer(rec->timer, 1, 0);
		else if (rec->ring.delay_ms > 0)
			set_timer(rec->timer, rec->ring.delay_ms, 0);
		else
			fprintf(stderr, "Events disabled\n");
	} else if (!rec->workload.pid || rec->rings.threads.v[0] == -1 || rec->pids || rec->tids) {
		enable(rec, true);
	} else {
		rec->enabled = true;	/* by the exec */
	}
	if (rec->workload.pid && workload_go(&rec->workload, rec->command[0])) {
		rec->not_started = true;
		return -1;
	}
	return 0;
}

static int write_error(struct record *rec, int err)
{
	bool kept = err != -EPIPE;

	diag_error("%s: %s%s", rec->writer.path, output_failure(err),
		   kept ? ": the recording ends here; what was written before can be read" : "");
	rec->write_failed = true;
	return -1;
}

static int switch_if_due(struct record *rec)
{
	bool due = rec->switch_wanted;
	int err;

	rec->switch_wanted = false;
	if (rec->switch_size && rec->writer.data_size >= rec->switch_size)
		due = true;
	if (!due)
		return 0;
	if (!rec->switch_output)
		return 0;
	err = output_hand_over(rec);
	return err ? write_error(rec, err) : output_switch(rec);
}

int record_loop(struct record *rec)
{
	struct epoll_event events[64];
	int n, i, err;

	if (open_all(rec) || start(rec))
		return -1;
	/* From here on there is something to look at in the file. */
	if (writer_publish(&rec->writer)) {
		rec->not_started = true;
		return -1;
	}
	while (!rec->done) {
		n = epoll_wait(rec->epoll, events, ARRAY_SIZE(events), late_timeout(rec));
		if (n < 0 && errno != EINTR)
			return diag_error("cannot wait for events: %s", strerror(errno));
		rec->wakeups++;
		for (i = 0; i < n; i++) {
			u64 what = events[i].data.u64, expired;

			switch (what) {
			case ON_SIGNAL:
				on_signal(rec);
				break;
			case ON_TIMER:
				delay_over(rec);
				break;
			case ON_SWITCH_TIMER:
				if (read(rec->switch_timer, &expired, sizeof(expired)) > 0)
					rec->switch_wanted = true;
				break;
			case ON_CONTROL:
				control_input(rec);
				break;
			default:
				if (events[i].events & (EPOLLHUP | EPOLLERR))
					watch_next(rec, &rec->rings.v[what - FIRST_RING], what - FIRST_RING);
			}
		}
		err = output_round(rec);
		if (err)
			return write_error(rec, err);
		if (late_finish(rec, false))
			return -1;
		if (all_ended(rec) && backward_ended(rec))
			rec->done = true;
		if (rec->max_size && rec->writer.data_size >= rec->max_size) {
			if (verbose >= 0)
				fprintf(stderr, "[ perf record: the file has the size of --max-size (%llu bytes): stopping ]\n",
					rec->max_size);
			rec->done = true;
		}
		if (!rec->done && switch_if_due(rec))
			return -1;
	}
	/* Nothing more, then what is left. */
	rings_ioctl(&rec->rings, PERF_EVENT_IOC_DISABLE, NULL);
	err = output_round(rec);
	if (!err && rings_backward(&rec->rings))
		err = output_snapshot(rec);
	return err ? write_error(rec, err) : 0;
}

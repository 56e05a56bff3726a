// SPDX-License-Identifier: GPL-2.0
/*
 * The main loop: one epoll for buffers, signals, timers and control.
 *
 * struct loop owns the descriptors that it waits on, the events that wake it up for tables, and the
 * end conditions: a signal, the exit of the command or of the last task, --max-size. It enables and
 * disables events; struct files writes the output.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/error.h"
#include "cmd/record/loop.h"

/*
 * Data of an epoll event: one of these, or FIRST_RING + index of a ring, or FIRST_TRIGGER + index
 * of a trigger ring.
 */
enum {
	ON_SIGNAL, ON_TIMER, ON_SWITCH_TIMER, ON_CONTROL, ON_FAILURE, ON_MAPPING, FIRST_RING,
	FIRST_TRIGGER = 1 << 30,
};

/* Least time between two wake-ups by mappings, in ms: programs may start by the thousand. */
#define MAPPING_MS	2

/* Signals that end a recording or switch to the next file. SIGHUP only if it is not ignored. */
static const int our_signals[] = { SIGCHLD, SIGINT, SIGTERM, SIGUSR2, SIGHUP };

static void fill_set(sigset_t *set)
{
	u32 i;

	sigemptyset(set);
	for (i = 0; i < ARRAY_SIZE(our_signals); i++)
		sigaddset(set, our_signals[i]);
}

void loop_block_signals(void)
{
	sigset_t set;

	fill_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A closed pipe is then an error of write(). */
	signal(SIGPIPE, SIG_IGN);
}

void loop_init(struct loop *l, const struct record_options *opts, struct rings *rings, struct drain *drain,
	       const struct thread_groups *groups, struct files *files, struct workload *workload,
	       struct control *control, struct trigger *trigger)
{
	*l = (struct loop){
		.opts = opts, .rings = rings, .drain = drain, .files = files, .workload = workload,
		.control = control, .trigger = trigger, .maps.epoll = -1, .epoll = -1, .signals = -1, .timer = -1,
		.switch_timer = -1,
	};
	streams_init(&l->streams, drain, groups);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void loop_deinit(struct loop *l)
{
	streams_deinit(&l->streams);
	if (l->maps.epoll >= 0)
		map_events_close(&l->maps);
	close_fd(l->epoll);
	close_fd(l->signals);
	close_fd(l->timer);
	close_fd(l->switch_timer);
}

static u64 monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int watch(struct loop *l, int fd, u64 what)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = what };

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static bool has_ended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR);
}

/*
 * The event that epoll watches for a buffer has ended with its task: watch another event of the
 * buffer. One descriptor per buffer is enough, as the kernel wakes all that share it.
 */
static void watch_next(struct loop *l, struct ring *ring, u64 what)
{
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, ring->fds[ring->watched], NULL);
	while (++ring->watched < ring->nr_fds)
		if (!has_ended(ring->fds[ring->watched]) &&
		    !watch(l, ring->fds[ring->watched], what))
			return;
}

static bool all_ended(const struct loop *l)
{
	u32 i;

	for (i = 0; i < l->rings->nr; i++)
		if (l->rings->v[i].watched < l->rings->v[i].nr_fds)
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

static void enable(struct loop *l, bool on)
{
	rings_ioctl(l->rings, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
	l->enabled = on;
}

/* -D: enable events, or disable them at the end of a span. */
static void delay_over(struct loop *l)
{
	u64 expired;
	u64 now = (monotonic_ns() - l->start_ns) / 1000000, next;

	if (read(l->timer, &expired, sizeof(expired)) < 0)
		return;
	if (!l->opts->nr_spans) {
		enable(l, true);
		return;
	}
	enable(l, !l->enabled);
	if (l->enabled)
		next = l->opts->spans[l->next_span].off;
	else if (++l->next_span < l->opts->nr_spans)
		next = l->opts->spans[l->next_span].on;
	else
		return;
	set_timer(l->timer, next > now ? next - now : 1, 0);
}

static void on_signal(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == sizeof(si)) {
		switch (si.ssi_signo) {
		case SIGCHLD:
			l->done |= workload_poll(l->workload);
			break;
		case SIGUSR2:
			l->switch_wanted = true;
			break;
		default:
			l->signal = si.ssi_signo;
			l->done = true;
		}
	}
}

static void list_events(const struct spec_list *specs)
{
	u32 i;

	for (i = 0; i < specs->nr; i++)
		fprintf(stderr, "%s\n", specs->v[i]->name);
}

/* Enable or disable events. @name: only this event; "": all */
static void switch_events(struct loop *l, bool on, const char *name)
{
	const char *state = on ? "enabled" : "disabled";

	if (!*name) {
		enable(l, on);
		fprintf(stderr, "Events %s\n", state);
	} else if (rings_ioctl(l->rings, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, name)) {
		fprintf(stderr, "Event %s %s\n", name, state);
	} else {
		diag_warn("--control: no event is called '%s'", name);
	}
}

static void obey(struct loop *l, const struct control_command *cmd)
{
	switch (cmd->verb) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		switch_events(l, cmd->verb == CONTROL_ENABLE, cmd->event);
		break;
	case CONTROL_EVLIST:
		list_events(&l->opts->specs);
		break;
	case CONTROL_SNAPSHOT:
		l->switch_wanted = true;
		break;
	case CONTROL_STOP:
		l->done = true;
		break;
	case CONTROL_PING:
		break;
	}
}

static void on_control(struct loop *l)
{
	struct control_command cmd;

	control_read(l->control);
	while (control_next(l->control, &cmd)) {
		obey(l, &cmd);
		control_ack(l->control);
	}
}

/*
 * Tables are registered as soon as their files are mapped. If the events cannot be opened (locked
 * memory), or for several threads, the buffers are read from time to time.
 */
static void watch_mappings(struct loop *l)
{
	const struct ring_options *o = &l->opts->ring;
	const struct rings *r = l->rings;

	if (!l->files->tables || r->threads.nr > 1)
		return;
	error_free(map_events_open(&l->maps, &r->cpus, &r->threads,
				   r->threads.v[0] != -1 && !o->per_thread && !o->no_inherit, 1));
	if (l->maps.epoll >= 0)
		watch(l, l->maps.epoll, ON_MAPPING);
}

static int open_all(struct loop *l)
{
	sigset_t set;
	u32 i;

	fill_set(&set);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN) {
		signal(SIGHUP, SIG_IGN);	/* nohup */
		sigdelset(&set, SIGHUP);
	}
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	l->switch_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epoll < 0 || l->signals < 0 || l->timer < 0 || l->switch_timer < 0)
		return diag_error("cannot wait for events: %s", strerror(errno));
	watch(l, l->signals, ON_SIGNAL);
	watch(l, l->timer, ON_TIMER);
	watch(l, l->switch_timer, ON_SWITCH_TIMER);
	if (l->control->fd >= 0)
		watch(l, l->control->fd, ON_CONTROL);
	if (l->streams.failure >= 0)
		watch(l, l->streams.failure, ON_FAILURE);
	for (i = 0; i < l->rings->nr; i++) {
		struct ring *ring = &l->rings->v[i];

		if (ring->backward)
			ring->watched = ring->nr_fds;
		else if (watch(l, ring->fds[0], FIRST_RING + i))
			return diag_error("cannot wait for a kernel buffer: %s", strerror(errno));
	}
	for (i = 0; i < l->trigger->rings.nr; i++)
		if (watch(l, l->trigger->rings.v[i].fds[0], FIRST_TRIGGER + i))
			return diag_error("cannot wait for --switch-output-event: %s", strerror(errno));
	watch_mappings(l);
	return 0;
}

/*
 * True if the tasks of all backward rings have exited. Backward rings never report a full buffer,
 * and epoll does not watch them.
 */
static bool backward_ended(const struct loop *l)
{
	u32 i, j;

	for (i = 0; i < l->rings->nr; i++)
		for (j = 0; l->rings->v[i].backward && j < l->rings->v[i].nr_fds; j++)
			if (!has_ended(l->rings->v[i].fds[j]))
				return false;
	return true;
}

static int start(struct loop *l)
{
	const struct ring_options *o = &l->opts->ring;

	if (l->drain->frames && frames_begin(l->drain->frames))
		return -1;
	l->start_ns = monotonic_ns();
	if (l->trigger->rings.nr && (!l->workload->pid || l->rings->threads.v[0] == -1 || !o->has_workload))
		rings_ioctl(&l->trigger->rings, PERF_EVENT_IOC_ENABLE, NULL);
	if (l->opts->switch_ms)
		set_timer(l->switch_timer, l->opts->switch_ms, l->opts->switch_ms);
	if (o->delay_given) {
		if (o->delay_ms == 0 && l->opts->nr_spans)
			set_timer(l->timer, 1, 0);
		else if (o->delay_ms > 0)
			set_timer(l->timer, o->delay_ms, 0);
		else
			fprintf(stderr, "Events disabled\n");
	} else if (!l->workload->pid || l->rings->threads.v[0] == -1 || l->opts->pids || l->opts->tids) {
		enable(l, true);
	} else {
		l->enabled = true;	/* enabled by the exec */
	}
	return l->workload->pid ? workload_go(l->workload, l->opts->command[0]) : 0;
}

/*
 * Read the buffers, also those below --mmap-flush if @all. With --threads: have them read.
 * Return: 0 or -errno.
 */
static int drain(struct loop *l, bool all)
{
	if (!l->streams.nr)
		return drain_round(l->drain, all);
	if (all)
		streams_wake_all(&l->streams);
	return streams_error(&l->streams);
}

/* --overwrite: write the current contents of the buffers, which continue to be overwritten. */
static int write_newest(struct loop *l)
{
	int err = 0;

	if (rings_backward(l->rings))
		err = drain_snapshot(l->drain) ?: drain(l, true) ?: drain_live(l->drain);
	return err ? output_failed(l->files->out, err) : 0;
}

static int switch_if_due(struct loop *l)
{
	const struct record_options *o = l->opts;
	bool due = l->switch_wanted ||
		   (o->switch_size && output_bytes(l->files->out) >= o->switch_size);

	l->switch_wanted = false;
	if (!due)
		return 0;
	return o->switch_output ? files_switch(l->files) : write_newest(l);
}

/* A ring of the recording or of the trigger has data, or its event has ended. */
static void on_ring(struct loop *l, u64 what, bool ended)
{
	bool trigger = what >= FIRST_TRIGGER;

	if (trigger)
		l->switch_wanted |= trigger_fired(l->trigger);
	else
		streams_wake(&l->streams, what - FIRST_RING);
	if (ended)
		watch_next(l, trigger ? &l->trigger->rings.v[what - FIRST_TRIGGER] :
			   &l->rings->v[what - FIRST_RING], what);
}

static void handle(struct loop *l, const struct epoll_event *e)
{
	u64 what = e->data.u64, expired;

	switch (what) {
	case ON_SIGNAL:
		on_signal(l);
		break;
	case ON_TIMER:
		delay_over(l);
		break;
	case ON_SWITCH_TIMER:
		if (read(l->switch_timer, &expired, sizeof(expired)) > 0)
			l->switch_wanted = true;
		break;
	case ON_CONTROL:
		on_control(l);
		break;
	case ON_FAILURE:
		break;		/* drain() returns the error */
	case ON_MAPPING:
		map_events_clear(&l->maps);
		streams_wake_all(&l->streams);
		l->mapped = true;
		break;
	default:
		on_ring(l, what, e->events & (EPOLLHUP | EPOLLERR));
	}
}

/* Check the end conditions that wake no descriptor. */
static void look_for_end(struct loop *l)
{
	u64 most = l->opts->max_size;

	if (all_ended(l) && backward_ended(l))
		l->done = true;
	if (!most || output_bytes(l->files->out) < most)
		return;
	if (verbose >= 0)
		fprintf(stderr, "[ perf record: the file has the size of --max-size (%llu bytes): stopping ]\n",
			most);
	l->done = true;
}

/* Write the remaining records after all events are disabled. */
static int last_round(struct loop *l)
{
	int err;

	rings_ioctl(l->rings, PERF_EVENT_IOC_DISABLE, NULL);
	err = streams_stop(&l->streams) ?: drain_round(l->drain, true);
	if (!err && rings_backward(l->rings))
		err = drain_snapshot(l->drain);
	if (!err)
		err = drain_live(l->drain);
	return err ? output_failed(l->files->out, err) : 0;
}

/*
 * Wait for the tables of running tasks before events are enabled. The buffers, which already
 * receive side-band records, are read meanwhile. Return: 0 or -errno.
 */
static int settle_tables(struct loop *l)
{
	int err = 0;

	tables_settle(l->files->tables);
	while (!err && !tables_settled(l->files->tables))
		err = drain_round(l->drain, false);
	return err;
}

static int run(struct loop *l)
{
	struct epoll_event events[64];
	int n, i, err;

	if (l->files->tables) {
		err = settle_tables(l);
		if (err)
			return output_failed(l->files->out, err);
	}
	if (streams_start(&l->streams) || open_all(l) || start(l) ||
	    error_report(writer_publish(&l->files->out->writer)))
		return -1;
	l->started = true;
	while (!l->done) {
		n = epoll_wait(l->epoll, events, ARRAY_SIZE(events), files_timeout(l->files, l->maps.epoll < 0));
		if (n < 0 && errno != EINTR)
			return diag_error("cannot wait for events: %s", strerror(errno));
		l->wakeups += n > 0;
		for (i = 0; i < n; i++)
			handle(l, &events[i]);
		if (!n)
			streams_wake_all(&l->streams);
		err = drain(l, l->done);
		if (err)
			return output_failed(l->files->out, err);
		if (files_poll(l->files))
			return -1;
		look_for_end(l);
		if (!l->done && switch_if_due(l))
			return -1;
		if (l->mapped && !l->done)
			poll(&(struct pollfd){ .fd = l->signals, .events = POLLIN }, 1, MAPPING_MS);
		l->mapped = false;
	}
	return last_round(l);
}

int loop_run(struct loop *l)
{
	int err = run(l);

	streams_stop(&l->streams);
	return err;
}

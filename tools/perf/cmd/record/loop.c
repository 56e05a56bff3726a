// SPDX-License-Identifier: GPL-2.0
/*
 * The main loop: one epoll for buffers, signals, timers and control. It owns these descriptors, the
 * events that wake it up for tables, and the end conditions: a signal, the exit of the command or
 * of the last task, --max-size. It enables events; struct files writes the output.
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

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/error.h"
#include "cmd/record/recorder.h"

/* Data of an epoll event: one of these, or FIRST_RING or FIRST_TRIGGER + the index of a ring. */
enum {
	ON_SIGNAL, ON_TIMER, ON_SWITCH_TIMER, ON_CONTROL, ON_FAILURE, ON_MAPPING, FIRST_RING,
	FIRST_TRIGGER = 1 << 30,
};

/* Least time between two wake-ups by mappings, in ms: programs may start by the thousand. */
#define MAPPING_MS	2
#define PAUSE_MS	20

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
	const struct sigaction usual = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP };
	sigset_t set;

	fill_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A closed pipe is then an error of write(). */
	signal(SIGPIPE, SIG_IGN);
	/* Ignored, nothing would tell the command's end. Stops of traced threads do not matter. */
	sigaction(SIGCHLD, &usual, NULL);
}

void loop_init(struct recorder *rec)
{
	rec->loop = (struct loop){
		.maps.epoll = -1, .epoll = -1, .signals = -1, .timer = -1, .switch_timer = -1,
	};
	rec->streams.failure = -1;
}

void loop_deinit(struct recorder *rec)
{
	streams_deinit(rec);
	if (rec->loop.maps.epoll >= 0)
		map_events_close(&rec->loop.maps);
	cleanup_close(&rec->loop.epoll);
	cleanup_close(&rec->loop.signals);
	cleanup_close(&rec->loop.timer);
	cleanup_close(&rec->loop.switch_timer);
}

static int watch(struct recorder *rec, int fd, u64 what)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = what };

	return epoll_ctl(rec->loop.epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static bool has_ended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR);
}

/* A buffer's watched event has ended with its task: watch another. The kernel wakes all. */
static void watch_next(struct recorder *rec, struct ring *ring, u64 what)
{
	epoll_ctl(rec->loop.epoll, EPOLL_CTL_DEL, ring->fds[ring->watched], NULL);
	while (++ring->watched < ring->nr_fds)
		if (!has_ended(ring->fds[ring->watched]) &&
		    !watch(rec, ring->fds[ring->watched], what))
			return;
}

static bool all_ended(const struct recorder *rec)
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

static void enable(struct recorder *rec, bool on)
{
	rings_ioctl(&rec->rings, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
	sampler_enable(rec->sampler, on);
	__atomic_store_n(&rec->loop.enabled, on, __ATOMIC_RELEASE);
}

/* -D: enable events, or disable them at the end of a span. */
static void delay_over(struct recorder *rec)
{
	u64 expired;
	u64 now = (monotonic_ns() - rec->loop.start_ns) / 1000000, next;

	if (read(rec->loop.timer, &expired, sizeof(expired)) < 0)
		return;
	if (!rec->opts.nr_spans) {
		enable(rec, true);
		return;
	}
	enable(rec, !rec->loop.enabled);
	if (rec->loop.enabled)
		next = rec->opts.spans[rec->loop.next_span].off;
	else if (++rec->loop.next_span < rec->opts.nr_spans)
		next = rec->opts.spans[rec->loop.next_span].on;
	else
		return;
	set_timer(rec->loop.timer, next > now ? next - now : 1, 0);
}

static void on_signal(struct recorder *rec)
{
	struct signalfd_siginfo si;

	while (read(rec->loop.signals, &si, sizeof(si)) == sizeof(si)) {
		switch (si.ssi_signo) {
		case SIGCHLD:
			rec->loop.done |= workload_poll(&rec->workload);
			break;
		case SIGUSR2:
			rec->loop.switch_wanted = true;
			break;
		default:
			rec->loop.signal = si.ssi_signo;
			rec->loop.done = true;
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
static void switch_events(struct recorder *rec, bool on, const char *name)
{
	const char *state = on ? "enabled" : "disabled";

	if (!*name) {
		enable(rec, on);
		fprintf(stderr, "Events %s\n", state);
	} else if (rings_ioctl(&rec->rings, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			       name)) {
		fprintf(stderr, "Event %s %s\n", name, state);
	} else {
		diag_warn("--control: no event is called '%s'", name);
	}
}

static void obey(struct recorder *rec, const struct control_command *cmd)
{
	switch (cmd->verb) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		switch_events(rec, cmd->verb == CONTROL_ENABLE, cmd->event);
		break;
	case CONTROL_EVLIST:
		list_events(&rec->opts.specs);
		break;
	case CONTROL_SNAPSHOT:
		rec->loop.switch_wanted = true;
		break;
	case CONTROL_STOP:
		rec->loop.done = true;
		break;
	case CONTROL_PING:
		break;
	}
}

static void on_control(struct recorder *rec)
{
	struct control_command cmd;

	control_read(&rec->control);
	while (control_next(&rec->control, &cmd)) {
		obey(rec, &cmd);
		control_ack(&rec->control);
	}
}

/* Register tables when files are mapped. Without these events buffers are read now and then. */
static void watch_mappings(struct recorder *rec)
{
	const struct ring_options *o = &rec->opts.ring;
	const struct rings *r = &rec->rings;

	if (!rec->tables || r->threads.nr > 1)
		return;
	error_free(map_events_open(&rec->loop.maps, &r->cpus, &r->threads,
				   r->threads.v[0] != -1 && !o->per_thread && !o->no_inherit, 1));
	if (rec->loop.maps.epoll >= 0)
		watch(rec, rec->loop.maps.epoll, ON_MAPPING);
}

static int open_all(struct recorder *rec)
{
	struct loop *l = &rec->loop;
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
	if (watch(rec, l->signals, ON_SIGNAL) || watch(rec, l->timer, ON_TIMER) ||
	    watch(rec, l->switch_timer, ON_SWITCH_TIMER) ||
	    (rec->control.fd >= 0 && watch(rec, rec->control.fd, ON_CONTROL)) ||
	    (rec->streams.failure >= 0 && watch(rec, rec->streams.failure, ON_FAILURE)))
		return diag_error("cannot wait for events: %s", strerror(errno));
	for (i = 0; i < rec->rings.nr; i++) {
		struct ring *ring = &rec->rings.v[i];

		if (ring->backward)
			ring->watched = ring->nr_fds;
		else if (watch(rec, ring->fds[0], FIRST_RING + i))
			return diag_error("cannot wait for a kernel buffer: %s", strerror(errno));
	}
	for (i = 0; i < rec->trigger.rings.nr; i++)
		if (watch(rec, rec->trigger.rings.v[i].fds[0], FIRST_TRIGGER + i))
			return diag_error("cannot wait for --switch-output-event: %s", strerror(errno));
	watch_mappings(rec);
	return 0;
}

/* Have the tasks of all backward rings exited? As these are never full epoll is not used. */
static bool backward_ended(const struct recorder *rec)
{
	u32 i, j;

	for (i = 0; i < rec->rings.nr; i++)
		for (j = 0; rec->rings.v[i].backward && j < rec->rings.v[i].nr_fds; j++)
			if (!has_ended(rec->rings.v[i].fds[j]))
				return false;
	return true;
}

static int start(struct recorder *rec)
{
	const struct ring_options *o = &rec->opts.ring;
	/* Events of running tasks (-p, -t, -u) are there when a command starts, too. */
	bool by_exec = o->has_workload && rec->rings.threads.v[0] != -1;

	if ((rec->frames && frames_begin(rec->frames)) || (rec->sampler && sampler_begin(rec)) ||
	    (rec->wall && wall_begin(rec)))
		return -1;
	rec->loop.start_ns = monotonic_ns();
	if (rec->trigger.rings.nr && !by_exec)
		rings_ioctl(&rec->trigger.rings, PERF_EVENT_IOC_ENABLE, NULL);
	if (rec->opts.switch_ms)
		set_timer(rec->loop.switch_timer, rec->opts.switch_ms, rec->opts.switch_ms);
	if (o->delay_given) {
		if (o->delay_ms == 0 && rec->opts.nr_spans)
			set_timer(rec->loop.timer, 1, 0);
		else if (o->delay_ms > 0)
			set_timer(rec->loop.timer, o->delay_ms, 0);
		else
			fprintf(stderr, "Events disabled\n");
	} else if (by_exec && !rec->sampler) {
		rec->loop.enabled = true;
	} else {
		enable(rec, true);
	}
	return rec->workload.pid ? workload_go(&rec->workload, rec->opts.command[0]) : 0;
}

/* Read the buffers, or with --threads have them read; @all: also below --mmap-flush. */
static int drain(struct recorder *rec, bool all)
{
	if (!rec->streams.nr)
		return drain_round(rec, all);
	if (all)
		streams_wake_all(rec);
	return streams_error(rec);
}

/* --overwrite: write the current contents of the buffers, which continue to be overwritten. */
static int write_newest(struct recorder *rec)
{
	int err = 0;

	if (rings_backward(&rec->rings))
		err = drain_snapshot(rec) ?: drain(rec, true) ?: drain_live(rec);
	return err ? output_failed(&rec->out, err) : 0;
}

static int switch_if_due(struct recorder *rec)
{
	const struct record_options *o = &rec->opts;
	bool due = rec->loop.switch_wanted ||
		   (o->switch_size && output_bytes(&rec->out) >= o->switch_size);

	rec->loop.switch_wanted = false;
	if (!due)
		return 0;
	return o->switch_output ? files_switch(rec) : write_newest(rec);
}

/* A ring of the recording or of the trigger has data, or its event has ended. */
static void on_ring(struct recorder *rec, u64 what, bool ended)
{
	bool trigger = what >= FIRST_TRIGGER;

	if (trigger)
		rec->loop.switch_wanted |= trigger_fired(&rec->trigger);
	else
		streams_wake(rec, what - FIRST_RING);
	sampler_woken(rec);
	if (ended)
		watch_next(rec, trigger ? &rec->trigger.rings.v[what - FIRST_TRIGGER] :
			   &rec->rings.v[what - FIRST_RING], what);
}

static void handle(struct recorder *rec, const struct epoll_event *e)
{
	u64 what = e->data.u64, expired;

	switch (what) {
	case ON_SIGNAL:
		on_signal(rec);
		break;
	case ON_TIMER:
		delay_over(rec);
		break;
	case ON_SWITCH_TIMER:
		if (read(rec->loop.switch_timer, &expired, sizeof(expired)) > 0)
			rec->loop.switch_wanted = true;
		break;
	case ON_CONTROL:
		on_control(rec);
		break;
	case ON_FAILURE:
		break;		/* drain() returns the error */
	case ON_MAPPING:
		map_events_clear(&rec->loop.maps);
		streams_wake_all(rec);
		rec->loop.mapped = true;
		break;
	default:
		on_ring(rec, what, e->events & (EPOLLHUP | EPOLLERR));
	}
}

/* Check the end conditions that wake no descriptor. */
static void look_for_end(struct recorder *rec)
{
	u64 most = rec->opts.max_size;
	/* The events of a command end a moment before it does; SIGCHLD follows, with its status. */
	bool runs = rec->opts.ring.has_workload && !rec->workload.ended;

	if (!runs && all_ended(rec) && backward_ended(rec))
		rec->loop.done = true;
	if (!most || output_bytes(&rec->out) < most)
		return;
	if (verbose >= 0)
		fprintf(stderr, "[ perf record: the file has the size of --max-size (%llu bytes): stopping ]\n",
			most);
	rec->loop.done = true;
}

/* Write the remaining records after all events are disabled. */
static int last_round(struct recorder *rec)
{
	int err;

	rings_ioctl(&rec->rings, PERF_EVENT_IOC_DISABLE, NULL);
	sampler_stop(rec);
	host_ending(rec->desc.host);
	err = streams_stop(rec) ?: drain_round(rec, true) ?: drain_snapshot(rec) ?: drain_live(rec);
	return err ? output_failed(&rec->out, err) : 0;
}

/* Wait for running tasks' tables, reading the buffers: these get side-band records. -errno */
static int settle_tables(struct recorder *rec)
{
	int err = 0;

	tables_settle(rec->tables);
	while (!err && !tables_settled(rec->tables))
		err = drain_round(rec, false);
	return err;
}

/*
 * Wait, for files_timeout() at most. Events that signal each sample (python_reader.h) would wake us
 * up for each: then buffers and signals are looked at now and then.
 */
static int wait_for_work(struct recorder *rec, struct epoll_event *events, int max)
{
	int n, ms = files_timeout(rec);
	bool forever = ms < 0;

	if (!live_signals(rec->live))
		return epoll_wait(rec->loop.epoll, events, max, ms);
	do {
		usleep(1000 * PAUSE_MS);
		n = epoll_wait(rec->loop.epoll, events, max, 0);
		ms -= PAUSE_MS;
	} while (!n && (forever || ms > 0));
	return n;
}

static int run(struct recorder *rec)
{
	struct epoll_event events[64];
	int n, i, err;

	if (rec->tables) {
		err = settle_tables(rec);
		if (err)
			return output_failed(&rec->out, err);
	}
	if (streams_start(rec) || open_all(rec) || start(rec) ||
	    error_report(writer_publish(&rec->out.writer)))
		return -1;
	rec->loop.started = true;
	while (!rec->loop.done) {
		n = wait_for_work(rec, events, ARRAY_SIZE(events));
		if (n < 0 && errno != EINTR)
			return diag_error("cannot wait for events: %s", strerror(errno));
		rec->loop.wakeups += n > 0;
		for (i = 0; i < n; i++)
			handle(rec, &events[i]);
		if (!n)
			streams_wake_all(rec);
		err = drain(rec, rec->loop.done);
		if (err)
			return output_failed(&rec->out, err);
		if (files_poll(rec))
			return -1;
		look_for_end(rec);
		if (!rec->loop.done && switch_if_due(rec))
			return -1;
		if (rec->loop.mapped && !rec->loop.done)
			poll(&(struct pollfd){ rec->loop.signals, POLLIN, 0 }, 1, MAPPING_MS);
		rec->loop.mapped = false;
	}
	return last_round(rec);
}

int loop_run(struct recorder *rec)
{
	int err = run(rec);

	sampler_stop(rec);
	streams_stop(rec);
	return err;
}

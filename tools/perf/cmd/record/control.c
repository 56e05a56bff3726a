// SPDX-License-Identifier: GPL-2.0
/*
 * --control: commands from a descriptor or a fifo, one a line, answered with
 * "ack".
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "cmd/record/record.h"

static int open_fifo(const char *path)
{
	struct stat st;
	int fd;

	/* Read and write: it stays open when the other side closes it. */
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return diag_error("--control: %s: %s", path, strerror(errno));
	if (!S_ISFIFO(st.st_mode)) {
		close(fd);
		return diag_error("--control: %s is no fifo (mkfifo makes one)", path);
	}
	return fd;
}

static int parse_fd(const char *text, int *fd)
{
	char *end;

	*fd = strtol(text, &end, 10);
	if (end == text || *end || *fd < 0 || fcntl(*fd, F_GETFD) < 0)
		return diag_error("--control: '%s' is no open descriptor", text);
	fcntl(*fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int control_open(struct record *rec)
{
	_cleanup_free_ char *copy = NULL;
	char *ctl, *ack;
	bool fifo;

	if (!rec->control)
		return 0;
	copy = xstrdup(rec->control);
	fifo = !strncmp(copy, "fifo:", 5);
	if (!fifo && strncmp(copy, "fd:", 3))
		return diag_error("--control wants fd:CTL[,ACK] or fifo:CTL[,ACK], not '%s'", rec->control);
	ctl = strchr(copy, ':') + 1;
	ack = strchr(ctl, ',');
	if (ack)
		*ack++ = 0;
	if (!fifo) {
		if (parse_fd(ctl, &rec->control_fd) || (ack && parse_fd(ack, &rec->ack_fd)))
			return -1;
		fcntl(rec->control_fd, F_SETFL, fcntl(rec->control_fd, F_GETFL) | O_NONBLOCK);
		return 0;
	}
	rec->control_fd = open_fifo(ctl);
	if (rec->control_fd < 0)
		return -1;
	if (ack) {
		rec->ack_fd = open_fifo(ack);
		if (rec->ack_fd < 0)
			return -1;
	}
	return 0;
}

void control_close(struct record *rec)
{
	if (rec->control_fd >= 0)
		close(rec->control_fd);
	if (rec->ack_fd >= 0)
		close(rec->ack_fd);
	rec->control_fd = rec->ack_fd = -1;
}

static void show_events(struct record *rec)
{
	u32 i;

	for (i = 0; i < rec->specs.nr; i++)
		fprintf(stderr, "%s\n", rec->specs.v[i]->name);
}

static void switch_events(struct record *rec, bool on, char *name)
{
	u32 n;

	while (*name == ' ')
		name++;
	if (*name == '\'' || *name == '"') {
		char *end = strchr(name + 1, *name);

		if (end)
			*end = 0;
		name++;
	}
	n = rings_ioctl(&rec->rings, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			*name ? name : NULL);
	if (*name && !n)
		diag_warn("--control: no event is called '%s'", name);
	else if (*name)
		fprintf(stderr, "Event %s %s\n", name, on ? "enabled" : "disabled");
	else
		fprintf(stderr, "Events %s\n", on ? "enabled" : "disabled");
	if (!*name)
		rec->enabled = on;
}

static void obey(struct record *rec, char *line)
{
	if (!strncmp(line, "enable", 6)) {
		switch_events(rec, true, line + 6);
	} else if (!strncmp(line, "disable", 7)) {
		switch_events(rec, false, line + 7);
	} else if (!strncmp(line, "evlist", 6)) {
		show_events(rec);
	} else if (!strcmp(line, "snapshot")) {
		rec->switch_wanted = true;
	} else if (!strcmp(line, "stop")) {
		rec->done = true;
	} else if (strcmp(line, "ping") && strcmp(line, "ack")) {
		if (*line)
			diag_warn("--control: '%s' is no command: enable, disable, evlist, snapshot, stop, ping",
				  line);
		return;
	}
	if (rec->ack_fd >= 0 && write(rec->ack_fd, "ack\n", 4) != 4)
		diag_warn("--control: the answer cannot be written: %s", strerror(errno));
}

void control_input(struct record *rec)
{
	char buf[256];
	ssize_t n, i;

	n = read(rec->control_fd, buf, sizeof(buf));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		/* closed: no more commands, the recording goes on */
		close(rec->control_fd);
		rec->control_fd = -1;
		return;
	}
	for (i = 0; i < n; i++) {
		if (buf[i] == '\n' || buf[i] == 0) {
			rec->control_line[rec->control_len] = 0;
			obey(rec, rec->control_line);
			rec->control_len = 0;
		} else if (rec->control_len < sizeof(rec->control_line) - 1) {
			rec->control_line[rec->control_len++] = buf[i];
		}
	}
}

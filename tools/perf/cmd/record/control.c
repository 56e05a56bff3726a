// SPDX-License-Identifier: GPL-2.0
/*
 * --control: commands from a descriptor or a fifo, one per line, acknowledged with "ack". struct
 * control owns both and the text read so far; longer lines are truncated.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "cmd/record/recorder.h"

static int open_fifo(const char *path, int *fd)
{
	struct stat st;

	/* O_RDWR: the fifo stays open when the other side closes it. */
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0 || fstat(*fd, &st))
		return diag_error("--control: %s: %s", path, strerror(errno));
	return S_ISFIFO(st.st_mode) ? 0 : diag_error("--control: %s is no fifo (mkfifo makes one)", path);
}

static int parse_fd(const char *text, int *fd)
{
	char *end;
	int nr;

	nr = strtol(text, &end, 10);
	if (end == text || *end || nr < 0 || fcntl(nr, F_GETFD) < 0)
		return diag_error("--control: '%s' is no open descriptor", text);
	fcntl(nr, F_SETFD, FD_CLOEXEC);
	*fd = nr;
	return 0;
}

int control_init(struct control *c, const char *arg)
{
	_cleanup_free_ char *copy = NULL;
	char *ctl, *ack;
	bool fifo;

	*c = (struct control){ .fd = -1, .ack_fd = -1 };
	if (!arg)
		return 0;
	copy = xstrdup(arg);
	fifo = !strncmp(copy, "fifo:", 5);
	if (!fifo && strncmp(copy, "fd:", 3))
		return diag_error("--control needs fd:CTL[,ACK] or fifo:CTL[,ACK], not '%s'", arg);
	ctl = strchr(copy, ':') + 1;
	ack = strchr(ctl, ',');
	if (ack)
		*ack++ = 0;
	if (!fifo) {
		if (parse_fd(ctl, &c->fd) || (ack && parse_fd(ack, &c->ack_fd)))
			return -1;
		fcntl(c->fd, F_SETFL, fcntl(c->fd, F_GETFL) | O_NONBLOCK);
		return 0;
	}
	return open_fifo(ctl, &c->fd) ?: ack ? open_fifo(ack, &c->ack_fd) : 0;
}

void control_deinit(struct control *c)
{
	cleanup_close(&c->fd);
	cleanup_close(&c->ack_fd);
}

void control_read(struct control *c)
{
	ssize_t n = read(c->fd, c->in, sizeof(c->in));

	c->in_pos = 0;
	c->in_len = n > 0 ? n : 0;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close(c->fd);
	c->fd = -1;
}

/* Copy the next complete line into @c->line. Return: false if none is complete. */
static bool next_line(struct control *c)
{
	char ch;

	while (c->in_pos < c->in_len) {
		ch = c->in[c->in_pos++];
		if (ch == '\n' || ch == 0) {
			c->line[c->line_len] = 0;
			c->line_len = 0;
			return true;
		}
		if (c->line_len < sizeof(c->line) - 1)
			c->line[c->line_len++] = ch;
	}
	return false;
}

/* The name of an event, without quotes. */
static const char *event_name(char *name)
{
	char *end;

	while (*name == ' ')
		name++;
	if (*name != '\'' && *name != '"')
		return name;
	end = strchr(name + 1, *name);
	if (end)
		*end = 0;
	return name + 1;
}

static bool parse(char *line, struct control_command *cmd)
{
	static const struct { const char *name; enum control_verb verb; bool more; } commands[] = {
		{ "enable", CONTROL_ENABLE, true }, { "disable", CONTROL_DISABLE, true },
		{ "evlist", CONTROL_EVLIST, true }, { "snapshot", CONTROL_SNAPSHOT, false },
		{ "stop", CONTROL_STOP, false }, { "ping", CONTROL_PING, false }, { "ack", CONTROL_PING, false },
	};
	size_t len;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		len = strlen(commands[i].name);
		if (strncmp(line, commands[i].name, len) || (line[len] && !commands[i].more))
			continue;
		cmd->verb = commands[i].verb;
		cmd->event = cmd->verb <= CONTROL_DISABLE ? event_name(line + len) : "";
		return true;
	}
	return false;
}

bool control_next(struct control *c, struct control_command *cmd)
{
	while (next_line(c)) {
		if (parse(c->line, cmd))
			return true;
		if (*c->line)
			diag_warn("--control: '%s' is no command: enable, disable, evlist, snapshot, stop, ping",
				  c->line);
	}
	return false;
}

void control_ack(struct control *c)
{
	if (c->ack_fd >= 0 && write(c->ack_fd, "ack\n", 4) != 4)
		diag_warn("--control: the answer cannot be written: %s", strerror(errno));
}

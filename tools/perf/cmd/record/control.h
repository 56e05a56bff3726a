/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --control: commands from a descriptor or a fifo, one a line.
 *
 * This part reads and acknowledges them; what they do is up to the loop.
 */
#ifndef PERF_CMD_RECORD_CONTROL_H
#define PERF_CMD_RECORD_CONTROL_H

#include "base/types.h"

enum control_verb {
	CONTROL_ENABLE,		/* events go on: all, or the one that is named */
	CONTROL_DISABLE,	/* likewise off */
	CONTROL_EVLIST,		/* print the events' names */
	CONTROL_SNAPSHOT,	/* go on in a new file */
	CONTROL_STOP,		/* end the recording */
	CONTROL_PING,		/* only acknowledge */
};

struct control_command {
	enum control_verb verb;
	const char *event;	/* of enable and disable: its name; "": all */
};

struct control {
	int fd, ack_fd;		/* -1: none */
	char in[256];		/* read, but not taken yet: from in_pos to in_len */
	u32 in_pos, in_len;
	char line[256];		/* the line so far; the command that was returned last */
	u32 line_len;
};

/**
 * control_init() - open what --control names
 * @c: what to fill
 * @arg: the option's argument; NULL: no --control, nothing is opened
 *
 * Return: 0, or -1 after diag_error(); control_deinit() is called in either case.
 */
int control_init(struct control *c, const char *arg);

/**
 * control_read() - read what has come
 * @c: the control, whose descriptor is readable; every command was taken
 *
 * When the other side has closed the descriptor there are no more commands and the recording
 * goes on.
 */
void control_read(struct control *c);

/**
 * control_next() - take the next command
 * @c: the control
 * @cmd: where to; its text is valid until the next call
 *
 * A line that is no command is reported by diag_warn() and left out.
 * Return: false when there is no whole line left.
 */
bool control_next(struct control *c, struct control_command *cmd);

/**
 * control_ack() - acknowledge that a command has been carried out
 * @c: the control
 */
void control_ack(struct control *c);

void control_deinit(struct control *c);

#endif /* PERF_CMD_RECORD_CONTROL_H */

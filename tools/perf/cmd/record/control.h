/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --control: commands from a descriptor or a fifo, one per line.
 *
 * Reads, parses and acknowledges commands. loop.c executes them.
 */
#ifndef PERF_CMD_RECORD_CONTROL_H
#define PERF_CMD_RECORD_CONTROL_H

#include "base/types.h"

enum control_verb {
	CONTROL_ENABLE,		/* enable all events, or the named one */
	CONTROL_DISABLE,	/* disable all events, or the named one */
	CONTROL_EVLIST,		/* print the events' names */
	CONTROL_SNAPSHOT,	/* continue in a new file */
	CONTROL_STOP,		/* end the recording */
	CONTROL_PING,		/* only acknowledge */
};

struct control_command {
	enum control_verb verb;
	const char *event;	/* name of the event to enable or disable; "": all events */
};

struct control {
	int fd, ack_fd;		/* -1: none */
	char in[256];		/* bytes read from @fd; [in_pos, in_len) are not parsed yet */
	u32 in_pos, in_len;
	char line[256];		/* current line; after control_next(), its command */
	u32 line_len;
};

/**
 * control_init() - open the descriptors or fifos of --control
 * @c: structure to initialise
 * @arg: the option's argument; NULL: no --control, nothing is opened
 *
 * Return: 0, or -1 after diag_error(). Call control_deinit() in either case.
 */
int control_init(struct control *c, const char *arg);

/**
 * control_read() - read commands from the descriptor
 * @c: the control; its descriptor is readable and control_next() has returned false
 *
 * If the other side has closed the descriptor, no more commands follow and the recording
 * continues.
 */
void control_read(struct control *c);

/**
 * control_next() - get the next command
 * @c: the control
 * @cmd: set to the command; its text is valid until the next call
 *
 * Invalid lines are reported by diag_warn() and skipped.
 * Return: false if no complete line remains.
 */
bool control_next(struct control *c, struct control_command *cmd);

/**
 * control_ack() - acknowledge the last command
 * @c: the control
 */
void control_ack(struct control *c);

void control_deinit(struct control *c);

#endif /* PERF_CMD_RECORD_CONTROL_H */

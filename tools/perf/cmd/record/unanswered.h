/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --switch-output: the last file waits for deferred callchains of its samples.
 */
#ifndef PERF_CMD_RECORD_UNANSWERED_H
#define PERF_CMD_RECORD_UNANSWERED_H

#include "event/sample.h"
#include "perfdata/write_features.h"

struct unanswered {
	struct event_list events;	/* how samples and records are laid out */
	/* the file that is being written */
	struct hash open;		/* (tid, cookie) of its samples -> enum in unanswered.c */
	u64 nr_open;			/* how many of them wait */
	/* the file before it; path NULL: it is closed, or there is none */
	char *path;
	struct writer writer;
	struct outbuf sections[FEAT_MAX];
	struct hash wanted;		/* as @open, of that file */
	u64 nr_wanted;
	u64 deadline;			/* CLOCK_MONOTONIC, ms */
};

/**
 * unanswered_init() - begin
 * @l: what to fill
 * @events: the events, with their ids
 * @nr: how many
 */
void unanswered_init(struct unanswered *l, const struct writer_event *events, u32 nr);

/**
 * unanswered_note() - look at a record from a kernel buffer
 * @l: the files
 * @h: a record, samples too; a deferred callchain that the last file waits for is written there
 */
void unanswered_note(struct unanswered *l, const struct perf_event_header *h);

/* unanswered_wanted - does a sample of the file that is being written wait for its callchain? */
static inline bool unanswered_wanted(const struct unanswered *l)
{
	return l->nr_open;
}

/**
 * unanswered_leave() - the file that is being written becomes the last one
 * @l: the files; none waits
 * @writer: its writer, taken over
 * @sections: what goes behind the data, taken over
 * @path: its final name, taken over
 */
void unanswered_leave(struct unanswered *l, const struct writer *writer, const struct outbuf *sections, char *path);

/* unanswered_waiting - is the last file still open? */
static inline bool unanswered_waiting(const struct unanswered *l)
{
	return l->path;
}

/* unanswered_due - does the last file wait for nothing more, or has it waited long enough? */
bool unanswered_due(const struct unanswered *l);

/* unanswered_timeout - for how long to sleep at most while a file waits, in milliseconds */
int unanswered_timeout(void);

/**
 * unanswered_close() - close the last file
 * @l: the files; one waits
 * @path: gets its name, which is the caller's
 *
 * Return: 0, or -errno.
 */
int unanswered_close(struct unanswered *l, char **path);

/**
 * unanswered_deinit() - free everything
 * @l: the files; none waits
 */
void unanswered_deinit(struct unanswered *l);

#endif /* PERF_CMD_RECORD_UNANSWERED_H */

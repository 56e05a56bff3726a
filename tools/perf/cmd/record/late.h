/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --switch-output: the last file waits for deferred callchains of its samples.
 */
#ifndef PERF_CMD_RECORD_LATE_H
#define PERF_CMD_RECORD_LATE_H

#include "event/sample.h"
#include "perfdata/write_features.h"

struct late {
	struct event_list events;	/* how samples and records are laid out */
	/* the file that is being written */
	struct hash open;		/* (tid, cookie) of its samples -> enum in late.c */
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
 * late_init() - begin
 * @l: what to fill
 * @events: the events, with their ids
 * @nr: how many
 */
void late_init(struct late *l, const struct writer_event *events, u32 nr);

/**
 * late_note() - look at a record from a kernel buffer
 * @l: the files
 * @h: a record, samples too; a deferred callchain that the last file waits for is written there
 */
void late_note(struct late *l, const struct perf_event_header *h);

/* late_wanted - does a sample of the file that is being written wait for its callchain? */
static inline bool late_wanted(const struct late *l)
{
	return l->nr_open;
}

/**
 * late_leave() - the file that is being written becomes the last one
 * @l: the files; none waits
 * @writer: its writer, taken over
 * @sections: what goes behind the data, taken over
 * @path: its final name, taken over
 */
void late_leave(struct late *l, const struct writer *writer, const struct outbuf *sections, char *path);

/* late_waiting - is the last file still open? */
static inline bool late_waiting(const struct late *l)
{
	return l->path;
}

/* late_due - does the last file wait for nothing more, or has it waited long enough? */
bool late_due(const struct late *l);

/* late_timeout - for how long to sleep at most while a file waits, in milliseconds */
int late_timeout(void);

/**
 * late_close() - close the last file
 * @l: the files; one waits
 * @path: gets its name, which is the caller's
 *
 * Return: 0, or -errno.
 */
int late_close(struct late *l, char **path);

/**
 * late_deinit() - free everything
 * @l: the files; none waits
 */
void late_deinit(struct late *l);

#endif /* PERF_CMD_RECORD_LATE_H */

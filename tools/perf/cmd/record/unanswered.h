/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record --switch-output: keeps the previous file open for deferred records of its samples.
 */
#ifndef PERF_CMD_RECORD_UNANSWERED_H
#define PERF_CMD_RECORD_UNANSWERED_H

#include "event/sample.h"
#include "perfdata/write_features.h"

struct unanswered {
	struct event_list events;	/* layout of samples and records */
	/* the current file */
	struct hash open;		/* (tid, cookie) of its samples -> enum in unanswered.c */
	u64 nr_open;			/* number of cookies without their deferred record */
	/* the previous file; path NULL: closed, or none */
	char *path;
	struct writer writer;
	struct outbuf sections[FEAT_MAX];
	struct hash wanted;		/* like @open, for the previous file */
	u64 nr_wanted;
	u64 deadline;			/* CLOCK_MONOTONIC, ms */
};

/**
 * unanswered_init() - initialise, without files
 * @l: structure to initialise
 * @events: the events, with their ids
 * @nr: number of events
 */
void unanswered_init(struct unanswered *l, const struct writer_event *events, u32 nr);

/**
 * unanswered_note() - track a record of a kernel buffer
 * @l: the files
 * @h: a record or a sample; a deferred record of the previous file is written to that file
 */
void unanswered_note(struct unanswered *l, const struct perf_event_header *h);

/* unanswered_wanted - true if a sample of the current file has no deferred record yet */
static inline bool unanswered_wanted(const struct unanswered *l)
{
	return l->nr_open;
}

/**
 * unanswered_leave() - make the current file the previous one
 * @l: the files; there is no previous file
 * @writer: its writer; ownership passes to @l
 * @sections: its feature sections; ownership passes to @l
 * @path: its final name; ownership passes to @l
 */
void unanswered_leave(struct unanswered *l, const struct writer *writer, const struct outbuf *sections, char *path);

/* unanswered_waiting - true if the previous file is still open */
static inline bool unanswered_waiting(const struct unanswered *l)
{
	return l->path;
}

/* unanswered_due - true if the previous file is complete or its wait has timed out */
bool unanswered_due(const struct unanswered *l);

/* unanswered_timeout - maximum sleep in milliseconds while a file waits */
int unanswered_timeout(void);

/**
 * unanswered_close() - close the previous file
 * @l: the files; the previous one is open
 * @path: set to its name; the caller frees it
 *
 * Return: 0, or -errno.
 */
int unanswered_close(struct unanswered *l, char **path);

/**
 * unanswered_deinit() - free everything
 * @l: the files; no previous file is open
 */
void unanswered_deinit(struct unanswered *l);

#endif /* PERF_CMD_RECORD_UNANSWERED_H */

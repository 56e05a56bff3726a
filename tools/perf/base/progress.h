/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Progress of the work: a bar on a terminal's stderr after a second, and ^C as a request to
 * stop.
 */
#ifndef PERF_BASE_PROGRESS_H
#define PERF_BASE_PROGRESS_H

#include "base/types.h"

/**
 * progress_start() - work begins
 * @what: e.g. "Reading records"
 * @total: how much there is, in any unit; 0: unknown, no bar is shown
 */
void progress_start(const char *what, u64 total);

/**
 * progress_start_whole() - work begins that ^C does not end, as a part of it is useless
 * @what: e.g. "Making rows"
 * @total: how much there is, in any unit
 */
void progress_start_whole(const char *what, u64 total);

/*
 * progress_update - report progress; @done: finished work, in the unit of the total. Cheap enough
 * for every thousand records.
 */
void progress_update(u64 done);

/*
 * progress_tick - work of unknown length goes on, in another program; @what: e.g. "objdump". Only a
 * sink shows it, with a total of 0. Cheap, like progress_update().
 */
void progress_tick(const char *what);

/* @total: 0: not known. @whole: of progress_start_whole() */
typedef void progress_sink(const char *what, u64 done, u64 total, bool whole);

/*
 * progress_set_sink - show progress elsewhere than on stderr; @sink: called now and then between
 * progress_start() and progress_end(), and by progress_tick(); NULL: stderr again
 */
void progress_set_sink(progress_sink *sink);

/* progress_end() - the bar goes away */
void progress_end(void);

/*
 * interrupt_catch - from now on ^C only makes interrupted() return true. A second ^C ends the
 * program at once.
 */
void interrupt_catch(void);

/* interrupt_catch_ends() - also catch SIGTERM and SIGHUP, so that an incomplete file can be removed */
void interrupt_catch_ends(void);

/* interrupt_release() - from now on ^C ends the program at once; interrupted() is as it was */
void interrupt_release(void);

/* interrupt_raise() - as ^C does; for a program that reads it as a key */
void interrupt_raise(void);

/* interrupt_forget() - interrupted() is false until ^C is pressed again */
void interrupt_forget(void);

/* interrupted() - whether ^C was pressed */
bool interrupted(void);

/*
 * interrupt_wait - wait until a pipe has something to read, or ^C is pressed. ^C goes to the
 * program that writes the pipe, too, whose last output is wanted: reading goes on to the end of the
 * pipe, but for a moment only. Return: true: a read() will not wait; false: ^C was pressed and that
 * moment is over.
 */
bool interrupt_wait(int fd);

#endif /* PERF_BASE_PROGRESS_H */
